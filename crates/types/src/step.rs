//! Steps: the units of work that flows are made of.
//!
//! A driver declares its steps as [`StepSpec`] data; a flow stores the chosen ones as [`Step`]
//! values in the node's row, together with an index. What a restart in the middle of a step means
//! is part of the declaration, and the default is to fail with a reason: only a step that says so
//! is run again.

use crate::{InterfaceKind, JsonMap};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

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
    /// What it left ([`crate::InternalInfo::step_state`]) is enough to go on; while it has left
    /// nothing, it fails with this text.
    GoOn(&'static str),
}

impl OnRestart {
    /// What it means for a step that has left something, or has not.
    pub fn with_state(self, has_left: bool) -> Self {
        match self {
            Self::GoOn(_) if has_left => Self::Repeat,
            Self::GoOn(reason) => Self::Fail(reason),
            other => other,
        }
    }
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
    /// The hardware works on it, and the step itself must look how far it is: it is called again.
    /// What it has to know by then it leaves in [`crate::InternalInfo::set_step_state`], which is
    /// saved before anything else happens.
    Again {
        /// What is waited for, for people.
        reason: String,
        /// Zero: at once, when what it left is saved.
        after: Duration,
        /// The machine is rebooted first.
        reboot: bool,
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
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub interface: InterfaceKind,
    pub step: String,
    pub args: JsonMap,
    pub priority: i64,
    pub abortable: bool,
    pub requires_ramdisk: bool,
    /// A user asked to abort while this step could not be: stop after it.
    pub abort_after: bool,
    pub execute_on_child_nodes: bool,
    pub limit_child_node_execution: Vec<String>,
    /// The step as clients see it: keys and their order differ between a driver's step and a
    /// user's, and messages quote it.
    shown: JsonMap,
}

impl Step {
    /// A step that a driver offers.
    pub fn offered(interface: InterfaceKind, spec: &StepSpec) -> Self {
        let arguments: JsonMap = spec
            .args
            .iter()
            .map(|arg| {
                let about = json!({"description": arg.description, "required": arg.required});
                (arg.name.to_owned(), about)
            })
            .collect();
        let about = if arguments.is_empty() {
            Value::Null
        } else {
            Value::Object(arguments)
        };
        let mut shown = JsonMap::new();
        shown.insert("step".into(), spec.step.into());
        shown.insert("priority".into(), spec.priority.into());
        shown.insert("abortable".into(), spec.abortable.into());
        shown.insert("argsinfo".into(), about);
        shown.insert("interface".into(), interface.as_str().into());
        if spec.kind == StepKind::Clean {
            shown.insert("requires_ramdisk".into(), spec.requires_ramdisk.into());
        }
        Self {
            interface,
            step: spec.step.to_owned(),
            args: JsonMap::new(),
            priority: spec.priority,
            abortable: spec.abortable,
            requires_ramdisk: spec.requires_ramdisk,
            abort_after: false,
            execute_on_child_nodes: false,
            limit_child_node_execution: Vec::new(),
            shown,
        }
    }

    /// A step that a user asks for, completed by what the driver says about it.
    pub fn asked(user: &UserStep, spec: Option<&StepSpec>) -> Self {
        let mut shown = user.given.clone();
        if let Some(spec) = spec {
            // Of a deploy step only the user's own words are shown.
            if spec.kind != StepKind::Deploy {
                shown.insert("abortable".into(), spec.abortable.into());
            }
            shown.insert(
                "priority".into(),
                user.priority.unwrap_or(spec.priority).into(),
            );
        }
        Self {
            interface: user.interface,
            step: user.step.clone(),
            args: user.args.clone(),
            priority: user.priority.or(spec.map(|s| s.priority)).unwrap_or(0),
            abortable: spec.is_some_and(|s| s.abortable),
            requires_ramdisk: spec.is_none_or(|s| s.requires_ramdisk),
            abort_after: false,
            execute_on_child_nodes: user.execute_on_child_nodes,
            limit_child_node_execution: user.limit_child_node_execution.clone(),
            shown,
        }
    }

