//! The ports of an instance: bound when the machine is its, unbound when it is not.

use super::{NodeNetwork, Style, failed, order, order::Unplugged, refused, wire, wire::Wire};
use crate::{DriverError, iface::Machine};
use openstack::{
    Caller,
    neutron::{Port, Unbinding, body},
};
use types::port::MacAddress;

/// Puts the machine on its instance's networks.
pub(super) async fn bind_all(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    unplugged: Unplugged,
) -> Result<(), DriverError> {
    let node = network.node;
    let wires = wire::with_vifs(machine);
    if wires.is_empty() {
        order::note_tenant(machine, false);
        return Err(refused(match network.style {
            Style::Flat => format!("Failed to bind any flat network ports for node {node}"),
            Style::Neutron => {
                format!("No neutron ports or portgroups are associated with node {node}")
            }
        }));
    }
    for wire in &wires {
        if let Some(vif) = wire.vif() {
            bind(network, wire, vif, &unplugged).await?;
        }
    }
    if network.style == Style::Neutron && network.fails_on_binding_failure(machine) {
        for vif in wires.iter().filter_map(Wire::vif) {
            network.active(vif, &network.caller).await?;
        }
    }
    Ok(())
}

/// Binds one port. One that another machine is plugged in with stays that one's.
pub(super) async fn bind(
    network: &NodeNetwork,
    wire: &Wire<'_>,
    vif: &str,
    _unplugged: &Unplugged,
) -> Result<(), DriverError> {
    network.ready(wire).await?;
    let host = wire.host(network.node);
    let (bound, tried) = match network.style {
        Style::Flat => (
            body::bind_flat(&host, wire.mac()),
            format!("Unable to set binding:host_id for neutron port {vif}. Error:"),
        ),
        Style::Neutron => {
            let link = wire.link();
            let vnic = wire.vnic_type();
            (
                body::plug(&host, wire.mac(), vnic, &link, wire.client_id()),
                format!(
                    "Could not add public network VIF {vif} to node {}, possible network issue.",
                    network.node
                ),
            )
        }
    };
    let neutron = &network.neutron;
    let port = neutron
        .port_with_binding(vif, &network.caller, network.deadline())
        .await
        .map_err(|error| failed(&tried, &error))?;
    check_free(&port, &host, wire.mac(), &tried)?;
    neutron
        .update_port(vif, &bound, network.deadline())
        .await
        .map_err(|error| failed(&tried, &error))?;
    if wire.smart_host().is_some() {
        network.active(vif, &network.caller).await?;
    }
    Ok(())
}

/// Refuses a port that another host may be plugged in with.
pub(super) fn check_free(
    port: &Port,
    host: &str,
    mac: Option<MacAddress>,
    tried: &str,
) -> Result<(), DriverError> {
    let other = port.other_host(host, mac).filter(|_| port.may_be_plugged());
    match other {
        None => Ok(()),
        Some(other) => Err(refused(format!(
            "{tried} Neutron has port {0} bound for host {other}; detach it from that machine, or, if it is no machine of this service, unbind it: openstack port unset --host {0}",
            port.id
        ))),
    }
}

/// Whether the machine may be on its instance's networks. The row of a node that was imported from
/// Ironic does not say so, so Neutron is asked where the row does not.
pub(super) async fn may_be_bound(
    network: &NodeNetwork,
    machine: &Machine<'_>,
) -> Result<bool, DriverError> {
    let notes = machine.node.driver_internal_info.networks();
    if notes.is_tenant_bound {
        return Ok(true);
    }
    for wire in wire::with_vifs(machine) {
        let Some(vif) = wire.vif() else { continue };
        let port = network
            .neutron
            .port(vif, &Caller::service(), network.deadline())
            .await;
        match port {
            Ok(port) => {
                let host = wire.host(network.node);
                if port.may_be_plugged() && port.host_id == Some(host) {
                    return Ok(true);
                }
            }
            Err(error) if error.is_not_found() => {}
            Err(error) => {
                let tried = format!("Could not retrieve neutron port {vif}:");
                return Err(failed(&tried, &error));
            }
        }
    }
    Ok(false)
}

/// Takes the machine off its instance's networks.
pub(super) async fn unbind_all(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
) -> Result<(), DriverError> {
    for wire in wire::with_vifs(machine) {
        if let Some(vif) = wire.vif() {
            unbind(network, &wire, vif).await?;
        }
    }
    order::note_tenant(machine, false);
    Ok(())
}

/// Unbinds one port, and has it give the machine's address back. One that is gone is not bound, and
/// one that somebody attached to another machine meanwhile is not this one's any more.
pub(super) async fn unbind(
    network: &NodeNetwork,
    wire: &Wire<'_>,
    vif: &str,
) -> Result<(), DriverError> {
    network.ready(wire).await?;
    let (host, mac) = (wire.host(network.node), wire.mac());
    let unbound = network
        .neutron
        .unbind_port(vif, &host, mac, &network.caller, network.deadline())
        .await
        .map_err(|error| {
            let tried = format!("Unable to clear binding profile for neutron port {vif}. Error:");
            failed(&tried, &error)
        })?;
    match unbound {
        Unbinding::Done => {}
        Unbinding::Gone => {
            tracing::info!(node = %network.node, port = vif, "a port that was to be unbound is gone");
        }
        Unbinding::Elsewhere(host) => {
            tracing::warn!(node = %network.node, port = vif, host, "a port that was to be unbound is left alone: another host has it");
        }
    }
    Ok(())
}
