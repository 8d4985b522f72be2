//! Rules about single fields of a node: who may see them, and who may change them.

use super::{Credentials, Policy, Rule, Target};
use crate::{args, patch::Patch};
use serde_json::Value;
use types::InterfaceKind;

/// Fields of a node that a caller sees a notice in place of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HiddenFields {
    pub last_error: bool,
    pub reservation: bool,
    pub driver_internal_info: bool,
    pub driver_info: bool,
}

impl HiddenFields {
    /// What stands in `last_error`.
    pub const LAST_ERROR: &'static str =
        "** Value Redacted - Requires baremetal:node:get:last_error permission. **";
    /// What stands in `reservation`.
    pub const RESERVATION: &'static str =
        "** Redacted - requires baremetal:node:get:reservation permission. **";
    /// What stands in `driver_internal_info`, under the key `content`.
    pub const DRIVER_INTERNAL_INFO: &'static str =
        "** Redacted - Requires baremetal:node:get:driver_internal_info permission. **";
    /// What stands in `driver_info`, under the key `content`.
    pub const DRIVER_INFO: &'static str =
        "** Redacted - requires baremetal:node:get:driver_info permission. **";
    /// What stands in `properties` of a volume target, under the key `redacted_contents`.
    pub const TARGET_PROPERTIES: &'static str = "** Value redacted: Requires permission baremetal:volume:view_target_properties access. Permission denied. **";
}

impl Policy {
    /// Whether `caller` sees all fields of every node, so that single nodes need no look.
    pub fn sees_all_fields(&self, caller: &Credentials) -> bool {
        self.allows(Rule::NodeGetFilterThreshold, caller, &Target::NONE)
    }

    /// What to hide of the node `target` from `caller`.
    pub fn hidden_fields(&self, caller: &Credentials, target: &Target<'_>) -> HiddenFields {
        if self.sees_all_fields(caller) {
            return HiddenFields::default();
        }
        let hidden = |rule| !self.allows(rule, caller, target);
        HiddenFields {
            last_error: hidden(Rule::NodeGetLastError),
            reservation: hidden(Rule::NodeGetReservation),
            driver_internal_info: hidden(Rule::NodeGetDriverInternalInfo),
            driver_info: hidden(Rule::NodeGetDriverInfo),
        }
    }
}

/// Beginnings of paths and the rules about them. The first that fits counts.
const BY_PATH: &[(&str, Rule)] = &[
    ("/instance_info", Rule::NodeUpdateInstanceInfo),
    ("/extra", Rule::NodeUpdateExtra),
    ("/driver_info", Rule::NodeUpdateDriverInfo),
    ("/properties", Rule::NodeUpdateProperties),
    ("/chassis_uuid", Rule::NodeUpdateChassisUuid),
    ("/instance_uuid", Rule::NodeUpdateInstanceUuid),
    ("/instance_name", Rule::NodeUpdateInstanceInfo),
    ("/lessee", Rule::NodeUpdateLessee),
    ("/owner", Rule::NodeUpdateOwner),
    ("/driver", Rule::NodeUpdateDriverInterfaces),
    ("/network_data", Rule::NodeUpdateNetworkData),
    ("/conductor_group", Rule::NodeUpdateConductorGroup),
    ("/name", Rule::NodeUpdateName),
    ("/retired", Rule::NodeUpdateRetired),
    ("/shard", Rule::NodeUpdateShard),
    ("/parent_node", Rule::NodeUpdateParentNode),
    ("/disable_power_off", Rule::NodeUpdateDisablePowerOff),
];

/// The rules that a patch of a node must satisfy, all of them, in the order in which they are
/// asked.
pub fn patch_rules(patch: &Patch) -> Vec<Rule> {
    let mut rules = Vec::new();
    let mut general = patch.0.is_empty();
    for op in &patch.0 {
        match field_rule(&op.path, op.value.as_ref()) {
            Some(rule) if !rules.contains(&rule) => rules.push(rule),
            Some(_) => {}
            None => general = true,
        }
    }
    if general {
        rules.push(Rule::NodeUpdate);
    }
    rules
}

