//! Rescue by an agent: a ramdisk with a password instead of the instance.

use super::{agent, deploy, failed, ramdisk, restore};
use crate::{
    flow::{self, networks},
    record::ChangeLog,
    task::{Stop, Task},
};
use drivers::{
    DriverError, Failure,
    agent::CommandStatus,
    iface::{Awaited, NetworkPurpose, Readiness},
};
use serde_json::{Value, json};
use types::{ProvisionState, Verb, event::EventKind};

/// Boots the rescue ramdisk.
pub(crate) async fn begin(task: &mut Task) -> Result<Readiness, DriverError> {
    let hardware = task.hardware.clone();
    if !hardware.rescue.by_agent() {
        let (lease, mut machine) = task.hands()?;
        return hardware.rescue.rescue(lease, &mut machine).await;
    }
    ramdisk::check(task, NetworkPurpose::Rescuing).await?;
    ramdisk::switch_off(task).await?;
    {
        let (lease, mut machine) = task.hands()?;
        hardware.boot.clean_up_instance(lease, &mut machine).await?;
    }
    networks::leave(task, NetworkPurpose::Tenant).await?;
    ramdisk::prepare(task, NetworkPurpose::Rescuing).await?;
    ramdisk::start(task).await?;
    Ok(Readiness::Wait(Awaited::Ramdisk(super::FIRST_REPORT)))
}

/// Back to the instance.
pub(crate) async fn undo(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    if !hardware.rescue.by_agent() {
        let (lease, mut machine) = task.hands()?;
        return hardware.rescue.unrescue(lease, &mut machine).await;
    }
    ramdisk::switch_off(task).await?;
    clean_up(task).await?;
    networks::join(task, NetworkPurpose::Tenant).await?;
    flow::volumes::attach_again(task).await?;
    deploy::prepare_boot(task).await?;
    ramdisk::start(task).await
}

/// Takes the rescue ramdisk away.
pub(crate) async fn clean_up(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    if !hardware.rescue.by_agent() {
        let (lease, mut machine) = task.hands()?;
        return hardware.rescue.clean_up(lease, &mut machine).await;
    }
    flow::rescue::forget_password(&mut task.node);
    restore::forget(&mut task.node);
    if ramdisk::is_managed(task, NetworkPurpose::Rescuing) {
        let (lease, mut machine) = task.hands()?;
        hardware.boot.clean_up_ramdisk(lease, &mut machine).await?;
    }
    networks::leave(task, NetworkPurpose::Rescuing).await
}

/// The ramdisk is up: it gets its password and the machine its network.
pub(super) async fn finish(task: &mut Task) -> Result<(), Stop> {
    // After a restart it may be on its way already.
    if task.node.provision_state == ProvisionState::RescueWait {
        let mut story = task.story();
        task.process(Verb::Resume, &mut story);
        task.save(story).await?;
    }
    let outcome = finalize(task).await;
    let mut story = task.story();
    match outcome {
        Ok(()) => {
            tell_address(task, &mut story);
            task.process(Verb::Done, &mut story);
        }
        Err(error) => {
            let why = flow::reason(&task.node, &error);
            flow::rescue::forget_password(&mut task.node);
            let text = format!("Node failed to perform rescue operation: {why}");
            task.error(&mut story, "rescue", &text);
            task.process(Verb::Fail, &mut story);
        }
    }
    task.end(story).await
}

/// Says where the rescue system is found. It called from there, and keeps its network unless the
/// instance's is another one.
fn tell_address(task: &Task, story: &mut ChangeLog) {
    let url = task.node.driver_internal_info.agent_url();
    if let Some(address) = url.and_then(host) {
        let text = format!("the rescue system runs: log in as 'rescue' at {address}");
        let data = json!({"kind": "rescue", "address": address});
        story.tell(&task.node, EventKind::Step, text, data);
    }
}

/// The host of an address with a port.
fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let authority = rest.split('/').next()?;
    let host = authority
        .rsplit_once(':')
        .map_or(authority, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    (!host.is_empty()).then_some(host)
}

async fn finalize(task: &mut Task) -> Result<(), DriverError> {
    let hashed = task.node.instance_info.get("hashed_rescue_password");
    let opened = hashed.and_then(|sealed| {
        let opened = task.core.db.keys().open(sealed, &task.id().to_string());
        opened.ok()
    });
    let Some(Value::String(password)) = opened else {
        return Err(DriverError::Environment(Failure::new(
            "the password of the rescue is not there any more",
        )));
    };
    let params = json!({"rescue_password": password, "hashed": true});
    let params = params.as_object().cloned().unwrap_or_default();
    let told = match agent(task).await {
        Ok(agent) => agent.command("rescue.finalize_rescue", params, true).await,
        Err(error) => Err(error),
    };
    let told = told.map_err(|error| failed(&error))?;
    if told.status != CommandStatus::Succeeded {
        return Err(DriverError::Rejected(Failure::new(format!(
            "Agent returned bad result for command finalize_rescue: {}",
            told.complaint()
        ))));
    }
    clean_up(task).await?;
    networks::join(task, NetworkPurpose::Tenant).await
}

#[cfg(test)]
mod tests {
    use super::host;

    #[test]
    fn the_host_is_what_people_log_in_to() {
        assert_eq!(host("https://10.0.0.5:9999"), Some("10.0.0.5"));
        assert_eq!(host("https://[fd00::5]:9999/"), Some("fd00::5"));
        assert_eq!(host("http://m1.example:9999/x"), Some("m1.example"));
        assert_eq!(host("nonsense"), None);
    }
}
