//! The steps that every deployment by an agent has.
//!
//! They need the node's power, network, boot and management interfaces besides its agent, so they
//! are the conductor's and not a driver's.

use super::{
    agent, ansible, bash, bootc, drive, failed, image, installer, iscsi,
    logs::{self, Moment},
    publish, ramdisk, restore, steps,
};
use crate::{
    flow::{networks, power},
    objects,
    steps::StepResult,
    task::{Attempt, Stop, Task},
};
use drivers::{
    DriverError, Failure,
    agent::{AgentError, CommandStatus},
    boot_mode,
    iface::{Awaited, BootFrom, DeployBy, ImageWriter, NetworkPurpose},
};
use serde_json::{Value, json};
use types::{JsonMap, PowerState, PowerTarget, pyrepr, step::Step, step::StepKind, words};

pub(super) async fn carry_out(task: &mut Task, step: &Step) -> Attempt<StepResult> {
    let done = |outcome: Result<(), DriverError>| outcome.map(|()| StepResult::Done);
    Ok(match step.step.as_str() {
        "deploy" => match task.hardware.deploy.by() {
            DeployBy::Agent => first_contact(task).await,
            DeployBy::Installer => installer::boot(task).await,
            DeployBy::Ramdisk | DeployBy::Itself => done(boot_ramdisk_instance(task).await),
        },
        "write_image" if ansible::is_writer(task) && writes(task) => {
            return ansible::write_image(task).await;
        }
        "tear_down_agent" if ansible::is_writer(task) && writes(task) => {
            return ansible::tear_down(task).await.map(done);
        }
        "write_image" if iscsi::is_writer(task) && writes(task) => {
            return iscsi::write_image(task).await;
        }
        "write_image" => write_image(task).await,
        "prepare_instance_boot" => match (prepare_instance_boot(task).await, bash::of(task)) {
            (Ok(()), Some(ramdisk)) => return bash::prepared(task, &ramdisk).await,
            (prepared, _) => done(prepared),
        },
        "execute_bootc_install" => bootc::install(task).await,
        "set_boot_to_disk" => done(set_boot_to_disk(task).await),
        "tear_down_agent" => return tear_down_agent(task).await.map(done),
        "switch_to_tenant_network" => done(switch_network(task).await),
        "boot_instance" => done(boot_instance(task).await),
        other => Err(DriverError::InvalidParameter(format!(
            "there is no step {other}"
        ))),
    })
}

/// Boots the agent, unless one of the last operation is still there.
async fn first_contact(task: &mut Task) -> Result<StepResult, DriverError> {
    if super::is_fast(task).await? {
        let refreshed = steps::refresh(task, StepKind::Deploy).await;
        refreshed.map_err(|error| failed(&error))?;
        let listed = crate::flow::deploy::relist(task).await;
        return match listed {
            Ok(()) => Ok(StepResult::Relisted),
            Err(text) => Err(DriverError::Rejected(Failure::new(text))),
        };
    }
    if !writes(task) {
        return Ok(StepResult::Done);
    }
    ramdisk::start(task).await?;
    Ok(StepResult::Wait(Awaited::Ramdisk(super::FIRST_REPORT)))
}

/// Whether anything is to be written to the machine's own disks.
pub(super) fn writes(task: &mut Task) -> bool {
    let hardware = task.hardware.clone();
    hardware.storage.should_write_image(&task.machine())
}

/// Whether an image is to be written.
pub(super) fn writes_image(task: &mut Task) -> bool {
    let writer = task.hardware.deploy.image_writer();
    let is_image = !matches!(writer, ImageWriter::Nobody | ImageWriter::Container);
    is_image && writes(task)
}

/// Whether a config drive goes with what is written.
pub(super) fn writes_drive(task: &mut Task) -> bool {
    task.hardware.deploy.image_writer() != ImageWriter::Nobody && writes(task)
}