    /// Reads a stored step back.
    pub fn from_map(map: &JsonMap) -> Option<Self> {
        let flag = |key: &str, default| map.get(key).and_then(Value::as_bool).unwrap_or(default);
        let object = |key: &str| map.get(key).and_then(Value::as_object).cloned();
        let children = map
            .get("limit_child_node_execution")
            .and_then(Value::as_array);
        let priority = map.get("priority").and_then(|value| match value {
            // Deploy steps may carry their priority as a text of digits.
            Value::String(text) => text.trim().parse().ok(),
            other => other.as_i64(),
        });
        Some(Self {
            interface: map.get("interface")?.as_str()?.parse().ok()?,
            step: map.get("step")?.as_str()?.to_owned(),
            args: object("args").unwrap_or_default(),
            priority: priority.unwrap_or(0),
            abortable: flag("abortable", false),
            requires_ramdisk: flag("requires_ramdisk", true),
            abort_after: flag("abort_after", false),
            execute_on_child_nodes: flag("execute_on_child_nodes", false),
            limit_child_node_execution: children
                .map(|items| {
                    items
                        .iter()
                        .filter_map(|v| v.as_str().map(str::to_owned))
                        .collect()
                })
                .unwrap_or_default(),
            shown: map
                .iter()
                .filter(|(k, _)| *k != "abort_after")
                .map(|(k, v)| (k.clone(), v.clone()))
                .collect(),
        })
    }

    /// A user's step, with what its agent says about it.
    pub fn completed(mut self, offered: &Self) -> Self {
        self.abortable = offered.abortable;
        for key in ["abortable", "priority", "reboot_requested"] {
            if let (Some(said), false) = (offered.shown.get(key), self.shown.contains_key(key)) {
                self.shown.insert(key.into(), said.clone());
            }
        }
        self
    }

    /// Gives the step another priority than it came with.
    pub fn set_priority(&mut self, priority: i64) {
        self.priority = priority;
        self.shown.insert("priority".into(), priority.into());
    }

    /// As stored and shown.
    pub fn to_map(&self) -> JsonMap {
        let mut map = self.shown.clone();
        if self.abort_after {
            map.insert("abort_after".into(), true.into());
        }
        map
    }

    /// As stored and shown.
    pub fn to_json(&self) -> Value {
        Value::Object(self.to_map())
    }

    /// `interface.step`, as messages name it.
    pub fn name(&self) -> String {
        format!("{}.{}", self.interface, self.step)
    }

    /// The reserved meaning of the step's name, if it has one.
    pub fn reserved(&self) -> Option<Reserved> {
        Reserved::of(&self.step)
    }
}

/// Orders steps for automatic execution: by priority, then by interface; ties keep their order.
pub fn sort(kind: StepKind, steps: &mut [Step]) {
    steps.sort_by_key(|step| std::cmp::Reverse((step.priority, kind.weight(step.interface))));
}

/// A step as a user, a deploy template or a runbook asks for it.
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
    /// A step from the document in which it was written.
    pub fn from_map(given: JsonMap) -> Option<Self> {
        let mut step: Self = serde_json::from_value(Value::Object(given.clone())).ok()?;
        step.given = given;
        Some(step)
    }

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
        let user = UserStep {
            interface,
            step: name.into(),
            args: JsonMap::new(),
            priority: Some(priority),
            execute_on_child_nodes: false,
            limit_child_node_execution: Vec::new(),
            given: JsonMap::new(),
        };
        Step::asked(&user, None)
    }

    #[test]
    fn a_step_goes_on_from_what_it_left_or_fails() {
        let polled = OnRestart::GoOn("nothing is known");
        assert_eq!(polled.with_state(true), OnRestart::Repeat);
        assert_eq!(
            polled.with_state(false),
            OnRestart::Fail("nothing is known")
        );
        let failed = OnRestart::Fail("why");
        assert_eq!(failed.with_state(true), failed);
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
        const SPEC: StepSpec = StepSpec {
            kind: StepKind::Clean,
            step: "log_passthrough",
            priority: 1,
            abortable: false,
            requires_ramdisk: true,
            args: &[],
            on_restart: OnRestart::Repeat,
        };
        let offered = Step::offered(InterfaceKind::Vendor, &SPEC);
        assert_eq!(
            crate::pyrepr::repr(&offered.to_json()),
            "{'step': 'log_passthrough', 'priority': 1, 'abortable': False, 'argsinfo': None, \
             'interface': 'vendor', 'requires_ramdisk': True}"
        );
        assert_eq!(Step::from_map(&offered.to_map()), Some(offered.clone()));

        let given = json!({"interface": "vendor", "step": "log_passthrough", "args": {"x": 1}});
        let mut user: UserStep = serde_json::from_value(given.clone()).unwrap();
        user.given = given.as_object().unwrap().clone();
        let mut asked = Step::asked(&user, Some(&SPEC));
        assert_eq!(
            crate::pyrepr::repr(&asked.to_json()),
            "{'interface': 'vendor', 'step': 'log_passthrough', 'args': {'x': 1}, \
             'abortable': False, 'priority': 1}"
        );
        asked.abort_after = true;
        assert_eq!(Step::from_map(&asked.to_map()), Some(asked));
    }
}
