//! Steps: the units of work that flows are made of.
//!
//! A driver declares its steps as [`StepSpec`] data; a flow stores the chosen ones as [`Step`]
//! values in the node's row, together with an index. What a restart in the middle of a step means
//! is part of the declaration, and the default is to fail with a reason: only a step that says so
//! is run again.

use crate::{InterfaceKind, JsonMap};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

crate::wire_enum! {
    /// The flows that run steps.
    pub enum StepKind {
        Clean = "clean",
        Deploy = "deploy",
        Service = "service",
        Verify = "verify",
    }
}

impl StepKind {
    /// `driver_internal_info` key of the list of steps.
    pub const fn list_key(self) -> &'static str {
        match self {
            Self::Clean => "clean_steps",
            Self::Deploy => "deploy_steps",
            Self::Service => "service_steps",
            Self::Verify => "verify_steps",
        }
    }

    /// `driver_internal_info` key of the index of the current step.
    pub const fn index_key(self) -> &'static str {
        match self {
            Self::Clean => "clean_step_index",
            Self::Deploy => "deploy_step_index",
            Self::Service => "service_step_index",
            Self::Verify => "verify_step_index",
        }
    }

    /// How much an interface's steps weigh at equal priority: the heavier runs first.
    pub const fn weight(self, interface: InterfaceKind) -> u8 {
        use InterfaceKind as I;
        match self {
            Self::Verify => match interface {
                I::Power => 13,
                I::Management => 12,
                I::Firmware => 11,
                I::Inspect => 10,
                I::Deploy => 9,
                I::Boot => 8,
                I::Bios => 7,
                I::Raid => 6,
                I::Vendor => 5,
                I::Network => 4,
                I::Storage => 3,
                I::Console => 2,
                I::Rescue => 1,
            },
            _ => match interface {
                I::Network => 8,
                I::Vendor => 7,
                I::Power => 6,
                I::Management => 5,
                I::Firmware => 4,
                I::Deploy => 3,
                I::Bios => 2,
                I::Raid => 1,
                I::Boot | I::Console | I::Inspect | I::Rescue | I::Storage => 0,
            },
        }
    }

    /// Whether this flow looks for steps on an interface.
    pub const fn scans(self, interface: InterfaceKind) -> bool {
        match self {
            Self::Clean | Self::Deploy if matches!(interface, InterfaceKind::Network) => false,
            _ => self.weight(interface) > 0,
        }
    }
}

/// What an interrupted step needs after a restart of its conductor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnRestart {
    /// Doing it again is harmless.
    Repeat,
    /// The agent still works on it: ask the agent.
    Reattach,
    /// Nobody can tell how far it came; the text says so to the operator.
    Fail(&'static str),
}

/// The answer of a step that did not fail.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepOutcome {
    Done,
    /// The work goes on elsewhere; the node waits until somebody reports.
    Wait {
        /// What is waited for, for people.
        reason: String,
    },
}

/// A keyword argument of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArgSpec {
    pub name: &'static str,
    pub description: &'static str,
    pub required: bool,
}

/// A step as its driver declares it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepSpec {
    pub kind: StepKind,
    pub step: &'static str,
    /// 0 keeps it out of automatic selection.
    pub priority: i64,
    pub abortable: bool,
    pub requires_ramdisk: bool,
    pub args: &'static [ArgSpec],
    pub on_restart: OnRestart,
}

/// Names that the conductor itself carries out, whatever the interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reserved {
    PowerOn,
    PowerOff,
    Reboot,
    Hold,
    Wait,
}

impl Reserved {
    /// The reserved step of this name.
    pub fn of(step: &str) -> Option<Self> {
        Some(match step {
            "power_on" => Self::PowerOn,
            "power_off" => Self::PowerOff,
            "reboot" => Self::Reboot,
            "hold" => Self::Hold,
            "wait" => Self::Wait,
            _ => return None,
        })
    }
}

/// A step of a flow, as stored with the node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub interface: InterfaceKind,
    pub step: String,
    #[serde(default)]
    pub args: JsonMap,
    #[serde(default)]
    pub priority: i64,
    #[serde(default)]
    pub abortable: bool,
    #[serde(default = "yes")]
    pub requires_ramdisk: bool,
    /// A user asked to abort while this step could not be: stop after it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub abort_after: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub execute_on_child_nodes: bool,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limit_child_node_execution: Vec<String>,
}