/// The instance is a ramdisk: it is booted and nothing else.
async fn boot_ramdisk_instance(task: &mut Task) -> Result<(), DriverError> {
    ramdisk::switch_off(task).await?;
    networks::join(task, NetworkPurpose::Tenant).await?;
    prepare_boot(task).await?;
    ramdisk::start(task).await
}

async fn write_image(task: &mut Task) -> Result<StepResult, DriverError> {
    if !writes(task) {
        return Ok(StepResult::Done);
    }
    let (info, drive) = image::described(task).await?;
    let inserted = drive::inserted(task, &drive);
    let step = json!({
        "interface": "deploy",
        "step": "write_image",
        "args": {"image_info": info, "configdrive": drive},
    });
    let step = step.as_object().cloned().unwrap_or_default();
    steps::send_with(task, StepKind::Deploy, step, inserted).await
}

/// Makes the machine boot its instance, whatever that needs of its boot interface.
pub(super) async fn prepare_boot(task: &mut Task) -> Result<(), DriverError> {
    ramdisk::sync_boot_mode(task).await?;
    ramdisk::sync_secure_boot(task, true).await?;
    let hardware = task.hardware.clone();
    let config_drive = match hardware.deploy.by() {
        DeployBy::Ramdisk => drive::image(task).await?,
        DeployBy::Agent | DeployBy::Installer | DeployBy::Itself => None,
    };
    if config_drive.is_some() && !hardware.boot.takes_config_drive() {
        task.warn(vec![format!(
            "the instance has a config drive, which boot interface '{}' cannot give to a ramdisk",
            hardware.boot.name()
        )]);
    }
    restore::forget(&mut task.node);
    let addresses = task.instance_addresses()?;
    let _awaits = objects::note_media(task).await?;
    let from = {
        let (lease, mut machine) = task.hands()?;
        machine.config_drive = config_drive;
        machine.instance_addresses = Some(addresses);
        hardware.boot.prepare_instance(lease, &mut machine).await?
    };
    match from {
        Some(from) => ramdisk::boot_from(task, from).await,
        None => Ok(()),
    }
}

async fn prepare_instance_boot(task: &mut Task) -> Result<(), DriverError> {
    let written = writes_image(task);
    if !ramdisk::is_managed(task, NetworkPurpose::Provisioning) && writes(task) {
        ramdisk::boot_from(task, BootFrom::DISK).await?;
        if written {
            publish::remove(task).await;
            drive::withdraw(task).await;
        }
        return Ok(());
    }
    // What the network boots needs nothing on the disk.
    if written && !iscsi::boots_from_network(task) {
        let uuids = match task.node.driver_internal_info.deployment_uuids() {
            Some(known) if iscsi::is_writer(task) => known.clone(),
            _ => partition_uuids(task)
                .await
                .map_err(|error| failed(&error))?,
        };
        let text = |key: &str| uuids.get(key).and_then(Value::as_str).map(str::to_owned);
        let root = text("root uuid");
        if let Some(root) = &root {
            task.node.driver_internal_info.set_root_identifier(root);
        }
        let uefi = boot_mode::is_uefi(&task.node, task.settings().ramdisk.default_uefi)?;
        // The other kind of ramdisk does it when it is let go.
        if bash::of(task).is_none() {
            install_boot_loader(task, &uuids, root, uefi).await?;
        }
        let vendor = task.node.properties.get("vendor").map(pyrepr::to_str);
        // These machines take back what an operating system wrote into their boot entries when the
        // BMC changes them as well.
        let is_touchy = uefi && vendor.is_some_and(|v| v.eq_ignore_ascii_case("lenovo"));
        if !is_touchy {
            ramdisk::boot_from(task, BootFrom::DISK).await?;
        }
    }
    prepare_boot(task).await?;
    if written {
        publish::remove(task).await;
        drive::withdraw(task).await;
    }
    Ok(())
}

