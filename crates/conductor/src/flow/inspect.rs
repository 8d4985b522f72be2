//! Inspecting: what is in this machine?

use super::reason;
use crate::{
    inband::ramdisk,
    inspection::{address, process},
    passes::pxe_filter,
    task::{Stop, Task},
};
use drivers::{
    DriverError, Failure,
    iface::{Awaited, Findings, Inspection, NetworkPurpose},
};
use types::{Caller, Fault, Port, PortId, Verb};

pub(crate) async fn run(task: &mut Task) -> Result<(), Stop> {
    task.node.driver_internal_info.forget_agent();
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
        (Ok(Inspection::ByRamdisk), _) => boot(task).await,
        (Ok(Inspection::Done), Some(data)) => match process::judge_found(task, data).await? {
            None => Ok(Inspection::Done),
            Some(error) => Err(DriverError::Protocol(Failure::new(error))),
        },
        (other, _) => other,
    };
    let mut story = task.story();
    match outcome {
        Ok(Inspection::Done | Inspection::ByRamdisk) => task.process(Verb::Done, &mut story),
        Ok(Inspection::Wait(awaited)) => {
            task.process(Verb::Wait, &mut story);
            story.waits(&task.node, "inspect", &awaited);
        }
        Err(error) => {
            let why = reason(&task.node, &error);
            let text = format!("Failed to inspect hardware. Reason: {why}");
            task.blame(&error);
            task.error(&mut story, "introspection", &text);
            task.process(Verb::Fail, &mut story);
        }
    }
    task.end(story).await
}

/// Boots the machine into a ramdisk that reports: its boot interface's, or the one that somebody
/// serves to whoever boots from the network.
async fn boot(task: &mut Task) -> Result<Inspection, DriverError> {
    if task.settings().inspection.pre_create_ports {
        add_known_ports(task).await?;
    }
    let hardware = task.hardware.clone();
    let managed = hardware.manages_inspection(&task.machine()).await?;
    task.node.driver_internal_info.set_inspection_boot(managed);
    address::note(&mut task.node).await;
    pxe_filter::admit(task).await?;
    let started = if managed {
        match ramdisk::prepare(task, NetworkPurpose::Inspection).await {
            Ok(()) => ramdisk::start(task).await,
            failed => failed,
        }
    } else {
        boot_from_network(task).await
    };
    if let Err(error) = started {
        let why = reason(&task.node, &error);
        if managed && let Err(left) = process::put_away(task).await {
            tracing::warn!(node = %task.id(), error = left, "an inspection that did not start was not put away");
        }
        task.node.driver_internal_info.forget_bmc_addresses();
        let failure = Failure::because("unable to start inspection", why);
        return Err(error.variant()(failure));
    }
    Ok(Inspection::Wait(Awaited::Ramdisk(
        "the ramdisk's inspection data",
    )))
}

/// Makes ports of the addresses that the BMC knows, so that the machine is known when it boots. What
/// the BMC does not tell, inspection finds out.
async fn add_known_ports(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let addresses = match hardware.management.mac_addresses(&task.machine()).await {
        Ok(addresses) => addresses,
        Err(DriverError::Unsupported { .. }) => return Ok(()),
        Err(error) => {
            let why = reason(&task.node, &error);
            task.warn(vec![format!(
                "the BMC does not tell which network interfaces the machine has: {why}"
            )]);
            return Ok(());
        }
    };
    let core = std::sync::Arc::clone(&task.core);
    for address in addresses {
        let port = Port::new(PortId::generate(), task.id(), address);
        match core.insert_port(&Caller::service(), port).await {
            // Often this node's own, from before.
            Ok(_) | Err(Fault::Duplicate(_)) => {}
            Err(fault) => return Err(DriverError::Environment(Failure::new(fault.to_string()))),
        }
    }
    let reloaded = task.reload_ports().await;
    reloaded.map_err(|fault| DriverError::Environment(Failure::new(fault.to_string())))
}

/// Boots the machine from the network once.
async fn boot_from_network(task: &mut Task) -> Result<(), DriverError> {
    ramdisk::switch_off(task).await?;
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
    ramdisk::start(task).await
}
