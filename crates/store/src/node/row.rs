//! A row of the nodes table: its columns, and how they become a node and back.

use crate::{
    StoreError,
    conn::{P, Reader, Row},
};
use types::{
    InterfaceKind, Node, PowerState, PowerTarget, ProvisionState, interface::Interfaces,
    node::NodeFault,
};

/// Every column but the row number, in the order in which rows are read and written.
pub(super) const COLUMNS: &[&str] = &[
    "uuid",
    "version",
    "created_at",
    "updated_at",
    "name",
    "driver",
    "driver_info",
    "driver_internal_info",
    "properties",
    "extra",
    "instance_info",
    "instance_uuid",
    "instance_name",
    "chassis_uuid",
    "conductor_group",
    "resource_class",
    "owner",
    "lessee",
    "shard",
    "parent_node",
    "description",
    "power_state",
    "target_power_state",
    "provision_state",
    "target_provision_state",
    "provision_updated_at",
    "maintenance",
    "maintenance_reason",
    "fault",
    "last_error",
    "reservation",
    "lease_epoch",
    "lease_generation",
    "work",
    "console_enabled",
    "automated_clean",
    "protected",
    "protected_reason",
    "retired",
    "retired_unset",
    "retired_reason",
    "disable_power_off",
    "network_data",
    "boot_mode",
    "secure_boot",
    "bios_interface",
    "boot_interface",
    "console_interface",
    "deploy_interface",
    "firmware_interface",
    "inspect_interface",
    "management_interface",
    "network_interface",
    "power_interface",
    "raid_interface",
    "rescue_interface",
    "storage_interface",
    "vendor_interface",
    "clean_step",
    "deploy_step",
    "service_step",
    "raid_config",
    "target_raid_config",
    "inspection_started_at",
    "inspection_finished_at",
    "traits",
    "allocation_uuid",
    "health",
    "conductor_affinity",
    "id",
];

/// Internal columns of the conductors, and references to other tables; lists are not sorted by
/// them.
pub(super) const INTERNAL: &[&str] = &[
    "lease_epoch",
    "lease_generation",
    "work",
    "retired_unset",
    "chassis_uuid",
    "allocation_uuid",
    "conductor_affinity",
];

/// Columns with an index.
pub(super) const INDEXED: &[&str] = &[
    "uuid",
    "name",
    "instance_uuid",
    "chassis_uuid",
    "resource_class",
    "owner",
    "lessee",
    "parent_node",
    "provision_state",
    "provision_updated_at",
    "fault",
    "console_enabled",
    "reservation",
    "conductor_affinity",
];

/// The columns of the default list.
pub(super) const SUMMARY: &[&str] = &[
    "uuid",
    "name",
    "instance_uuid",
    "maintenance",
    "power_state",
    "provision_state",
    "id",
    "driver",
    "conductor_group",
];

/// `COLUMNS` without the row number.
pub(super) const WRITTEN: usize = COLUMNS.len() - 1;

pub(crate) fn encode(node: &Node) -> Vec<P<'_>> {
    let mut p: Vec<P<'_>> = Vec::with_capacity(WRITTEN + 2);
    p.push(node.id.to_string().into());
    p.push(node.version.into());
    p.push(node.created_at.into());
    p.push(node.updated_at.into());
    p.push(node.name.as_deref().into());
    p.push((&node.driver).into());
    p.push((&node.driver_info).into());
    p.push(node.driver_internal_info.raw_json().into());
    p.push((&node.properties).into());
    p.push((&node.extra).into());
    p.push((&node.instance_info).into());
    p.push(node.instance_uuid.as_deref().into());
    p.push(node.instance_name.as_deref().into());
    p.push(node.chassis.map(|id| id.to_string()).into());
    p.push((&node.conductor_group).into());
    p.push(node.resource_class.as_deref().into());
    p.push(node.owner.as_deref().into());
    p.push(node.lessee.as_deref().into());
    p.push(node.shard.as_deref().into());
    p.push(node.parent_node.as_deref().into());
    p.push(node.description.as_deref().into());
    p.push(node.power_state.map(PowerState::as_str).into());
    p.push(node.target_power_state.map(PowerTarget::as_str).into());
    p.push(node.provision_state.as_str().into());
    p.push(
        node.target_provision_state
            .map(ProvisionState::as_str)
            .into(),
    );
    p.push(node.provision_updated_at.into());
    p.push(node.maintenance.into());
    p.push(node.maintenance_reason.as_deref().into());
    p.push(node.fault.map(NodeFault::as_str).into());
    p.push(node.last_error.as_deref().into());
    p.push(node.reservation.as_deref().into());
    p.push(node.lease_epoch.into());
    p.push(node.lease_generation.into());
    // Work is made of plain values and always serialises.
    p.push(
        node.work
            .as_ref()
            .map(|w| serde_json::to_string(w).unwrap_or_default())
            .into(),
    );
    p.push(node.console_enabled.into());
    p.push(node.automated_clean.into());
    p.push(node.protected.into());
    p.push(node.protected_reason.as_deref().into());
    p.push(node.is_retired().into());
    p.push(node.retired.is_none().into());
    p.push(node.retired_reason.as_deref().into());
    p.push(node.disable_power_off.into());
    p.push((&node.network_data).into());
    p.push(node.boot_mode.as_deref().into());
    p.push(node.secure_boot.into());
    for (_, name) in node.interfaces.iter() {
        p.push(name.into());
    }
    p.push((&node.clean_step).into());
    p.push((&node.deploy_step).into());
    p.push((&node.service_step).into());
    p.push((&node.raid_config).into());
    p.push((&node.target_raid_config).into());
    p.push(node.inspection_started_at.into());
    p.push(node.inspection_finished_at.into());
    p.push(
        serde_json::to_string(&node.traits)
            .unwrap_or_default()
            .into(),
    );
    p.push(node.allocation_uuid.as_deref().into());
    p.push(node.health.as_deref().into());
    p.push(node.conductor_affinity.as_deref().into());
    p
}

