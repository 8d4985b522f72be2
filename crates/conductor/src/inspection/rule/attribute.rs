//! Attributes of nodes and ports by the names that rules use.
//!
//! What belongs to the state machine and to the lease cannot be set: a rule that could would take
//! the node from under the worker that applies it.

use serde_json::{Value, json};
use types::{InterfaceKind, JsonMap, Node, Port, pyrepr};

/// Where a value lives.
enum Slot<'a> {
    Text(&'a mut Option<String>),
    Word(&'a mut String),
    Map(&'a mut JsonMap),
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
        let slot = match name {
            "name" => Slot::Text(&mut self.name),
            "driver" => Slot::Word(&mut self.driver),
            "driver_info" => Slot::Map(&mut self.driver_info),
            "driver_internal_info" => Slot::Map(&mut self.driver_internal_info),
            "properties" => Slot::Map(&mut self.properties),
            "extra" => Slot::Map(&mut self.extra),
            "instance_info" => Slot::Map(&mut self.instance_info),
            "instance_uuid" => Slot::Text(&mut self.instance_uuid),
            "instance_name" => Slot::Text(&mut self.instance_name),
            "conductor_group" => Slot::Word(&mut self.conductor_group),
            "resource_class" => Slot::Text(&mut self.resource_class),
            "owner" => Slot::Text(&mut self.owner),
            "lessee" => Slot::Text(&mut self.lessee),
            "shard" => Slot::Text(&mut self.shard),
            "parent_node" => Slot::Text(&mut self.parent_node),
            "description" => Slot::Text(&mut self.description),
            "maintenance" => Slot::Flag(&mut self.maintenance),
            "maintenance_reason" => Slot::Text(&mut self.maintenance_reason),
            "automated_clean" => Slot::Choice(&mut self.automated_clean),
            "protected" => Slot::Flag(&mut self.protected),
            "protected_reason" => Slot::Text(&mut self.protected_reason),
            "retired" => Slot::Flag(&mut self.retired),
            "retired_reason" => Slot::Text(&mut self.retired_reason),
            "disable_power_off" => Slot::Choice(&mut self.disable_power_off),
            "network_data" => Slot::Map(&mut self.network_data),
            "raid_config" => Slot::Map(&mut self.raid_config),
            "target_raid_config" => Slot::Map(&mut self.target_raid_config),
            _ if read(self, name).is_some() => {
                return Err(format!("the attribute {name} cannot be set by rules"));
            }
            _ => return Ok(()),
        };
        slot.put(name, value)
    }
}

/// The value of a node's attribute.
pub(super) fn read(node: &Node, name: &str) -> Option<Value> {
    if let Some(kind) = InterfaceKind::of_field(name) {
        return Some(node.interfaces.get(kind).into());
    }
    Some(match name {
        "id" => node.row.into(),
        "uuid" => node.id.to_string().into(),
        "name" => json!(node.name),
        "driver" => node.driver.as_str().into(),
        "driver_info" => node.driver_info.clone().into(),
        "driver_internal_info" => node.driver_internal_info.clone().into(),
        "properties" => node.properties.clone().into(),
        "extra" => node.extra.clone().into(),
        "instance_info" => node.instance_info.clone().into(),
        "instance_uuid" => json!(node.instance_uuid),
        "instance_name" => json!(node.instance_name),
        "conductor_group" => node.conductor_group.as_str().into(),
        "resource_class" => json!(node.resource_class),
        "owner" => json!(node.owner),
        "lessee" => json!(node.lessee),
        "shard" => json!(node.shard),
        "parent_node" => json!(node.parent_node),
        "description" => json!(node.description),
        "power_state" => json!(node.power_state),
        "target_power_state" => json!(node.target_power_state),
        "provision_state" => json!(node.provision_state),
        "target_provision_state" => json!(node.target_provision_state),
        "maintenance" => node.maintenance.into(),
        "maintenance_reason" => json!(node.maintenance_reason),
        "fault" => json!(node.fault),
        "last_error" => json!(node.last_error),
        "reservation" => json!(node.reservation),
        "console_enabled" => node.console_enabled.into(),
        "automated_clean" => json!(node.automated_clean),
        "protected" => node.protected.into(),
        "protected_reason" => json!(node.protected_reason),
        "retired" => node.retired.into(),
        "retired_reason" => json!(node.retired_reason),
        "disable_power_off" => json!(node.disable_power_off),
        "network_data" => node.network_data.clone().into(),
        "boot_mode" => json!(node.boot_mode),
        "secure_boot" => json!(node.secure_boot),
        "clean_step" => node.clean_step.clone().into(),
        "deploy_step" => node.deploy_step.clone().into(),
        "service_step" => node.service_step.clone().into(),
        "raid_config" => node.raid_config.clone().into(),
        "target_raid_config" => node.target_raid_config.clone().into(),
        "traits" => json!(node.traits),
        _ => return None,
    })
}

impl Attributes for Port {
    const KIND: &'static str = "Port";

    fn get(&self, name: &str) -> Option<Value> {
        Some(match name {
            "uuid" => self.id.to_string().into(),
            "address" => self.address.to_string().into(),
            "name" => json!(self.name),
            "description" => json!(self.description),
            "extra" => self.extra.clone().into(),
            "internal_info" => self.internal_info.clone().into(),
            "local_link_connection" => self.local_link_connection.clone().into(),
            "pxe_enabled" => self.pxe_enabled.into(),
            "physical_network" => json!(self.physical_network),
            "is_smartnic" => self.is_smartnic.into(),
            "vendor" => json!(self.vendor),
            "category" => json!(self.category),
            "available_for_dynamic_portgroup" => self.available_for_dynamic_portgroup.into(),
            _ => return None,
        })
    }

    fn set(&mut self, name: &str, value: Value) -> Result<(), String> {
        let slot = match name {
            "address" => {
                let text = pyrepr::to_str(&value);
                let expected = |_| format!("Expected a MAC address but received {text}.");
                self.address = text.parse().map_err(expected)?;
                return Ok(());
            }
            "name" => Slot::Text(&mut self.name),
            "description" => Slot::Text(&mut self.description),
            "extra" => Slot::Map(&mut self.extra),
            "local_link_connection" => Slot::Map(&mut self.local_link_connection),
            "pxe_enabled" => Slot::Flag(&mut self.pxe_enabled),
            "physical_network" => Slot::Text(&mut self.physical_network),
            "is_smartnic" => Slot::Flag(&mut self.is_smartnic),
            "vendor" => Slot::Text(&mut self.vendor),
            "category" => Slot::Text(&mut self.category),
            "available_for_dynamic_portgroup" => {
                Slot::Flag(&mut self.available_for_dynamic_portgroup)
            }
            _ if self.get(name).is_some() => {
                return Err(format!("the attribute {name} cannot be set by rules"));
            }
            _ => return Ok(()),
        };
        slot.put(name, value)
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
            Slot::Map(slot) => match value {
                Value::Object(map) => *slot = map,
                Value::Null => *slot = JsonMap::new(),
                other => {
                    let kind = super::compare::kind(&other);
                    return Err(format!("A dict is required in field {name}, not a {kind}"));
                }
            },
        }
        Ok(())
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
