//! The machines of the demo, and how they get to where they are in life.
//!
//! Half of them are for whoever tries the demo, one for each thing there is to see; the others are
//! marked as moving, and [`super::director`] keeps them busy.

use super::crowd::Dice;
use anyhow::{Context, bail};
use conductor::Service;
use serde_json::json;
use std::{sync::Arc, time::Duration};
use store::Db;
use tokio::task::JoinSet;
use types::{
    Caller, Conductor, Fault, Node, NodeId, Port, PortId, PowerTarget, ProvisionState,
    provision::StateClass, rpc::ProvisionRequest as Request,
};

/// A machine to try a deploy on.
pub(super) const YOURS: &str = "m05";

/// The key in `extra` that marks machines which are kept busy; without it they are left alone.
pub(super) const MARK: &str = "demo";
pub(super) const MOVING: &str = "moving";

pub(super) const RESCUE_PASSWORD: &str = "look-inside";

/// How long a machine with hardware that takes no time may take to come to rest.
const PATIENCE: Duration = Duration::from_secs(60);

/// Where a machine stands when the demo begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Enroll,
    /// Still enrolled, because its BMC did not answer.
    Unreachable,
    Manageable,
    Available,
    Active,
    Rescue,
    DeployFailed,
    Maintenance,
}

/// How many machines live.
pub(super) const SIZE: usize = RACK.len();

const RACK: [(Stage, bool); 20] = {
    use Stage::*;
    [
        (Enroll, false),
        (Unreachable, false),
        (Manageable, false),
        (Manageable, false),
        (Available, false),
        (Available, false),
        (Active, false),
        (Rescue, false),
        (DeployFailed, false),
        (Maintenance, false),
        (Manageable, true),
        (Manageable, true),
        (Manageable, true),
        (Available, true),
        (Available, true),
        (Available, true),
        (Active, true),
        (Active, true),
        (Active, true),
        (Active, true),
    ]
};

impl Stage {
    /// What is asked of a new machine, one after the other.
    fn way(self) -> Vec<Request> {
        let deploy = Request::Deploy {
            configdrive: None,
            steps: Vec::new(),
        };
        let rescue = Request::Rescue {
            password: RESCUE_PASSWORD.to_owned(),
        };
        match self {
            Self::Enroll => vec![],
            Self::Unreachable | Self::Manageable => vec![Request::Manage],
            Self::Available | Self::Maintenance => vec![Request::Manage, Request::Provide],
            Self::Active | Self::DeployFailed => vec![Request::Manage, Request::Provide, deploy],
            Self::Rescue => vec![Request::Manage, Request::Provide, deploy, rescue],
        }
    }

    /// Where that way ends.
    fn end(self) -> ProvisionState {
        match self {
            Self::Enroll | Self::Unreachable => ProvisionState::Enroll,
            Self::Manageable => ProvisionState::Manageable,
            Self::Available | Self::Maintenance => ProvisionState::Available,
            Self::Active => ProvisionState::Active,
            Self::Rescue => ProvisionState::Rescue,
            Self::DeployFailed => ProvisionState::DeployFailed,
        }
    }

    /// Whether the machine is on; unknown until the first power query.
    fn power(self) -> Option<PowerTarget> {
        match self {
            Self::Enroll | Self::Unreachable => None,
            Self::Active | Self::Rescue => Some(PowerTarget::On),
            _ => Some(PowerTarget::Off),
        }
    }

    /// The operation that the simulated hardware fails.
    fn flaw(self) -> Option<&'static str> {
        match self {
            Self::Unreachable => Some("power.get"),
            Self::DeployFailed => Some("deploy.deploy"),
            _ => None,
        }
    }
}

/// Creates all machines and brings each to its stage.
pub(super) async fn fill(service: &Arc<Service>, db: &Db, dice: &mut Dice) -> anyhow::Result<()> {
    let mut machines = JoinSet::new();
    for (index, (stage, moving)) in RACK.into_iter().enumerate() {
        let number = index + 1;
        // One after the other, so that a list shows them in order; their lives run side by side.
        let node = machine(dice.node_id()?, number, stage, moving);
        let id = enrol(service, number, node).await?;
        let (service, db) = (Arc::clone(service), db.clone());
        machines.spawn(async move {
            settle_in(&service, &db, id, stage)
                .await
                .with_context(|| format!("cannot set up machine {number} of the demo"))
        });
    }
    while let Some(machine) = machines.join_next().await {
        machine.context("setting up a machine of the demo panicked")??;
    }
    Ok(())
}