/// The machine boots from its disk; one that takes boot entries back when its BMC changes them is
/// left alone.
async fn set_boot_to_disk(task: &mut Task) -> Result<(), DriverError> {
    let uefi = boot_mode::is_uefi(&task.node, task.settings().ramdisk.default_uefi)?;
    let vendor = task.node.properties.get("vendor").map(pyrepr::to_str);
    if uefi && vendor.is_some_and(|vendor| vendor.eq_ignore_ascii_case("lenovo")) {
        return Ok(());
    }
    ramdisk::boot_from(task, BootFrom::DISK).await?;
    drive::withdraw(task).await;
    Ok(())
}

async fn partition_uuids(task: &Task) -> Result<JsonMap, AgentError> {
    let agent = agent(task).await?;
    let command = "standby.get_partition_uuids";
    let answer = agent.command(command, JsonMap::new(), true).await?;
    Ok(answer.result.as_object().cloned().unwrap_or_default())
}

async fn install_boot_loader(
    task: &Task,
    uuids: &JsonMap,
    root: Option<String>,
    uefi: bool,
) -> Result<(), DriverError> {
    let whole = task.node.driver_internal_info.is_whole_disk_image();
    let software_raid = has_software_raid(task);
    let root = if software_raid {
        let known = task.node.instance_info.get("image_rootfs_uuid");
        let known = known.and_then(Value::as_str).map(str::to_owned);
        let of_glance = || task.node.driver_internal_info.glance_image()?.rootfs_uuid;
        known.or_else(of_glance).or(root)
    } else {
        root
    };
    let wanted = software_raid || (root.is_some() && !whole) || (whole && uefi);
    if !wanted {
        return Ok(());
    }
    let part = |key: &str| uuids.get(key).cloned().unwrap_or_default();
    let is_power = task
        .node
        .properties
        .get("cpu_arch")
        .and_then(Value::as_str)
        .is_some_and(|arch| arch.starts_with("ppc64"));
    let params = json!({
        "root_uuid": root,
        "efi_system_part_uuid": if uefi && !whole { part("efi system partition uuid") } else { Value::Null },
        "prep_boot_part_uuid": if is_power { part("PReP Boot partition uuid") } else { Value::Null },
        "target_boot_mode": if uefi { "uefi" } else { "bios" },
        "ignore_bootloader_failure": task.node.instance_info.get("ignore_bootloader_failure")
            .or_else(|| task.node.driver_info.get("ignore_bootloader_failure")),
    });
    let params = params.as_object().cloned().unwrap_or_default();
    let installed = match agent(task).await {
        Ok(agent) => agent.complete("image.install_bootloader", params).await,
        Err(error) => Err(error),
    };
    let installed = installed.map_err(|error| failed(&error))?;
    if installed.status == CommandStatus::Failed {
        return Err(DriverError::Rejected(Failure::new(format!(
            "Failed to install a bootloader when deploying node {}: {}",
            task.id(),
            installed.complaint()
        ))));
    }
    Ok(())
}

fn has_software_raid(task: &Task) -> bool {
    let disks = task.node.target_raid_config.get("logical_disks");
    let disks = disks.and_then(Value::as_array).into_iter().flatten();
    disks
        .filter_map(|disk| disk.get("controller")?.as_str())
        .any(|controller| controller == "software")
}

