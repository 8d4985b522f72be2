//! A node: everything the service knows about one machine.

use crate::{
    ChassisId, InternalInfo, JsonMap, NodeId, PowerState, PowerTarget, ProvisionState, Timestamp,
    Work,
    interface::Interfaces,
    provision::{InvalidTransition, StateClass, Verb},
    words,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

crate::wire_enum! {
    /// Why the service put a node into maintenance by itself.
    pub enum NodeFault {
        Power = "power failure",
        Clean = "clean failure",
        RescueAbort = "rescue abort failure",
        Service = "service failure",
    }
}

/// A node row.
///
/// Values under secret keys (see [`crate::mask`]) in `driver_info`, `instance_info` and
/// `driver_internal_info` are sealed while the node is at rest or in memory; whoever needs one
/// opens it through the store's key ring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Order of creation; the paging key, and the "internal id" of some messages.
    pub row: i64,
    pub id: NodeId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
    pub name: Option<String>,
    pub driver: String,
    pub driver_info: JsonMap,
    pub driver_internal_info: InternalInfo,
    pub properties: JsonMap,
    pub extra: JsonMap,
    pub instance_info: JsonMap,
    pub instance_uuid: Option<String>,
    pub instance_name: Option<String>,
    pub chassis: Option<ChassisId>,
    pub conductor_group: String,
    pub resource_class: Option<String>,
    pub owner: Option<String>,
    pub lessee: Option<String>,
    pub shard: Option<String>,
    pub parent_node: Option<String>,
    pub description: Option<String>,
    pub power_state: Option<PowerState>,
    pub target_power_state: Option<PowerTarget>,
    pub provision_state: ProvisionState,
    pub target_provision_state: Option<ProvisionState>,
    pub provision_updated_at: Option<Timestamp>,
    pub maintenance: bool,
    pub maintenance_reason: Option<String>,
    pub fault: Option<NodeFault>,
    pub last_error: Option<String>,
    /// Host name of the conductor that holds the lease.
    pub reservation: Option<String>,
    /// Epoch of that conductor when it took the lease.
    pub lease_epoch: i64,
    /// Counts the grants of the lease; every write under a lease names its grant.
    pub lease_generation: i64,
    /// What the holder of the lease is doing, or would have to take up again.
    pub work: Option<Work>,
    pub console_enabled: bool,
    pub automated_clean: Option<bool>,
    pub protected: bool,
    pub protected_reason: Option<String>,
    /// Not set in rows that Ironic wrote before it had the field.
    pub retired: Option<bool>,
    pub retired_reason: Option<String>,
    pub disable_power_off: Option<bool>,
    pub network_data: JsonMap,
    pub boot_mode: Option<String>,
    pub secure_boot: Option<bool>,
    pub interfaces: Interfaces,
    pub clean_step: JsonMap,
    pub deploy_step: JsonMap,
    pub service_step: JsonMap,
    pub raid_config: JsonMap,
    pub target_raid_config: JsonMap,
    pub inspection_started_at: Option<Timestamp>,
    pub inspection_finished_at: Option<Timestamp>,
    /// Sorted, without doubles.
    pub traits: Vec<String>,
    pub allocation_uuid: Option<String>,
    pub health: Option<String>,
    /// Host name of the conductor that serves what the node's machine needs: boot files, consoles.
    pub conductor_affinity: Option<String>,
}

impl Node {
    /// A node with the defaults of a new one.
    pub fn new(id: NodeId, driver: impl Into<String>) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            created_at: Timestamp::now(),
            updated_at: None,
            name: None,
            driver: driver.into(),
            driver_info: JsonMap::new(),
            driver_internal_info: InternalInfo::default(),
            properties: JsonMap::new(),
            extra: JsonMap::new(),
            instance_info: JsonMap::new(),
            instance_uuid: None,
            instance_name: None,
            chassis: None,
            conductor_group: String::new(),
            resource_class: None,
            owner: None,
            lessee: None,
            shard: None,
            parent_node: None,
            description: None,
            power_state: None,
            target_power_state: None,
            provision_state: ProvisionState::Enroll,
            target_provision_state: None,
            provision_updated_at: None,
            maintenance: false,
            maintenance_reason: None,
            fault: None,
            last_error: None,
            reservation: None,
            lease_epoch: 0,
            lease_generation: 0,
            work: None,
            console_enabled: false,
            automated_clean: None,
            protected: false,
            protected_reason: None,
            retired: Some(false),
            retired_reason: None,
            disable_power_off: Some(false),
            network_data: JsonMap::new(),
            boot_mode: None,
            secure_boot: None,
            interfaces: Interfaces::default(),
            clean_step: JsonMap::new(),
            deploy_step: JsonMap::new(),
            service_step: JsonMap::new(),
            raid_config: JsonMap::new(),
            target_raid_config: JsonMap::new(),
            inspection_started_at: None,
            inspection_finished_at: None,
            traits: Vec::new(),
            allocation_uuid: None,
            health: None,
            conductor_affinity: None,
        }
    }

    /// Moves the node along the transition table and stamps what a move stamps.
    pub fn process(&mut self, event: Verb, now: Timestamp) -> Result<(), InvalidTransition> {
        let before = self.provision_state;
        let next = before.on(event, self.target_provision_state)?;
        self.target_provision_state = next.target;
        if next.state == before {
            return Ok(());
        }
        self.provision_state = next.state;
        self.provision_updated_at = Some(now);
        let was_inspecting = matches!(
            before,
            ProvisionState::Inspecting | ProvisionState::InspectWait
        );
        match next.state {
            ProvisionState::Inspecting => {
                self.inspection_started_at = Some(now);
                self.inspection_finished_at = None;
            }
            ProvisionState::Manageable if was_inspecting => {
                self.inspection_finished_at = Some(now);
                self.inspection_started_at = None;
            }
            ProvisionState::InspectFailed if was_inspecting => self.inspection_started_at = None,
            _ => {}
        }
        Ok(())
    }

    /// Whether cleaning was asked for by hand and ends in `manageable`.
    pub fn is_manual_clean(&self) -> bool {
        self.provision_state.is_cleaning()
            && self.target_provision_state == Some(ProvisionState::Manageable)
    }

    /// Whether a conductor must be at work on the node in its present state.
    pub fn needs_worker(&self) -> bool {
        self.provision_state.class() == StateClass::Transient
    }

    /// Leaves maintenance and forgets why the node was in it.
    pub fn clear_maintenance(&mut self) {
        self.maintenance = false;
        self.maintenance_reason = None;
        self.fault = None;
    }

    /// Whether it is to leave service, and must not become available again.
    pub fn is_retired(&self) -> bool {
        self.retired == Some(true)
    }

    /// Whether nobody may power it off.
    pub fn stays_on(&self) -> bool {
        self.disable_power_off == Some(true)
    }

    /// Whether agents of this node stay up between operations; `configured` is what
    /// `[deploy]fast_track` says for nodes that say nothing. A value that is neither true nor false
    /// counts as false.
    pub fn fast_track(&self, configured: bool) -> bool {
        match self.driver_info.get("fast_track") {
            None | Some(Value::Null) => configured,
            Some(given) => words::boolean_value(given) == Some(true),
        }
    }

    /// How people call this node in logs and events: its name, or its UUID.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }
}
