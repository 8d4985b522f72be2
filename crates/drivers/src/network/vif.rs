//! Attaching virtual interfaces to ports and port groups, and detaching them.
//!
//! Which port it is to be is decided first and noted in the database; only then is anything changed
//! in Neutron. The order of changes is unbind, set the address, bind: Neutron refuses another address
//! for a bound port, and an address that is set before would be lost with the binding.

use super::{
    NodeNetwork, Style,
    choice::{self, Wish},
    failed, order, tenant,
    wire::{self, Wire},
};
use crate::{
    DriverError, boot_image,
    iface::{Machine, NetworkPurpose},
};
use openstack::{
    Error,
    neutron::{self, body},
};
use std::collections::BTreeSet;
use types::{
    JsonMap, ProvisionState,
    network::{VifHolder, VifNote},
    pyrepr,
};

/// Decides which port or port group a virtual interface is for. Nothing is changed.
pub(super) async fn place(
    network: &NodeNetwork,
    machine: &Machine<'_>,
    vif: &JsonMap,
) -> Result<VifNote, DriverError> {
    let id = vif.get("id").map(pyrepr::to_str).unwrap_or_default();
    let port = port(network, &id).await?;
    let wish = Wish {
        vif: &id,
        physical_networks: physical_networks(network, &port).await?,
        only: boot_image::text(vif, "port_uuid")
            .or_else(|| boot_image::text(vif, "portgroup_uuid")),
    };
    let holder = choice::choose(network.style, machine, &wish)?;
    Ok(note(holder, Some(id)))
}

fn note(holder: VifHolder, vif: Option<String>) -> VifNote {
    VifNote {
        holder,
        purpose: NetworkPurpose::Tenant,
        vif,
    }
}

async fn port(network: &NodeNetwork, id: &str) -> Result<neutron::Port, DriverError> {
    let found = network
        .neutron
        .port(id, &network.caller, network.deadline())
        .await;
    found.map_err(|error| not_read(id, &error))
}

fn not_read(id: &str, error: &Error) -> DriverError {
    match error.is_not_found() {
        true => DriverError::InvalidParameter(format!("Neutron port {id} was not found")),
        false => failed(
            &format!("Could not retrieve neutron port: No Port found for {id}:"),
            error,
        ),
    }
}

/// The physical networks that a port can be plugged into: those of its network, or of the segment
/// that its address is from.
async fn physical_networks(
    network: &NodeNetwork,
    port: &neutron::Port,
) -> Result<BTreeSet<String>, DriverError> {
    let tried = "Could not retrieve physical networks of neutron port:";
    let found = network
        .neutron
        .network(&port.network_id, &network.caller, network.deadline())
        .await
        .map_err(|error| failed(tried, &error))?;
    let all: BTreeSet<String> = found
        .physical_networks()
        .into_iter()
        .map(str::to_owned)
        .collect();
    if !found.has_segments() {
        return Ok(all);
    }
    let Some(subnet) = port.first_subnet() else {
        return Ok(all);
    };
    let subnet = network
        .neutron
        .subnet(subnet, &network.caller, network.deadline())
        .await
        .map_err(|error| failed(tried, &error))?;
    let Some(segment) = subnet.segment_id else {
        return Ok(all);
    };
    let segment = network
        .neutron
        .segment(&segment, &network.caller, network.deadline())
        .await
        .map_err(|error| failed(tried, &error))?;
    Ok(segment.physical_network.into_iter().collect())
}

/// Attaches a virtual interface to the port or port group that is noted for it.
pub(super) async fn attach(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    placed: &VifNote,
) -> Result<(), DriverError> {
    let wires = wire::all(machine);
    let (wire, id) = noted(&wires, placed)?;
    let mut is_touched = false;
    let is_plugged = machine.node.provision_state == ProvisionState::Active;
    let attached = change(network, machine, wire, id, is_plugged, &mut is_touched).await;
    if attached.is_err()
        && is_touched
        && let Err(error) = tenant::unbind(network, wire, id).await
    {
        let error = types::error::chain(&error);
        tracing::warn!(node = %network.node, port = id, error, "a port that was not attached may keep an address of the machine");
    }
    attached
}

