//! The rows that a load takes, sealed and as values of columns.

use crate::{
    KeyRing, StoreError, bios,
    column::Record,
    config_drive,
    conn::{Conn, P},
    firmware, history, inspection_rule, node,
};
use serde::{Deserialize, Serialize};
use types::{
    Allocation, BiosSetting, Chassis, DeployTemplate, FirmwareComponent, InspectionRule, Inventory,
    Node, NodeId, Port, Portgroup, Runbook, Timestamp, VolumeConnector, VolumeTarget,
    event::HistoryEntry,
};

/// Something that a node has, and that does not say whose it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OfNode<T> {
    pub node: NodeId,
    pub row: T,
}

/// What an inspection found, and when.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Inventoried {
    pub found: Inventory,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// Rows of one table.
#[derive(Debug, Clone)]
pub enum Rows {
    Chassis(Vec<Chassis>),
    Nodes(Vec<Node>),
    Portgroups(Vec<Portgroup>),
    Ports(Vec<Port>),
    Connectors(Vec<VolumeConnector>),
    Targets(Vec<VolumeTarget>),
    Bios(Vec<OfNode<BiosSetting>>),
    Firmware(Vec<OfNode<FirmwareComponent>>),
    Inventories(Vec<OfNode<Inventoried>>),
    History(Vec<HistoryEntry>),
    Allocations(Vec<Allocation>),
    DeployTemplates(Vec<DeployTemplate>),
    Runbooks(Vec<Runbook>),
    InspectionRules(Vec<InspectionRule>),
}

/// The values of rows, column by column.
pub(super) struct Encoded<'a> {
    pub(super) table: &'static str,
    pub(super) columns: &'static [&'static str],
    /// Columns behind `columns`.
    more: &'static [&'static str],
    pub(super) values: Vec<Vec<P<'a>>>,
}

impl Rows {
    /// Seals secrets, and stores what does not go into the rows themselves.
    pub(super) fn seal(&mut self, conn: &mut Conn, keys: &KeyRing) -> Result<(), StoreError> {
        match self {
            Self::Nodes(nodes) => {
                for node in nodes {
                    if let Some(drive) = node.instance_info.get_mut(config_drive::KEY) {
                        let whole = drive.take();
                        *drive = config_drive::put_within(conn, keys, node.id, whole)?;
                    }
                    node::seal(keys, node)?;
                }
            }
            Self::Targets(targets) => {
                for target in targets {
                    keys.seal_map(&mut target.properties, &target.id.to_string())?;
                }
            }
            Self::DeployTemplates(templates) => {
                for template in templates {
                    let uuid = template.id.to_string();
                    for step in &mut template.steps {
                        keys.seal_map(&mut step.args, &uuid)?;
                    }
                }
            }
            Self::Runbooks(runbooks) => {
                for runbook in runbooks {
                    let uuid = runbook.id.to_string();
                    for step in &mut runbook.steps {
                        keys.seal_map(&mut step.args, &uuid)?;
                    }
                }
            }
            Self::InspectionRules(rules) => {
                for rule in rules {
                    inspection_rule::seal_rule(keys, rule)?;
                }
            }
            Self::Chassis(_)
            | Self::Portgroups(_)
            | Self::Ports(_)
            | Self::Connectors(_)
            | Self::Bios(_)
            | Self::Firmware(_)
            | Self::Inventories(_)
            | Self::History(_)
            | Self::Allocations(_) => {}
        }
        Ok(())
    }

    /// Drops what may take megabytes and can be refused nowhere.
    pub(super) fn lighten(&mut self) {
        match self {
            Self::Nodes(nodes) => nodes.iter_mut().for_each(|node| node.instance_info.clear()),
            Self::Inventories(rows) => {
                for row in rows {
                    row.row.found = Inventory::default();
                }
            }
            _ => {}
        }
    }

