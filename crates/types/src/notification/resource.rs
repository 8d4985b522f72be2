//! What notifications tell about everything that is not a node.

use super::{Action, Payload, Subject, withheld};
use crate::{
    Allocation, Chassis, DeployTemplate, InspectionRule, InterfaceKind, JsonMap, Port, Portgroup,
    Runbook, Timestamp, VolumeConnector, VolumeTarget, deploy_template::Rank, mask,
};
use serde_json::{Value, json};

/// What is told about a row: its name in the types of events, the name and the version of the
/// payload, and the payload.
macro_rules! subject {
    ($Row:ident $object:literal $name:literal $version:literal |$row:ident, $action:pat_param| $json:expr) => {
        impl Subject for $Row {
            fn object(&self) -> &'static str {
                $object
            }

            fn payload(&self, $action: Action) -> Payload {
                let $row = self;
                Payload::new($name, $version, $json)
            }
        }
    };
}

subject!(Port "port" "PortCRUDPayload" "1.8" |port, _| json!({
    "address": port.address,
    "extra": port.extra,
    "local_link_connection": port.local_link_connection,
    "pxe_enabled": port.pxe_enabled,
    "physical_network": port.physical_network,
    "created_at": port.created_at.zulu(),
    "updated_at": port.updated_at.map(Timestamp::zulu),
    "uuid": port.id,
    "is_smartnic": port.is_smartnic,
    "name": port.name,
    "description": port.description,
    "vendor": port.vendor,
    "category": port.category,
    "available_for_dynamic_portgroup": port.available_for_dynamic_portgroup,
    "node_uuid": port.node,
    "portgroup_uuid": port.portgroup,
}));

subject!(Portgroup "portgroup" "PortgroupCRUDPayload" "1.3" |group, _| json!({
    "address": group.address,
    "category": group.category,
    "extra": group.extra,
    "mode": group.mode,
    "name": group.name,
    "properties": group.properties,
    "physical_network": group.physical_network,
    "standalone_ports_supported": group.standalone_ports_supported,
    "created_at": group.created_at.zulu(),
    "updated_at": group.updated_at.map(Timestamp::zulu),
    "uuid": group.id,
    "dynamic_portgroup": group.dynamic_portgroup,
    "node_uuid": group.node,
}));

subject!(Chassis "chassis" "ChassisCRUDPayload" "1.0" |chassis, _| json!({
    "description": chassis.description,
    "extra": chassis.extra,
    "created_at": chassis.created_at.zulu(),
    "updated_at": chassis.updated_at.map(Timestamp::zulu),
    "uuid": chassis.id,
}));

subject!(VolumeConnector "volumeconnector" "VolumeConnectorCRUDPayload" "1.0" |connector, _| json!({
    "extra": connector.extra,
    "type": connector.kind,
    "connector_id": connector.connector_id,
    "created_at": connector.created_at.zulu(),
    "updated_at": connector.updated_at.map(Timestamp::zulu),
    "uuid": connector.id,
    "node_uuid": connector.node,
}));

subject!(VolumeTarget "volumetarget" "VolumeTargetCRUDPayload" "1.0" |target, _| {
    // Credentials of the storage are among them, under names that no rule knows.
    let properties = if target.properties.is_empty() {
        json!({})
    } else {
        withheld()
    };
    json!({
        "boot_index": target.boot_index,
        "extra": target.extra,
        "properties": properties,
        "volume_id": target.volume_id,
        "volume_type": target.volume_type,
        "created_at": target.created_at.zulu(),
        "updated_at": target.updated_at.map(Timestamp::zulu),
        "uuid": target.id,
        "node_uuid": target.node,
    })
});

subject!(Allocation "allocation" "AllocationCRUDPayload" "1.1" |allocation, action| {
    // No candidates are none at all in the beginning, and an empty list later on.
    let candidate_nodes = match action {
        Action::Create if allocation.candidate_nodes.is_empty() => Value::Null,
        _ => json!(allocation.candidate_nodes),
    };
    json!({
        "candidate_nodes": candidate_nodes,
        "created_at": allocation.created_at.zulu(),
        "extra": allocation.extra,
        "last_error": allocation.last_error,
        "name": allocation.name,
        "owner": allocation.owner,
        "resource_class": allocation.resource_class,
        "state": allocation.state,
        "traits": allocation.traits,
        "updated_at": allocation.updated_at.map(Timestamp::zulu),
        "uuid": allocation.id,
        "node_uuid": allocation.node,
    })
});

subject!(DeployTemplate "deploytemplate" "DeployTemplateCRUDPayload" "1.0" |template, _| {
    let steps = template.steps.iter().map(|step| {
        let rank = ("priority", &step.priority);
        told_step(step.interface, &step.step, &step.args, rank)
    });
    json!({
        "created_at": template.created_at.zulu(),
        "extra": template.extra,
        "name": template.name,
        "steps": steps.collect::<Value>(),
        "updated_at": template.updated_at.map(Timestamp::zulu),
        "uuid": template.id,
    })
});

subject!(Runbook "runbook" "RunbookCRUDPayload" "1.1" |runbook, _| {
    let steps = runbook.steps.iter().map(|step| {
        let rank = ("order", &step.order);
        told_step(step.interface, &step.step, &step.args, rank)
    });
    json!({
        "created_at": runbook.created_at.zulu(),
        "description": runbook.description,
        "disable_ramdisk": runbook.disable_ramdisk,
        "extra": runbook.extra,
        "name": runbook.name,
        "owner": runbook.owner,
        "public": runbook.public,
        "steps": steps.collect::<Value>(),
        "traits": runbook.traits,
        "updated_at": runbook.updated_at.map(Timestamp::zulu),
        "uuid": runbook.id,
    })
});

subject!(InspectionRule "inspectionrule" "InspectionRuleCRUDPayload" "1.0" |rule, _| {
    let (actions, conditions) = if rule.sensitive {
        (json!([withheld()]), json!([withheld()]))
    } else {
        (json!(rule.actions), json!(rule.conditions))
    };
    json!({
        "created_at": rule.created_at.zulu(),
        "description": rule.description,
        "phase": rule.phase,
        "priority": rule.priority,
        "scope": rule.scope,
        "sensitive": rule.sensitive,
        "actions": actions,
        "conditions": conditions,
        "updated_at": rule.updated_at.map(Timestamp::zulu),
        "uuid": rule.id,
    })
});

/// A step of a template or a runbook, without its secrets.
fn told_step(
    interface: InterfaceKind,
    step: &str,
    args: &JsonMap,
    (name, rank): (&str, &Rank),
) -> Value {
    json!({
        "interface": interface,
        "step": step,
        "args": mask::masked(args),
        name: rank,
    })
}
