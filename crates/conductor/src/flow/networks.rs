//! Networks of machines: joined before a machine boots on them, left before it joins another.
//!
//! Where a machine is about to be is written into its row first, so that whoever goes on after a crash
//! knows what may be there; see [`types::internal_info::networks`]. What a network interface notes with
//! ports and port groups is stored after each call, also after one that failed.

use super::power;
use crate::{lock, task::Task};
use drivers::{DriverError, Failure, iface::NetworkPurpose};
use store::{StoreError, node::Log};
use types::{
    JsonMap, PowerState, PowerTarget,
    network::{VifHolder, VifNote},
};

/// Puts the machine on a network.
pub(crate) async fn join(task: &mut Task, purpose: NetworkPurpose) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    announce(task, purpose).await?;
    let _awaits = awaits(task, "Neutron to put the machine on a network");
    let was_off = power_on(task).await?;
    let (joined, notes) = {
        let (lease, mut machine) = task.hands()?;
        let network = &hardware.network;
        let joined = network.add_network(lease, &mut machine, purpose).await;
        (joined, std::mem::take(&mut machine.found.vifs))
    };
    finish(task, joined, notes, was_off).await
}

/// Takes the machine off a network.
pub(crate) async fn leave(task: &mut Task, purpose: NetworkPurpose) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let _awaits = awaits(task, "Neutron to take the machine off a network");
    let was_off = power_on(task).await?;
    let (left, notes) = {
        let (lease, mut machine) = task.hands()?;
        let network = &hardware.network;
        let left = network.remove_network(lease, &mut machine, purpose).await;
        (left, std::mem::take(&mut machine.found.vifs))
    };
    finish(task, left, notes, was_off).await
}

/// Writes into the row where the machine is about to be.
pub(crate) async fn announce(task: &mut Task, purpose: NetworkPurpose) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let is_news = {
        let (_, mut machine) = task.hands()?;
        hardware.network.announce(&mut machine, purpose).await?
    };
    if is_news {
        let story = task.story();
        // Nothing may be made that is not recorded, and whoever has the node now goes on.
        let saved = task.save(story).await;
        saved.map_err(|_| DriverError::LeaseLapsed)?;
    }
    Ok(())
}

fn awaits(task: &Task, what: &str) -> Option<crate::progress::Awaiting> {
    let is_asked = task.hardware.network.uses_neutron();
    is_asked.then(|| task.core.live.awaits(task.id(), what.to_owned()))
}

async fn finish(
    task: &mut Task,
    outcome: Result<(), DriverError>,
    notes: Vec<VifNote>,
    was_off: bool,
) -> Result<(), DriverError> {
    let kept = keep_vifs(task, notes).await;
    let restored = match was_off {
        true => power::act(task, PowerTarget::Off, None).await,
        false => Ok(()),
    };
    outcome.and(kept).and(restored)
}

/// Some network cards are part of the network, and must have power while it changes. Says whether the
/// machine was switched on for that.
async fn power_on(task: &mut Task) -> Result<bool, DriverError> {
    let hardware = task.hardware.clone();
    let Some(pause) = hardware.network.needs_power(&task.machine()) else {
        return Ok(false);
    };
    if hardware.power.get(&task.machine()).await? == Some(PowerState::On) {
        return Ok(false);
    }
    power::act(task, PowerTarget::On, None).await?;
    tokio::time::sleep(pause).await;
    Ok(true)
}

/// Stores which virtual interfaces ports and port groups have now. A database that is away is waited
/// for.
pub(crate) async fn keep_vifs(task: &mut Task, notes: Vec<VifNote>) -> Result<(), DriverError> {
    for note in notes {
        loop {
            match keep(task, &note).await {
                Ok(()) => break,
                // Somebody else changed the row meanwhile, or the database is away for a moment.
                Err(StoreError::Stale) => {}
                Err(StoreError::Unavailable(error)) => {
                    let error = types::error::chain(&*error);
                    tracing::warn!(node = %task.id(), %error, "a virtual interface cannot be noted, trying again");
                    let pause = tokio::time::sleep(lock::RECONNECT);
                    if task.core.stop.run_until_cancelled(pause).await.is_none() {
                        return Err(DriverError::LeaseLapsed);
                    }
                }
                Err(error) => {
                    let tried = "which virtual interface a port has cannot be stored";
                    return Err(DriverError::Environment(Failure::because(tried, error)));
                }
            }
        }
    }
    Ok(())
}

async fn keep(task: &mut Task, note: &VifNote) -> Result<(), StoreError> {
    let db = task.core.db.clone();
    match note.holder {
        VifHolder::Port(id) => {
            let Some(mut row) = store::port::find(&db, id).await? else {
                return Ok(());
            };
            if note.apply(&mut row.internal_info, &mut row.extra) {
                row = store::port::update(&db, row, Log::default()).await?;
            }
            let (ports, _) = task.wires_mut();
            if let Some(port) = ports.iter_mut().find(|port| port.id == id) {
                *port = row;
            }
        }
        VifHolder::Group(id) => {
            let Some(mut row) = store::portgroup::find(&db, id).await? else {
                return Ok(());
            };
            if note.apply(&mut row.internal_info, &mut row.extra) {
                row = store::portgroup::update(&db, row, Log::default()).await?;
            }
            let (_, groups) = task.wires_mut();
            if let Some(group) = groups.iter_mut().find(|group| group.id == id) {
                *group = row;
            }
        }
    }
    Ok(())
}

/// What a ramdisk is told about its networks that boots from a disc.
pub(crate) async fn data(task: &mut Task) -> Result<Option<JsonMap>, DriverError> {
    let hardware = task.hardware.clone();
    if hardware.boot.boots_from_network() || !task.node.network_data.is_empty() {
        return Ok(None);
    }
    hardware.network.network_data(&task.machine()).await
}

/// Detaches a virtual interface.
pub(crate) async fn detach(task: &mut Task, id: &str) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let (detached, notes) = {
        let (lease, mut machine) = task.hands()?;
        let detached = hardware.network.detach_vif(lease, &mut machine, id).await;
        (detached, std::mem::take(&mut machine.found.vifs))
    };
    let kept = keep_vifs(task, notes).await;
    detached.and(kept)
}
