//! What to ask of a machine next, by what is known of it.

use scenario::random::Random;
use serde_json::{Value, json};

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// It is reserved.
    Rest,
    Provision(Value),
    Power(&'static str),
    Maintenance(bool),
    Patch,
    Delete,
}

/// Something that suits the node; refusals do no harm.
pub(crate) fn action(node: &Value, random: &mut Random) -> Action {
    let state = node["provision_state"].as_str().unwrap_or_default();
    let busy = !node["reservation"].is_null();
    // Asking what is busy is refused, or waits: worth a try now and then.
    if busy && !random.chance(5) {
        return Action::Rest;
    }
    if node["maintenance"] == true && random.chance(70) {
        return Action::Maintenance(false);
    }
    match random.below(100) {
        0..12 => return Action::Patch,
        12..17 => return power(random),
        17..20 => return Action::Maintenance(true),
        _ => {}
    }
    let verb = |target: &str| Action::Provision(json!({"target": target}));
    match state {
        "enroll" => verb("manage"),
        "manageable" => match random.below(10) {
            0..6 => verb("provide"),
            6..8 => verb("inspect"),
            8 => clean(),
            _ => Action::Delete,
        },
        "available" => match random.below(20) {
            0..16 => verb("active"),
            16..18 => verb("manage"),
            _ => Action::Delete,
        },
        "active" => match random.below(10) {
            0..6 => verb("deleted"),
            6 => verb("rebuild"),
            7 => Action::Provision(json!({"target": "rescue", "rescue_password": "pw"})),
            8 => service(),
            _ => power(random),
        },
        "rescue" => verb("unrescue"),
        "deploy failed" | "error" | "rescue failed" | "unrescue failed" => verb("deleted"),
        "clean failed" | "inspect failed" | "adopt failed" => verb("manage"),
        "service failed" => verb("abort"),
        "service hold" | "clean hold" | "deploy hold" => verb("unhold"),
        _ => Action::Rest,
    }
}

fn power(random: &mut Random) -> Action {
    let targets = ["power on", "power off", "rebooting"];
    Action::Power(targets[random.below(targets.len())])
}

fn clean() -> Action {
    let step = json!({"interface": "vendor", "step": "log_passthrough"});
    Action::Provision(json!({"target": "clean", "clean_steps": [step.clone(), step]}))
}

fn service() -> Action {
    let log = json!({"interface": "vendor", "step": "log_passthrough"});
    let reboot = json!({"interface": "power", "step": "reboot"});
    Action::Provision(json!({"target": "service", "service_steps": [log, reboot]}))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use types::{ProvisionState, provision::StateClass};

    #[test]
    fn every_state_in_which_nobody_works_is_left_again() {
        for &state in ProvisionState::ALL {
            let node = json!({"provision_state": state, "reservation": null});
            let mut random = Random::seeded(3);
            let moves =
                (0..200).any(|_| matches!(action(&node, &mut random), Action::Provision(_)));
            let expected = matches!(
                state.class(),
                StateClass::Stable | StateClass::Failed | StateClass::Hold
            );
            assert_eq!(moves, expected, "{state}");
        }
    }

    #[test]
    fn an_available_machine_is_asked_for_all_sorts_of_things() {
        let node = json!({"provision_state": "available", "reservation": null});
        let mut random = Random::seeded(4);
        let seen: HashSet<String> = (0..1000)
            .map(|_| format!("{:?}", action(&node, &mut random)))
            .collect();
        assert!(seen.len() >= 8, "{seen:?}");
    }
}
