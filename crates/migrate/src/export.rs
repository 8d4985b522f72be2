//! Going back: all our rows, written into an empty database of Ironic 39.
//!
//! Numbers are given anew in our order, which is that of creation. What only Ironic's conductors know
//! (locks, who serves what) stays empty: they find out when they start. JSON is written as Python
//! writes it. What has no place there (events, webhooks) is not written.

mod group;

pub(crate) use group::group_to_ironic;

use crate::{json, layout, revision::NEWEST};
use serde_json::Value as Json;
use std::collections::HashMap;
use store::{
    StoreError,
    dump::{Dump, Numbered},
    ironic::{ColumnType, Field, IronicTarget, Scan, TargetFault, TargetRows, Value},
    load::Purpose,
};
use types::{
    Allocation, Chassis, InterfaceKind, JsonMap, Node, NodeId, Port, Portgroup, PowerState,
    ProvisionState, Timestamp, node::NodeFault, provision::StateClass,
};

/// Why nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum ExportFault {
    #[error("cannot read our own database")]
    Own(#[source] StoreError),
    #[error(transparent)]
    Target(#[from] TargetFault),
    #[error("cannot write to the target")]
    Commit(#[source] StoreError),
    #[error(
        "conductor '{host}' serves our own database, and Ironic would drive the same machines; nothing \
         was written. Stop all services of it, and wait a minute after one that was killed; or say \
         --shadow for a copy to look at"
    )]
    InUse { host: String },
    #[error(
        "something changed our own database while it was read, and Ironic would not have it; nothing \
         was written. Stop all services of it, the API as well, and write again; or say --shadow for a \
         copy to look at"
    )]
    Changed,
}

/// Who holds the lock of every node in a copy that is only to be looked at. It is the name of no
/// conductor, so that none works on the nodes, and none takes the lock for one of its own.
const NOBODY: &str = "corten-shadow";

/// What each kind of object is called by its version: those of Ironic 39.
const NODE: &str = "1.44";
const CHASSIS: &str = "1.4";
const PORT: &str = "1.16";
const PORTGROUP: &str = "1.9";
const TRAIT: &str = "1.1";
const CONNECTOR: &str = "1.1";
const TARGET: &str = "1.1";
const BIOS: &str = "1.2";
const FIRMWARE: &str = "1.2";
const HISTORY: &str = "1.3";
const INVENTORY: &str = "1.1";
const ALLOCATION: &str = "1.3";
const TEMPLATE: &str = "1.2";
const RUNBOOK: &str = "1.2";
const RUNBOOK_TRAIT: &str = "1.0";
const RULE: &str = "1.1";

