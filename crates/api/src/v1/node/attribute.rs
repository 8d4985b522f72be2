//! The attributes of a node that clients write: how each is read from a row and written to it.
//!
//! Values come here with the right types already; what a schema cannot say is said here.

use crate::{
    args::{self, object},
    error::ApiError,
    lookup,
};
use serde_json::Value;
use types::{InterfaceKind, JsonMap, Node};

/// One attribute.
pub(crate) struct Attribute {
    pub name: &'static str,
    get: fn(&Node) -> Value,
    set: fn(&mut Node, Value) -> Result<(), ApiError>,
}

impl std::fmt::Debug for Attribute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! text {
    ($name:literal, $field:ident) => {
        Attribute {
            name: $name,
            get: |node| Value::from(node.$field.clone()),
            set: |node, value| {
                node.$field = text(value);
                Ok(())
            },
        }
    };
}

macro_rules! object {
    ($name:literal, $field:ident) => {
        Attribute {
            name: $name,
            get: |node| Value::Object(node.$field.clone()),
            set: |node, value| {
                node.$field = object(value);
                Ok(())
            },
        }
    };
}

macro_rules! flag {
    ($name:literal, $field:ident) => {
        Attribute {
            name: $name,
            get: |node| Value::Bool(node.$field),
            set: |node, value| {
                node.$field = value == Value::Bool(true);
                Ok(())
            },
        }
    };
}

/// A flag that may be left open.
macro_rules! choice {
    ($name:literal, $field:ident) => {
        Attribute {
            name: $name,
            get: |node| Value::from(node.$field),
            set: |node, value| {
                node.$field = value.as_bool();
                Ok(())
            },
        }
    };
}

/// Attributes besides the interfaces.
static ATTRIBUTES: &[Attribute] = &[
    choice!("automated_clean", automated_clean),
    text!("boot_mode", boot_mode),
    Attribute {
        name: "chassis_uuid",
        get: |node| Value::from(node.chassis.map(|id| id.to_string())),
        set: |node, value| {
            node.chassis = match value.as_str() {
                None | Some("") => None,
                Some(uuid) => Some(
                    lookup::id(uuid)
                        .ok_or_else(|| ApiError::chassis_not_found(uuid).as_bad_request())?,
                ),
            };
            Ok(())
        },
    },
    Attribute {
        name: "conductor_group",
        get: |node| Value::from(node.conductor_group.clone()),
        set: |node, value| {
            node.conductor_group = not_null("conductor_group", text(value))?;
            Ok(())
        },
    },
    flag!("console_enabled", console_enabled),
    text!("description", description),
    choice!("disable_power_off", disable_power_off),
    Attribute {
        name: "driver",
        get: |node| Value::from(node.driver.clone()),
        set: |node, value| {
            node.driver = not_null("driver", text(value))?;
            Ok(())
        },
    },
    object!("driver_info", driver_info),
    object!("extra", extra),
    object!("instance_info", instance_info),
    text!("instance_name", instance_name),
    text!("instance_uuid", instance_uuid),
    text!("lessee", lessee),
    Attribute {
        name: "maintenance",
        get: |node| Value::Bool(node.maintenance),
        set: |node, value| {
            let on = not_null("maintenance", value.as_bool())?;
            if !on && node.maintenance {
                node.clear_maintenance();
            }
            node.maintenance = on;
            Ok(())
        },
    },
    text!("name", name),
    object!("network_data", network_data),
    text!("owner", owner),
    text!("parent_node", parent_node),
    object!("properties", properties),
    flag!("protected", protected),
    text!("protected_reason", protected_reason),
    text!("resource_class", resource_class),
    choice!("retired", retired),
    text!("retired_reason", retired_reason),
    choice!("secure_boot", secure_boot),
    text!("shard", shard),
];

/// Attributes that are read as booleans or UUIDs after the schema, in the order of Ironic.
const CONVERTED: &[&str] = &[
    "automated_clean",
    "chassis_uuid",
    "console_enabled",
    "disable_power_off",
    "instance_uuid",
    "protected",
    "maintenance",
    "retired",
    "uuid",
];

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// Ironic breaks with a 500 on such a null; its text is kept, the status is what it means.
fn not_null<T>(name: &str, value: Option<T>) -> Result<T, ApiError> {
    value.ok_or_else(|| ApiError::invalid(format!("Field `{name}' cannot be None")))
}

