//! Attributes of nodes and ports by the names that rules use.
//!
//! What belongs to the state machine and to the lease cannot be set: a rule that could would take
//! the node from under the worker that applies it.

use serde_json::{Value, json};
use types::{InterfaceKind, InternalInfo, JsonMap, Node, Port, pyrepr};

/// Where a value lives.
enum Slot<'a> {
    Text(&'a mut Option<String>),
    Word(&'a mut String),
    Map(&'a mut JsonMap),
    Internal(&'a mut InternalInfo),
    Flag(&'a mut bool),
    Choice(&'a mut Option<bool>),
}

/// What a rule may change.
pub(super) trait Attributes {
    /// What messages call it.
    const KIND: &'static str;

    /// The value of an attribute that exists.
    fn get(&self, name: &str) -> Option<Value>;
    /// Sets an attribute; one that does not exist is ignored.
    fn set(&mut self, name: &str, value: Value) -> Result<(), String>;
}

/// The attributes of a row, a line each: those that rules set, with the kind of their values, and
/// those that they only read.
macro_rules! attributes {
    (
        $value:ident, $slot:ident of $Row:ident:
        set $($kind:ident $field:ident),*;
        read $($name:literal $only:ident),*;
    ) => {
        /// The value of an attribute, if there is one of this name.
        fn $value(row: &$Row, name: &str) -> Option<Value> {
            Some(match name {
                $(stringify!($field) => json!(row.$field),)*
                $($name => json!(row.$only),)*
                _ => return None,
            })
        }

        /// Where the value of an attribute lives that rules may set.
        fn $slot<'a>(row: &'a mut $Row, name: &str) -> Option<Slot<'a>> {
            Some(match name {
                $(stringify!($field) => Slot::$kind(&mut row.$field),)*
                _ => return None,
            })
        }
    };
}

attributes! {
    node_value, node_slot of Node:
    set
        Text name,
        Word driver,
        Map driver_info,
        Internal driver_internal_info,
        Map properties,
        Map extra,
        Map instance_info,
        Text instance_uuid,
        Text instance_name,
        Word conductor_group,
        Text resource_class,
        Text owner,
        Text lessee,
        Text shard,
        Text parent_node,
        Text description,
        Flag maintenance,
        Text maintenance_reason,
        Choice automated_clean,
        Flag protected,
        Text protected_reason,
        Choice retired,
        Text retired_reason,
        Choice disable_power_off,
        Map network_data,
        Map raid_config,
        Map target_raid_config;
    read
        "id" row,
        "uuid" id,
        "power_state" power_state,
        "target_power_state" target_power_state,
        "provision_state" provision_state,
        "target_provision_state" target_provision_state,
        "fault" fault,
        "last_error" last_error,
        "reservation" reservation,
        "console_enabled" console_enabled,
        "boot_mode" boot_mode,
        "secure_boot" secure_boot,
        "clean_step" clean_step,
        "deploy_step" deploy_step,
        "service_step" service_step,
        "traits" traits;
}

attributes! {
    port_value, port_slot of Port:
    set
        Text name,
        Text description,
        Map extra,
        Map local_link_connection,
        Flag pxe_enabled,
        Text physical_network,
        Choice is_smartnic,
        Text vendor,
        Text category,
        Flag available_for_dynamic_portgroup;
    read
        "uuid" id,
        "address" address,
        "internal_info" internal_info;
}

impl Attributes for Node {
    const KIND: &'static str = "Node";

    fn get(&self, name: &str) -> Option<Value> {
        read(self, name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        if let Some(kind) = InterfaceKind::of_field(name) {
            let text = as_text(name, value)?;
            self.interfaces.set(kind, text.unwrap_or_default());
            return Ok(());
        }
        match node_slot(self, name) {
            Some(slot) => slot.put(name, value),
            None => refuse(self, name),
        }
    }
}

/// The value of a node's attribute.
pub(super) fn read(node: &Node, name: &str) -> Option<Value> {
    match InterfaceKind::of_field(name) {
        Some(kind) => Some(node.interfaces.get(kind).into()),
        None => node_value(node, name),
    }
}

impl Attributes for Port {
    const KIND: &'static str = "Port";

    fn get(&self, name: &str) -> Option<Value> {
        port_value(self, name)
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        if name == "address" {
            let text = pyrepr::to_str(&value);
            let expected = |_| format!("Expected a MAC address but received {text}.");
            self.address = text.parse().map_err(expected)?;
            return Ok(());
        }
        match port_slot(self, name) {
            Some(slot) => slot.put(name, value),
            None => refuse(self, name),
        }
    }
}

/// An attribute that exists cannot be set by rules; one that does not exist is ignored.
fn refuse(row: &impl Attributes, name: &str) -> Result<(), String> {
    match row.get(name) {
        Some(_) => Err(format!("the attribute {name} cannot be set by rules")),
        None => Ok(()),
    }
}

impl Slot<'_> {
    fn put(self, name: &str, value: Value) -> Result<(), String> {
        // As Python sees it: any text but the empty one is true.
        let truth = super::super::hook::is_truthy;
        match self {
            Slot::Text(slot) => *slot = as_text(name, value)?,
            Slot::Word(slot) => {
                *slot = as_text(name, value)?
                    .ok_or_else(|| format!("Field `{name}' cannot be None"))?;
            }
            Slot::Flag(slot) => *slot = truth(&value),
            Slot::Choice(slot) => *slot = (!value.is_null()).then(|| truth(&value)),
            Slot::Map(slot) => *slot = as_map(name, value)?,
            Slot::Internal(slot) => *slot = as_map(name, value)?.into(),
        }
        Ok(())
    }
}

fn as_map(name: &str, value: Value) -> Result<JsonMap, String> {
    match value {
        Value::Object(map) => Ok(map),
        Value::Null => Ok(JsonMap::new()),
        other => Err(format!(
            "A dict is required in field {name}, not a {}",
            super::compare::kind(&other)
        )),
    }
}

/// Numbers become texts; lists and objects do not.
fn as_text(name: &str, value: Value) -> Result<Option<String>, String> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        Value::Number(number) => Ok(Some(number.to_string())),
        other => Err(format!(
            "A string is required in field {name}, not a {}",
            super::compare::kind(&other)
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::NodeId;

    /// Fields of a node that are no attributes to rules: those of the row and of the lease, other
    /// tables, times, and what has another name.
    const UNREAD: &[&str] = &[
        "row",
        "version",
        "created_at",
        "updated_at",
        "chassis",
        "provision_updated_at",
        "lease_epoch",
        "lease_generation",
        "work",
        "interfaces",
        "inspection_started_at",
        "inspection_finished_at",
        "allocation_uuid",
        "health",
        "conductor_affinity",
    ];

    #[test]
    fn every_field_of_a_node_is_an_attribute_or_named_here() {
        let node = Node::new(NodeId::generate(), "fake-hardware");
        let document = serde_json::to_value(&node).unwrap();
        for name in document.as_object().unwrap().keys() {
            let is_read = read(&node, name).is_some();
            assert_ne!(is_read, UNREAD.contains(&name.as_str()), "{name}");
        }
    }
}
