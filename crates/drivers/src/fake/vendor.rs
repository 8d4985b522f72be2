//! Fake vendor passthru: methods that compare a word, and the steps that need no hardware.

use super::{Fake, clean_step};
use crate::{
    DriverError,
    iface::{Machine, Vendor},
};
use async_trait::async_trait;
use serde_json::Value;
use types::{
    InterfaceKind, JsonMap, LeaseProof, pyrepr,
    rpc::VendorMethod,
    step::{Step, StepKind, StepSpec},
};

const KIND: InterfaceKind = InterfaceKind::Vendor;

pub(super) const PROPERTIES: &[(&str, &str)] = &[
    ("B1", "B1 description. Required."),
    ("B2", "B2 description. Required."),
];

const LOG_PASSTHROUGH: &str = "log_passthrough";
const TRIGGER_SERVICEWAIT: &str = "trigger_servicewait";

pub(super) const STEPS: &[StepSpec] = &[
    StepSpec {
        priority: 1,
        ..clean_step(LOG_PASSTHROUGH, &[])
    },
    StepSpec {
        kind: StepKind::Service,
        requires_ramdisk: false,
        ..clean_step(LOG_PASSTHROUGH, &[])
    },
    StepSpec {
        kind: StepKind::Service,
        requires_ramdisk: false,
        ..clean_step(TRIGGER_SERVICEWAIT, &[])
    },
];

/// Whether the step is there to wait.
pub(super) fn always_waits(step: &Step) -> bool {
    step.step == TRIGGER_SERVICEWAIT
}

/// A method that says whether its argument `bar` is a certain word.
struct Comparison {
    name: &'static str,
    word: &'static str,
    in_background: bool,
    exclusive: bool,
}

const COMPARISONS: &[Comparison] = &[
    Comparison {
        name: "second_method",
        word: "kazoo",
        in_background: true,
        exclusive: true,
    },
    Comparison {
        name: "third_method_sync",
        word: "meow",
        in_background: false,
        exclusive: true,
    },
    Comparison {
        name: "fourth_method_shared_lock",
        word: "woof",
        in_background: true,
        exclusive: false,
    },
];

fn method(name: &str, description: String, in_background: bool, exclusive: bool) -> VendorMethod {
    VendorMethod {
        name: name.to_owned(),
        http_methods: vec!["POST".to_owned()],
        r#async: in_background,
        description,
        attach: false,
        require_exclusive_lock: exclusive,
    }
}

#[async_trait]
impl Vendor for Fake {
    fn methods(&self) -> Vec<VendorMethod> {
        let comparisons = COMPARISONS.iter().map(|c| {
            let description = format!("Test if the value of bar is {}", c.word);
            method(c.name, description, c.in_background, c.exclusive)
        });
        let description = "Test pass-through to wait.".to_owned();
        let log = method(LOG_PASSTHROUGH, description, true, true);
        let mut all: Vec<VendorMethod> = comparisons.chain([log]).collect();
        all.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn check(&self, method: &str, arguments: &JsonMap) -> Result<(), DriverError> {
        let compares = COMPARISONS.iter().any(|c| c.name == method);
        if !compares && method != LOG_PASSTHROUGH {
            return Err(DriverError::InvalidParameter(format!(
                "No handler for method {method}"
            )));
        }
        if compares && !arguments.get("bar").is_some_and(pyrepr::truth) {
            return Err(DriverError::InvalidParameter(format!(
                "Parameter 'bar' not passed to method '{method}'."
            )));
        }
        Ok(())
    }

    async fn call(
        &self,
        lease: Option<&LeaseProof>,
        machine: &mut Machine<'_>,
        method: &str,
        arguments: &JsonMap,
    ) -> Result<Value, DriverError> {
        Vendor::check(self, method, arguments)?;
        let comparison = COMPARISONS.iter().find(|c| c.name == method);
        let bar = arguments.get("bar");
        match lease {
            Some(lease) => self.bench.change(lease, machine, KIND, method).await?,
            None => self.bench.read(machine, KIND, method).await?,
        }
        Ok(comparison.map_or(Value::Null, |c| Value::Bool(bar == Some(&c.word.into()))))
    }
}
