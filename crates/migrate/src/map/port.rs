//! Chassis, port groups and ports.

use crate::{finding::RowProblem, row::SourceRow};
use types::{Chassis, Port, Portgroup, PortgroupId, Timestamp, port::MacAddress};

pub(crate) fn chassis(row: &mut SourceRow<'_>, now: Timestamp) -> Option<Chassis> {
    let mut chassis = Chassis::new(row.id()?);
    chassis.description = row.short_text("description", 255);
    chassis.extra = row.map("extra");
    (chassis.created_at, chassis.updated_at) = row.times(now);
    Some(chassis)
}

pub(crate) fn portgroup(row: &mut SourceRow<'_>, now: Timestamp) -> Option<Portgroup> {
    let mut group = Portgroup::new(row.id()?, row.node()?);
    group.address = row.parsed::<MacAddress>("address", "none");
    group.name = row.short_text("name", 255);
    group.mode = row.short_text("mode", 255);
    group.properties = row.map("properties");
    group.extra = row.map("extra");
    group.internal_info = row.map("internal_info");
    group.standalone_ports_supported = row.flag_or("standalone_ports_supported", true);
    group.physical_network = row.short_text("physical_network", 64);
    group.category = row.short_text("category", 80);
    group.dynamic_portgroup = row.flag("dynamic_portgroup");
    (group.created_at, group.updated_at) = row.times(now);
    Some(group)
}

pub(crate) fn port(row: &mut SourceRow<'_>, now: Timestamp) -> Option<Port> {
    let (id, node) = (row.id()?, row.node()?);
    let Some(address) = row.text("address") else {
        row.note(None, RowProblem::Lacks("MAC address"));
        return None;
    };
    let Ok(address) = address.parse::<MacAddress>() else {
        row.note(
            None,
            RowProblem::BadAddress(address.chars().take(40).collect()),
        );
        return None;
    };
    let mut port = Port::new(id, node, address);
    port.name = row.short_text("name", 255);
    port.description = row.short_text("description", 255);
    port.extra = row.map("extra");
    port.internal_info = row.map("internal_info");
    port.local_link_connection = row.map("local_link_connection");
    port.pxe_enabled = row.flag_or("pxe_enabled", true);
    port.physical_network = row.short_text("physical_network", 64);
    port.is_smartnic = row.flag("is_smartnic");
    port.vendor = row.short_text("vendor", 32);
    port.category = row.short_text("category", 80);
    // Columns that are not there yet have what Ironic gives them when they come.
    port.available_for_dynamic_portgroup =
        row.flag("available_for_dynamic_portgroup").unwrap_or(true);
    let group = row.link::<PortgroupId>("portgroup_uuid");
    let agrees = row.int("portgroup_node") == row.int("node_id");
    let is_named = row.int("portgroup_id").is_some();
    port.portgroup = group.filter(|_| agrees).map(|id| id.to_string());
    if is_named && port.portgroup.is_none() {
        row.note("portgroup_id", RowProblem::BrokenLink("a port group"));
    }
    (port.created_at, port.updated_at) = row.times(now);
    Some(port)
}
