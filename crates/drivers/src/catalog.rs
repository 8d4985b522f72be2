//! What is enabled, and what a node of a hardware type gets of it.
//!
//! Names only: a catalog answers the same whether or not anything behind a name is implemented, so
//! the rules can be tested for configurations that this build cannot serve yet. The texts of
//! [`InterfaceError`] are those that clients of Ironic know.

use crate::hardware_type::HardwareType;
use serde_json::Value;
use std::collections::BTreeMap;
use types::{
    Fault, InterfaceKind, Node, NodeId, interface::Interfaces, member::OfferedInterface, pyrepr,
};

/// Why a node cannot have the interfaces it asks for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InterfaceError {
    #[error("Could not find the following driver(s) or hardware type(s): {0}.")]
    UnknownHardwareType(String),
    #[error(
        "Could not find the following interface in the 'ironic.hardware.interfaces.{kind}' entrypoint: {name}. Valid interfaces are {}.",
        pyrepr::repr_list(valid.iter().map(String::as_str))
    )]
    NotEnabled {
        kind: InterfaceKind,
        name: String,
        /// Sorted.
        valid: Vec<String>,
    },
    #[error("{kind} interface implementation '{name}' is not supported by hardware type {class}.")]
    NotSupported {
        kind: InterfaceKind,
        name: String,
        class: &'static str,
    },
    #[error(
        "For{} hardware type '{hardware_type}', no default value found for {kind} interface could be determined. Please ensure the interfaces are enabled.",
        node.map(|id| format!(" node {id} with")).unwrap_or_default()
    )]
    NoDefault {
        kind: InterfaceKind,
        hardware_type: &'static str,
        node: Option<NodeId>,
    },
}

impl From<InterfaceError> for Fault {
    fn from(error: InterfaceError) -> Self {
        match error {
            InterfaceError::UnknownHardwareType(name) => Fault::DriverUnknown(name),
            other => Fault::InvalidParameter(other.to_string()),
        }
    }
}

/// By hardware type and kind, what nodes get that name nothing, before the hardware type's own order.
pub type Preferences = BTreeMap<(String, InterfaceKind), String>;

/// The enabled hardware types and interfaces.
#[derive(Debug, Clone)]
pub struct Catalog {
    types: Vec<&'static HardwareType>,
    /// Sorted names.
    enabled: BTreeMap<InterfaceKind, Vec<String>>,
    forced: BTreeMap<InterfaceKind, String>,
    preferred: Preferences,
}

impl Catalog {
    /// `forced` are the `default_…_interface` options.
    pub fn new(
        types: Vec<&'static HardwareType>,
        mut enabled: BTreeMap<InterfaceKind, Vec<String>>,
        forced: BTreeMap<InterfaceKind, String>,
    ) -> Self {
        for names in enabled.values_mut() {
            names.sort_unstable();
            names.dedup();
        }
        Self {
            types,
            enabled,
            forced,
            preferred: Preferences::new(),
        }
    }

    /// The same with defaults of its own for some hardware types.
    pub(crate) fn preferring(self, preferred: Preferences) -> Self {
        Self { preferred, ..self }
    }

    /// The enabled hardware types, in the order of configuration.
    pub fn hardware_types(&self) -> &[&'static HardwareType] {
        &self.types
    }

    /// Stops serving a hardware type.
    pub(crate) fn withdraw(&mut self, hardware_type: &HardwareType) {
        self.types.retain(|kept| kept.name != hardware_type.name);
    }

