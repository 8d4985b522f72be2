//! Hooks: what is made of a ramdisk's data before any rule sees it.
//!
//! Each looks at the data and changes the node, its ports or the plugin data. All first look it
//! over ([`prepare`]), and every complaint is told; then they run in the order of the
//! configuration, until one fails.

mod disk;
mod extra;
mod interface;
mod lldp;
mod network;
mod pci;
mod processor;
mod tlv;

pub(super) use interface::is_loopback;

use super::{settings::InspectionSettings, subject::Subject};
use serde_json::Value;
use std::{fmt, str::FromStr};
use types::{JsonMap, pyrepr};

/// A hook that fails; what it changed before stays.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HookError {
    /// The kind of accident in Ironic's words, unless the hook itself said no.
    class: Option<&'static str>,
    text: String,
}

impl HookError {
    /// The hook finds that inspection failed.
    fn failed(reason: impl fmt::Display) -> Self {
        Self {
            class: None,
            text: format!("Failed to inspect hardware. Reason: {reason}"),
        }
    }

    /// The data is not what the hook took it for.
    pub(super) fn unexpected(class: &'static str, text: impl Into<String>) -> Self {
        Self {
            class: Some(class),
            text: text.into(),
        }
    }

    fn invalid_inventory(subject: &Subject, reason: impl fmt::Display) -> Self {
        let text = format!(
            "Inventory for node {} is invalid: {reason}",
            subject.node.id
        );
        Self::unexpected("InvalidNodeInventory", text)
    }

    fn missing(key: &str) -> Self {
        Self::unexpected("KeyError", pyrepr::repr_str(key))
    }

    fn not_a(what: &str, value: &Value) -> Self {
        let shown: String = pyrepr::repr(value).chars().take(80).collect();
        Self::unexpected("TypeError", format!("expected {what}, got {shown}"))
    }
}

impl fmt::Display for HookError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Declares the hooks with their names.
macro_rules! hooks {
    ($($hook:ident = $name:literal,)*) => {
        /// A hook that can be named in `[inspector]hooks`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Hook {
            $($hook,)*
        }

        impl Hook {
            /// All there are.
            pub const ALL: &[Self] = &[$(Self::$hook,)*];

            /// The name in the configuration.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$hook => $name,)*
                }
            }
        }
    };
}

hooks! {
    Accelerators = "accelerators",
    Architecture = "architecture",
    BootMode = "boot-mode",
    CpuCapabilities = "cpu-capabilities",
    Cpus = "cpus",
    ExtraHardware = "extra-hardware",
    LocalLinkConnection = "local-link-connection",
    Memory = "memory",
    ParseLldp = "parse-lldp",
    PciDevices = "pci-devices",
    PhysicalNetwork = "physical-network",
    Ports = "ports",
    RaidDevice = "raid-device",
    RamdiskError = "ramdisk-error",
    RootDevice = "root-device",
    ValidateInterfaces = "validate-interfaces",
}

/// A list of hooks that cannot be served.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidHooks {
    #[error("The following hook(s) are missing or failed to load: {0}")]
    Unknown(String),
    #[error("Hook {hook} requires these missing hooks to be enabled before it: {missing}")]
    Order {
        hook: &'static str,
        missing: &'static str,
    },
}

impl FromStr for Hook {
    type Err = InvalidHooks;
    fn from_str(name: &str) -> Result<Self, InvalidHooks> {
        let found = Self::ALL.iter().find(|hook| hook.name() == name);
        found
            .copied()
            .ok_or_else(|| InvalidHooks::Unknown(name.to_owned()))
    }
}

impl Hook {
    /// The hooks of a comma-separated list, each after those that it builds on.
    pub fn list(text: &str) -> Result<Vec<Self>, InvalidHooks> {
        let mut hooks: Vec<Self> = Vec::new();
        for name in text.split(',').map(str::trim).filter(|n| !n.is_empty()) {
            let hook: Self = name.parse()?;
            let builds_on_interfaces = matches!(
                hook,
                Self::Ports | Self::PhysicalNetwork | Self::LocalLinkConnection
            );
            if builds_on_interfaces && !hooks.contains(&Self::ValidateInterfaces) {
                return Err(InvalidHooks::Order {
                    hook: hook.name(),
                    missing: Self::ValidateInterfaces.name(),
                });
            }
            hooks.push(hook);
        }
        Ok(hooks)
    }

