//! A node and its ports as agents are told of them.
//!
//! Agents read little of it, but hardware managers of vendors may read any part, so it is everything
//! that Ironic sends. Secrets are masked: what an agent needs of them it gets as arguments.

use crate::task::Task;
use serde_json::{Value, json};
use types::{InterfaceKind, JsonMap, Node, Port, mask};

/// `node` and `ports`, as most commands take them.
pub(super) fn subject(task: &Task) -> JsonMap {
    let mut params = JsonMap::new();
    params.insert("node".into(), node(&task.node));
    let ports = task.ports().iter().map(port).collect();
    params.insert("ports".into(), Value::Array(ports));
    params
}

fn node(node: &Node) -> Value {
    let mut told = json!({
        "id": node.row,
        "uuid": node.id,
        "name": node.name,
        "driver": node.driver,
        "driver_info": mask::masked(&node.driver_info),
        "driver_internal_info": mask::masked(node.driver_internal_info.raw_json()),
        "properties": node.properties,
        "extra": node.extra,
        "instance_info": mask::masked_instance_info(&node.instance_info),
        "instance_uuid": node.instance_uuid,
        "resource_class": node.resource_class,
        "owner": node.owner,
        "lessee": node.lessee,
        "description": node.description,
        "power_state": node.power_state,
        "target_power_state": node.target_power_state,
        "provision_state": node.provision_state,
        "target_provision_state": node.target_provision_state,
        "maintenance": node.maintenance,
        "maintenance_reason": node.maintenance_reason,
        "last_error": node.last_error,
        "clean_step": node.clean_step,
        "deploy_step": node.deploy_step,
        "service_step": node.service_step,
        "raid_config": node.raid_config,
        "target_raid_config": node.target_raid_config,
        "conductor_group": node.conductor_group,
        "boot_mode": node.boot_mode,
        "secure_boot": node.secure_boot,
        "network_data": node.network_data,
        "traits": node.traits,
    });
    if let Some(told) = told.as_object_mut() {
        for &kind in InterfaceKind::ALL {
            let key = format!("{kind}_interface");
            told.insert(key, node.interfaces.get(kind).into());
        }
    }
    told
}

fn port(port: &Port) -> Value {
    json!({
        "id": port.row,
        "uuid": port.id,
        "address": port.address,
        "name": port.name,
        "extra": port.extra,
        "internal_info": port.internal_info,
        "local_link_connection": port.local_link_connection,
        "pxe_enabled": port.pxe_enabled,
        "physical_network": port.physical_network,
    })
}