/// Ends the agent: what it wrote must be on the disk before the power goes.
async fn tear_down_agent(task: &mut Task) -> Attempt {
    if !writes(task) {
        // No agent was booted.
        return Ok(ramdisk::switch_off(task).await);
    }
    if let Some(ramdisk) = bash::of(task) {
        return bash::end(task, &ramdisk).await;
    }
    logs::collect(task, Moment::End, None).await;
    if kexec(task).await {
        return Ok(Ok(()));
    }
    if task.node.stays_on() {
        return Ok(tell(task, "system.lockdown").await);
    }
    let hardware = task.hardware.clone();
    if !hardware.power.supported().contains(&PowerTarget::On) {
        if let Err(error) = tell(task, "standby.sync").await {
            return Ok(Err(error));
        }
        return Ok(power::act(task, PowerTarget::Reboot, None).await);
    }
    let forced = task.driver_info().get("deploy_forces_oob_reboot");
    if forced.and_then(words::boolean_value) == Some(true) {
        if let Err(error) = tell(task, "standby.sync").await {
            tracing::warn!(node = %task.id(), error = types::error::chain(&error), "the agent could not flush its disks");
        }
        return Ok(power::act(task, PowerTarget::Off, None).await);
    }
    if let Err(error) = tell(task, "standby.power_off").await {
        tracing::warn!(node = %task.id(), error = types::error::chain(&error), "the agent could not switch the machine off");
    }
    let ramdisk = &task.settings().ramdisk;
    let (looks, pause) = (ramdisk.power_off_looks, ramdisk.power_off_pause);
    for _ in 0..=looks {
        let state = hardware.power.get(&task.machine()).await;
        if matches!(state, Ok(Some(PowerState::Off))) {
            break;
        }
        let pause = tokio::time::sleep(pause);
        if task.core.stop.run_until_cancelled(pause).await.is_none() {
            return Err(Stop::Shutdown);
        }
    }
    // Does nothing but note the state if the machine is off.
    Ok(power::act(task, PowerTarget::Off, None).await)
}

/// Has the agent start the instance's kernel itself, where that is wanted and the agent is one of
/// ours. It answers when the kernel is loaded, and jumps a moment later. Whatever goes wrong, the
/// machine can still be restarted.
async fn kexec(task: &mut Task) -> bool {
    let version = task.node.driver_internal_info.agent_version();
    let is_ours = version.is_some_and(|version| version.contains("corten"));
    if !task.settings().ramdisk.kexec || !is_ours || !writes(task) {
        return false;
    }
    match tell(task, "standby.kexec").await {
        Ok(()) => {
            task.node.driver_internal_info.mark_started_by_kexec();
            true
        }
        Err(error) => {
            let why = crate::flow::reason(&task.node, &error);
            let text = format!(
                "the agent could not start the instance, so the machine is restarted: {why}"
            );
            task.warn(vec![text]);
            false
        }
    }
}

/// Starts the machine, unless its agent has started the instance already.
async fn boot_instance(task: &mut Task) -> Result<(), DriverError> {
    if task.node.driver_internal_info.take_started_by_kexec() {
        return Ok(());
    }
    if bash::of(task).is_some() {
        // It restarts its machine by itself.
        task.node.driver_internal_info.forget_bash_ramdisk();
        return Ok(());
    }
    ramdisk::start(task).await
}

async fn tell(task: &Task, command: &str) -> Result<(), DriverError> {
    // Nobody is left to say how switching off went.
    let waits = command != "standby.power_off";
    let told = match agent(task).await {
        Ok(agent) => agent.command(command, JsonMap::new(), waits).await,
        Err(error) => Err(error),
    };
    match told {
        Ok(answer) if answer.status == CommandStatus::Failed => {
            Err(DriverError::Rejected(Failure::new(answer.complaint())))
        }
        Ok(_) => Ok(()),
        Err(error) => Err(failed(&error)),
    }
}

async fn switch_network(task: &mut Task) -> Result<(), DriverError> {
    let switched = match networks::leave(task, NetworkPurpose::Provisioning).await {
        Ok(()) => networks::join(task, NetworkPurpose::Tenant).await,
        failed => failed,
    };
    switched.map_err(|error| match error {
        lapsed @ DriverError::LeaseLapsed => lapsed,
        error => {
            let why = types::error::chain(&error);
            error.variant()(Failure::new(format!(
                "Error changing node {} to tenant networks after deploy. NetworkError: {why}",
                task.id()
            )))
        }
    })
}
