//! Provision states and the transitions between them.
//!
//! A pure function from (state, event) to the next state. It knows nothing of databases, locks or
//! hardware. `provision/transitions.tsv` holds the table of Ironic; a test compares
//! the two row by row.

use serde::{Deserialize, Serialize};

crate::wire_enum! {
    /// Where a node is in its life.
    pub enum ProvisionState {
        Enroll = "enroll",
        Verifying = "verifying",
        Manageable = "manageable",
        Inspecting = "inspecting",
        /// The ramdisk owes us its inventory.
        InspectWait = "inspect wait",
        InspectFailed = "inspect failed",
        Adopting = "adopting",
        AdoptFailed = "adopt failed",
        Available = "available",
        Deploying = "deploying",
        /// The agent owes us a heartbeat; no worker holds the node meanwhile.
        DeployWait = "wait call-back",
        DeployFailed = "deploy failed",
        DeployHold = "deploy hold",
        Active = "active",
        Deleting = "deleting",
        /// Tear-down failed.
        Error = "error",
        Cleaning = "cleaning",
        CleanWait = "clean wait",
        CleanFailed = "clean failed",
        CleanHold = "clean hold",
        Rescuing = "rescuing",
        RescueWait = "rescue wait",
        Rescue = "rescue",
        RescueFailed = "rescue failed",
        Unrescuing = "unrescuing",
        UnrescueFailed = "unrescue failed",
        Servicing = "servicing",
        ServiceWait = "service wait",
        ServiceHold = "service hold",
        ServiceFailed = "service failed",
    }
}

crate::wire_enum! {
    /// What happens to a node: verbs of users, and `wait` … `hold`, which only the conductor says.
    pub enum Verb {
        Manage = "manage",
        Provide = "provide",
        Inspect = "inspect",
        Adopt = "adopt",
        Deploy = "deploy",
        Rebuild = "rebuild",
        Delete = "delete",
        Clean = "clean",
        Rescue = "rescue",
        Unrescue = "unrescue",
        Service = "service",
        Abort = "abort",
        Unhold = "unhold",
        Wait = "wait",
        Resume = "resume",
        Done = "done",
        Fail = "fail",
        Hold = "hold",
    }
}

/// A pair of state and event that the table does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a node in state '{from}' cannot take the event '{event}'")]
pub struct InvalidTransition {
    pub from: ProvisionState,
    pub event: Verb,
}

/// Where a node goes, and where it means to end up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Move {
    pub state: ProvisionState,
    pub target: Option<ProvisionState>,
}

