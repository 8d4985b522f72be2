//! A conductor group goes back: its rows as they are here, written over those that Ironic has kept.
//!
//! Nodes keep the numbers that they have in Ironic, which order its lists; whatever else is written gets
//! the next ones, because Ironic draws numbers meanwhile.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use store::{group_move::GroupName, ironic::RETURNED};

/// What the nodes of a group refer to.
#[derive(Default)]
struct Members {
    /// Those that Ironic does not know.
    new: BTreeSet<NodeId>,
    known: BTreeSet<NodeId>,
    chassis: BTreeSet<String>,
    /// Whose each allocation is.
    allocations: BTreeMap<String, NodeId>,
}

/// Writes the group, or nothing. Each node is locked in Ironic's database until somebody gives it free.
/// Blocks; must not be called on a runtime thread.
pub(crate) fn group_to_ironic(
    own: Dump,
    location: &store::Location,
    group: &GroupName,
) -> Result<Written, ExportFault> {
    let (target, numbers) = IronicTarget::begin_group(location, NEWEST, group)?;
    let mut export = Export::new(own, target, Some(RETURNED));
    export.group(group, &numbers)?;
    let Export {
        target, written, ..
    } = export;
    target.commit().map_err(ExportFault::Commit)?;
    Ok(written)
}

impl Export {
    fn group(
        &mut self,
        group: &GroupName,
        numbers: &HashMap<String, i64>,
    ) -> Result<(), ExportFault> {
        let mut members = self.members(group, numbers)?;
        self.group_chassis(&members)?;
        self.group_allocations(&mut members)?;
        // Rows that are written together have the same columns.
        self.each(&layout::NODES, Dump::nodes, |export, _, row| {
            match export.ids.nodes.get(&row.id).copied() {
                Some(number) => vec![(row.id.to_string(), export.node(number, row))],
                None => Vec::new(),
            }
        })?;
        self.each(&layout::NODES, Dump::nodes, |export, _, row| {
            if !members.new.contains(&row.id) {
                return Vec::new();
            }
            let mut columns = export.node(0, row.clone());
            columns.retain(|(name, _)| *name != "id");
            vec![(row.id.to_string(), columns)]
        })?;
        for node in &members.new {
            if let Some(number) = self.target.number_of("nodes", &node.to_string())? {
                self.ids.nodes.insert(*node, number);
            }
        }
        for (allocation, node) in &members.allocations {
            let allocation = self.ids.allocations.get(allocation);
            if let (Some(allocation), Some(node)) = (allocation, self.ids.nodes.get(node)) {
                self.target.link_allocation(*allocation, *node)?;
            }
        }
        self.is_part = true;
        self.belongings()
    }

    /// Who belongs to the group, and which numbers its nodes have in Ironic.
    fn members(
        &mut self,
        group: &GroupName,
        numbers: &HashMap<String, i64>,
    ) -> Result<Members, ExportFault> {
        let mut members = Members::default();
        let mut after = i64::MIN;
        loop {
            let page = self.own.nodes(after).map_err(ExportFault::Own)?;
            let Some((last, _)) = page.last() else {
                return Ok(members);
            };
            after = *last;
            for (_, node) in page {
                if node.conductor_group != group.as_str() {
                    continue;
                }
                match numbers.get(&node.id.to_string()) {
                    Some(number) => {
                        self.ids.nodes.insert(node.id, *number);
                        members.known.insert(node.id);
                    }
                    None => {
                        members.new.insert(node.id);
                    }
                }
                members
                    .chassis
                    .extend(node.chassis.map(|chassis| chassis.to_string()));
            }
        }
    }

    /// Chassis that Ironic has are left as they are there.
    fn group_chassis(&mut self, members: &Members) -> Result<(), ExportFault> {
        for chassis in &members.chassis {
            if let Some(number) = self.target.number_of("chassis", chassis)? {
                self.ids.chassis.insert(chassis.clone(), number);
            }
        }
        self.each(&layout::CHASSIS, Dump::chassis, |export, _, row| {
            let uuid = row.id.to_string();
            if !members.chassis.contains(&uuid) || export.ids.chassis.contains_key(&uuid) {
                return Vec::new();
            }
            let mut columns = chassis(0, &row);
            columns.retain(|(name, _)| *name != "id");
            vec![(uuid, columns)]
        })?;
        for chassis in &members.chassis {
            if let Some(number) = self.target.number_of("chassis", chassis)? {
                self.ids.chassis.insert(chassis.clone(), number);
            }
        }
        Ok(())
    }

    /// Allocations of the nodes, which do not name them yet: nodes and allocations refer to each other.
    fn group_allocations(&mut self, members: &mut Members) -> Result<(), ExportFault> {
        let whose = std::cell::RefCell::new(BTreeMap::new());
        self.each(&layout::ALLOCATIONS, Dump::allocations, |_, _, row| {
            let is_member =
                |node: &NodeId| members.known.contains(node) || members.new.contains(node);
            let Some(node) = row.node.filter(is_member) else {
                return Vec::new();
            };
            whose.borrow_mut().insert(row.id.to_string(), node);
            let mut columns = allocation(0, None, &row);
            columns.retain(|(name, _)| *name != "id");
            vec![(row.id.to_string(), columns)]
        })?;
        members.allocations = whose.into_inner();
        for allocation in members.allocations.keys() {
            if let Some(number) = self.target.number_of("allocations", allocation)? {
                self.ids.allocations.insert(allocation.clone(), number);
            }
        }
        Ok(())
    }

    /// Port groups got their numbers from the target.
    pub(super) fn renumber_portgroups(&mut self) -> Result<(), ExportFault> {
        let groups: Vec<String> = self.ids.portgroups.drain().map(|(uuid, _)| uuid).collect();
        for uuid in groups {
            if let Some(number) = self.target.number_of("portgroups", &uuid)? {
                self.ids.portgroups.insert(uuid, number);
            }
        }
        Ok(())
    }
}