pub(crate) fn decode(row: &Row<'_>) -> Result<Node, StoreError> {
    let r = &mut Reader::new(row, "nodes", COLUMNS);
    // Fields are evaluated in the order written here, which is that of COLUMNS.
    let mut node = Node {
        id: r.parsed()?,
        version: r.int()?,
        created_at: r.time()?,
        updated_at: r.opt_time()?,
        name: r.opt_text()?,
        driver: r.text()?,
        driver_info: r.map()?,
        driver_internal_info: r.map()?.into(),
        properties: r.map()?,
        extra: r.map()?,
        instance_info: r.map()?,
        instance_uuid: r.opt_text()?,
        instance_name: r.opt_text()?,
        chassis: r.opt_parsed()?,
        conductor_group: r.text()?,
        resource_class: r.opt_text()?,
        owner: r.opt_text()?,
        lessee: r.opt_text()?,
        shard: r.opt_text()?,
        parent_node: r.opt_text()?,
        description: r.opt_text()?,
        power_state: r.opt_parsed()?,
        target_power_state: r.opt_parsed()?,
        provision_state: r.parsed()?,
        target_provision_state: r.opt_parsed()?,
        provision_updated_at: r.opt_time()?,
        maintenance: r.boolean()?,
        maintenance_reason: r.opt_text()?,
        fault: r.opt_parsed()?,
        last_error: r.opt_text()?,
        reservation: r.opt_text()?,
        lease_epoch: r.int()?,
        lease_generation: r.int()?,
        work: r.json()?,
        console_enabled: r.boolean()?,
        automated_clean: r.opt_bool()?,
        protected: r.boolean()?,
        protected_reason: r.opt_text()?,
        retired: r.unset_or_boolean()?,
        retired_reason: r.opt_text()?,
        disable_power_off: r.opt_bool()?,
        network_data: r.map()?,
        boot_mode: r.opt_text()?,
        secure_boot: r.opt_bool()?,
        interfaces: {
            let mut interfaces = Interfaces::default();
            for &kind in InterfaceKind::ALL {
                interfaces.set(kind, r.text()?);
            }
            interfaces
        },
        clean_step: r.map()?,
        deploy_step: r.map()?,
        service_step: r.map()?,
        raid_config: r.map()?,
        target_raid_config: r.map()?,
        inspection_started_at: r.opt_time()?,
        inspection_finished_at: r.opt_time()?,
        traits: r.json()?,
        allocation_uuid: r.opt_text()?,
        health: r.opt_text()?,
        conductor_affinity: r.opt_text()?,
        row: 0,
    };
    node.row = r.int()?;
    Ok(node)
}

pub(super) fn decode_summary(row: &Row<'_>) -> Result<Node, StoreError> {
    let r = &mut Reader::new(row, "nodes", SUMMARY);
    let mut node = Node::new(r.parsed()?, String::new());
    node.name = r.opt_text()?;
    node.instance_uuid = r.opt_text()?;
    node.maintenance = r.boolean()?;
    node.power_state = r.opt_parsed()?;
    node.provision_state = r.parsed()?;
    node.row = r.int()?;
    node.driver = r.text()?;
    node.conductor_group = r.text()?;
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use types::NodeId;

    #[test]
    fn every_index_is_known() {
        let mut indexed = std::collections::BTreeSet::new();
        for text in crate::migrate::MIGRATIONS {
            for line in text.lines().filter(|line| line.contains(" ON nodes (")) {
                let columns = line.split_once('(').unwrap().1.trim_end_matches(");");
                indexed.extend(columns.split(", ").filter(|column| *column != "id"));
            }
        }
        assert_eq!(indexed, INDEXED.iter().copied().collect());
    }

    #[test]
    fn a_row_has_as_many_values_as_columns() {
        let node = Node::new(NodeId::generate(), "fake-hardware");
        assert_eq!(encode(&node).len(), WRITTEN);
        // Interfaces are written in the order of their enum, so the columns must be too.
        let first = COLUMNS.iter().position(|c| *c == "bios_interface").unwrap();
        for (i, kind) in InterfaceKind::ALL.iter().enumerate() {
            assert_eq!(COLUMNS[first + i], kind.field());
        }
    }
}