/// Turns words into booleans and checks UUIDs.
pub(crate) fn convert(document: &mut JsonMap) -> Result<(), ApiError> {
    for name in CONVERTED {
        let Some(value) = document.get_mut(*name).filter(|value| !value.is_null()) else {
            continue;
        };
        if name.ends_with("uuid") {
            args::uuid(name, value)?;
        } else {
            *value = Value::Bool(args::boolean(name, value)?);
        }
    }
    Ok(())
}

/// The value of an attribute as a patch sees it.
pub(crate) fn get(node: &Node, name: &str) -> Value {
    if let Some(kind) = InterfaceKind::of_field(name) {
        let chosen = node.interfaces.get(kind);
        return Value::from(Some(chosen).filter(|name| !name.is_empty()));
    }
    ATTRIBUTES
        .iter()
        .find(|a| a.name == name)
        .map_or(Value::Null, |a| (a.get)(node))
}

/// Gives an attribute a value; null means its empty value. Names that nobody may write do nothing.
pub(crate) fn set(node: &mut Node, name: &str, value: Value) -> Result<(), ApiError> {
    if let Some(kind) = InterfaceKind::of_field(name) {
        match text(value) {
            Some(chosen) => node.interfaces.set(kind, chosen),
            None => node.interfaces.clear(kind),
        }
        return Ok(());
    }
    match ATTRIBUTES.iter().find(|a| a.name == name) {
        Some(attribute) => (attribute.set)(node, value),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        schema::node::{CREATE, PATCH},
        v1::node::patch,
    };
    use serde_json::json;
    use types::NodeId;

    #[test]
    fn every_attribute_keeps_what_it_is_given() {
        let mut node = Node::new(NodeId::generate(), "d");
        let samples = json!({
            "automated_clean": false, "boot_mode": "uefi", "conductor_group": "g",
            "chassis_uuid": "1be26c0b-03f2-4d2e-ae87-c02d7f33c123", "console_enabled": true,
            "description": "x", "disable_power_off": true, "driver": "e", "driver_info": {"a": 1},
            "extra": {"b": 1}, "instance_info": {"c": 1}, "instance_name": "i",
            "instance_uuid": "u", "lessee": "l", "maintenance": true, "name": "n",
            "network_data": {"d": 1}, "owner": "o", "parent_node": "p", "properties": {"e": 1},
            "protected": true, "protected_reason": "r", "resource_class": "c", "retired": true,
            "retired_reason": "s", "secure_boot": true, "shard": "t", "bios_interface": "fake",
        });
        let samples = samples.as_object().unwrap();
        for (name, value) in samples {
            set(&mut node, name, value.clone()).unwrap();
        }
        for (name, value) in samples {
            assert_eq!(get(&node, name), *value, "{name}");
        }
        assert_eq!(samples.len(), ATTRIBUTES.len() + 1);
        for name in samples.keys() {
            match set(&mut node, name, Value::Null) {
                Ok(()) => assert_ne!(get(&node, name), samples[name], "{name}"),
                Err(error) => {
                    assert_eq!(error.status().as_u16(), 400);
                    assert!(["conductor_group", "driver", "maintenance"].contains(&name.as_str()));
                }
            }
        }
    }

    #[test]
    fn whatever_clients_may_write_has_a_shape_and_an_attribute() {
        let is_known = |name: &str| {
            let is_interface = InterfaceKind::of_field(name).is_some();
            is_interface || ATTRIBUTES.iter().any(|attribute| attribute.name == name)
        };
        let has_shape = |name: &str| PATCH.property_names().any(|known| known == name);
        for name in patch::ALLOWED {
            assert!(is_known(name) && has_shape(name), "{name}");
        }
        for name in CREATE.property_names().filter(|name| *name != "uuid") {
            assert!(is_known(name), "{name}");
        }
        for attribute in ATTRIBUTES {
            assert!(has_shape(attribute.name), "{attribute:?}");
        }
    }

    #[test]
    fn leaving_maintenance_forgets_the_reason() {
        let mut node = Node::new(NodeId::generate(), "d");
        node.maintenance = true;
        node.maintenance_reason = Some("why".into());
        set(&mut node, "maintenance", json!(false)).unwrap();
        assert_eq!(node.maintenance_reason, None);
    }
}