/// The whole machine, one row a transition: (from, event, to).
const TRANSITIONS: &[(ProvisionState, Verb, ProvisionState)] = {
    use ProvisionState as S;
    use Verb as V;
    &[
        // Enrolling and verifying.
        (S::Enroll, V::Manage, S::Verifying),
        (S::Verifying, V::Done, S::Manageable),
        (S::Verifying, V::Fail, S::Enroll),
        (S::Manageable, V::Provide, S::Cleaning),
        (S::Manageable, V::Clean, S::Cleaning),
        (S::Manageable, V::Inspect, S::Inspecting),
        (S::Manageable, V::Adopt, S::Adopting),
        // Inspection.
        (S::Inspecting, V::Done, S::Manageable),
        (S::Inspecting, V::Fail, S::InspectFailed),
        (S::Inspecting, V::Wait, S::InspectWait),
        (S::InspectWait, V::Resume, S::Inspecting),
        (S::InspectWait, V::Done, S::Manageable),
        (S::InspectWait, V::Fail, S::InspectFailed),
        (S::InspectWait, V::Abort, S::InspectFailed),
        (S::InspectFailed, V::Manage, S::Manageable),
        (S::InspectFailed, V::Inspect, S::Inspecting),
        // Adoption.
        (S::Adopting, V::Done, S::Active),
        (S::Adopting, V::Fail, S::AdoptFailed),
        (S::AdoptFailed, V::Adopt, S::Adopting),
        (S::AdoptFailed, V::Manage, S::Manageable),
        // Deployment.
        (S::Available, V::Deploy, S::Deploying),
        (S::Available, V::Manage, S::Manageable),
        (S::Deploying, V::Wait, S::DeployWait),
        (S::Deploying, V::Hold, S::DeployHold),
        (S::Deploying, V::Fail, S::DeployFailed),
        (S::Deploying, V::Done, S::Active),
        (S::DeployWait, V::Resume, S::Deploying),
        (S::DeployWait, V::Hold, S::DeployHold),
        (S::DeployWait, V::Fail, S::DeployFailed),
        (S::DeployWait, V::Abort, S::DeployFailed),
        (S::DeployWait, V::Delete, S::Deleting),
        (S::DeployHold, V::Unhold, S::DeployWait),
        (S::DeployHold, V::Abort, S::DeployFailed),
        (S::DeployFailed, V::Rebuild, S::Deploying),
        (S::DeployFailed, V::Deploy, S::Deploying),
        (S::DeployFailed, V::Delete, S::Deleting),
        (S::Active, V::Rebuild, S::Deploying),
        (S::Active, V::Delete, S::Deleting),
        (S::Active, V::Rescue, S::Rescuing),
        (S::Active, V::Service, S::Servicing),
        // Tear-down.
        (S::Error, V::Rebuild, S::Deploying),
        (S::Error, V::Delete, S::Deleting),
        (S::Deleting, V::Clean, S::Cleaning),
        (S::Deleting, V::Fail, S::Error),
        // Cleaning.
        (S::Cleaning, V::Done, S::Available),
        (S::Cleaning, V::Manage, S::Manageable),
        (S::Cleaning, V::Fail, S::CleanFailed),
        (S::Cleaning, V::Wait, S::CleanWait),
        (S::Cleaning, V::Hold, S::CleanHold),
        (S::CleanWait, V::Resume, S::Cleaning),
        (S::CleanWait, V::Hold, S::CleanHold),
        (S::CleanWait, V::Fail, S::CleanFailed),
        (S::CleanWait, V::Abort, S::CleanFailed),
        (S::CleanHold, V::Abort, S::CleanFailed),
        (S::CleanHold, V::Unhold, S::CleanWait),
        (S::CleanFailed, V::Manage, S::Manageable),
        // Rescue.
        (S::Rescuing, V::Wait, S::RescueWait),
        (S::Rescuing, V::Done, S::Rescue),
        (S::Rescuing, V::Fail, S::RescueFailed),
        (S::RescueWait, V::Resume, S::Rescuing),
        (S::RescueWait, V::Fail, S::RescueFailed),
        (S::RescueWait, V::Abort, S::RescueFailed),
        (S::RescueWait, V::Delete, S::Deleting),
        (S::Rescue, V::Rescue, S::Rescuing),
        (S::Rescue, V::Unrescue, S::Unrescuing),
        (S::Rescue, V::Delete, S::Deleting),
        (S::RescueFailed, V::Rescue, S::Rescuing),
        (S::RescueFailed, V::Unrescue, S::Unrescuing),
        (S::RescueFailed, V::Delete, S::Deleting),
        (S::Unrescuing, V::Done, S::Active),
        (S::Unrescuing, V::Fail, S::UnrescueFailed),
        (S::UnrescueFailed, V::Rescue, S::Rescuing),
        (S::UnrescueFailed, V::Unrescue, S::Unrescuing),
        (S::UnrescueFailed, V::Delete, S::Deleting),
        // Service.
        (S::Servicing, V::Done, S::Active),
        (S::Servicing, V::Fail, S::ServiceFailed),
        (S::Servicing, V::Wait, S::ServiceWait),
        (S::Servicing, V::Hold, S::ServiceHold),
        (S::ServiceWait, V::Resume, S::Servicing),
        (S::ServiceWait, V::Hold, S::ServiceHold),
        (S::ServiceWait, V::Fail, S::ServiceFailed),
        (S::ServiceWait, V::Abort, S::ServiceFailed),
        (S::ServiceWait, V::Delete, S::Deleting),
        (S::ServiceHold, V::Service, S::Servicing),
        (S::ServiceHold, V::Unhold, S::ServiceWait),
        (S::ServiceHold, V::Fail, S::ServiceFailed),
        (S::ServiceHold, V::Abort, S::ServiceFailed),
        (S::ServiceFailed, V::Service, S::Servicing),
        (S::ServiceFailed, V::Rescue, S::Rescuing),
        (S::ServiceFailed, V::Wait, S::ServiceWait),
        (S::ServiceFailed, V::Hold, S::ServiceHold),
        (S::ServiceFailed, V::Delete, S::Deleting),
        (S::ServiceFailed, V::Abort, S::Active),
    ]
};

