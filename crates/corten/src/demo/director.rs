//! Keeps the moving machines of the demo busy, gently.
//!
//! What comes next for a machine follows from the state it is in, not from a script, so that
//! visitors may do with any machine what they like. Machines without the mark are left alone.

use super::rack::{MARK, MOVING, RESCUE_PASSWORD, ask, caller, rests};
use crate::settings::FAKE_HARDWARE;
use conductor::Service;
use std::{collections::HashMap, sync::Arc, time::Duration};
use store::{
    Db, Page, StoreError,
    node::{Columns, NodeFilter},
};
use tokio::{task::JoinHandle, time::MissedTickBehavior};
use types::{
    Conductor, Fault, InterfaceKind, JsonMap, Node, NodeId, PowerState, PowerTarget,
    ProvisionState, Verb, error::chain, rpc::ProvisionRequest as Request, step::UserStep,
};

/// How often something new begins.
const PACE: Duration = Duration::from_secs(2);
/// How many machines may be on their way at a time.
const AT_A_TIME: usize = 4;
/// How many machines are looked at: those of the rack and some that visitors add.
const LOOKED_AT: u32 = 200;

/// A loop in the background.
#[derive(Debug)]
pub(super) struct Director {
    running: JoinHandle<()>,
}

impl Director {
    /// Sets the first machines in motion before it returns.
    pub(super) async fn start(service: Arc<Service>, db: Db) -> Result<Self, StoreError> {
        let mut rounds = Rounds {
            service,
            db,
            dice: Dice(0),
            seen: HashMap::new(),
        };
        rounds.begin(AT_A_TIME).await?;
        Ok(Self {
            running: tokio::spawn(rounds.run()),
        })
    }

    pub(super) fn stop(self) {
        self.running.abort();
    }
}

/// One look at the machines after another.
struct Rounds {
    service: Arc<Service>,
    db: Db,
    dice: Dice,
    /// The state in which each machine last rested.
    seen: HashMap<NodeId, ProvisionState>,
}

impl Rounds {
    async fn run(mut self) {
        let mut tick = tokio::time::interval(PACE);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tick.tick().await;
            if let Err(error) = self.begin(1).await {
                tracing::warn!(error = %chain(&error), "cannot list the nodes of the demo");
            }
        }
    }

    /// Sets up to `most` machines in motion, those first that have rested longest.
    async fn begin(&mut self, most: usize) -> Result<(), StoreError> {
        let page = Page::first(LOOKED_AT);
        let mut nodes = store::node::list(&self.db, NodeFilter::all(), page, Columns::Full).await?;
        self.switch_those_that_arrived(&nodes).await;
        nodes.retain(|node| node.extra.get(MARK).is_some_and(|mark| mark == MOVING));
        let busy = nodes.iter().filter(|node| !rests(node)).count();
        nodes.retain(|node| rests(node) && !node.maintenance);
        nodes.sort_by_key(|node| node.provision_updated_at);
        for node in nodes.iter().take(most.min(AT_A_TIME.saturating_sub(busy))) {
            self.move_on(node).await;
        }
        Ok(())
    }

    async fn switch_those_that_arrived(&mut self, nodes: &[Node]) {
        for (id, power) in arrived(&mut self.seen, nodes) {
            let switched = self.service.set_power(&caller(), id, power, None).await;
            if let Err(fault) = switched {
                tracing::debug!(node = %id, %fault, "cannot change the power of a node");
            }
        }
    }

    async fn move_on(&mut self, node: &Node) {
        // A visitor may have been quicker; then the machine is busy all the same.
        if let Err(fault) = self.try_move(node).await {
            tracing::debug!(node = node.label(), %fault, "cannot change the provision state of a node");
        }
    }

    async fn try_move(&mut self, node: &Node) -> Result<(), Fault> {
        if let Some(power) = switch(node) {
            return self
                .service
                .set_power(&caller(), node.id, power, None)
                .await;
        }
        match next(node.provision_state, self.dice.roll()).and_then(request) {
            Some(request) => ask(&self.service, node.id, request).await,
            None => Ok(()),
        }
    }
}

/// Machines that got to a new state since the last look, whoever brought them there, and what their
/// power should be now. What a visitor switches afterwards stays.
fn arrived(
    seen: &mut HashMap<NodeId, ProvisionState>,
    nodes: &[Node],
) -> Vec<(NodeId, PowerTarget)> {
    let ours = |node: &&Node| node.driver == FAKE_HARDWARE && !node.maintenance && rests(node);
    let mut switches = Vec::new();
    for node in nodes.iter().filter(ours) {
        let before = seen.insert(node.id, node.provision_state);
        if before.is_some_and(|before| before != node.provision_state) {
            switches.extend(switch(node).map(|power| (node.id, power)));
        }
    }
    switches
}