    /// The enabled hardware type of this name.
    pub fn hardware_type(&self, name: &str) -> Result<&'static HardwareType, InterfaceError> {
        self.types
            .iter()
            .find(|hardware_type| hardware_type.name == name)
            .copied()
            .ok_or_else(|| InterfaceError::UnknownHardwareType(name.to_owned()))
    }

    /// The enabled implementations of a kind, sorted by name.
    pub fn enabled(&self, kind: InterfaceKind) -> &[String] {
        self.enabled.get(&kind).map_or(&[], Vec::as_slice)
    }

    fn is_enabled(&self, kind: InterfaceKind, name: &str) -> bool {
        self.enabled(kind).iter().any(|enabled| enabled == name)
    }

    /// Whether a node of this type may use the implementation.
    pub fn check(
        &self,
        hardware_type: &HardwareType,
        kind: InterfaceKind,
        name: &str,
    ) -> Result<(), InterfaceError> {
        if !self.is_enabled(kind, name) {
            return Err(InterfaceError::NotEnabled {
                kind,
                name: name.to_owned(),
                valid: self.enabled(kind).to_vec(),
            });
        }
        if !hardware_type.accepts(kind, name) {
            return Err(InterfaceError::NotSupported {
                kind,
                name: name.to_owned(),
                class: hardware_type.class,
            });
        }
        Ok(())
    }

    /// The implementation that a node gets when it names none; `node` is only for the message.
    pub fn default_interface(
        &self,
        hardware_type: &'static HardwareType,
        kind: InterfaceKind,
        node: Option<NodeId>,
    ) -> Result<&str, InterfaceError> {
        let none = InterfaceError::NoDefault {
            kind,
            hardware_type: hardware_type.name,
            node,
        };
        let forced = self.forced.get(&kind);
        let is_fixed = |forced: &String| {
            let listed = hardware_type.supported(kind).contains(&forced.as_str());
            hardware_type.stands_for.is_some() && !listed
        };
        if let Some(forced) = forced.filter(|forced| !is_fixed(forced)) {
            return match self.check(hardware_type, kind, forced) {
                Ok(()) => Ok(forced),
                Err(InterfaceError::NotSupported { .. }) => Err(none),
                Err(other) => Err(other),
            };
        }
        let key = (hardware_type.name.to_owned(), kind);
        if let Some(name) = self.preferred.get(&key)
            && self.check(hardware_type, kind, name).is_ok()
        {
            return Ok(name);
        }
        hardware_type
            .supported(kind)
            .iter()
            .find(|name| self.is_enabled(kind, name))
            .copied()
            .ok_or(none)
    }

    /// The defaults of all kinds for a hardware type.
    pub fn defaults(&self, driver: &str) -> Result<Interfaces, InterfaceError> {
        let hardware_type = self.hardware_type(driver)?;
        let mut all = Interfaces::default();
        for &kind in InterfaceKind::ALL {
            all.set(kind, self.default_interface(hardware_type, kind, None)?);
        }
        Ok(all)
    }

    /// The implementation that a node uses: what its instance overrides, what it names itself, or
    /// the default. Each of the names given must be good, also one that another takes the place of.
    pub fn chosen<'a>(
        &'a self,
        hardware_type: &'static HardwareType,
        kind: InterfaceKind,
        node: &'a Node,
    ) -> Result<&'a str, InterfaceError> {
        let own = node.interfaces.get(kind);
        if !own.is_empty() {
            self.check(hardware_type, kind, own)?;
        }
        if let Some(name) = node.instance_info.get(kind.field()) {
            let Some(name) = name.as_str() else {
                return Err(InterfaceError::NotEnabled {
                    kind,
                    name: pyrepr::to_str(name),
                    valid: self.enabled(kind).to_vec(),
                });
            };
            self.check(hardware_type, kind, name)?;
            return Ok(name);
        }
        if own.is_empty() {
            self.default_interface(hardware_type, kind, Some(node.id))
        } else {
            Ok(own)
        }
    }

    /// Checks the interfaces that the node names and fills in the others.
    ///
    /// A kind that the instance overrides gets its default too, so that the node has a name to
    /// return to when the instance goes. On failure the node is as it was.
    pub fn fill_interfaces(&self, node: &mut Node) -> Result<(), InterfaceError> {
        let hardware_type = self.hardware_type(&node.driver)?;
        let mut filled = node.interfaces.clone();
        for &kind in InterfaceKind::ALL {
            // Here, unlike when the node is worked on, an override by nothing is none.
            let overridden = node.instance_info.get(kind.field());
            if overridden.is_some_and(Value::is_null) {
                let own = node.interfaces.get(kind);
                if !own.is_empty() {
                    self.check(hardware_type, kind, own)?;
                }
            } else {
                self.chosen(hardware_type, kind, node)?;
            }
            if node.interfaces.get(kind).is_empty() {
                filled.set(
                    kind,
                    self.default_interface(hardware_type, kind, Some(node.id))?,
                );
            }
        }
        node.interfaces = filled;
        Ok(())
    }

    /// Everything enabled and supported, as a conductor registers it. A default outside of the
    /// supported lists, which only fake hardware can have, is not among it.
    pub fn offered(&self) -> Vec<OfferedInterface> {
        let mut all = Vec::new();
        for &hardware_type in &self.types {
            for &kind in InterfaceKind::ALL {
                let default = self.default_interface(hardware_type, kind, None).ok();
                let usable = hardware_type.supported(kind).iter();
                for &name in usable.filter(|name| self.is_enabled(kind, name)) {
                    all.push(OfferedInterface {
                        hardware_type: hardware_type.name.to_owned(),
                        kind,
                        name: name.to_owned(),
                        is_default: default == Some(name),
                    });
                }
            }
        }
        all
    }
}

#[cfg(test)]
#[path = "catalog/tests.rs"]
mod tests;
