//! The answer to `hello` as it stands in JSON. A key that is not known is an error: it may be a
//! known one, misspelt.

use super::Feature;
use serde::Deserialize;
use std::collections::BTreeMap;
use types::{InterfaceKind, JsonMap, PowerTarget, step::StepKind};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Declaration {
    pub(super) protocol: u64,
    pub(super) name: String,
    pub(super) version: String,
    #[serde(default)]
    pub(super) hardware_types: Vec<HardwareType>,
    pub(super) interfaces: Vec<Interface>,
    pub(super) example: Option<Example>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    pub(super) driver_info: JsonMap,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HardwareType {
    pub(super) name: String,
    pub(super) interfaces: BTreeMap<InterfaceKind, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Interface {
    pub(super) kind: InterfaceKind,
    pub(super) name: String,
    #[serde(default)]
    pub(super) properties: Vec<Property>,
    #[serde(default)]
    pub(super) steps: Vec<Step>,
    #[serde(default)]
    pub(super) targets: Vec<PowerTarget>,
    #[serde(default)]
    pub(super) boot_devices: Vec<String>,
    #[serde(default)]
    pub(super) methods: Vec<Method>,
    #[serde(default)]
    pub(super) disk_properties: BTreeMap<String, String>,
    #[serde(default)]
    pub(super) features: Vec<Feature>,
    pub(super) on_restart: Option<OnRestart>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) description: String,
    #[serde(default)]
    pub(super) required: bool,
    #[serde(default)]
    pub(super) secret: bool,
    #[serde(default)]
    pub(super) address: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) kind: StepKind,
    pub(super) name: String,
    #[serde(default)]
    pub(super) priority: i64,
    #[serde(default)]
    pub(super) abortable: bool,
    #[serde(default)]
    pub(super) requires_ramdisk: bool,
    #[serde(default)]
    pub(super) args: Vec<Arg>,
    pub(super) on_restart: OnRestart,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Arg {
    pub(super) name: String,
    pub(super) description: String,
    #[serde(default)]
    pub(super) required: bool,
}

/// `"repeat"`, `{"fail": "why"}` or `{"poll": "why it fails before there is a handle"}`.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OnRestart {
    Repeat,
    Fail(String),
    Poll(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) http_methods: Vec<String>,
    #[serde(default)]
    pub(super) r#async: bool,
    #[serde(default)]
    pub(super) exclusive: bool,
    #[serde(default)]
    pub(super) args: Vec<Arg>,
}
