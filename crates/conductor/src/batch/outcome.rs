//! Whether a node that accepted a verb has come to its end, and to which.

use store::batch::Seen;
use types::{
    ProvisionState as S,
    batch::{ActionKind, BatchAction},
    provision::StateClass,
    rpc::ProvisionRequest as R,
};

/// How a node ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    Failed {
        reason: String,
        /// What the node says itself, for those who may read that.
        last_error: Option<String>,
    },
}

/// How a node ended that has accepted the verb; `None` while it is at work.
pub(super) fn of(action: &BatchAction, seen: &Seen) -> Option<Outcome> {
    match action {
        BatchAction::Maintenance { .. } => Some(Outcome::Done),
        BatchAction::Power { .. } if seen.is_switching => None,
        BatchAction::Power { target, .. } => {
            let is_there = seen.power_state == Some(target.end_state());
            Some(ended(is_there, seen, || {
                let now = seen.power_state.map_or("unknown", |state| state.as_str());
                format!("the power state is {now}")
            }))
        }
        BatchAction::Provision { request, .. } => {
            let state = seen.provision_state;
            let is_over = match (request, state.class()) {
                (_, StateClass::Stable | StateClass::Failed) => true,
                // It was let go, and goes on by itself.
                (R::Unhold, class) => class != StateClass::Hold,
                (_, StateClass::Transient | StateClass::Waiting | StateClass::Hold) => false,
            };
            let is_there = end(request).is_none_or(|end| end == state);
            is_over.then(|| ended(is_there, seen, || format!("the node is {state}")))
        }
    }
}

fn ended(is_there: bool, seen: &Seen, state: impl Fn() -> String) -> Outcome {
    match is_there {
        true => Outcome::Done,
        false => Outcome::Failed {
            reason: state(),
            last_error: seen.last_error.clone(),
        },
    }
}

/// The same of a batch that is being aborted: a node that waits for somebody has ended too, because
/// nobody may ever come.
pub(super) fn of_aborted(action: &BatchAction, seen: &Seen) -> Option<Outcome> {
    let held = || {
        let state = seen.provision_state;
        let is_held = action.kind() == ActionKind::Provision && state.class() == StateClass::Hold;
        is_held.then(|| Outcome::Failed {
            reason: format!("the node is {state}, and the batch was aborted"),
            last_error: None,
        })
    };
    of(action, seen).or_else(held)
}

/// Where a verb leads; `None` for those that end wherever they find the node.
fn end(request: &R) -> Option<S> {
    Some(match request {
        R::Deploy { .. } | R::Rebuild { .. } | R::Adopt | R::Unrescue | R::Service { .. } => {
            S::Active
        }
        R::TearDown | R::Provide => S::Available,
        R::Manage | R::Inspect | R::Clean { .. } => S::Manageable,
        R::Rescue { .. } => S::Rescue,
        R::Abort | R::Unhold => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::{NodeId, PowerState, PowerTarget};

    fn seen(state: S) -> Seen {
        Seen {
            node: NodeId::generate(),
            provision_state: state,
            power_state: None,
            is_switching: false,
            last_error: None,
        }
    }

    fn verb(request: R) -> BatchAction {
        BatchAction::Provision {
            word: "w".into(),
            request,
        }
    }

    fn failed(text: &str) -> Option<Outcome> {
        Some(Outcome::Failed {
            reason: text.into(),
            last_error: None,
        })
    }

    #[test]
    fn a_verb_is_done_in_its_end_state_and_nowhere_else() {
        let provide = verb(R::Provide);
        assert_eq!(of(&provide, &seen(S::Cleaning)), None);
        assert_eq!(of(&provide, &seen(S::CleanWait)), None);
        assert_eq!(of(&provide, &seen(S::CleanHold)), None);
        assert_eq!(of(&provide, &seen(S::Available)), Some(Outcome::Done));
        let mut broken = seen(S::CleanFailed);
        broken.last_error = Some("the disk is full".into());
        let expected = Outcome::Failed {
            reason: "the node is clean failed".into(),
            last_error: broken.last_error.clone(),
        };
        assert_eq!(of(&provide, &broken), Some(expected));
        let manage = verb(R::Manage);
        assert_eq!(of(&manage, &seen(S::Enroll)), failed("the node is enroll"));
        assert_eq!(
            of(&verb(R::TearDown), &seen(S::Error)),
            failed("the node is error")
        );
    }

    #[test]
    fn what_is_aborted_has_ended_wherever_it_is_and_what_is_let_go_goes_on() {
        assert_eq!(of(&verb(R::Abort), &seen(S::Cleaning)), None);
        assert_eq!(
            of(&verb(R::Abort), &seen(S::CleanFailed)),
            Some(Outcome::Done)
        );
        assert_eq!(of(&verb(R::Unhold), &seen(S::CleanHold)), None);
        assert_eq!(
            of(&verb(R::Unhold), &seen(S::CleanWait)),
            Some(Outcome::Done)
        );
    }

    #[test]
    fn a_held_node_does_not_keep_an_aborted_batch() {
        let provide = verb(R::Provide);
        let why = "the node is clean hold, and the batch was aborted";
        assert_eq!(of_aborted(&provide, &seen(S::CleanHold)), failed(why));
        assert_eq!(of_aborted(&provide, &seen(S::CleanWait)), None);
        assert_eq!(
            of_aborted(&provide, &seen(S::Available)),
            Some(Outcome::Done)
        );
        let mut off = seen(S::CleanHold);
        off.is_switching = true;
        let power = BatchAction::Power {
            target: PowerTarget::Off,
            timeout_s: None,
        };
        assert_eq!(of_aborted(&power, &off), None);
    }

    #[test]
    fn power_is_judged_when_nothing_is_being_switched() {
        let off = BatchAction::Power {
            target: PowerTarget::SoftOff,
            timeout_s: None,
        };
        let mut node = seen(S::Active);
        (node.power_state, node.is_switching) = (Some(PowerState::Off), true);
        assert_eq!(of(&off, &node), None);
        node.is_switching = false;
        assert_eq!(of(&off, &node), Some(Outcome::Done));
        node.power_state = Some(PowerState::On);
        assert_eq!(of(&off, &node), failed("the power state is power on"));
    }
}
