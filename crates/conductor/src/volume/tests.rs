//! The power rules for volumes, through a running conductor on a database of its own.

use crate::lab::Lab;
use types::{
    Caller, Conductor, Fault, NodeId, PowerState, ProvisionState, VolumeConnector,
    VolumeConnectorId, VolumeTarget, VolumeTargetId,
};

impl Lab {
    /// A node in this state, with a connector and a target.
    async fn machine(
        &self,
        state: ProvisionState,
        power: Option<PowerState>,
    ) -> (NodeId, VolumeConnector, VolumeTarget) {
        let node = self
            .node(|node| (node.provision_state, node.power_state) = (state, power))
            .await;
        let id = VolumeConnectorId::generate();
        let connector = VolumeConnector::new(id, node, "iqn", id.to_string());
        let target = VolumeTarget::new(VolumeTargetId::generate(), node, "iscsi", 0, "v");
        let who = Caller::default();
        let connector = self.service.create_connector(&who, connector);
        let connector = connector.await.unwrap();
        let target = self.service.create_target(&who, target).await.unwrap();
        (node, connector, target)
    }
}

fn refused(node: NodeId, action: &str, state: &str) -> Fault {
    Fault::InvalidStateRequested {
        action: action.to_owned(),
        node: node.to_string(),
        state: state.to_owned(),
    }
}

#[tokio::test]
async fn volumes_change_only_while_the_power_is_off() {
    let lab = Lab::new().await;
    let who = Caller::default();
    for (power, shown) in [(Some(PowerState::On), "power on"), (None, "None")] {
        let (node, connector, target) = lab.machine(ProvisionState::Enroll, power).await;
        let answer = lab.service.update_connector(&who, connector, 0).await;
        let fault = refused(node, "volume connector update", shown);
        assert_eq!(answer.unwrap_err(), fault);
        let answer = lab.service.update_target(&who, target, 0).await;
        let fault = refused(node, "volume target update", shown);
        assert_eq!(answer.unwrap_err(), fault);
    }
    let off = Some(PowerState::Off);
    let (_, mut connector, mut target) = lab.machine(ProvisionState::Active, off).await;
    let base = connector.version;
    let same = lab.service.update_connector(&who, connector.clone(), base);
    assert_eq!(same.await.unwrap().updated_at, None);
    connector.kind = "mac".into();
    let changed = lab.service.update_connector(&who, connector, base).await;
    assert_eq!(changed.unwrap().kind, "mac");
    let base = target.version;
    target.boot_index = 7;
    let changed = lab.service.update_target(&who, target.clone(), base).await;
    assert_eq!(changed.unwrap().boot_index, 7);
    let late = lab.service.update_target(&who, target, base + 7).await;
    assert!(matches!(late, Err(Fault::Stale(_))), "{late:?}");
}

#[tokio::test]
async fn the_node_that_gets_a_volume_must_be_off() {
    let lab = Lab::new().await;
    let who = Caller::default();
    let off = Some(PowerState::Off);
    let (_, mut connector, mut target) = lab.machine(ProvisionState::Enroll, off).await;
    let (unknown, ..) = lab.machine(ProvisionState::Enroll, None).await;
    (connector.node, target.node) = (unknown, unknown);
    let (version, other) = (connector.version, target.version);
    let answer = lab
        .service
        .update_connector(&who, connector.clone(), version);
    let fault = refused(unknown, "volume connector update", "None");
    assert_eq!(answer.await.unwrap_err(), fault);
    let answer = lab.service.update_target(&who, target.clone(), other);
    let fault = refused(unknown, "volume target update", "None");
    assert_eq!(answer.await.unwrap_err(), fault);

    let idle = lab.node(|node| node.power_state = off).await;
    (connector.node, target.node) = (idle, idle);
    let moved = lab.service.update_connector(&who, connector, version).await;
    assert_eq!(moved.unwrap().node, idle);
    let moved = lab.service.update_target(&who, target, other).await;
    assert_eq!(moved.unwrap().node, idle);
}

#[tokio::test]
async fn volumes_go_where_nothing_runs() {
    let lab = Lab::new().await;
    let who = Caller::default();
    let on = Some(PowerState::On);
    let (node, connector, target) = lab.machine(ProvisionState::Available, on).await;
    let answer = lab.service.destroy_connector(&who, connector.id).await;
    let fault = refused(node, "volume connector deletion", "power on");
    assert_eq!(answer, Err(fault));
    let answer = lab.service.destroy_target(&who, target.id).await;
    let fault = refused(node, "volume target deletion", "power on");
    assert_eq!(answer, Err(fault));
    for (state, power) in [
        (ProvisionState::Manageable, on),
        (ProvisionState::Enroll, None),
        (ProvisionState::AdoptFailed, on),
        (ProvisionState::Active, Some(PowerState::Off)),
    ] {
        let (_, connector, target) = lab.machine(state, power).await;
        let gone = lab.service.destroy_connector(&who, connector.id).await;
        assert_eq!(gone, Ok(()), "{state}");
        let gone = lab.service.destroy_target(&who, target.id).await;
        assert_eq!(gone, Ok(()), "{state}");
        let again = lab.service.destroy_target(&who, target.id).await;
        assert_eq!(again, Err(Fault::TargetNotFound(target.id.to_string())));
    }
}
