//! Detaching the volumes of a node.
//!
//! What is detached already, or does not exist any more, is passed over, so that this can be done
//! again as often as it takes.

use super::{
    attach::is_reserved,
    cinder::{CinderSettings, NodeVolumes, failed},
};
use crate::{DriverError, iface::Machine};
use openstack::cinder::VolumeAction;
use types::{
    ProvisionState,
    internal_info::{AttachProgress, VolumeAttachments},
};

/// Detaches the volumes of the node's targets, and those that were recorded for it. Where nobody
/// asks for that, Cinder does not judge whose volume a target names, and only what was granted
/// counts.
pub(super) async fn all(
    volumes: &NodeVolumes,
    machine: &Machine<'_>,
    recorded: Option<&VolumeAttachments>,
    settings: &CinderSettings,
) -> Result<(), DriverError> {
    let mut left: Vec<(&str, bool)> = Vec::new();
    // Only what an attempt of ours was interrupted over may be reserved by us.
    let is_interrupted =
        recorded.is_some_and(|recorded| recorded.progress != AttachProgress::Attached);
    let by_service = volumes.caller.is_service();
    let ours = match recorded {
        None => &[][..],
        Some(recorded) if by_service => &recorded.granted,
        Some(recorded) => &recorded.volumes,
    };
    let targets = machine.volumes.targets.iter();
    let named = targets.filter(|_| !by_service);
    for id in named.map(|target| &target.volume_id).chain(ours) {
        let may_be_reserved = is_interrupted && ours.contains(id);
        if !left.iter().any(|(known, _)| known == id) {
            left.push((id, may_be_reserved));
        }
    }
    // Whoever switches a machine off need not wait for Cinder: the volumes are found attached, and
    // detached, later.
    let retries = match machine.node.provision_state {
        ProvisionState::Active => 0,
        _ => settings.action_retries,
    };
    let mut attempt = 0;
    loop {
        let mut failures = Vec::new();
        for &(id, may_be_reserved) in &left {
            if let Err(error) = one(volumes, id, may_be_reserved).await {
                failures.push((id, may_be_reserved, error));
            }
        }
        left = failures.iter().map(|(id, may, _)| (*id, *may)).collect();
        let Some((id, _, error)) = failures.into_iter().next() else {
            return Ok(());
        };
        let why = types::error::chain(&error);
        tracing::warn!(node = %volumes.node, volume = id, attempt, error = why, "a volume could not be detached");
        if attempt == retries {
            return Err(error);
        }
        attempt += 1;
        tokio::time::sleep(settings.action_retry_interval).await;
    }
}

/// Detaches a volume from the node. One that is reserved and not attached is given back where it
/// `may_be_reserved` by us.
pub(super) async fn one(
    volumes: &NodeVolumes,
    id: &str,
    may_be_reserved: bool,
) -> Result<(), DriverError> {
    let NodeVolumes {
        cinder,
        caller,
        node,
        ..
    } = volumes;
    // A volume that does not exist is not attached. Ironic fails here, and the node cannot be torn
    // down until somebody removes the target by hand.
    let gone = |tried: &str, outcome: Result<(), openstack::Error>| match outcome {
        Err(error) if error.is_not_found() => {
            tracing::warn!(%node, volume = id, "a volume of the node does not exist any more");
            Ok(true)
        }
        Err(error) => Err(failed(tried, &error)),
        Ok(()) => Ok(false),
    };
    let volume = match cinder.volume(id, caller, volumes.deadline()).await {
        Ok(volume) => volume,
        Err(error) => {
            let tried = format!("Failed to get volume {id} from cinder for node {node}");
            return gone(&tried, Err(error)).map(drop);
        }
    };
    let servers: Vec<&str> = volumes.servers.iter().map(String::as_str).collect();
    let disconnect = format!("Failed to detach volume {id} from node {node}");
    let Some(attachment) = volume.attachment_of(&servers) else {
        if may_be_reserved && is_reserved(&volume) {
            // It may be exported as well.
            if let Ok(connector) = volumes.connector() {
                let ended = cinder.terminate_connection(id, connector, caller, volumes.deadline());
                if gone(&disconnect, ended.await)? {
                    return Ok(());
                }
            }
            let given_back = cinder.unreserve(id, caller, volumes.deadline()).await;
            gone(&disconnect, given_back)?;
        }
        return Ok(());
    };
    let connector = volumes.connector()?;
    // An earlier attempt may have come so far.
    if volume.status != "detaching" {
        let tried = format!("Failed to request detach for volume {id} from cinder for node {node}");
        let begun = cinder.begin_detaching(id, caller, volumes.deadline()).await;
        if gone(&tried, begun)? {
            return Ok(());
        }
    }
    let ended = cinder.terminate_connection(id, connector, caller, volumes.deadline());
    if gone(&disconnect, ended.await)? {
        return Ok(());
    }
    let tried = format!(
        "Failed to inform cinder that the detachment for volume {id} from node {node} has been \
         completed"
    );
    let detached = cinder.detach(id, &attachment.attachment_id, caller, volumes.deadline());
    if !gone(&tried, detached.await)? {
        volumes.note(id, VolumeAction::Detached).await;
    }
    Ok(())
}
