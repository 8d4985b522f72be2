//! Volumes of machines: attached before a machine uses them, detached when it does not any more.
//!
//! What is about to be attached is written into the node's row first. Whoever goes on after a crash
//! then knows which volumes may be attached, and by whom; see [`types::internal_info::volumes`].

use crate::{record::ChangeLog, task::Task};
use drivers::{DriverError, Failure};
use serde_json::json;
use store::{StoreError, node::Log, volume::target};
use types::{JsonMap, PowerState, VolumeTargetId, event::EventKind, internal_info::AttachProgress};

/// Attaches the volumes of the node, and stores where they are.
pub(crate) async fn attach(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let planned = hardware.storage.attachments(&task.machine())?;
    let is_recorded = planned.is_some();
    if let Some(mut planned) = planned {
        let info = &mut task.node.driver_internal_info;
        if let Some(before) = info.volume_attachments() {
            if before.progress != AttachProgress::Attached {
                planned.progress = AttachProgress::Resumed;
            }
            planned.server = before.server;
            let lists = [
                (&mut planned.volumes, before.volumes),
                (&mut planned.granted, before.granted),
            ];
            for (list, more) in lists {
                for volume in more {
                    if !list.contains(&volume) {
                        list.push(volume);
                    }
                }
            }
        }
        info.set_volume_attachments(&planned);
        let story = task.story();
        // Nothing may be attached that is not recorded, and whoever has the node now goes on.
        let saved = task.save(story).await;
        saved.map_err(|_| DriverError::LeaseLapsed)?;
    }
    let _awaits = is_recorded.then(|| {
        let what = "Cinder to attach the volumes".to_owned();
        task.core.live.awaits(task.id(), what)
    });
    let connections = {
        let (lease, mut machine) = task.hands()?;
        hardware.storage.attach_volumes(lease, &mut machine).await?;
        std::mem::take(&mut machine.found.connections)
    };
    if connections.is_empty() {
        return Ok(());
    }
    if let Err(error) = store(task, connections).await {
        // They are attached, and must be asked for again where.
        let info = &mut task.node.driver_internal_info;
        if let Some(mut attachments) = info.volume_attachments() {
            attachments.progress = AttachProgress::Attaching;
            info.set_volume_attachments(&attachments);
        }
        let tried = "the properties of the volume targets cannot be stored";
        return Err(DriverError::Environment(Failure::because(tried, error)));
    }
    publish_again(task).await
}

/// Attaches the volumes of an instance that is about to run again, where they are detached because
/// the machine was off when something else began. Ironic leaves them detached.
pub(crate) async fn attach_again(task: &mut Task) -> Result<(), DriverError> {
    match task.node.driver_internal_info.volume_attachments() {
        Some(known) if known.progress == AttachProgress::Attached => Ok(()),
        _ => attach(task).await,
    }
}

/// A machine that boots from a volume is told where that is now.
async fn publish_again(task: &mut Task) -> Result<(), DriverError> {
    let is_off = task.node.power_state != Some(PowerState::On);
    let is_in_use = task.node.provision_state == types::ProvisionState::Active;
    let boots = task.node.driver_internal_info.boot_volume().is_some();
    if boots && is_in_use && is_off {
        let hardware = task.hardware.clone();
        let (lease, mut machine) = task.hands()?;
        hardware.boot.prepare_instance(lease, &mut machine).await?;
    }
    Ok(())
}

async fn store(
    task: &mut Task,
    connections: Vec<(VolumeTargetId, JsonMap)>,
) -> Result<(), StoreError> {
    for (id, properties) in connections {
        let db = &task.core.db;
        let Some(mut row) = target::find(db, id).await? else {
            continue;
        };
        row.properties = properties.clone();
        target::update(db, row, Log::default()).await?;
        let targets = &mut task.volumes_mut().targets;
        if let Some(target) = targets.iter_mut().find(|target| target.id == id) {
            target.properties = properties;
        }
    }
    Ok(())
}

/// Detaches the volumes of the node.
pub(crate) async fn detach(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let has_volumes = task
        .node
        .driver_internal_info
        .volume_attachments()
        .is_some();
    let _awaits = has_volumes.then(|| {
        let what = "Cinder to detach the volumes".to_owned();
        task.core.live.awaits(task.id(), what)
    });
    let (lease, mut machine) = task.hands()?;
    hardware.storage.detach_volumes(lease, &mut machine).await
}

/// Detaches the volumes of a machine that was switched off. It stays usable when that fails: they
/// are found attached at the next power on, and are detached when the node is torn down.
pub(crate) async fn detach_after_power_off(task: &mut Task) {
    if let Err(error) = detach(task).await {
        let error = super::reason(&task.node, &error);
        tracing::warn!(node = %task.id(), %error, "volumes are still attached");
        task.warn(vec![format!("volumes are still attached: {error}")]);
    }
}

/// Notes which volume the instance boots from, if it boots from one.
pub(crate) fn note_root(task: &mut Task) {
    let is_bootable = task.hardware.boot.boots_volumes();
    let root = task.machine().root_volume().map(|target| target.id);
    let info = &mut task.node.driver_internal_info;
    match root.filter(|_| is_bootable) {
        Some(target) => info.set_boot_volume(target),
        None => info.forget_boot_volume(),
    }
}

/// The instance is gone, and its volumes with it: clients rely on the targets being removed.
pub(crate) async fn forget_targets(task: &mut Task) -> Result<(), DriverError> {
    let failed = |error: StoreError| {
        let tried = "the volume targets of the node cannot be removed";
        DriverError::Environment(Failure::because(tried, error))
    };
    let db = &task.core.db;
    let targets = target::of_node(db, task.id()).await.map_err(failed)?;
    for target in targets {
        let id = target.id;
        let mut story = ChangeLog::new(&task.caller);
        let text = format!("volume target {id} removed");
        story.tell(&task.node, EventKind::Updated, text, json!({"target": id}));
        match target::delete(db, id, story.into_log()).await {
            Ok(()) | Err(StoreError::NotFound) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    task.volumes_mut().targets.clear();
    task.node.driver_internal_info.forget_boot_volume();
    Ok(())
}