    fn prepare(
        self,
        subject: &mut Subject,
        settings: &InspectionSettings,
    ) -> Result<(), HookError> {
        match self {
            Self::RamdiskError => check_ramdisk(subject),
            Self::ValidateInterfaces => interface::validate(subject, settings),
            _ => Ok(()),
        }
    }

    fn run(self, subject: &mut Subject, settings: &InspectionSettings) -> Result<(), HookError> {
        match self {
            Self::Accelerators => pci::accelerators(subject, settings),
            Self::Architecture => processor::architecture(subject),
            Self::BootMode => processor::boot_mode(subject),
            Self::CpuCapabilities => processor::capabilities(subject, settings),
            Self::Cpus => processor::count(subject),
            Self::ExtraHardware => extra::convert(subject, settings),
            Self::LocalLinkConnection => lldp::local_link(subject),
            Self::Memory => processor::memory(subject),
            Self::ParseLldp => lldp::parse(subject),
            Self::PciDevices => pci::count(subject, settings),
            Self::PhysicalNetwork => network::name(subject, settings),
            Self::Ports => interface::ports(subject, settings),
            Self::RaidDevice => disk::raid(subject),
            Self::RootDevice => disk::root(subject, settings),
            Self::RamdiskError | Self::ValidateInterfaces => Ok(()),
        }
    }
}

/// Runs all hooks; the error is the whole explanation.
pub(super) fn run(subject: &mut Subject, settings: &InspectionSettings) -> Result<(), String> {
    let outcome = prepare(subject, settings).and_then(|()| {
        for hook in &settings.hooks {
            tracing::debug!(node = %subject.node.id, hook = hook.name(), "running an inspection hook");
            hook.run(subject, settings)
                .map_err(|error| match error.class {
                    None => error.text,
                    Some(class) => HookError::failed(format_args!(
                        "Unexpected exception {class} during processing for node: {}. Error: {error}",
                        subject.node.id
                    ))
                    .text,
                })?;
        }
        Ok(())
    });
    outcome.map_err(|text| {
        HookError::failed(format_args!("failed to run inspection hooks: {text}")).text
    })
}

fn prepare(subject: &mut Subject, settings: &InspectionSettings) -> Result<(), String> {
    let mut complaints = Vec::new();
    for hook in &settings.hooks {
        let name = hook.name();
        match hook.prepare(subject, settings) {
            Ok(()) => {}
            Err(HookError { class: None, text }) => {
                complaints.push(format!("Error in preprocess hook {name}: {text}"));
            }
            Err(HookError {
                class: Some(class),
                text,
            }) => complaints.push(format!(
                "Unexpected exception {class} during preprocess hook {name}: {text}"
            )),
        }
    }
    if complaints.is_empty() {
        return Ok(());
    }
    let all = format!(
        "The following failures happened while running preprocess hooks for node {}:\n{}",
        subject.node.id,
        complaints.join("\n")
    );
    Err(HookError::failed(all).text)
}

fn check_ramdisk(subject: &mut Subject) -> Result<(), HookError> {
    match subject.plugin_data.get("error") {
        Some(error) if is_truthy(error) => Err(HookError::failed(format_args!(
            "Ramdisk reported error: {}",
            pyrepr::to_str(error)
        ))),
        _ => Ok(()),
    }
}

/// What Python takes for true.
pub(super) fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(on) => *on,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// The object under a key; none when the key is absent or null.
fn object<'m>(map: &'m JsonMap, key: &str) -> Result<Option<&'m JsonMap>, HookError> {
    match map.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(found)) => Ok(Some(found)),
        Some(other) => Err(HookError::not_a("an object", other)),
    }
}

/// The text under a key that must have one.
fn text<'m>(map: &'m JsonMap, key: &str) -> Result<&'m str, HookError> {
    match map.get(key) {
        None => Err(HookError::missing(key)),
        Some(Value::String(text)) => Ok(text),
        Some(other) => Err(HookError::not_a("a string", other)),
    }
}

/// The objects of a list under a key; none when the key is absent or null.
fn objects<'m>(map: &'m JsonMap, key: &str) -> Result<Vec<&'m JsonMap>, HookError> {
    let items = match map.get(key) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(items)) => items,
        Some(other) => return Err(HookError::not_a("a list", other)),
    };
    items
        .iter()
        .map(|item| match item {
            Value::Object(found) => Ok(found),
            other => Err(HookError::not_a("an object", other)),
        })
        .collect()
}

#[cfg(test)]
mod tests;
