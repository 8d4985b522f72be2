//! Nodes.

use crate::{finding::RowProblem, row::SourceRow};
use types::{
    AllocationId, InterfaceKind, Node, NodeId, PowerState, PowerTarget, ProvisionState, Timestamp,
    node::NodeFault, provision::StateClass,
};

/// A node with these traits. What its old conductor was doing (its lock) is not taken over.
pub(crate) fn node(
    row: &mut SourceRow<'_>,
    mut traits: Vec<String>,
    now: Timestamp,
) -> Option<Node> {
    let mut node = Node::new(row.id()?, row.short_text("driver", 255).unwrap_or_default());
    if node.driver.is_empty() {
        row.note("driver", RowProblem::Unset("no driver"));
    }
    (node.created_at, node.updated_at) = row.times(now);
    node.name = row.short_text("name", 255);
    node.driver_info = row.map("driver_info");
    node.driver_internal_info = row.map("driver_internal_info").into();
    node.properties = row.map("properties");
    node.extra = row.map("extra");
    node.instance_info = row.map("instance_info");
    node.instance_uuid = row.short_text("instance_uuid", 36);
    if node.instance_uuid.as_deref() == Some("") {
        row.note(
            "instance_uuid",
            RowProblem::WrongKind {
                wanted: "a UUID",
                instead: "unset",
            },
        );
        node.instance_uuid = None;
    }
    node.instance_name = row.short_text("instance_name", 255);
    node.conductor_group = conductor_group(row);
    node.resource_class = row.short_text("resource_class", 80);
    node.owner = row.short_text("owner", 255);
    node.lessee = row.short_text("lessee", 255);
    node.shard = row.short_text("shard", 255);
    node.parent_node = parent(row);
    node.description = row.text("description");
    states(row, &mut node);
    node.maintenance = row.flag_or("maintenance", false);
    node.maintenance_reason = row.text("maintenance_reason");
    node.fault = row.parsed::<NodeFault>("fault", "none");
    node.last_error = row.text("last_error");
    node.console_enabled = row.flag_or("console_enabled", false);
    node.automated_clean = row.flag("automated_clean");
    node.protected = row.flag("protected").unwrap_or(false);
    node.protected_reason = row.text("protected_reason");
    node.retired = row.flag("retired");
    node.retired_reason = row.text("retired_reason");
    node.disable_power_off = row.flag("disable_power_off");
    node.network_data = row.map("network_data");
    node.boot_mode = row.short_text("boot_mode", 16);
    node.secure_boot = row.flag("secure_boot");
    for &kind in InterfaceKind::ALL {
        let name = row.short_text(kind.field(), 255).unwrap_or_default();
        node.interfaces.set(kind, name);
    }
    node.clean_step = row.map("clean_step");
    node.deploy_step = row.map("deploy_step");
    node.service_step = row.map("service_step");
    node.raid_config = row.map("raid_config");
    node.target_raid_config = row.map("target_raid_config");
    node.inspection_started_at = row.time("inspection_started_at");
    node.inspection_finished_at = row.time("inspection_finished_at");
    node.health = row.short_text("health", 32);
    links(row, &mut node);
    traits.sort();
    traits.dedup();
    node.traits = traits;
    Some(node)
}

/// Puts right what is true only of the conductor that served the node before, as is done for a whole
/// database when the first conductor starts on it ([`store::imported::settle`]).
pub(crate) fn settle(node: &mut Node, now: Timestamp) {
    if node.provision_state.class() == StateClass::Waiting {
        node.provision_updated_at = Some(now);
    }
    if node.target_power_state.take().is_some() {
        node.last_error = Some(store::imported::POWER_ABORTED.to_owned());
    }
    node.driver_internal_info.forget_consoles();
}

/// Groups are compared in lower case.
fn conductor_group(row: &mut SourceRow<'_>) -> String {
    let group = row.short_text("conductor_group", 255).unwrap_or_default();
    let lower = group.to_lowercase();
    if lower != group {
        row.note("conductor_group", RowProblem::Spelled(lower.clone()));
    }
    lower
}

fn parent(row: &mut SourceRow<'_>) -> Option<String> {
    let parent = row.short_text("parent_node", 36)?;
    match row.link::<NodeId>("parent_uuid") {
        Some(id) => Some(id.to_string()),
        None => {
            row.note("parent_node", RowProblem::NoParent(parent.clone()));
            Some(parent)
        }
    }
}

fn states(row: &mut SourceRow<'_>, node: &mut Node) {
    node.power_state = row.parsed::<PowerState>("power_state", "unknown");
    node.target_power_state = row.parsed::<PowerTarget>("target_power_state", "none");
    node.provision_updated_at = row.time("provision_updated_at");
    node.target_provision_state = row.parsed::<ProvisionState>("target_provision_state", "none");
    node.provision_state = match row.text("provision_state") {
        // What Ironic wrote before it had a name for it.
        None => {
            row.note("provision_state", RowProblem::Unset("available"));
            ProvisionState::Available
        }
        Some(text) => text.parse().unwrap_or_else(|_| {
            let value = text.chars().take(60).collect();
            let instead = ProvisionState::Error.to_string();
            row.note("provision_state", RowProblem::Unknown { value, instead });
            ProvisionState::Error
        }),
    };
}

/// Chassis and allocation. An allocation names its node and the node names its allocation, and then
/// the node has an instance: a link that is not so is dropped.
fn links(row: &mut SourceRow<'_>, node: &mut Node) {
    node.chassis = row.link("chassis_uuid");
    if node.chassis.is_none() && row.int("chassis_id").is_some() {
        row.note("chassis_id", RowProblem::BrokenLink("a chassis"));
    }
    let has_allocation = row.int("allocation_id").is_some();
    let allocation = row.link::<AllocationId>("allocation_uuid");
    let agrees = row.int("allocation_node") == Some(row.key());
    let allocation = allocation.filter(|_| agrees && node.instance_uuid.is_some());
    node.allocation_uuid = allocation.map(|id| id.to_string());
    if has_allocation && node.allocation_uuid.is_none() {
        row.note("allocation_id", RowProblem::BrokenLink("an allocation"));
    }
}