/// What a state means for whoever looks at the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateClass {
    /// Nothing is under way.
    Stable,
    /// A conductor works on the node and holds its lease.
    Transient,
    /// Something outside (a ramdisk) must speak before work goes on.
    Waiting,
    /// A user asked for a pause.
    Hold,
    /// The operation ended badly.
    Failed,
}

use ProvisionState as S;

impl ProvisionState {
    /// States in which PATCH is allowed although a target state is set.
    pub const UPDATE_ALLOWED: &'static [Self] = &[
        S::DeployFailed,
        S::Inspecting,
        S::InspectFailed,
        S::InspectWait,
        S::CleanFailed,
        S::Error,
        S::Verifying,
        S::AdoptFailed,
        S::RescueFailed,
        S::UnrescueFailed,
        S::ServiceHold,
        S::ServiceFailed,
    ];

    /// States in which boot mode and secure boot cannot be changed.
    pub const UNSTABLE: &'static [Self] = &[
        S::Deploying,
        S::DeployWait,
        S::Cleaning,
        S::CleanWait,
        S::Verifying,
        S::Deleting,
        S::Inspecting,
        S::InspectWait,
        S::Adopting,
        S::Rescuing,
        S::RescueWait,
        S::Unrescuing,
        S::Servicing,
        S::ServiceWait,
    ];

    /// The state an event leads to, without regard to the target.
    pub fn after(self, event: Verb) -> Option<Self> {
        TRANSITIONS
            .iter()
            .find(|(from, on, _)| *from == self && *on == event)
            .map(|t| t.2)
    }

    /// The next state and target of a node whose target is now `target`.
    ///
    /// The target is what tells manual from automated cleaning, so it survives every move within
    /// cleaning, a hold included (Ironic loses it there).
    pub fn on(self, event: Verb, target: Option<Self>) -> Result<Move, InvalidTransition> {
        let state = self
            .after(event)
            .ok_or(InvalidTransition { from: self, event })?;
        let target = match state.class() {
            StateClass::Stable => None,
            _ if state.is_cleaning() && self.is_cleaning() => target.or(Some(S::Available)),
            _ if event == Verb::Clean && self == S::Manageable => Some(S::Manageable),
            _ => state.default_target(),
        };
        Ok(Move { state, target })
    }

    /// What the state means.
    pub const fn class(self) -> StateClass {
        match self {
            S::Enroll | S::Manageable | S::Available | S::Active | S::Error | S::Rescue => {
                StateClass::Stable
            }
            S::Verifying
            | S::Inspecting
            | S::Adopting
            | S::Deploying
            | S::Deleting
            | S::Cleaning
            | S::Rescuing
            | S::Unrescuing
            | S::Servicing => StateClass::Transient,
            S::InspectWait | S::DeployWait | S::CleanWait | S::RescueWait | S::ServiceWait => {
                StateClass::Waiting
            }
            S::DeployHold | S::CleanHold | S::ServiceHold => StateClass::Hold,
            S::InspectFailed
            | S::AdoptFailed
            | S::DeployFailed
            | S::CleanFailed
            | S::RescueFailed
            | S::UnrescueFailed
            | S::ServiceFailed => StateClass::Failed,
        }
    }

    /// Whether nothing is under way.
    pub fn is_stable(self) -> bool {
        self.class() == StateClass::Stable
    }

    /// Whether something is under way that needs no further request.
    pub fn is_under_way(self) -> bool {
        matches!(self.class(), StateClass::Transient | StateClass::Waiting)
    }

    /// Where a node in this state is headed, unless its operation says otherwise.
    pub const fn default_target(self) -> Option<Self> {
        match self {
            S::Enroll | S::Manageable | S::Available | S::Active | S::Error | S::Rescue => None,
            S::Verifying | S::Inspecting | S::InspectWait | S::InspectFailed => Some(S::Manageable),
            S::Adopting
            | S::AdoptFailed
            | S::Deploying
            | S::DeployWait
            | S::DeployFailed
            | S::DeployHold
            | S::Unrescuing
            | S::UnrescueFailed
            | S::Servicing
            | S::ServiceWait
            | S::ServiceHold
            | S::ServiceFailed => Some(S::Active),
            S::Deleting | S::Cleaning | S::CleanWait | S::CleanFailed | S::CleanHold => {
                Some(S::Available)
            }
            S::Rescuing | S::RescueWait | S::RescueFailed => Some(S::Rescue),
        }
    }

    /// The cleaning family.
    pub const fn is_cleaning(self) -> bool {
        matches!(
            self,
            S::Cleaning | S::CleanWait | S::CleanFailed | S::CleanHold
        )
    }

    /// The service family.
    pub const fn is_servicing(self) -> bool {
        matches!(
            self,
            S::Servicing | S::ServiceWait | S::ServiceFailed | S::ServiceHold
        )
    }

    /// Whether the node's rescue ramdisk may be running.
    pub const fn is_rescue_family(self) -> bool {
        matches!(
            self,
            S::Rescuing
                | S::RescueWait
                | S::Rescue
                | S::RescueFailed
                | S::Unrescuing
                | S::UnrescueFailed
        )
    }

    /// Every event that has a row for this state.
    pub fn events(self) -> impl Iterator<Item = Verb> {
        TRANSITIONS
            .iter()
            .filter(move |(from, ..)| *from == self)
            .map(|t| t.1)
    }
}

