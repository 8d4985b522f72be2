//! Allocations: claims on a machine that fits a description.
//!
//! What makes a machine fit is decided here, in one place: the conductor asks before it tries a
//! machine, and the store asks again in the transaction that binds it.

use crate::{AllocationId, JsonMap, Node, NodeId, ProvisionState, Timestamp, lease::Holder};
use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// How far an allocation came.
    pub enum AllocationState {
        /// Somebody looks for a machine.
        Allocating = "allocating",
        /// It has one.
        Active = "active",
        /// None could be found; `last_error` says why.
        Error = "error",
    }
}

/// An allocation row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Allocation {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: AllocationId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub name: Option<String>,
    pub state: AllocationState,
    pub node: Option<NodeId>,
    pub resource_class: Option<String>,
    /// Traits that the machine must have.
    pub traits: Vec<String>,
    /// When not empty, only one of these will do.
    pub candidate_nodes: Vec<NodeId>,
    pub extra: JsonMap,
    pub last_error: Option<String>,
    /// The project whose machines may be taken; any when absent.
    pub owner: Option<String>,
    /// The conductor that looks for a machine.
    pub holder: Option<Holder>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl Allocation {
    /// An allocation with the defaults of a new one.
    pub fn new(id: AllocationId) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            name: None,
            state: AllocationState::Allocating,
            node: None,
            resource_class: None,
            traits: Vec::new(),
            candidate_nodes: Vec::new(),
            extra: JsonMap::new(),
            last_error: None,
            owner: None,
            holder: None,
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }

    /// Whether a machine has every trait that was asked for.
    pub fn accepts_traits(&self, traits: &[String]) -> bool {
        self.traits.iter().all(|wanted| traits.contains(wanted))
    }

    /// Whether this machine can be given away now, and is what was asked for. Whether somebody
    /// works on it is not asked.
    pub fn suits(&self, node: &Node) -> bool {
        let is_free = node.provision_state == ProvisionState::Available
            && node.instance_uuid.is_none()
            && node.allocation_uuid.is_none()
            && node.power_state.is_some()
            && !node.maintenance;
        let is_candidate =
            self.candidate_nodes.is_empty() || self.candidate_nodes.contains(&node.id);
        let is_allowed =
            self.owner.is_none() || self.owner == node.owner || self.owner == node.lessee;
        is_free
            && is_candidate
            && is_allowed
            && self.resource_class == node.resource_class
            && self.accepts_traits(&node.traits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::PowerState;

    type Change = fn(&mut Allocation, &mut Node);

    fn pair() -> (Allocation, Node) {
        let mut allocation = Allocation::new(AllocationId::generate());
        allocation.resource_class = Some("gold".into());
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.resource_class = Some("gold".into());
        node.provision_state = ProvisionState::Available;
        node.power_state = Some(PowerState::Off);
        (allocation, node)
    }

    #[test]
    fn one_thing_that_does_not_fit_is_enough() {
        let wrong: &[Change] = &[
            |_, n| n.provision_state = ProvisionState::Manageable,
            |_, n| n.power_state = None,
            |_, n| n.maintenance = true,
            |_, n| n.instance_uuid = Some("i".into()),
            |_, n| n.allocation_uuid = Some("a".into()),
            |_, n| n.resource_class = Some("Gold".into()),
            |_, n| n.resource_class = None,
            |a, _| a.owner = Some("p1".into()),
            |a, _| a.traits = vec!["CUSTOM_A".into()],
            |a, _| a.candidate_nodes = vec![NodeId::generate()],
        ];
        for (n, change) in wrong.iter().enumerate() {
            let (mut allocation, mut node) = pair();
            change(&mut allocation, &mut node);
            assert!(!allocation.suits(&node), "change {n}");
        }
        let right: &[Change] = &[
            |_, _| {},
            |_, n| n.owner = Some("p1".into()),
            |a, n| (a.owner, n.owner) = (Some("p1".into()), Some("p1".into())),
            |a, n| (a.owner, n.lessee) = (Some("p1".into()), Some("p1".into())),
            |a, n| a.candidate_nodes = vec![NodeId::generate(), n.id],
            |a, n| {
                a.traits = vec!["CUSTOM_A".into()];
                n.traits = vec!["CUSTOM_A".into(), "CUSTOM_B".into()];
            },
        ];
        for (n, change) in right.iter().enumerate() {
            let (mut allocation, mut node) = pair();
            change(&mut allocation, &mut node);
            assert!(allocation.suits(&node), "change {n}");
        }
    }
}
