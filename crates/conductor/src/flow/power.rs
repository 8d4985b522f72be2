//! Power: actions that users and steps ask for.

use super::{reason, volumes};
use crate::{
    inband,
    last_error::{self, ErrorCode},
    record::ChangeLog,
    task::{Stop, Task},
};
use drivers::DriverError;
use serde_json::json;
use types::{
    Fault, PowerState, PowerTarget, ProvisionState, Timestamp,
    event::EventKind,
    notification::{Action, Status},
};

/// Carries out a power change that a user asked for.
pub(crate) async fn run(
    task: &mut Task,
    target: PowerTarget,
    timeout_s: Option<u64>,
) -> Result<(), Stop> {
    let outcome = act(task, target, timeout_s).await;
    let mut story = task.story();
    task.node.target_power_state = None;
    match outcome {
        Ok(()) => {
            // A failure to reach this very state is history now.
            let reached = task.node.power_state;
            last_error::settle(&mut task.node, reached);
            let is = match target.end_state() {
                PowerState::On => "on",
                _ => "off",
            };
            let text = format!("{target}: the machine is {is}");
            let data = json!({"asked": target, "is": task.node.power_state});
            story.tell(&task.node, EventKind::Power, text, data);
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            tell_failure(task, &mut story, target, &why);
        }
    }
    task.end(story).await
}

pub(super) fn tell_failure(task: &mut Task, story: &mut ChangeLog, target: PowerTarget, why: &str) {
    let text = format!(
        "Failed to change power state to '{}' by '{target}': {why}",
        target.end_state()
    );
    let code = ErrorCode::PowerChange {
        to: target.end_state(),
    };
    task.error_with(story, "UNKNOWN", &text, code);
}

/// Brings the machine's power where it should be; the node is changed, not saved.
pub(crate) async fn act(
    task: &mut Task,
    target: PowerTarget,
    timeout_s: Option<u64>,
) -> Result<(), DriverError> {
    let action = Action::Power { to: target };
    task.announce(action).await;
    let outcome = change(task, target, timeout_s).await;
    let status = match outcome {
        Ok(()) => Status::End,
        Err(_) => Status::Error,
    };
    task.notice(action, status);
    outcome
}

async fn change(
    task: &mut Task,
    target: PowerTarget,
    timeout_s: Option<u64>,
) -> Result<(), DriverError> {
    if task.node.stays_on() && target.end_state() == PowerState::Off {
        let refused = Fault::PowerOffDisabled(target);
        return Err(DriverError::InvalidParameter(refused.to_string()));
    }
    let hardware = task.hardware.clone();
    // The disks of an instance may be volumes that somebody else keeps.
    let in_use = task.node.provision_state == ProvisionState::Active;
    // Asking for what is already so does nothing, except that a reboot always reboots.
    let plain = matches!(
        target,
        PowerTarget::On | PowerTarget::Off | PowerTarget::SoftOff
    );
    if plain {
        let now = hardware.power.get(&task.machine()).await?;
        if now == Some(target.end_state()) {
            task.node.power_state = now;
            // An earlier attempt may have ended between the power and the volumes.
            let info = &task.node.driver_internal_info;
            if in_use && now == Some(PowerState::Off) && info.volume_attachments().is_some() {
                volumes::detach_after_power_off(task).await;
            }
            return Ok(());
        }
    }
    if in_use && target.end_state() == PowerState::On {
        volumes::attach(task).await?;
    }
    super::kin::prepare(task, target, timeout_s).await?;
    let verb = match target {
        PowerTarget::On => "power on",
        PowerTarget::Off | PowerTarget::SoftOff => "power off",
        PowerTarget::Reboot | PowerTarget::SoftReboot => "restart",
    };
    let _awaits = task.core.live.awaits(task.id(), format!("BMC to {verb}"));
    let restarts = matches!(target, PowerTarget::Reboot | PowerTarget::SoftReboot);
    let warnings = if hardware.power.by_agent() && restarts {
        inband::restart(task).await?;
        Vec::new()
    } else {
        let (lease, mut machine) = task.hands()?;
        hardware
            .power
            .set(lease, &mut machine, target, timeout_s)
            .await?;
        std::mem::take(&mut machine.found.warnings)
    };
    task.warn(warnings);
    if in_use && target.end_state() == PowerState::Off {
        volumes::detach_after_power_off(task).await;
    }
    let node = &mut task.node;
    node.power_state = Some(target.end_state());
    let info = &mut node.driver_internal_info;
    info.set_last_power_state_change(Timestamp::now());
    if target.cuts_power() {
        info.forget_agent_after_power_cut();
    }
    task.core.power_changed(&task.node);
    Ok(())
}

/// Notes a power state that was read, and tells of it when it is news.
pub(crate) fn note_state(task: &mut Task, story: &mut ChangeLog, state: Option<PowerState>) {
    if task.node.power_state == state {
        return;
    }
    let before = task.node.power_state;
    task.node.power_state = state;
    let name = state.map_or("unknown", PowerState::as_str);
    let data = json!({"from": before, "is": state});
    story.tell(&task.node, EventKind::Power, format!("found: {name}"), data);
    story.notice(Action::PowerCorrected { from: before }, Status::Success);
    task.core.power_changed(&task.node);
}
