//! The logs of ramdisks: fetched from an agent before its machine goes down, and kept as files or in Swift.
//!
//! They are for people who look for the cause of a failure, so nothing that goes wrong here changes
//! what becomes of the node.

use super::agent;
use crate::{
    objects::{self, Container},
    settings::CollectLogs,
    task::Task,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use drivers::agent::CommandStatus;
use openstack::swift::ObjectName;
use serde_json::Value;
use std::{
    fs::{self, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
};
use types::{JsonMap, Node, Timestamp};

/// When logs are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Failure,
    /// An operation is done.
    End,
}

fn are_wanted(task: &Task, moment: Moment) -> bool {
    match task.settings().ramdisk.logs {
        CollectLogs::Always => true,
        CollectLogs::OnFailure => moment == Moment::Failure,
        CollectLogs::Never => false,
    }
}

/// Asks the agent on the machine, if there is one, for its logs.
pub(crate) async fn collect(task: &mut Task, moment: Moment, label: Option<&str>) {
    let kind = super::steps::kind_of(&task.node);
    let talks =
        task.hardware.deploy.by().has_agent(kind) && task.node.driver_internal_info.has_agent();
    if !talks || !are_wanted(task, moment) {
        return;
    }
    // An agent that is gone must not hold the flow up for long.
    let patience = task.settings().ramdisk.client.timeout;
    let outcome = match tokio::time::timeout(patience, fetch(task)).await {
        Ok(Ok(logs)) => keep(task, logs, label).await,
        Ok(Err(why)) => Err(why),
        Err(_) => Err("the agent does not answer".to_owned()),
    };
    if let Err(error) = outcome {
        tracing::warn!(node = %task.id(), error, "the logs of a ramdisk could not be collected");
    }
}

/// Keeps logs that a ramdisk has sent by itself.
pub(crate) async fn keep_sent(task: &mut Task, moment: Moment, logs: &Value, label: &str) {
    if !are_wanted(task, moment) {
        return;
    }
    let logs = logs.as_str().unwrap_or_default().to_owned();
    if logs.is_empty() {
        return;
    }
    if let Err(error) = keep(task, logs, Some(label)).await {
        tracing::warn!(node = %task.id(), error, "the logs of a ramdisk could not be kept");
    }
}

async fn fetch(task: &Task) -> Result<String, String> {
    let agent = agent(task).await.map_err(|error| error.to_string())?;
    let command = "log.collect_system_logs";
    let answer = agent.command(command, JsonMap::new(), true).await;
    let answer = answer.map_err(|error| types::error::chain(&error))?;
    if answer.status != CommandStatus::Succeeded {
        return Err(answer.complaint());
    }
    let logs = answer.result.get("system_logs").and_then(Value::as_str);
    logs.map(str::to_owned)
        .ok_or_else(|| "the answer has no logs".to_owned())
}

/// `logs` is a packed archive in base64.
async fn keep(task: &mut Task, logs: String, label: Option<&str>) -> Result<(), String> {
    let name = file_name(&task.node, label, Timestamp::now());
    let container = task.settings().objects.logs.clone();
    let folder = task.settings().ramdisk.logs_folder.clone();
    let path = folder.join(&name);
    let in_swift = container.is_some();
    let written = tokio::task::spawn_blocking(move || {
        let text: String = logs.split_whitespace().collect();
        let bytes = STANDARD.decode(text).map_err(io::Error::other)?;
        if in_swift {
            return Ok(bytes);
        }
        write(folder, path, &bytes)?;
        Ok(Vec::new())
    });
    let written: io::Result<Vec<u8>> = written.await.map_err(|error| error.to_string())?;
    let bytes = written.map_err(|error| error.to_string())?;
    if let Some(Container { name: of, lifetime }) = container {
        let object = ObjectName::new(of, &name);
        let what = "Swift to take the logs of the ramdisk".to_owned();
        let _awaits = task.core.live.awaits(task.id(), what);
        objects::put(&task.core, &object, bytes, Some(lifetime)).await?;
    }
    tracing::info!(node = %task.id(), file = name, "the logs of the ramdisk were kept");
    task.note(format!("the ramdisk's logs were kept as {name}"));
    Ok(())
}

/// Logs tell much about a machine and its network, so not everybody may read them.
#[expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]
fn write(folder: PathBuf, path: PathBuf, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o640);
    options.open(path)?.write_all(bytes)
}

/// The name that such a file has with Ironic.
fn file_name(node: &Node, label: Option<&str>, at: Timestamp) -> String {
    let naive = at.naive();
    let seconds = naive.split('.').next().unwrap_or_default();
    let stamp = seconds.replace(['T', ':'], "-");
    let mut parts = vec![node.id.to_string()];
    // A name never leads out of the folder.
    let given = [node.name.as_deref(), node.instance_uuid.as_deref(), label];
    let fitting = given.into_iter().flatten().filter(|p| !p.contains('/'));
    parts.extend(fitting.map(str::to_owned));
    parts.push(stamp);
    format!("{}.tar.gz", parts.join("_"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::NodeId;

    #[test]
    fn files_are_named_after_the_node_and_the_moment() {
        let id = NodeId::generate();
        let mut node = Node::new(id, "ipmi");
        let at = Timestamp(1_700_000_000_123_456);
        assert_eq!(
            file_name(&node, None, at),
            format!("{id}_2023-11-14-22-13-20.tar.gz")
        );
        node.name = Some("rack1-3".into());
        assert_eq!(
            file_name(&node, Some("cleaning"), at),
            format!("{id}_rack1-3_cleaning_2023-11-14-22-13-20.tar.gz")
        );
        node.name = Some("../../etc/x".into());
        assert_eq!(
            file_name(&node, None, at),
            format!("{id}_2023-11-14-22-13-20.tar.gz")
        );
    }
}
