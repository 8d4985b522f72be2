//! What goes wrong: the node says so, in the right state and with a reason, and can be used again.

use super::{BOOT_PATIENCE, Flow, NODE};
use crate::program::wait;
use anyhow::{Context, Result, ensure};
use serde_json::Value;
use std::time::Duration;

/// How long a failure may take to be noticed: what the conductor is told to wait, and its pace.
const NOTICE_PATIENCE: Duration = Duration::from_secs(300);

impl Flow<'_> {
    /// The machine asks for an address, and nobody answers.
    pub(super) fn is_not_answered(&self) -> Result<()> {
        self.service.cli(&["node", "inspect", NODE])?;
        let node = self.fails("inspect failed")?;
        says(&node, "Timeout reached while inspecting")?;
        // What the boot services saw is the likely cause.
        says(&node, "Nothing was heard from the machine")
    }

    /// The machine is switched off while its disk is written.
    pub(super) fn loses_power(&self) -> Result<()> {
        let drive = self.describe_instance()?;
        let before = self.machine.said();
        self.service
            .cli(&["node", "deploy", NODE, "--config-drive", &drive])?;
        self.machine
            .says("deploy.execute_deploy_step begins", before, BOOT_PATIENCE)?;
        self.control.pull_the_plug()?;
        let node = self.fails("deploy failed")?;
        says(&node, "agent")
    }

    /// Waits until the node is in that state.
    fn fails(&self, state: &str) -> Result<Value> {
        let found = wait(NOTICE_PATIENCE, || {
            let node = self.node()?;
            Ok((node["provision_state"] == state).then_some(node))
        });
        found.with_context(|| format!("the node does not become '{state}'"))
    }
}

fn says(node: &Value, words: &str) -> Result<()> {
    let error = node["last_error"].as_str().unwrap_or_default();
    ensure!(error.contains(words), "last_error is '{error}'");
    Ok(())
}