    pub(super) fn encode(&self) -> Encoded<'_> {
        match self {
            Self::Chassis(rows) => Encoded {
                table: "chassis",
                columns: &["uuid", "description", "extra", "created_at", "updated_at"],
                more: &[],
                values: rows.iter().map(chassis).collect(),
            },
            Self::Nodes(rows) => Encoded {
                table: "nodes",
                columns: node::written_columns(),
                more: &[],
                values: rows.iter().map(node::encode).collect(),
            },
            Self::Portgroups(rows) => records(rows),
            Self::Ports(rows) => records(rows),
            Self::Connectors(rows) => records(rows),
            Self::Targets(rows) => records(rows),
            Self::Allocations(rows) => records(rows),
            Self::DeployTemplates(rows) => records(rows),
            Self::Runbooks(rows) => records(rows),
            Self::InspectionRules(rows) => records(rows),
            Self::Bios(rows) => Encoded {
                table: "bios_settings",
                columns: bios::COLUMNS,
                more: &["node_uuid"],
                values: of_nodes(rows, bios::encode),
            },
            Self::Firmware(rows) => Encoded {
                table: "firmware_components",
                columns: firmware::COLUMNS,
                more: &["node_uuid"],
                values: of_nodes(rows, firmware::encode),
            },
            Self::Inventories(rows) => Encoded {
                table: "node_inventories",
                columns: &["inventory", "plugin_data", "created_at", "updated_at"],
                more: &["node_uuid"],
                values: of_nodes(rows, inventoried),
            },
            Self::History(rows) => Encoded {
                table: "node_history",
                columns: history::WRITTEN,
                more: &[],
                values: rows.iter().map(history::encode).collect(),
            },
        }
    }
}

impl Encoded<'_> {
    /// The statement that adds so many rows.
    pub(super) fn statement(&self, rows: usize) -> String {
        let columns: Vec<&str> = self.columns.iter().chain(self.more).copied().collect();
        let mut next = 0;
        let tuples: Vec<String> = (0..rows)
            .map(|_| {
                let places: Vec<String> = columns
                    .iter()
                    .map(|_| {
                        next += 1;
                        format!("${next}")
                    })
                    .collect();
                format!("({})", places.join(", "))
            })
            .collect();
        let (table, columns) = (self.table, columns.join(", "));
        format!(
            "INSERT INTO {table} ({columns}) VALUES {}",
            tuples.join(", ")
        )
    }

    /// How many of these rows take so many bytes together; at least one.
    pub(super) fn fitting_in(&self, which: &[usize], bytes: usize) -> usize {
        let size = |at: &usize| -> usize {
            let texts = self.values[*at].iter().map(|value| match value {
                P::Text(text) => text.len(),
                P::Null | P::Bool(_) | P::Int(_) => 8,
            });
            texts.sum()
        };
        let mut sum = 0;
        let fitting = which.iter().take_while(|at| {
            sum += size(at);
            sum <= bytes
        });
        fitting.count().max(1)
    }
}

fn records<T: Record>(rows: &[T]) -> Encoded<'_> {
    Encoded {
        table: T::TABLE,
        columns: &T::COLUMNS[..T::COLUMNS.len() - 1],
        more: &[],
        values: rows.iter().map(T::encode).collect(),
    }
}

fn of_nodes<'a, T>(rows: &'a [OfNode<T>], encode: fn(&'a T) -> Vec<P<'a>>) -> Vec<Vec<P<'a>>> {
    let encode = |of: &'a OfNode<T>| {
        let mut values = encode(&of.row);
        values.push(of.node.to_string().into());
        values
    };
    rows.iter().map(encode).collect()
}

fn chassis(chassis: &Chassis) -> Vec<P<'_>> {
    vec![
        chassis.id.to_string().into(),
        chassis.description.as_deref().into(),
        (&chassis.extra).into(),
        chassis.created_at.into(),
        chassis.updated_at.into(),
    ]
}

fn inventoried(row: &Inventoried) -> Vec<P<'_>> {
    vec![
        (&row.found.inventory).into(),
        (&row.found.plugin_data).into(),
        row.created_at.into(),
        row.updated_at.into(),
    ]
}
