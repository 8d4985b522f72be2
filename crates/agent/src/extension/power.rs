//! Ending things: the machine's power, its network.

use crate::{AgentError, agent::Agent, safety};
use rustix::system::RebootCommand;
use serde_json::Value;
use std::{sync::Arc, time::Duration};
use tokio::time::sleep;

/// How long the answer to the command has to leave the machine.
const LEAVE: Duration = Duration::from_secs(2);

pub(super) async fn reboot(agent: &Arc<Agent>) -> Result<Value, AgentError> {
    end(agent, "to reboot this machine", RebootCommand::Restart).await
}

pub(super) async fn off(agent: &Arc<Agent>) -> Result<Value, AgentError> {
    end(agent, "to power this machine off", RebootCommand::PowerOff).await
}

async fn end(agent: &Arc<Agent>, what: &str, command: RebootCommand) -> Result<Value, AgentError> {
    agent.permit().ok_or_else(|| safety::refusal(what))?;
    rustix::fs::sync();
    sleep(LEAVE).await;
    rustix::system::reboot(command).map_err(|error| {
        AgentError::failed(
            "SystemRebootError",
            "Error rebooting system",
            error.to_string(),
        )
    })?;
    Ok(Value::Null)
}

pub(super) fn lock_down(agent: &Agent) -> Result<Value, AgentError> {
    let what = "to cut this machine off the network";
    agent.permit().ok_or_else(|| safety::refusal(what))?;
    agent.lock_down();
    Ok(Value::Null)
}
