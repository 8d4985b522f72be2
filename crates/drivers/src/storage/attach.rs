//! Attaching the volumes of a node, and taking back what was attached when one of them fails.

use super::{
    cinder::{NodeVolumes, failed, failed_with},
    detach,
};
use crate::{DriverError, iface::Machine};
use openstack::cinder::{Volume, VolumeAction};
use types::{
    JsonMap, VolumeTargetId,
    internal_info::{AttachProgress, VolumeAttachments},
};

/// A volume that Cinder counts as attached.
enum Attached {
    /// It was already, and its target says where it is.
    Before,
    /// Its target is to say this.
    Now(JsonMap),
}

/// A volume that could not be attached.
struct Unattached {
    error: DriverError,
    /// Whether it may be reserved or attached nevertheless.
    is_touched: bool,
}

/// Attaches all volumes of the node's targets, or none that was not attached before. `recorded` is
/// what the node's row says since before this call.
pub(super) async fn all(
    volumes: &NodeVolumes,
    machine: &mut Machine<'_>,
    mut recorded: VolumeAttachments,
) -> Result<(), DriverError> {
    let is_resumed = recorded.progress == AttachProgress::Resumed;
    let mut kept: Vec<String> = Vec::new();
    let mut touched: Vec<String> = Vec::new();
    let mut failure = None;
    let mut waiting = recorded.volumes.clone().into_iter();
    for id in waiting.by_ref() {
        let targets = machine.volumes.targets.iter();
        let targets = targets.filter(|target| target.volume_id == id);
        let targets: Vec<VolumeTargetId> = targets.map(|target| target.id).collect();
        // The target of an earlier attempt is gone; the record keeps its volume for detaching.
        if targets.is_empty() {
            kept.push(id);
            continue;
        }
        let is_granted = recorded.granted.contains(&id);
        let attached = one(volumes, &id, is_granted, is_resumed).await;
        if attached.is_ok() && !is_granted {
            recorded.granted.push(id.clone());
        }
        match attached {
            Ok(Attached::Before) => kept.push(id),
            Ok(Attached::Now(properties)) => {
                let targets = targets.into_iter().map(|id| (id, properties.clone()));
                machine.found.connections.extend(targets);
                touched.push(id);
            }
            Err(Unattached { error, is_touched }) => {
                if is_touched {
                    touched.push(id);
                }
                failure = Some(error);
                break;
            }
        }
    }
    let info = &mut machine.node.driver_internal_info;
    let Some(failure) = failure else {
        recorded.progress = AttachProgress::Attached;
        info.set_volume_attachments(&recorded);
        return Ok(());
    };
    machine.found.connections.clear();
    let mut is_undone = true;
    for id in touched.iter().rev() {
        if let Err(error) = detach::one(volumes, id, true).await {
            is_undone = false;
            let error = types::error::chain(&error);
            tracing::warn!(node = %volumes.node, volume = id, error, "a volume was not detached after another one failed; it is when the node is torn down");
        }
    }
    if is_undone {
        recorded.progress = AttachProgress::Attached;
        if is_resumed && waiting.len() > 0 {
            // The attempt before may have come to those as well.
            recorded.progress = AttachProgress::Attaching;
            kept.extend(waiting);
        }
        recorded.granted.retain(|id| kept.contains(id));
        recorded.volumes = kept;
        match recorded.volumes.is_empty() {
            true => info.forget_volume_attachments(),
            false => info.set_volume_attachments(&recorded),
        }
    }
    Err(failure)
}

/// Attaches a volume. What an interrupted attempt has done already is not done again: it reserved
/// the volume if that is reserved now, because it found it free a moment before.
async fn one(
    volumes: &NodeVolumes,
    id: &str,
    is_granted: bool,
    is_resumed: bool,
) -> Result<Attached, Unattached> {
    let NodeVolumes {
        cinder,
        caller,
        node,
        ..
    } = volumes;
    let untouched = |error| Unattached {
        error,
        is_touched: false,
    };
    let volume = cinder.volume(id, caller, volumes.deadline()).await;
    let volume = volume.map_err(|error| {
        let tried = format!("Failed to get volume {id} from cinder for node {node}");
        untouched(failed(&tried, &error))
    })?;
    if !is_granted && !volumes.may_attach(&volume) {
        return Err(untouched(DriverError::InvalidParameter(format!(
            "Volume {id} belongs neither to the owner nor to the lessee of node {node}, so it is \
             attached only when one of them asks to switch the node on"
        ))));
    }
    let servers: Vec<&str> = volumes.servers.iter().map(String::as_str).collect();
    let is_attached = volume.attachment_of(&servers).is_some();
    if is_attached && !is_resumed {
        tracing::debug!(%node, volume = id, "a volume is attached already");
        return Ok(Attached::Before);
    }
    let connector = volumes.connector().map_err(untouched)?;
    let is_reserved_by_us = is_resumed && is_reserved(&volume);
    if !is_attached && !is_reserved_by_us {
        let reserved = cinder.reserve(id, caller, volumes.deadline()).await;
        reserved.map_err(|error| {
            let tried = format!("Failed to reserve volume {id} for node {node}");
            Unattached {
                is_touched: error.may_have_been_done(),
                // The bracket is Ironic's.
                error: failed_with(&tried, &error, ")"),
            }
        })?;
    }
    let touched = |tried: String, error: openstack::Error| Unattached {
        error: failed(&tried, &error),
        is_touched: true,
    };
    let connection = cinder.initialize_connection(id, connector, caller, volumes.deadline());
    let connection = connection.await.map_err(|error| {
        let tried = format!("Failed to initialize connection for volume {id} to node {node}");
        touched(tried, error)
    })?;
    let mut properties = connection.target_properties(id);
    if !properties.contains_key("volume_id") {
        properties.insert("volume_id".into(), id.into());
    }
    if !is_attached {
        let attached = cinder.attach(id, &volumes.server, caller, volumes.deadline());
        attached.await.map_err(|error| {
            let tried = format!(
                "Failed to inform cinder that the attachment for volume {id} for node {node} has \
                 been completed"
            );
            touched(tried, error)
        })?;
        volumes.note(id, VolumeAction::Attached).await;
    }
    Ok(Attached::Now(properties))
}

/// Whether somebody has reserved it and attached it to nobody.
pub(super) fn is_reserved(volume: &Volume) -> bool {
    volume.status == "attaching" && volume.attachments.is_empty()
}
