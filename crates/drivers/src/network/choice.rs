//! Which port or port group a virtual interface is attached to.

use super::{
    Style,
    wire::{self, Wire},
};
use crate::{DriverError, iface::Machine};
use std::collections::BTreeSet;
use types::{Port, network::VifHolder};

/// What a virtual interface needs.
#[derive(Debug, Default)]
pub(super) struct Wish<'a> {
    /// The port of Neutron.
    pub(super) vif: &'a str,
    /// The physical networks that it is on. None means that any will do.
    pub(super) physical_networks: BTreeSet<String>,
    /// What the client asks for by UUID.
    pub(super) only: Option<String>,
}

/// Chooses, or says why there is none.
pub(super) fn choose(
    style: Style,
    machine: &Machine<'_>,
    wish: &Wish<'_>,
) -> Result<VifHolder, DriverError> {
    if let Some(taken) = wire::all(machine)
        .iter()
        .find(|wire| wire.vif() == Some(wish.vif))
    {
        let (kind, id) = match taken.holder() {
            VifHolder::Port(id) => ("Port", id.to_string()),
            VifHolder::Group(id) => ("Portgroup", id.to_string()),
        };
        return Err(DriverError::Conflict(format!(
            "Unable to attach VIF because VIF {} is already attached to Ironic {kind} {id}",
            wish.vif
        )));
    }
    let mut free: Vec<(Rank, VifHolder)> = Vec::new();
    for wire in wire::all(machine) {
        if wire.vif().is_some() || !is_usable(style, machine, &wire) {
            continue;
        }
        let own = physical_network(&wire)?;
        let is_allowed = own.is_none_or(|own| {
            wish.physical_networks.is_empty() || wish.physical_networks.contains(own)
        });
        let id = match wire.holder() {
            VifHolder::Port(id) => id.to_string(),
            VifHolder::Group(id) => id.to_string(),
        };
        let is_meant = wish.only.as_ref().is_none_or(|only| *only == id);
        if is_allowed && is_meant {
            free.push((Rank::of(&wire, own), wire.holder()));
        }
    }
    // The first of the best: the order of ports is that of their creation.
    let best = free.iter().min_by_key(|(rank, _)| *rank);
    best.map(|(_, holder)| *holder).ok_or_else(|| {
        DriverError::InvalidParameter(format!(
            "Unable to attach VIF {}, not enough free physical ports.",
            wish.vif
        ))
    })
}

/// How well one suits; the least is the best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    is_anywhere: bool,
    is_single: bool,
    is_no_boot_port: bool,
}

impl Rank {
    fn of(wire: &Wire<'_>, physical_network: Option<&str>) -> Self {
        let (is_single, boots) = match wire {
            Wire::Port(port) => (true, port.pxe_enabled),
            Wire::Group(_, members) => (false, members.iter().any(|member| member.pxe_enabled)),
        };
        Self {
            is_anywhere: physical_network.is_none(),
            is_single,
            is_no_boot_port: !boots,
        }
    }
}

/// Whether it can carry a virtual interface at all. Members of a group are used through it, unless
/// one of them has a virtual interface of its own already.
fn is_usable(style: Style, machine: &Machine<'_>, wire: &Wire<'_>) -> bool {
    let in_use = |members: &[&Port]| members.iter().any(|member| member.vif().is_some());
    match wire {
        Wire::Port(port) => {
            let group = machine
                .portgroups
                .iter()
                .find(|group| port.portgroup.as_deref() == Some(&group.id.to_string()));
            let is_alone = group.is_none_or(|group| {
                group.vif().is_none() && in_use(&wire::members(machine.ports, group))
            });
            is_alone && wire::is_wired(style, port)
        }
        Wire::Group(_, members) => {
            let wired = |member: &&Port| wire::is_wired(style, member);
            !members.is_empty() && !in_use(members) && members.iter().all(wired)
        }
    }
}

/// The physical network of a port, or of all members of a group.
fn physical_network<'a>(wire: &Wire<'a>) -> Result<Option<&'a str>, DriverError> {
    let (group, members) = match wire {
        Wire::Port(port) => return Ok(port.physical_network.as_deref()),
        Wire::Group(group, members) => (group, members),
    };
    let networks: BTreeSet<Option<&str>> = members
        .iter()
        .map(|member| member.physical_network.as_deref())
        .collect();
    let shown = |network: &Option<&str>| network.unwrap_or("None").to_owned();
    if networks.len() > 1 {
        let names: Vec<String> = networks.iter().map(shown).collect();
        return Err(super::refused(format!(
            "Port group {} has member ports with inconsistent physical networks ({}). All ports in a port group must have the same physical network.",
            group.id,
            names.join(", ")
        )));
    }
    Ok(networks.first().copied().flatten())
}

#[cfg(test)]
mod tests;