fn yes() -> bool {
    true
}

impl Step {
    /// `interface.step`, as messages name it.
    pub fn name(&self) -> String {
        format!("{}.{}", self.interface, self.step)
    }

    /// The reserved meaning of the step's name, if it has one.
    pub fn reserved(&self) -> Option<Reserved> {
        Reserved::of(&self.step)
    }

    /// As stored and shown.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_else(|_| json!({}))
    }

    /// As stored in the node's `…_step` field.
    pub fn to_map(&self) -> JsonMap {
        match self.to_json() {
            Value::Object(map) => map,
            _ => JsonMap::new(),
        }
    }
}

/// Orders steps for automatic execution: by priority, then by interface; ties keep their order.
pub fn sort(kind: StepKind, steps: &mut [Step]) {
    steps.sort_by_key(|step| std::cmp::Reverse((step.priority, kind.weight(step.interface))));
}

/// A step as a user asks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct UserStep {
    pub interface: InterfaceKind,
    pub step: String,
    #[serde(default)]
    pub args: JsonMap,
    /// Deploy steps only.
    #[serde(default)]
    pub priority: Option<i64>,
    #[serde(default)]
    pub execute_on_child_nodes: bool,
    #[serde(default)]
    pub limit_child_node_execution: Vec<String>,
    /// The step as the client wrote it, for messages.
    #[serde(default)]
    pub given: JsonMap,
}

impl UserStep {
    /// `interface.step`, as messages name it.
    pub fn name(&self) -> String {
        format!("{}.{}", self.interface, self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn step(interface: InterfaceKind, name: &str, priority: i64) -> Step {
        Step {
            interface,
            step: name.into(),
            args: JsonMap::new(),
            priority,
            abortable: false,
            requires_ramdisk: true,
            abort_after: false,
            execute_on_child_nodes: false,
            limit_child_node_execution: Vec::new(),
        }
    }

    #[test]
    fn at_equal_priority_deploy_comes_before_bios() {
        let mut steps = vec![
            step(InterfaceKind::Bios, "factory_reset", 80),
            step(InterfaceKind::Deploy, "write_image", 80),
            step(InterfaceKind::Raid, "apply_configuration", 90),
        ];
        sort(StepKind::Deploy, &mut steps);
        let names: Vec<_> = steps.iter().map(Step::name).collect();
        assert_eq!(
            names,
            [
                "raid.apply_configuration",
                "deploy.write_image",
                "bios.factory_reset"
            ]
        );
    }

    #[test]
    fn only_service_looks_at_the_network_interface() {
        assert!(StepKind::Service.scans(InterfaceKind::Network));
        assert!(!StepKind::Clean.scans(InterfaceKind::Network));
        assert!(!StepKind::Deploy.scans(InterfaceKind::Rescue));
        assert!(
            InterfaceKind::ALL
                .iter()
                .all(|&i| StepKind::Verify.scans(i))
        );
    }

    proptest! {
        #[test]
        fn sorting_is_a_stable_permutation(priorities in proptest::collection::vec((0i64..4, 0usize..13), 0..40)) {
            let mut steps: Vec<Step> = priorities.iter().enumerate()
                .map(|(i, (p, k))| step(InterfaceKind::ALL[*k], &i.to_string(), *p)).collect();
            sort(StepKind::Verify, &mut steps);
            for pair in steps.windows(2) {
                let key = |s: &Step| (s.priority, StepKind::Verify.weight(s.interface));
                prop_assert!(key(&pair[0]) >= key(&pair[1]));
                if key(&pair[0]) == key(&pair[1]) {
                    let order = |s: &Step| s.step.parse::<usize>().unwrap();
                    prop_assert!(order(&pair[0]) < order(&pair[1]));
                }
            }
            prop_assert_eq!(steps.len(), priorities.len());
        }
    }

    #[test]
    fn a_stored_step_reads_back() {
        let mut one = step(InterfaceKind::Vendor, "log_passthrough", 1);
        one.args.insert("x".into(), json!(1));
        let text = one.to_json().to_string();
        assert_eq!(serde_json::from_str::<Step>(&text).unwrap(), one);
    }
}
