//! What notifications tell about everything that is not a node.

use super::{Action, Payload, Subject, withheld};
use crate::{
    Allocation, Chassis, DeployTemplate, InspectionRule, Port, Portgroup, Runbook, Timestamp,
    VolumeConnector, VolumeTarget, mask,
};
use serde_json::{Value, json};

impl Subject for Port {
    fn object(&self) -> &'static str {
        "port"
    }

    fn payload(&self, _: Action) -> Payload {
        Payload::new(
            "PortCRUDPayload",
            "1.8",
            json!({
                "address": self.address,
                "extra": self.extra,
                "local_link_connection": self.local_link_connection,
                "pxe_enabled": self.pxe_enabled,
                "physical_network": self.physical_network,
                "created_at": self.created_at.zulu(),
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
                "is_smartnic": self.is_smartnic,
                "name": self.name,
                "description": self.description,
                "vendor": self.vendor,
                "category": self.category,
                "available_for_dynamic_portgroup": self.available_for_dynamic_portgroup,
                "node_uuid": self.node,
                "portgroup_uuid": self.portgroup,
            }),
        )
    }
}

impl Subject for Portgroup {
    fn object(&self) -> &'static str {
        "portgroup"
    }

    fn payload(&self, _: Action) -> Payload {
        Payload::new(
            "PortgroupCRUDPayload",
            "1.3",
            json!({
                "address": self.address,
                "category": self.category,
                "extra": self.extra,
                "mode": self.mode,
                "name": self.name,
                "properties": self.properties,
                "physical_network": self.physical_network,
                "standalone_ports_supported": self.standalone_ports_supported,
                "created_at": self.created_at.zulu(),
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
                "dynamic_portgroup": self.dynamic_portgroup,
                "node_uuid": self.node,
            }),
        )
    }
}

impl Subject for Chassis {
    fn object(&self) -> &'static str {
        "chassis"
    }

    fn payload(&self, _: Action) -> Payload {
        Payload::new(
            "ChassisCRUDPayload",
            "1.0",
            json!({
                "description": self.description,
                "extra": self.extra,
                "created_at": self.created_at.zulu(),
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
            }),
        )
    }
}

impl Subject for VolumeConnector {
    fn object(&self) -> &'static str {
        "volumeconnector"
    }

    fn payload(&self, _: Action) -> Payload {
        Payload::new(
            "VolumeConnectorCRUDPayload",
            "1.0",
            json!({
                "extra": self.extra,
                "type": self.kind,
                "connector_id": self.connector_id,
                "created_at": self.created_at.zulu(),
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
                "node_uuid": self.node,
            }),
        )
    }
}

impl Subject for VolumeTarget {
    fn object(&self) -> &'static str {
        "volumetarget"
    }

    fn payload(&self, _: Action) -> Payload {
        // Credentials of the storage are among them, under names that no rule knows.
        let properties = if self.properties.is_empty() {
            json!({})
        } else {
            withheld()
        };
        Payload::new(
            "VolumeTargetCRUDPayload",
            "1.0",
            json!({
                "boot_index": self.boot_index,
                "extra": self.extra,
                "properties": properties,
                "volume_id": self.volume_id,
                "volume_type": self.volume_type,
                "created_at": self.created_at.zulu(),
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
                "node_uuid": self.node,
            }),
        )
    }
}

impl Subject for Allocation {
    fn object(&self) -> &'static str {
        "allocation"
    }

    fn payload(&self, action: Action) -> Payload {
        // No candidates are none at all in the beginning, and an empty list later on.
        let candidate_nodes = match action {
            Action::Create if self.candidate_nodes.is_empty() => Value::Null,
            _ => json!(self.candidate_nodes),
        };
        Payload::new(
            "AllocationCRUDPayload",
            "1.1",
            json!({
                "candidate_nodes": candidate_nodes,
                "created_at": self.created_at.zulu(),
                "extra": self.extra,
                "last_error": self.last_error,
                "name": self.name,
                "owner": self.owner,
                "resource_class": self.resource_class,
                "state": self.state,
                "traits": self.traits,
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
                "node_uuid": self.node,
            }),
        )
    }
}

impl Subject for DeployTemplate {
    fn object(&self) -> &'static str {
        "deploytemplate"
    }

    fn payload(&self, _: Action) -> Payload {
        let steps = self.steps.iter().map(|step| {
            json!({
                "interface": step.interface,
                "step": step.step,
                "args": mask::masked(&step.args),
                "priority": step.priority,
            })
        });
        Payload::new(
            "DeployTemplateCRUDPayload",
            "1.0",
            json!({
                "created_at": self.created_at.zulu(),
                "extra": self.extra,
                "name": self.name,
                "steps": steps.collect::<Value>(),
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
            }),
        )
    }
}

impl Subject for Runbook {
    fn object(&self) -> &'static str {
        "runbook"
    }

    fn payload(&self, _: Action) -> Payload {
        let steps = self.steps.iter().map(|step| {
            json!({
                "interface": step.interface,
                "step": step.step,
                "args": mask::masked(&step.args),
                "order": step.order,
            })
        });
        Payload::new(
            "RunbookCRUDPayload",
            "1.1",
            json!({
                "created_at": self.created_at.zulu(),
                "description": self.description,
                "disable_ramdisk": self.disable_ramdisk,
                "extra": self.extra,
                "name": self.name,
                "owner": self.owner,
                "public": self.public,
                "steps": steps.collect::<Value>(),
                "traits": self.traits,
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
            }),
        )
    }
}

impl Subject for InspectionRule {
    fn object(&self) -> &'static str {
        "inspectionrule"
    }

    fn payload(&self, _: Action) -> Payload {
        let (actions, conditions) = if self.sensitive {
            (json!([withheld()]), json!([withheld()]))
        } else {
            (json!(self.actions), json!(self.conditions))
        };
        Payload::new(
            "InspectionRuleCRUDPayload",
            "1.0",
            json!({
                "created_at": self.created_at.zulu(),
                "description": self.description,
                "phase": self.phase,
                "priority": self.priority,
                "scope": self.scope,
                "sensitive": self.sensitive,
                "actions": actions,
                "conditions": conditions,
                "updated_at": self.updated_at.map(Timestamp::zulu),
                "uuid": self.id,
            }),
        )
    }
}