/// The rule about a field, for fields that have one of their own.
fn field_rule(path: &str, value: Option<&Value>) -> Option<Rule> {
    if let Some((_, rule)) = BY_PATH.iter().find(|(start, _)| path.starts_with(start)) {
        return Some(*rule);
    }
    if InterfaceKind::of_field(path.trim_start_matches('/')).is_some() {
        return Some(Rule::NodeUpdateDriverInterfaces);
    }
    let off = || value.is_some_and(|value| matches!(args::boolean("", value), Ok(false)));
    (path.starts_with("/automated_clean") && off()).then_some(Rule::NodeDisableCleaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{PolicyOptions, Roles};
    use serde_json::json;

    #[track_caller]
    fn check(body: Value, expected: &[Rule]) {
        assert_eq!(patch_rules(&Patch::parse(&body).unwrap()), expected);
    }

    fn replace(path: &str, value: Value) -> Value {
        json!([{"op": "replace", "path": path, "value": value}])
    }

    #[test]
    fn each_operation_adds_its_rule_once() {
        check(json!([]), &[Rule::NodeUpdate]);
        check(
            json!([
                {"op": "add", "path": "/description", "value": "x"},
                {"op": "add", "path": "/extra/a", "value": 1},
                {"op": "add", "path": "/extra/b", "value": 1},
                {"op": "remove", "path": "/lessee"},
            ]),
            &[
                Rule::NodeUpdateExtra,
                Rule::NodeUpdateLessee,
                Rule::NodeUpdate,
            ],
        );
    }

    #[test]
    fn the_first_beginning_that_fits_counts() {
        for (path, rule) in [
            ("/driver", Rule::NodeUpdateDriverInterfaces),
            ("/driver_info/a", Rule::NodeUpdateDriverInfo),
            ("/deploy_interface", Rule::NodeUpdateDriverInterfaces),
            ("/network_interface", Rule::NodeUpdateDriverInterfaces),
            ("/retired_reason", Rule::NodeUpdateRetired),
            ("/instance_name", Rule::NodeUpdateInstanceInfo),
            ("/no_interface", Rule::NodeUpdate),
            ("/protected", Rule::NodeUpdate),
        ] {
            check(replace(path, json!("x")), &[rule]);
        }
    }

    #[test]
    fn only_turning_cleaning_off_is_special() {
        for off in [json!(false), json!("no"), json!(0), json!(" OFF ")] {
            check(
                replace("/automated_clean", off),
                &[Rule::NodeDisableCleaning],
            );
        }
        for other in [json!(true), json!(null), json!("x"), json!({})] {
            check(replace("/automated_clean", other), &[Rule::NodeUpdate]);
        }
        check(
            json!([{"op": "remove", "path": "/automated_clean"}]),
            &[Rule::NodeUpdate],
        );
    }

    #[test]
    fn lessees_see_notices_and_owners_do_not() {
        let policy = Policy::load(None, &PolicyOptions::default()).unwrap();
        let node = Target::owned_node(Some("p1"), Some("p2"));
        let of = |project: &str| Credentials {
            roles: Roles::with_implied(["admin"]),
            project_id: Some(project.into()),
            ..Credentials::default()
        };
        let all = HiddenFields {
            last_error: true,
            reservation: true,
            driver_internal_info: true,
            driver_info: true,
        };
        assert_eq!(
            policy.hidden_fields(&of("p1"), &node),
            HiddenFields::default()
        );
        assert_eq!(policy.hidden_fields(&of("p2"), &node), all);
        assert_eq!(
            Policy::open().hidden_fields(&Credentials::default(), &node),
            HiddenFields::default()
        );
    }
}