/// A row in the making: columns with their values.
type Columns = Vec<(&'static str, Value)>;

/// How many rows were written, by table.
pub type Written = Vec<(&'static str, u64)>;

/// Writes everything, or nothing. Blocks; must not be called on a runtime thread.
///
/// Nobody may serve our database when Ironic is to serve the rows. A shadow is written while somebody
/// does, and each of its nodes is locked.
pub fn to_ironic(
    mut own: Dump,
    location: &store::Location,
    purpose: Purpose,
) -> Result<Written, ExportFault> {
    let before = match purpose {
        Purpose::Shadow => None,
        Purpose::Move => {
            if let Some(host) = own.served_by().map_err(ExportFault::Own)? {
                return Err(ExportFault::InUse { host });
            }
            Some(own.state().map_err(ExportFault::Own)?)
        }
    };
    let mut tables: Vec<&'static str> = layout::ALL.iter().map(|scan| scan.table).collect();
    tables.extend(["conductors", "node_tags"]);
    let target = IronicTarget::begin(location, NEWEST, &tables)?;
    let lock = (purpose == Purpose::Shadow).then_some(NOBODY);
    let mut export = Export::new(own, target, lock);
    export.run()?;
    let Export {
        mut own,
        target,
        written,
        ..
    } = export;
    if let Some(before) = before
        && own.state_now().map_err(ExportFault::Own)? != before
    {
        return Err(ExportFault::Changed);
    }
    target.commit().map_err(ExportFault::Commit)?;
    Ok(written)
}

/// The numbers that rows have in the target.
#[derive(Default)]
struct Ids {
    chassis: HashMap<String, i64>,
    nodes: HashMap<NodeId, i64>,
    portgroups: HashMap<String, i64>,
    allocations: HashMap<String, i64>,
}

struct Export {
    own: Dump,
    target: IronicTarget,
    /// Who holds the nodes in the target.
    lock: Option<&'static str>,
    now: Timestamp,
    ids: Ids,
    written: Written,
    /// Whether what belongs to nodes without a number stays here, and the target gives numbers.
    is_part: bool,
}

impl Export {
    fn new(own: Dump, target: IronicTarget, lock: Option<&'static str>) -> Self {
        Self {
            own,
            target,
            lock,
            now: Timestamp::now(),
            ids: Ids::default(),
            written: Vec::new(),
            is_part: false,
        }
    }

    fn run(&mut self) -> Result<(), ExportFault> {
        // Nodes and allocations refer to each other, so the numbers of nodes come first.
        self.number_nodes()?;
        self.each(&layout::CHASSIS, Dump::chassis, |export, number, row| {
            export.ids.chassis.insert(row.id.to_string(), number);
            vec![(row.id.to_string(), chassis(number, &row))]
        })?;
        self.each(
            &layout::ALLOCATIONS,
            Dump::allocations,
            |export, number, row| {
                let node = row
                    .node
                    .and_then(|node| export.ids.nodes.get(&node).copied());
                export.ids.allocations.insert(row.id.to_string(), number);
                vec![(row.id.to_string(), allocation(number, node, &row))]
            },
        )?;
        self.each(&layout::NODES, Dump::nodes, |export, number, row| {
            vec![(row.id.to_string(), export.node(number, row))]
        })?;
        self.belongings()?;
        self.books()
    }

    /// What belongs to nodes.
    fn belongings(&mut self) -> Result<(), ExportFault> {
        self.traits()?;
        self.portgroups()?;
        self.each(&layout::PORTS, Dump::ports, |export, number, row| {
            let node = export.ids.nodes.get(&row.node).copied();
            let group = row.portgroup.as_ref();
            let group = group.and_then(|group| export.ids.portgroups.get(group).copied());
            vec![(row.id.to_string(), port(number, node, group, &row))]
        })?;
        self.volumes()?;
        self.readings()
    }

    fn portgroups(&mut self) -> Result<(), ExportFault> {
        self.each(
            &layout::PORTGROUPS,
            Dump::portgroups,
            |export, number, row| {
                export.ids.portgroups.insert(row.id.to_string(), number);
                let node = export.ids.nodes.get(&row.node).copied();
                vec![(row.id.to_string(), portgroup(number, node, &row))]
            },
        )?;
        if self.is_part {
            self.renumber_portgroups()?;
        }
        Ok(())
    }

    fn number_nodes(&mut self) -> Result<(), ExportFault> {
        let mut after = i64::MIN;
        loop {
            let page = self.own.nodes(after).map_err(ExportFault::Own)?;
            let Some((last, _)) = page.last() else {
                return Ok(());
            };
            after = *last;
            self.ids
                .nodes
                .extend(page.iter().map(|(number, node)| (node.id, *number)));
        }
    }

    /// A table of ours, page by page. `make` gives the rows that one of ours becomes.
    fn each<T>(
        &mut self,
        scan: &Scan,
        read: fn(&mut Dump, i64) -> Result<Numbered<T>, StoreError>,
        make: impl Fn(&mut Self, i64, T) -> Vec<(String, Columns)>,
    ) -> Result<(), ExportFault> {
        let mut after = i64::MIN;
        let mut written = 0;
        loop {
            let page = read(&mut self.own, after).map_err(ExportFault::Own)?;
            let Some((last, _)) = page.last() else {
                break;
            };
            after = *last;
            let mut rows = Vec::new();
            for (number, row) in page {
                rows.extend(make(self, number, row));
            }
            if self.is_part {
                rows.retain(|(_, columns)| !columns.contains(&("node_id", Value::Null)));
                for (_, columns) in &mut rows {
                    columns.retain(|(name, _)| *name != "id");
                }
            }
            written += rows.len() as u64;
            if let Some(rows) = target_rows(scan, rows) {
                self.target.put(&rows)?;
            }
        }
        self.written.push((scan.table, written));
        Ok(())
    }

    fn node(&self, number: i64, node: Node) -> Columns {
        let (since, inspecting_since) = counted_from(&node, self.now);
        let chassis = node.chassis.map(|id| id.to_string());
        let chassis = chassis.and_then(|id| self.ids.chassis.get(&id).copied());
        let allocation = node.allocation_uuid.as_ref();
        let allocation = allocation.and_then(|id| self.ids.allocations.get(id).copied());
        let mut columns = vec![
            ("id", number.into()),
            ("uuid", node.id.to_string().into()),
            ("name", node.name.into()),
            ("reservation", self.lock.into()),
            ("instance_uuid", node.instance_uuid.into()),
            ("instance_name", node.instance_name.into()),
            ("chassis_id", chassis.into()),
            ("allocation_id", allocation.into()),
            (
                "power_state",
                node.power_state.map(PowerState::as_str).into(),
            ),
            ("provision_state", node.provision_state.as_str().into()),
            (
                "target_provision_state",
                node.target_provision_state
                    .map(ProvisionState::as_str)
                    .into(),
            ),
            ("provision_updated_at", since.into()),
            ("last_error", node.last_error.into()),
            ("instance_info", map(&node.instance_info)),
            ("properties", map(&node.properties)),
            ("driver", Some(node.driver).filter(|d| !d.is_empty()).into()),
            ("driver_info", map(&node.driver_info)),
            (
                "driver_internal_info",
                map(&node.driver_internal_info.for_ironic()),
            ),
            ("clean_step", map(&node.clean_step)),
            ("deploy_step", map(&node.deploy_step)),
            ("service_step", map(&node.service_step)),
            ("resource_class", node.resource_class.into()),
            ("raid_config", map(&node.raid_config)),
            ("target_raid_config", map(&node.target_raid_config)),
            ("conductor_group", node.conductor_group.into()),
            ("maintenance", node.maintenance.into()),
            ("maintenance_reason", node.maintenance_reason.into()),
            ("fault", node.fault.map(NodeFault::as_str).into()),
            ("console_enabled", node.console_enabled.into()),
            ("inspection_finished_at", node.inspection_finished_at.into()),
            ("inspection_started_at", inspecting_since.into()),
            ("extra", map(&node.extra)),
            ("automated_clean", node.automated_clean.into()),
            ("protected", node.protected.into()),
            ("protected_reason", node.protected_reason.into()),
            ("owner", node.owner.into()),
            ("lessee", node.lessee.into()),
            ("description", node.description.into()),
            ("retired", node.retired.into()),
            ("retired_reason", node.retired_reason.into()),
            ("network_data", map(&node.network_data)),
            ("boot_mode", node.boot_mode.into()),
            ("secure_boot", node.secure_boot.into()),
            ("shard", node.shard.into()),
            ("parent_node", node.parent_node.into()),
            ("disable_power_off", node.disable_power_off.into()),
            ("health", node.health.into()),
        ];
        for &kind in InterfaceKind::ALL {
            let name = Some(node.interfaces.get(kind)).filter(|name| !name.is_empty());
            columns.push((kind.field(), name.into()));
        }
        stamped(columns, NODE, node.created_at, node.updated_at)
    }

    fn traits(&mut self) -> Result<(), ExportFault> {
        self.each(&layout::NODE_TRAITS, Dump::nodes, |export, _, node| {
            let now = export.now;
            let number = export.ids.nodes.get(&node.id).copied();
            let row = |name: String| {
                let label = format!("{} {name}", node.id);
                let columns = vec![("node_id", number.into()), ("trait", name.into())];
                (label, stamped(columns, TRAIT, now, None))
            };
            node.traits.into_iter().map(row).collect()
        })
    }

    fn volumes(&mut self) -> Result<(), ExportFault> {
        self.each(
            &layout::CONNECTORS,
            Dump::connectors,
            |export, number, row| {
                let node = export.ids.nodes.get(&row.node).copied();
                let columns = vec![
                    ("id", number.into()),
                    ("uuid", row.id.to_string().into()),
                    ("node_id", node.into()),
                    ("type", row.kind.into()),
                    ("connector_id", row.connector_id.into()),
                    ("extra", map(&row.extra)),
                ];
                let columns = stamped(columns, CONNECTOR, row.created_at, row.updated_at);
                vec![(row.id.to_string(), columns)]
            },
        )?;
        self.each(&layout::TARGETS, Dump::targets, |export, number, row| {
            let node = export.ids.nodes.get(&row.node).copied();
            let columns = vec![
                ("id", number.into()),
                ("uuid", row.id.to_string().into()),
                ("node_id", node.into()),
                ("volume_type", row.volume_type.into()),
                ("properties", map(&row.properties)),
                ("boot_index", row.boot_index.into()),
                ("volume_id", row.volume_id.into()),
                ("extra", map(&row.extra)),
            ];
            let columns = stamped(columns, TARGET, row.created_at, row.updated_at);
            vec![(row.id.to_string(), columns)]
        })
    }

    fn readings(&mut self) -> Result<(), ExportFault> {
        self.each(&layout::BIOS, Dump::bios, |export, _, of| {
            let (node, row) = (export.ids.nodes.get(&of.node).copied(), of.row);
            let values = row.allowable_values.unwrap_or_default();
            let values: Vec<Json> = values.into_iter().map(Json::from).collect();
            let label = format!("{} {}", of.node, row.name);
            let columns = vec![
                ("node_id", node.into()),
                ("name", row.name.into()),
                ("value", row.value.into()),
                ("attribute_type", row.attribute_type.into()),
                ("allowable_values", json::write(&Json::Array(values)).into()),
                ("lower_bound", row.lower_bound.into()),
                ("upper_bound", row.upper_bound.into()),
                ("min_length", row.min_length.into()),
                ("max_length", row.max_length.into()),
                ("read_only", row.read_only.into()),
                ("reset_required", row.reset_required.into()),
                ("unique", row.unique.into()),
            ];
            vec![(
                label,
                stamped(columns, BIOS, row.created_at, row.updated_at),
            )]
        })?;
        self.each(
            &layout::FIRMWARE_INFORMATION,
            Dump::firmware,
            |export, number, of| {
                let (node, row) = (export.ids.nodes.get(&of.node).copied(), of.row);
                let label = format!("{} {}", of.node, row.component);
                let columns = vec![
                    ("id", number.into()),
                    ("node_id", node.into()),
                    ("component", row.component.into()),
                    (
                        "initial_version",
                        row.initial_version.unwrap_or_default().into(),
                    ),
                    ("current_version", row.current_version.into()),
                    ("last_version_flashed", row.last_version_flashed.into()),
                    ("vendor", row.vendor.into()),
                    ("model", row.model.into()),
                    ("serial_number", row.serial_number.into()),
                ];
                vec![(
                    label,
                    stamped(columns, FIRMWARE, row.created_at, row.updated_at),
                )]
            },
        )?;
        self.each(
            &layout::INVENTORIES,
            Dump::inventories,
            |export, number, of| {
                let (node, row) = (export.ids.nodes.get(&of.node).copied(), of.row);
                let columns = vec![
                    ("id", number.into()),
                    ("node_id", node.into()),
                    ("inventory_data", map(&row.found.inventory)),
                    ("plugin_data", map(&row.found.plugin_data)),
                ];
                let columns = stamped(columns, INVENTORY, row.created_at, row.updated_at);
                vec![(of.node.to_string(), columns)]
            },
        )?;
        self.each(&layout::HISTORY, Dump::history, |export, number, row| {
            let severity = row
                .is_error
                .map(|is_error| if is_error { "ERROR" } else { "INFO" });
            let node = export.ids.nodes.get(&row.node).copied();
            let columns = vec![
                ("id", number.into()),
                ("uuid", row.id.to_string().into()),
                ("node_id", node.into()),
                ("conductor", row.conductor.into()),
                ("event_type", row.event_type.into()),
                ("severity", severity.into()),
                ("event", row.event.into()),
                ("user", cut(row.user, 64).into()),
                ("project", cut(row.project, 80).into()),
                ("state", row.state.map(ProvisionState::as_str).into()),
                (
                    "target_provision_state",
                    row.target_provision_state
                        .map(ProvisionState::as_str)
                        .into(),
                ),
                ("duration_seconds", row.duration_seconds.into()),
            ];
            vec![(
                row.id.to_string(),
                stamped(columns, HISTORY, row.created_at, None),
            )]
        })
    }

    fn books(&mut self) -> Result<(), ExportFault> {
        self.each(
            &layout::TEMPLATES,
            Dump::deploy_templates,
            |_, number, row| {
                let columns = vec![
                    ("id", number.into()),
                    ("uuid", row.id.to_string().into()),
                    ("name", row.name.into()),
                    ("extra", map(&row.extra)),
                ];
                let columns = stamped(columns, TEMPLATE, row.created_at, row.updated_at);
                vec![(row.id.to_string(), columns)]
            },
        )?;
        self.each(
            &layout::TEMPLATE_STEPS,
            Dump::deploy_templates,
            |_, number, row| {
                let step = |step: types::deploy_template::TemplateStep| {
                    let columns = vec![
                        ("deploy_template_id", number.into()),
                        ("interface", step.interface.as_str().into()),
                        ("step", step.step.into()),
                        ("args", map(&step.args)),
                        ("priority", step.priority.value().into()),
                        ("created_at", row.created_at.into()),
                    ];
                    (row.id.to_string(), columns)
                };
                row.steps.into_iter().map(step).collect()
            },
        )?;
        self.each(&layout::RUNBOOK, Dump::runbooks, |_, number, row| {
            let columns = vec![
                ("id", number.into()),
                ("uuid", row.id.to_string().into()),
                ("name", row.name.into()),
                ("description", row.description.into()),
                ("public", row.public.into()),
                ("owner", row.owner.into()),
                ("disable_ramdisk", row.disable_ramdisk.into()),
                ("extra", map(&row.extra)),
            ];
            let columns = stamped(columns, RUNBOOK, row.created_at, row.updated_at);
            vec![(row.id.to_string(), columns)]
        })?;
        self.each(&layout::RUNBOOK_STEPS, Dump::runbooks, |_, number, row| {
            let step = |step: types::runbook::RunbookStep| {
                let columns = vec![
                    ("runbook_id", number.into()),
                    ("interface", step.interface.as_str().into()),
                    ("step", step.step.into()),
                    ("args", map(&step.args)),
                    ("order", step.order.value().into()),
                    ("created_at", row.created_at.into()),
                ];
                (row.id.to_string(), columns)
            };
            row.steps.into_iter().map(step).collect()
        })?;
        self.each(
            &layout::TRAITS_OF_RUNBOOKS,
            Dump::runbooks,
            |export, number, row| {
                let now = export.now;
                let name = |name: String| {
                    let columns = vec![("runbook_id", number.into()), ("trait", name.into())];
                    (
                        row.id.to_string(),
                        stamped(columns, RUNBOOK_TRAIT, now, None),
                    )
                };
                row.traits.into_iter().map(name).collect()
            },
        )?;
        self.each(&layout::RULES, Dump::inspection_rules, |_, number, row| {
            let columns = vec![
                ("id", number.into()),
                ("uuid", row.id.to_string().into()),
                ("priority", row.priority.into()),
                ("description", row.description.into()),
                ("scope", row.scope.into()),
                ("sensitive", row.sensitive.into()),
                ("phase", row.phase.into()),
                (
                    "conditions",
                    json::write(&Json::Array(row.conditions)).into(),
                ),
                ("actions", json::write(&Json::Array(row.actions)).into()),
            ];
            let columns = stamped(columns, RULE, row.created_at, row.updated_at);
            vec![(row.id.to_string(), columns)]
        })
    }
}

/// From when Ironic counts the time-outs of a node, and that of its inspection. The time until it
/// starts is not the fault of an agent that is waited for.
fn counted_from(node: &Node, now: Timestamp) -> (Option<Timestamp>, Option<Timestamp>) {
    let (mut since, mut inspecting_since) = (node.provision_updated_at, node.inspection_started_at);
    if node.provision_state.class() == StateClass::Waiting {
        since = Some(now);
    }
    if node.provision_state == ProvisionState::InspectWait {
        inspecting_since = Some(now);
    }
    (since, inspecting_since)
}

fn chassis(number: i64, row: &Chassis) -> Columns {
    let columns = vec![
        ("id", number.into()),
        ("uuid", row.id.to_string().into()),
        ("description", row.description.as_deref().into()),
        ("extra", map(&row.extra)),
    ];
    stamped(columns, CHASSIS, row.created_at, row.updated_at)
}

fn allocation(number: i64, node: Option<i64>, row: &Allocation) -> Columns {
    let texts = |texts: &mut dyn Iterator<Item = String>| {
        Value::from(json::write(&Json::Array(texts.map(Json::from).collect())))
    };
    let columns = vec![
        ("id", number.into()),
        ("uuid", row.id.as_str().into()),
        ("name", row.name.as_deref().into()),
        ("node_id", node.into()),
        ("state", row.state.as_str().into()),
        ("owner", row.owner.as_deref().into()),
        ("last_error", row.last_error.as_deref().into()),
        ("resource_class", row.resource_class.as_deref().into()),
        ("traits", texts(&mut row.traits.iter().cloned())),
        (
            "candidate_nodes",
            texts(&mut row.candidate_nodes.iter().map(ToString::to_string)),
        ),
        ("extra", map(&row.extra)),
    ];
    stamped(columns, ALLOCATION, row.created_at, row.updated_at)
}

fn portgroup(number: i64, node: Option<i64>, row: &Portgroup) -> Columns {
    let columns = vec![
        ("id", number.into()),
        ("uuid", row.id.to_string().into()),
        ("name", row.name.as_deref().into()),
        ("node_id", node.into()),
        ("address", row.address.map(String::from).into()),
        ("extra", map(&row.extra)),
        ("internal_info", map(&row.internal_info)),
        (
            "standalone_ports_supported",
            row.standalone_ports_supported.into(),
        ),
        ("mode", row.mode.as_deref().into()),
        ("properties", map(&row.properties)),
        ("physical_network", row.physical_network.as_deref().into()),
        ("category", row.category.as_deref().into()),
        ("dynamic_portgroup", row.dynamic_portgroup.into()),
    ];
    stamped(columns, PORTGROUP, row.created_at, row.updated_at)
}

fn port(number: i64, node: Option<i64>, group: Option<i64>, row: &Port) -> Columns {
    let columns = vec![
        ("id", number.into()),
        ("uuid", row.id.to_string().into()),
        ("address", row.address.to_string().into()),
        ("node_id", node.into()),
        ("extra", map(&row.extra)),
        ("local_link_connection", map(&row.local_link_connection)),
        ("portgroup_id", group.into()),
        ("pxe_enabled", row.pxe_enabled.into()),
        ("internal_info", map(&row.internal_info)),
        ("physical_network", row.physical_network.as_deref().into()),
        ("is_smartnic", row.is_smartnic.into()),
        ("name", row.name.as_deref().into()),
        ("description", row.description.as_deref().into()),
        ("vendor", row.vendor.as_deref().into()),
        ("category", row.category.as_deref().into()),
        (
            "available_for_dynamic_portgroup",
            row.available_for_dynamic_portgroup.into(),
        ),
    ];
    stamped(columns, PORT, row.created_at, row.updated_at)
}

fn stamped(
    mut columns: Columns,
    version: &str,
    created_at: Timestamp,
    updated_at: Option<Timestamp>,
) -> Columns {
    columns.push(("version", version.into()));
    columns.push(("created_at", created_at.into()));
    columns.push(("updated_at", updated_at.into()));
    columns
}

fn map(map: &JsonMap) -> Value {
    json::write(&Json::Object(map.clone())).into()
}

fn cut(text: Option<String>, most: usize) -> Option<String> {
    text.map(|text| text.chars().take(most).collect())
}

/// Rows that all have the same columns, for the target; `None` without rows.
fn target_rows(scan: &Scan, rows: Vec<(String, Columns)>) -> Option<TargetRows> {
    let (_, first) = rows.first()?;
    let fields = first.iter().map(|(name, _)| Field {
        name,
        kind: kind(scan, name),
        since: 0,
    });
    let fields = fields.collect();
    let rows = rows.into_iter().map(|(label, columns)| {
        let values = columns.into_iter().map(|(_, value)| value).collect();
        (label, values)
    });
    Some(TargetRows {
        table: scan.table,
        fields,
        rows: rows.collect(),
    })
}

/// What a column holds: as the layout says, and for what it leaves out, by its name.
fn kind(scan: &Scan, name: &str) -> ColumnType {
    let known = scan.fields.iter().find(|field| field.name == name);
    match known {
        Some(field) => field.kind,
        None if name == "version" => ColumnType::Text,
        None if name.ends_with("_at") => ColumnType::Time,
        None => ColumnType::Int,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_that_are_not_read_have_a_kind_all_the_same() {
        for (name, expected) in [
            ("id", ColumnType::Int),
            ("node_id", ColumnType::Int),
            ("version", ColumnType::Text),
            ("updated_at", ColumnType::Time),
            ("is_smartnic", ColumnType::Bool),
        ] {
            assert_eq!(kind(&layout::PORTS, name), expected, "{name}");
        }
        assert_eq!(kind(&layout::RUNBOOK_STEPS, "created_at"), ColumnType::Time);
    }

    #[test]
    fn time_outs_of_nodes_that_wait_begin_anew() {
        use ProvisionState as S;
        let (old, now) = (Some(Timestamp(1)), Timestamp(2));
        let mut node = Node::new(NodeId::generate(), "ipmi");
        (node.provision_updated_at, node.inspection_started_at) = (old, old);
        for (state, expected) in [
            (S::InspectWait, (Some(now), Some(now))),
            (S::DeployWait, (Some(now), old)),
            (S::Inspecting, (old, old)),
            (S::Active, (old, old)),
        ] {
            node.provision_state = state;
            assert_eq!(counted_from(&node, now), expected, "{state}");
        }
    }
}
