//! What notifications tell about nodes.

use super::{Action, Payload, Subject};
use crate::{InterfaceKind, Node, Timestamp, mask};
use serde_json::{Value, json};

impl Subject for Node {
    fn object(&self) -> &'static str {
        "node"
    }

    fn payload(&self, action: Action) -> Payload {
        let instance_info = || Value::Object(mask::masked_instance_info(&self.instance_info));
        match action {
            Action::Create | Action::Update | Action::Delete => self
                .described("NodeCRUDPayload", "1.15")
                .with("chassis_uuid", self.chassis.map(|id| id.to_string()))
                .with("instance_info", instance_info())
                .with("driver_info", mask::masked(&self.driver_info)),
            Action::Power { to } => self
                .described("NodeSetPowerStatePayload", "1.17")
                .with("to_power", to.as_str()),
            Action::PowerCorrected { from } => self
                .described("NodeCorrectedPowerStatePayload", "1.17")
                .with("from_power", from.map(|state| state.as_str())),
            Action::Provision {
                event,
                from,
                from_target,
            } => self
                .described("NodeSetProvisionStatePayload", "1.18")
                .with("instance_info", instance_info())
                .with(
                    "driver_internal_info",
                    mask::masked(&self.driver_internal_info.public_json()),
                )
                .with("event", event.as_str())
                .with("previous_provision_state", from.as_str())
                .with(
                    "previous_target_provision_state",
                    from_target.map(|state| state.as_str()),
                ),
            Action::Maintenance
            | Action::Console
            | Action::ConsoleRestore
            | Action::ConsoleStop => self.described("NodePayload", "1.17"),
        }
    }
}

impl Node {
    /// The fields that every payload about a node has.
    fn described(&self, name: &'static str, version: &'static str) -> Payload {
        let time = |at: Option<Timestamp>| at.map(Timestamp::zulu);
        let mut payload = Payload::new(
            name,
            version,
            json!({
                "clean_step": mask::masked(&self.clean_step),
                "conductor_group": self.conductor_group,
                "console_enabled": self.console_enabled,
                "created_at": self.created_at.zulu(),
                "deploy_step": mask::masked(&self.deploy_step),
                "description": self.description,
                "disable_power_off": self.disable_power_off,
                "driver": self.driver,
                "extra": self.extra,
                "boot_mode": self.boot_mode,
                "secure_boot": self.secure_boot,
                "inspection_finished_at": time(self.inspection_finished_at),
                "inspection_started_at": time(self.inspection_started_at),
                "instance_uuid": self.instance_uuid,
                "last_error": self.last_error,
                "maintenance": self.maintenance,
                "maintenance_reason": self.maintenance_reason,
                "fault": self.fault,
                "name": self.name,
                "owner": self.owner,
                "lessee": self.lessee,
                "power_state": self.power_state,
                "properties": self.properties,
                "protected": self.protected,
                "protected_reason": self.protected_reason,
                "provision_state": self.provision_state,
                "provision_updated_at": time(self.provision_updated_at),
                "resource_class": self.resource_class,
                "retired": self.retired,
                "retired_reason": self.retired_reason,
                "target_power_state": self.target_power_state,
                "target_provision_state": self.target_provision_state,
                "traits": self.traits,
                "updated_at": time(self.updated_at),
                "uuid": self.id,
            }),
        );
        for (kind, name) in self.interfaces.iter() {
            // Newer than the payload, and therefore not in it.
            if kind != InterfaceKind::Firmware {
                let chosen = Some(name).filter(|name| !name.is_empty());
                payload = payload.with(kind.field(), chosen);
            }
        }
        payload
    }
}