impl Verb {
    /// Whether users may say it (through the API's `target` words).
    pub const fn is_user_verb(self) -> bool {
        !matches!(
            self,
            Verb::Wait | Verb::Resume | Verb::Done | Verb::Fail | Verb::Hold
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_name_survives_the_round_trip() {
        for &s in ProvisionState::ALL {
            assert_eq!(s.as_str().parse(), Ok(s));
        }
        assert_eq!(ProvisionState::ALL.len(), 30);
    }

    #[test]
    fn the_table_equals_the_originals_row_by_row() {
        let mut listed = BTreeSet::new();
        for line in include_str!("provision/transitions.tsv").lines() {
            if line.starts_with('#') {
                continue;
            }
            let [from, event, to, target] = line.split('\t').collect::<Vec<_>>()[..] else {
                panic!("not four columns: {line}");
            };
            let from: ProvisionState = from.parse().unwrap();
            let event: Verb = event.parse().unwrap();
            assert!(listed.insert((from, event)), "listed twice: {line}");
            // A star means that the target of the operation stays, whichever it is.
            let operations: &[_] = match target {
                "*" => &[S::Manageable, S::Available],
                _ => &[S::Available],
            };
            for &before in operations {
                let expected = match target {
                    "-" => None,
                    "*" => Some(before),
                    text => Some(text.parse().unwrap()),
                };
                let next = from
                    .on(event, Some(before))
                    .unwrap_or_else(|e| panic!("{line}: {e}"));
                assert_eq!(
                    next,
                    Move {
                        state: to.parse().unwrap(),
                        target: expected
                    },
                    "{line}"
                );
            }
        }
        let ours: BTreeSet<_> = TRANSITIONS.iter().map(|t| (t.0, t.1)).collect();
        assert_eq!(
            ours.len(),
            TRANSITIONS.len(),
            "a pair stands twice in the table"
        );
        assert_eq!(ours, listed);
    }

    /// Whoever is in a transient state can always leave it by `fail`, and whoever waits can leave
    /// by `fail` or by a user's verb: no state is a trap.
    #[test]
    fn no_state_is_a_trap() {
        for &state in ProvisionState::ALL {
            match state.class() {
                StateClass::Transient => assert!(state.after(Verb::Fail).is_some(), "{state}"),
                StateClass::Waiting => {
                    assert!(state.after(Verb::Fail).is_some(), "{state}");
                    assert!(state.after(Verb::Abort).is_some(), "{state}");
                }
                _ => assert!(state.events().any(Verb::is_user_verb), "{state}"),
            }
        }
    }

    proptest! {
        /// Random walks stay inside the machine's promises.
        #[test]
        fn any_walk_keeps_state_and_target_consistent(
            choices in proptest::collection::vec(any::<prop::sample::Index>(), 1..200)
        ) {
            let (mut state, mut target) = (S::Enroll, None);
            for choice in choices {
                let events: Vec<_> = state.events().collect();
                let event = events[choice.index(events.len())];
                let next = state.on(event, target).unwrap();
                prop_assert_eq!(next.target.is_none(), next.state.is_stable());
                if let Some(target) = next.target {
                    prop_assert!(target.is_stable());
                }
                (state, target) = (next.state, next.target);
            }
        }
    }

    #[test]
    fn an_active_node_refuses_a_second_deploy() {
        let refused = S::Active.on(Verb::Deploy, None).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "a node in state 'active' cannot take the event 'deploy'"
        );
    }
}