/// Whose virtual interface a note is about.
fn noted<'w, 'n, 'm>(
    wires: &'w [Wire<'m>],
    note: &'n VifNote,
) -> Result<(&'w Wire<'m>, &'n str), DriverError> {
    let wire = wires.iter().find(|wire| wire.holder() == note.holder);
    match (wire, note.vif.as_deref()) {
        (Some(wire), Some(id)) => Ok((wire, id)),
        _ => Err(super::refused(
            "the port for the virtual interface is gone meanwhile",
        )),
    }
}

/// Goes on with a change that was interrupted, wherever: the port gets the address and the binding
/// that the rows say. What fails leaves it noted, so that it can be detached.
pub(super) async fn settle(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    placed: &VifNote,
) -> Result<(), DriverError> {
    let wires = wire::all(machine);
    let (wire, id) = noted(&wires, placed)?;
    // A machine is on its instance's networks in a rescue too.
    let is_plugged = machine.node.provision_state == ProvisionState::Active
        || machine.node.driver_internal_info.networks().is_tenant_bound;
    let port = network
        .neutron
        .port_with_binding(id, &network.caller, network.deadline())
        .await;
    let port = port.map_err(|error| not_read(id, &error))?;
    let is_bound = port.host_id.as_deref() == Some(&wire.host(network.node))
        && (port.may_be_plugged() || !is_plugged);
    if is_bound && (wire.mac().is_none() || wire.mac() == port.mac()) {
        return Ok(());
    }
    change(network, machine, wire, id, is_plugged, &mut false).await
}

async fn change(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    wire: &Wire<'_>,
    id: &str,
    is_plugged: bool,
    is_touched: &mut bool,
) -> Result<(), DriverError> {
    let node = network.node;
    let (host, mac) = (wire.host(node), wire.mac());
    let found = network
        .neutron
        .port_with_binding(id, &network.caller, network.deadline())
        .await;
    let port = found.map_err(|error| not_read(id, &error))?;
    let unable = match mac {
        Some(mac) => format!(
            "Unable to attach VIF {id} because Ironic can not update Neutron port {id} MAC address to match physical MAC address {mac}:"
        ),
        None => format!("Unable to attach VIF {id}:"),
    };
    tenant::check_free(&port, &host, mac, &unable)?;
    if port.is_bound() {
        *is_touched = true;
        let unbound = body::unbind();
        let unbound = network
            .neutron
            .update_port(id, &unbound, network.deadline());
        unbound.await.map_err(|error| {
            let tried = format!("Unable to clear binding profile for neutron port {id}. Error:");
            failed(&tried, &error)
        })?;
    }
    if let Some(mac) = mac {
        *is_touched = true;
        let set = body::set_mac(mac);
        let set = network.neutron.update_port(id, &set, network.deadline());
        set.await.map_err(|error| failed(&unable, &error))?;
    }
    if is_plugged {
        let unplugged = order::clear(network, machine, None).await?;
        order::note_tenant(machine, true);
        *is_touched = true;
        tenant::bind(network, wire, id, &unplugged).await?;
        if network.style == Style::Neutron && network.fails_on_binding_failure(machine) {
            network.active(id, &network.caller).await?;
        }
        return Ok(());
    }
    // So that Neutron can choose a segment and addresses.
    *is_touched = true;
    let claimed = body::claim_for_host(&host);
    let claimed = network
        .neutron
        .change_port(id, &claimed, &network.caller, network.deadline());
    claimed.await.map(drop).map_err(|error| {
        // The space is missing in Ironic too; its users match on it.
        let tried = format!(
            "Could not seed network configuration for VIF {id}to node {node}, possible network, state, or access permission issue."
        );
        failed(&tried, &error)
    })
}

/// Detaches a virtual interface. It stays noted until Neutron has let it go.
pub(super) async fn detach(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    id: &str,
) -> Result<(), DriverError> {
    let wires = wire::with_vifs(machine);
    let wire = wires.iter().find(|wire| wire.vif() == Some(id));
    let wire = wire.ok_or_else(|| {
        DriverError::InvalidParameter(format!(
            "Unable to detach VIF {id} from node {} because it is not attached to it.",
            network.node
        ))
    })?;
    // In whatever state: it would keep the machine's address otherwise, which no other port of its
    // network could have then. Ironic does so only in some states.
    tenant::unbind(network, wire, id).await?;
    machine.found.vifs.push(note(wire.holder(), None));
    Ok(())
}
