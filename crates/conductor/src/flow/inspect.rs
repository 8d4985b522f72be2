//! Inspecting: what is in this machine?

use super::{power, reason};
use crate::{
    inspection::{address, process},
    task::{Stop, Task},
};
use drivers::{
    DriverError,
    iface::{Findings, Inspection},
};
use serde_json::json;
use types::{PowerTarget, Verb, event::EventKind};

pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    super::forget_agent(&mut task.node);
    let hardware = task.hardware.clone();
    let (outcome, mut found) = match task.hands() {
        Ok((lease, mut machine)) => {
            let outcome = hardware.inspect.inspect(lease, &mut machine).await;
            (outcome, std::mem::take(&mut machine.found))
        }
        Err(error) => (Err(error), Findings::default()),
    };
    task.warn(std::mem::take(&mut found.warnings));
    let outcome = match (outcome, found.inventory) {
        (Ok(Inspection::NetworkBoot), _) => boot(task).await,
        (Ok(Inspection::Done), Some(data)) => match process::judge_found(task, data).await? {
            None => Ok(Inspection::Done),
            Some(error) => Err(DriverError::Failed(error)),
        },
        (other, _) => other,
    };
    let mut story = task.story();
    match outcome {
        Ok(Inspection::Done | Inspection::NetworkBoot) => task.process(Verb::Done, &mut story),
        Ok(Inspection::Wait { reason }) => {
            task.process(Verb::Wait, &mut story);
            let text = format!("waiting: {reason}");
            story.tell(
                &task.node,
                EventKind::Step,
                text,
                json!({"kind": "inspect"}),
            );
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            let settings = task.core.settings.clone();
            let text = format!("Failed to inspect hardware. Reason: {why}");
            story.error(&settings, &mut task.node, "introspection", &text);
            task.process(Verb::Fail, &mut story);
        }
    }
    task.end(story).await
}

/// Boots the machine from the network once, where somebody serves it a ramdisk that reports.
async fn boot(task: &mut Task) -> Result<Inspection, DriverError> {
    let managed = "inspector_manage_boot";
    task.node
        .driver_internal_info
        .insert(managed.into(), false.into());
    address::note(&mut task.node).await;
    let started = async {
        if !task.node.stays_on() {
            power::act(task, PowerTarget::Off, None).await?;
        }
        let hardware = task.hardware.clone();
        let warnings = {
            let (lease, mut machine) = task.hands()?;
            let management = &hardware.management;
            management
                .set_boot_device(lease, &mut machine, "pxe", false)
                .await?;
            std::mem::take(&mut machine.found.warnings)
        };
        task.warn(warnings);
        let on = if task.node.stays_on() {
            PowerTarget::Reboot
        } else {
            PowerTarget::On
        };
        power::act(task, on, None).await
    };
    if let Err(error) = started.await {
        let why = reason(&task.node, &error);
        return Err(DriverError::Failed(format!(
            "unable to start inspection: {why}"
        )));
    }
    Ok(Inspection::Wait {
        reason: "the ramdisk has not reported yet".into(),
    })
}