/// Machines in use are on, machines that wait for a user are off.
fn switch(node: &Node) -> Option<PowerTarget> {
    let (is, wanted) = (node.power_state?, node.provision_state);
    match wanted {
        ProvisionState::Active if is != PowerState::On => Some(PowerTarget::On),
        ProvisionState::Available if is != PowerState::Off => Some(PowerTarget::Off),
        _ => None,
    }
}

/// What a machine at rest does next.
fn next(state: ProvisionState, roll: u32) -> Option<Verb> {
    use ProvisionState as S;
    use Verb as V;
    Some(match state {
        S::Manageable if roll.is_multiple_of(3) => V::Inspect,
        S::Manageable => V::Provide,
        S::Available if roll.is_multiple_of(6) => V::Manage,
        S::Available => V::Deploy,
        S::Active => match roll % 6 {
            0 => V::Rescue,
            1 => V::Service,
            2 => V::Rebuild,
            _ => V::Delete,
        },
        S::Rescue => V::Unrescue,
        S::InspectFailed | S::CleanFailed | S::AdoptFailed => V::Manage,
        S::DeployFailed | S::Error | S::RescueFailed | S::UnrescueFailed | S::ServiceFailed => {
            V::Delete
        }
        _ => return None,
    })
}

/// The verb with its arguments.
fn request(verb: Verb) -> Option<Request> {
    let steps = Vec::new;
    Some(match verb {
        Verb::Manage => Request::Manage,
        Verb::Provide => Request::Provide,
        Verb::Inspect => Request::Inspect,
        Verb::Deploy => Request::Deploy {
            configdrive: None,
            steps: steps(),
        },
        Verb::Rebuild => Request::Rebuild {
            configdrive: None,
            steps: steps(),
        },
        Verb::Delete => Request::TearDown,
        Verb::Rescue => Request::Rescue {
            password: RESCUE_PASSWORD.to_owned(),
        },
        Verb::Unrescue => Request::Unrescue,
        Verb::Service => Request::Service {
            steps: vec![UserStep {
                interface: InterfaceKind::Vendor,
                step: "log_passthrough".to_owned(),
                args: JsonMap::new(),
                priority: None,
                execute_on_child_nodes: false,
                limit_child_node_execution: Vec::new(),
                given: JsonMap::new(),
            }],
            disable_ramdisk: false,
        },
        _ => return None,
    })
}

/// Numbers that look random enough for a show: a linear congruential generator.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        // The upper bits of such a generator are its better ones.
        u32::try_from(self.0 >> 40).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::provision::StateClass;

    #[test]
    fn every_move_is_legal_and_can_be_asked_for() {
        for &state in ProvisionState::ALL {
            for roll in 0..6 {
                if let Some(verb) = next(state, roll) {
                    assert!(types::rpc::is_actionable(state, verb), "{state} {verb}");
                    assert_eq!(request(verb).unwrap().verb(), verb);
                }
            }
        }
    }

    #[test]
    fn no_machine_gets_stuck() {
        for &state in ProvisionState::ALL {
            let rests = matches!(state.class(), StateClass::Stable | StateClass::Failed);
            if rests && state != ProvisionState::Enroll {
                assert!(next(state, 1).is_some(), "{state}");
            }
        }
    }

    #[test]
    fn power_is_switched_once_when_a_machine_arrives() {
        let mut node = Node::new(types::NodeId::generate(), "fake-hardware");
        node.provision_state = ProvisionState::Available;
        node.power_state = Some(PowerState::Off);
        let mut seen = HashMap::new();
        assert_eq!(arrived(&mut seen, std::slice::from_ref(&node)), []);
        node.provision_state = ProvisionState::Active;
        let on = [(node.id, PowerTarget::On)];
        assert_eq!(arrived(&mut seen, std::slice::from_ref(&node)), on);
        // A user switched it off.
        assert_eq!(arrived(&mut seen, std::slice::from_ref(&node)), []);
    }

    #[test]
    fn power_follows_use() {
        let mut node = Node::new(types::NodeId::generate(), "fake-hardware");
        node.provision_state = ProvisionState::Active;
        assert_eq!(switch(&node), None, "nothing is known about it");
        node.power_state = Some(PowerState::Off);
        assert_eq!(switch(&node), Some(PowerTarget::On));
        node.power_state = Some(PowerState::On);
        assert_eq!(switch(&node), None);
        node.provision_state = ProvisionState::Available;
        assert_eq!(switch(&node), Some(PowerTarget::Off));
    }

    #[test]
    fn the_dice_have_many_faces() {
        let mut dice = Dice(0);
        let mut seen = [false; 6];
        for _ in 0..100 {
            seen[usize::try_from(dice.roll() % 6).unwrap()] = true;
        }
        assert_eq!(seen, [true; 6]);
    }
}
