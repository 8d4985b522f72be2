//! What a machine boots that waits for its ramdisk, at a conductor that did not make it or lost it.
//!
//! Boot files, DHCP answers and discs are kept by the conductor that made them, and die with it. The
//! row remembers that a ramdisk was made, for what and when, so whoever serves the node next can make
//! the same again: with the token that the ramdisk may hold already, and without a word to the
//! machine's power. What is made for an instance is taken over when the instance is in use.

use super::{installer, publish, ramdisk};
use crate::{core::Core, flow::networks, objects, task::Task};
use drivers::{
    DriverError,
    iface::{DeployBy, NetworkPurpose},
};
use types::{Fault, Node, ProvisionState as S, Timestamp};

/// The states in which a machine may boot its ramdisk without being told to.
pub(crate) const STATES: &[S] = &[
    S::DeployWait,
    S::CleanWait,
    S::InspectWait,
    S::RescueWait,
    S::ServiceWait,
    S::DeployHold,
    S::CleanHold,
    S::ServiceHold,
];

/// What a machine in this state boots its ramdisk for.
fn purpose_of(state: S) -> Option<NetworkPurpose> {
    Some(match state {
        S::Deploying | S::DeployWait | S::DeployHold => NetworkPurpose::Provisioning,
        S::Cleaning | S::CleanWait | S::CleanHold => NetworkPurpose::Cleaning,
        S::Inspecting | S::InspectWait => NetworkPurpose::Inspection,
        S::Rescuing | S::RescueWait => NetworkPurpose::Rescuing,
        S::Servicing | S::ServiceWait | S::ServiceHold => NetworkPurpose::Servicing,
        _ => return None,
    })
}

/// This conductor made a ramdisk available at this time.
pub(super) fn note(task: &mut Task, purpose: NetworkPurpose, at: Timestamp) {
    let info = &mut task.node.driver_internal_info;
    info.set_prepared_ramdisk(purpose.as_str(), at);
    task.node.conductor_affinity = Some(task.settings().host.clone());
}

/// The ramdisk is being taken away, or gives way to the instance.
pub(crate) fn forget(node: &mut Node) {
    node.driver_internal_info.forget_prepared_ramdisk();
}

/// What the node's ramdisk was made for, and when; `None` when there is none for what it does now.
fn made(node: &Node) -> Option<(NetworkPurpose, Timestamp)> {
    let (made_for, at) = node.driver_internal_info.prepared_ramdisk()?;
    let purpose = purpose_of(node.provision_state)?;
    (made_for == purpose.as_str()).then_some((purpose, at))
}

/// Whether the node waits for a ramdisk that somebody made.
pub(crate) fn is_awaited(node: &Node) -> bool {
    STATES.contains(&node.provision_state) && made(node).is_some()
}

impl Core {
    /// Whether the node waits for a ramdisk that cannot be booted from here.
    pub(crate) async fn lacks_ramdisk(&self, node: &mut Node) -> Result<bool, Fault> {
        if !is_awaited(node) {
            return Ok(false);
        }
        if node.conductor_affinity.as_deref() != Some(self.settings.host.as_str()) {
            return Ok(true);
        }
        let hardware = self.hardware(node)?;
        let kept = self
            .ask(node, async |machine| {
                Ok(hardware.boot.keeps_ramdisk(machine).await)
            })
            .await?;
        Ok(!kept)
    }
}

/// Makes the ramdisk available from here. Whether anything had to be made.
pub(crate) async fn run(task: &mut Task) -> Result<bool, DriverError> {
    let Some((purpose, at)) = made(&task.node) else {
        return Ok(false);
    };
    if purpose == NetworkPurpose::Provisioning && task.hardware.deploy.by() == DeployBy::Installer {
        return installer::restore(task).await;
    }
    let token = ramdisk::kept_token(task)?;
    let ramdisk = ramdisk::described(task, purpose, token).await?;
    let hardware = task.hardware.clone();
    let network_data = networks::data(task).await?;
    let _awaits = objects::note_media(task).await?;
    let (restored, warnings) = {
        let (lease, mut machine) = task.hands()?;
        machine.network_data = network_data;
        let boot = &hardware.boot;
        let restored = boot
            .restore_ramdisk(lease, &mut machine, &ramdisk, at)
            .await?;
        (restored, std::mem::take(&mut machine.found.warnings))
    };
    task.warn(warnings);
    // Last: it may take long, and the machine can boot meanwhile.
    let image = purpose == NetworkPurpose::Provisioning && publish::restore(task).await?;
    Ok(restored || image)
}

/// Before a machine is started: what it boots is made here, if a conductor before made it, or if it
/// was taken away because the ramdisk ran.
pub(super) async fn run_if_missing(task: &mut Task) -> Result<(), DriverError> {
    if made(&task.node).is_none() {
        return Ok(());
    }
    let host = task.settings().host.clone();
    let is_ours = task.node.conductor_affinity.as_ref() == Some(&host);
    let hardware = task.hardware.clone();
    if is_ours && hardware.boot.keeps_ramdisk(&task.machine()).await {
        return Ok(());
    }
    run(task).await?;
    task.node.conductor_affinity = Some(host);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};
    use types::{JsonMap, NodeId};

    #[track_caller]
    fn check(state: S, made: Value, awaited: bool) {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.provision_state = state;
        node.driver_internal_info = JsonMap::from_iter([("corten_ramdisk".into(), made)]).into();
        assert_eq!(is_awaited(&node), awaited, "{state}");
        forget(&mut node);
        assert!(!is_awaited(&node), "{state} without a ramdisk");
    }

    #[test]
    fn a_ramdisk_is_awaited_by_what_it_was_made_for() {
        let of = |purpose: &str| json!({"purpose": purpose, "at": Timestamp(0).naive()});
        check(S::CleanWait, of("cleaning"), true);
        check(S::DeployWait, of("provisioning"), true);
        check(S::InspectWait, of("inspection"), true);
        check(S::RescueWait, of("rescuing"), true);
        check(S::ServiceHold, of("servicing"), true);
        // What an operation before left is none of this one's.
        check(S::ServiceWait, of("cleaning"), false);
        check(S::Cleaning, of("cleaning"), false);
        check(S::Available, of("cleaning"), false);
        check(S::CleanWait, json!({"purpose": "cleaning"}), false);
        check(S::CleanWait, json!(true), false);
    }

    #[test]
    fn every_state_that_waits_is_known() {
        use types::provision::StateClass;
        for state in STATES {
            assert!(purpose_of(*state).is_some(), "{state}");
            let class = state.class();
            assert!(matches!(class, StateClass::Waiting | StateClass::Hold));
        }
    }
}