async fn enrol(service: &Service, number: usize, node: Node) -> anyhow::Result<NodeId> {
    let who = caller();
    let id = service.create_node(&who, node).await?.id;
    let address = format!("52:54:00:de:30:{number:02x}").parse()?;
    service
        .create_port(&who, Port::new(PortId::generate(), id, address))
        .await?;
    Ok(id)
}

async fn settle_in(service: &Service, db: &Db, id: NodeId, stage: Stage) -> anyhow::Result<()> {
    let who = caller();
    for request in stage.way() {
        ask(service, id, request).await?;
        at_rest(db, id).await?;
    }
    if let Some(power) = stage.power() {
        service.set_power(&who, id, power, None).await?;
        at_rest(db, id).await?;
    }
    if stage == Stage::Maintenance {
        let reason = Some("waits for a new fan".to_owned());
        service.set_maintenance(&who, id, true, reason).await?;
    }
    let end = at_rest(db, id).await?.provision_state;
    if end != stage.end() {
        bail!("the node is '{end}' instead of '{}'", stage.end());
    }
    Ok(())
}

fn machine(id: NodeId, number: usize, stage: Stage, moving: bool) -> Node {
    let mut node = Node::new(id, crate::settings::FAKE_HARDWARE);
    node.name = Some(format!("m{number:02}"));
    node.resource_class = Some("baremetal".to_owned());
    node.properties
        .insert("cpu_arch".to_owned(), json!("x86_64"));
    node.properties.insert("cpus".to_owned(), json!(16));
    node.properties.insert("memory_mb".to_owned(), json!(65536));
    node.properties.insert("local_gb".to_owned(), json!(480));
    if let Some(flaw) = stage.flaw() {
        node.driver_info.insert("fake_fail".to_owned(), json!(flaw));
    }
    if moving {
        node.extra.insert(MARK.to_owned(), json!(MOVING));
    }
    node
}

/// The caller in events and in the history.
pub(super) fn caller() -> Caller {
    Caller {
        user: Some("demo".to_owned()),
        ..Caller::default()
    }
}

pub(super) async fn ask(service: &Service, node: NodeId, request: Request) -> Result<(), Fault> {
    let action = request.verb().to_string();
    service.provision(&caller(), node, action, request).await
}

/// Waits until a node is not reserved and in a stable state.
async fn at_rest(db: &Db, id: NodeId) -> anyhow::Result<Node> {
    at_rest_within(db, id, PATIENCE).await
}

pub(super) async fn at_rest_within(
    db: &Db,
    id: NodeId,
    patience: Duration,
) -> anyhow::Result<Node> {
    let look = async {
        loop {
            let cursor = store::event::newest(db).await?;
            let node = store::node::find(db, id)
                .await?
                .context("the node was deleted")?;
            if rests(&node) {
                return anyhow::Ok(node);
            }
            store::event::wait(db, cursor, patience).await?;
        }
    };
    let looked = tokio::time::timeout(patience, look).await;
    looked.context("timeout: the node stays in a transient state")?
}

/// Whether a node is not reserved and in a stable or failed state.
pub(super) fn rests(node: &Node) -> bool {
    let class = node.provision_state.class();
    node.reservation.is_none() && matches!(class, StateClass::Stable | StateClass::Failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rack_shows_something_of_everything() {
        let has = |stage| RACK.iter().any(|(one, moving)| *one == stage && !moving);
        use Stage::*;
        for stage in [
            Enroll,
            Unreachable,
            Manageable,
            Available,
            Active,
            Rescue,
            DeployFailed,
            Maintenance,
        ] {
            assert!(has(stage), "{stage:?}");
        }
        assert!(RACK.iter().filter(|(_, moving)| *moving).count() >= 5);
    }

    #[test]
    fn the_machine_to_try_is_available_and_left_alone() {
        let number: usize = YOURS[1..].parse().unwrap();
        assert_eq!(RACK[number - 1], (Stage::Available, false));
    }
}
