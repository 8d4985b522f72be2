//! Ports that ramdisks boot with: made before a machine boots one, deleted when it is gone.

use super::{NodeNetwork, failed, order::Unplugged, refused, wire, wire::Wire};
use crate::{
    DriverError,
    iface::{Machine, NetworkPurpose},
};
use openstack::{
    Caller,
    neutron::{
        self, PortFilter,
        body::{self, BootPort},
    },
};
use types::{
    Port,
    internal_info::{BootNetwork, BootPortProgress},
    network::{VifHolder, VifNote},
    port::MacAddress,
};

/// The owner that Neutron shows for ports that are finished.
const OWNER: &str = "baremetal:none";

/// Makes the ports of a ramdisk. As long as one of them is there, the machine can boot.
pub(super) async fn add_all(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    announced: &BootNetwork,
    unplugged: Unplugged,
) -> Result<(), DriverError> {
    let node = network.node;
    let ports = chosen(network, machine);
    if ports.is_empty() {
        // Two spaces, as in Ironic.
        return Err(refused(format!(
            "No available PXE-enabled  ports on node {node}."
        )));
    }
    // What an attempt before left would stand in the way of the new ones' addresses.
    delete_ports(network, machine, announced).await?;
    check_security_groups(network, announced.purpose).await?;
    let mut made: Vec<(&Port, String)> = Vec::new();
    let mut failure = None;
    let mut announced = announced.clone();
    for &port in &ports {
        if !wire::is_wired(network.style, port) {
            tracing::warn!(%node, port = %port.address, "a port has no local_link_connection that Neutron could use, and is left out");
            continue;
        }
        match add(network, &announced, port, &unplugged).await {
            Ok(id) => made.push((port, id)),
            Err(NotMade { error, is_left }) => {
                if is_left {
                    announced.progress = BootPortProgress::Resumed;
                    note(machine, &announced, BootPortProgress::Resumed);
                }
                let why = types::error::chain(&error);
                tracing::warn!(%node, port = %port.address, error = why, "a port was not made");
                failure = Some(error);
            }
        }
    }
    if made.is_empty() {
        give_up(network, machine, &announced).await;
        return Err(none_made(network, &ports, failure));
    }
    for (port, id) in &made {
        machine.found.vifs.push(VifNote {
            holder: VifHolder::Port(port.id),
            purpose: announced.purpose,
            vif: Some(id.clone()),
        });
    }
    if network.style == super::Style::Neutron && network.fails_on_binding_failure(machine) {
        for (_, id) in &made {
            if let Err(error) = network.active(id, &Caller::service()).await {
                machine.found.vifs.clear();
                give_up(network, machine, &announced).await;
                return Err(error);
            }
        }
    }
    if failure.is_none() {
        note(machine, &announced, BootPortProgress::Made);
    }
    Ok(())
}

/// Why a port cannot be used.
struct NotMade {
    error: DriverError,
    /// Whether Neutron may still have it, without an address of the machine.
    is_left: bool,
}

impl From<DriverError> for NotMade {
    fn from(error: DriverError) -> Self {
        Self {
            error,
            is_left: false,
        }
    }
}

/// The ports of the node that a ramdisk may use.
fn chosen<'a>(network: &NodeNetwork, machine: &Machine<'a>) -> Vec<&'a Port> {
    let all = network.settings.add_all_ports || !machine.boots_from_network;
    let ports: &'a [Port] = machine.ports;
    ports
        .iter()
        .filter(|port| all || port.pxe_enabled)
        .collect()
}

fn none_made(network: &NodeNetwork, ports: &[&Port], why: Option<DriverError>) -> DriverError {
    let macs: Vec<String> = ports.iter().map(|port| port.address.to_string()).collect();
    let text = format!(
        "Failed to create neutron ports for node's {} ports [{}].",
        network.node,
        macs.join(", ")
    );
    match why {
        Some(why) => refused(format!("{text} {}", types::error::chain(&why))),
        None => refused(format!(
            "{text} None of them has a local_link_connection with switch_id and port_id"
        )),
    }
}

async fn check_security_groups(
    network: &NodeNetwork,
    purpose: NetworkPurpose,
) -> Result<(), DriverError> {
    let missing = network
        .neutron
        .missing_security_groups(network.security_groups(purpose), network.deadline())
        .await
        .map_err(|error| failed("Could not retrieve security groups from neutron:", &error))?;
    if missing.is_empty() {
        return Ok(());
    }
    let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
    Err(refused(format!(
        "Could not find these security groups (specified via ironic config) in neutron: {}",
        types::pyrepr::repr_list(missing)
    )))
}

impl NodeNetwork {
    fn security_groups(&self, purpose: NetworkPurpose) -> &[String] {
        match (self.style, self.settings.network(purpose)) {
            (super::Style::Neutron, Some(network)) => &network.security_groups,
            _ => &[],
        }
    }
}

/// Makes one port, in two steps, because Neutron asks for another role in the second.
async fn add(
    network: &NodeNetwork,
    announced: &BootNetwork,
    port: &Port,
    unplugged: &Unplugged,
) -> Result<String, NotMade> {
    let wire = Wire::Port(port);
    network.ready(&wire).await?;
    let groups = network.security_groups(announced.purpose);
    let new = body::create_boot_port(&BootPort {
        network: &announced.network,
        device: &announced.device,
        vnic_type: wire.vnic_type(),
        security_groups: groups,
        pxe_enabled: port.pxe_enabled,
        client_id: port.client_id(),
    });
    let made = network.neutron.create_port(&new, network.deadline()).await;
    let made = made.map_err(|error| NotMade {
        is_left: error.may_have_been_done(),
        error: failed("Neutron made no port:", &error),
    })?;
    match bind(network, &wire, port, &made.id, unplugged).await {
        Ok(()) => Ok(made.id),
        Err(error) => {
            // It has no address of the machine yet by which it would be found later.
            let deleted = delete(network, &made.id).await;
            if let Err(error) = &deleted {
                let error = types::error::chain(error);
                tracing::warn!(node = %network.node, port = made.id, error, "a port that could not be bound is still in Neutron; it is deleted with the next ports of the node on that network");
            }
            Err(NotMade {
                error,
                is_left: deleted.is_err(),
            })
        }
    }
}

/// Gives a port the machine's address and place.
async fn bind(
    network: &NodeNetwork,
    wire: &Wire<'_>,
    port: &Port,
    id: &str,
    _unplugged: &Unplugged,
) -> Result<(), DriverError> {
    let bound = body::bind_boot_port(port.address, &wire.host(network.node), &wire.link());
    let bound = network
        .neutron
        .change_port(id, &bound, &network.caller, network.deadline())
        .await
        .map_err(|error| failed(&format!("Neutron did not bind port {id}:"), &error))?;
    add_addresses(network, &bound).await?;
    if wire.smart_host().is_some() {
        network.active(id, &Caller::service()).await?;
    }
    Ok(())
}

/// Each stage of a boot over IPv6 shows itself to a stateful server as somebody else.
async fn add_addresses(network: &NodeNetwork, port: &neutron::Port) -> Result<(), DriverError> {
    let count = network.settings.dhcpv6_address_count;
    let is_v6 = port.ip_versions().contains(&6);
    let (Some(subnet), true) = (port.first_subnet(), is_v6 && count > 1) else {
        return Ok(());
    };
    let tried = format!("Could not add addresses to neutron port {}:", port.id);
    let subnet = network
        .neutron
        .subnet(subnet, &network.caller, network.deadline())
        .await
        .map_err(|error| failed(&tried, &error))?;
    let Some(more) = body::add_addresses(port, count).filter(|_| subnet.is_dhcpv6_stateful())
    else {
        return Ok(());
    };
    let added = network
        .neutron
        .update_port(&port.id, &more, network.deadline());
    added
        .await
        .map(drop)
        .map_err(|error| failed(&tried, &error))
}

/// Takes the machine off all networks for a purpose.
pub(super) async fn remove_all(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    purpose: NetworkPurpose,
) -> Result<(), DriverError> {
    let notes = machine.node.driver_internal_info.networks();
    for noted in notes.boot_networks(purpose) {
        remove(network, machine, noted).await?;
    }
    match notes.boot_networks(purpose).next() {
        Some(_) => Ok(()),
        None => remove_imported(network, machine, purpose).await,
    }
}

/// Deletes ports that Ironic made before the database was taken over from it: the row does not say on
/// which network they are.
pub(super) async fn remove_imported(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    purpose: NetworkPurpose,
) -> Result<(), DriverError> {
    let ports = machine.ports;
    for port in ports {
        if let Some(id) = port.vif_for(purpose) {
            delete(network, id).await?;
            forget(machine, port, purpose);
        }
    }
    Ok(())
}

/// Takes the machine off a network.
pub(super) async fn remove(
    network: &NodeNetwork,
    machine: &mut Machine<'_>,
    noted: &BootNetwork,
) -> Result<(), DriverError> {
    delete_ports(network, machine, noted).await?;
    for port in machine.ports {
        forget(machine, port, noted.purpose);
    }
    let info = &mut machine.node.driver_internal_info;
    let mut notes = info.networks();
    notes.forget_boot_network(noted);
    info.set_networks(&notes);
    Ok(())
}

fn forget(machine: &mut Machine<'_>, port: &Port, purpose: NetworkPurpose) {
    let note = VifNote {
        holder: VifHolder::Port(port.id),
        purpose,
        vif: None,
    };
    let is_told = machine.found.vifs.iter().any(|told| {
        told.holder == note.holder && told.purpose == note.purpose && told.vif.is_some()
    });
    if port.vif_for(purpose).is_some() || is_told {
        machine.found.vifs.push(note);
    }
}

/// After a failure. What cannot be deleted now is deleted before the next attempt, or at the end.
async fn give_up(network: &NodeNetwork, machine: &mut Machine<'_>, announced: &BootNetwork) {
    if let Err(error) = remove(network, machine, announced).await {
        let error = types::error::chain(&error);
        tracing::warn!(node = %network.node, error, "ports that were not of use are still in Neutron; they are deleted when the node is put on or off the network again");
    }
}

fn note(machine: &mut Machine<'_>, announced: &BootNetwork, progress: BootPortProgress) {
    let info = &mut machine.node.driver_internal_info;
    let mut notes = info.networks();
    notes.set_boot_network(BootNetwork {
        progress,
        ..announced.clone()
    });
    info.set_networks(&notes);
}

/// Deletes everything on a network that is ours.
async fn delete_ports(
    network: &NodeNetwork,
    machine: &Machine<'_>,
    noted: &BootNetwork,
) -> Result<(), DriverError> {
    let all = chosen(network, machine);
    let noted_too = machine.ports.iter().filter(|port| {
        port.vif_for(noted.purpose).is_some() && !all.iter().any(|known| known.id == port.id)
    });
    let ports: Vec<&Port> = all.iter().copied().chain(noted_too).collect();
    let mut found: Vec<String> = Vec::new();
    if !ports.is_empty() {
        let macs: Vec<MacAddress> = ports.iter().map(|port| port.address).collect();
        let ours = Ours::of(network, &ports, noted);
        for port in list(network, noted, macs, None).await? {
            if ours.has(&port) {
                found.push(port.id);
            } else {
                tracing::warn!(node = %network.node, port = port.id, owner = port.device_owner, device = port.device_id, "a port of somebody else has an address of the machine, and is left alone");
            }
        }
    }
    // A port whose address changed since, or that was never given one.
    let known = ports.iter().filter_map(|port| port.vif_for(noted.purpose));
    found.extend(known.map(str::to_owned));
    if noted.progress == BootPortProgress::Resumed {
        for device in devices(network, noted) {
            let listed = list(network, noted, Vec::new(), Some(device)).await?;
            let ours = listed.into_iter().filter(is_boot_port);
            found.extend(ours.map(|port| port.id));
        }
    }
    found.sort_unstable();
    found.dedup();
    let tenants: Vec<_> = wire::with_vifs(machine);
    for id in found {
        // The instance may be on the same network, and is none of this.
        if !tenants.iter().any(|wire| wire.vif() == Some(id.as_str())) {
            delete(network, &id).await?;
        }
    }
    Ok(())
}

/// What ports that were made for a node may have as their device.
fn devices(network: &NodeNetwork, noted: &BootNetwork) -> Vec<String> {
    let mut devices = vec![noted.device.clone(), network.device.clone()];
    devices.push(network.node.to_string());
    devices.sort_unstable();
    devices.dedup();
    devices
}

/// By what boot ports of a node are told from ports of others that have its address.
struct Ours {
    devices: Vec<String>,
    hosts: Vec<String>,
}

impl Ours {
    fn of(network: &NodeNetwork, ports: &[&Port], noted: &BootNetwork) -> Self {
        let hosts = ports.iter().map(|port| Wire::Port(port).host(network.node));
        Self {
            devices: devices(network, noted),
            hosts: hosts.collect(),
        }
    }

    fn has(&self, port: &neutron::Port) -> bool {
        let host = port.host_id.as_deref().unwrap_or_default();
        let is_of_node =
            self.devices.contains(&port.device_id) || self.hosts.iter().any(|known| known == host);
        is_boot_port(port) && is_of_node
    }
}

/// Whether a port with our device is one that we make: not the instance's.
fn is_boot_port(port: &neutron::Port) -> bool {
    let is_ours = port.device_owner.is_empty() || port.device_owner == OWNER;
    is_ours && port.vnic_type.as_deref() != Some("normal")
}

async fn list(
    network: &NodeNetwork,
    noted: &BootNetwork,
    mac_addresses: Vec<MacAddress>,
    device: Option<String>,
) -> Result<Vec<neutron::Port>, DriverError> {
    let filter = PortFilter {
        mac_addresses,
        network: Some(noted.network.clone()),
        device,
    };
    let listed = network.neutron.ports(&filter, network.deadline()).await;
    listed.map_err(|error| {
        let tried = format!(
            "Could not get given network VIF for {} from neutron, possible network issue.",
            network.node
        );
        failed(&tried, &error)
    })
}

async fn delete(network: &NodeNetwork, id: &str) -> Result<(), DriverError> {
    let deleted = network.neutron.delete_port(id, network.deadline()).await;
    deleted.map(drop).map_err(|error| {
        let tried = format!(
            "Could not remove VIF {id} of node {}, possibly a network issue:",
            network.node
        );
        failed(&tried, &error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn ports_of_others_with_the_address_of_a_machine_are_left_alone() {
        let ours = Ours {
            devices: vec!["instance".into(), "node".into()],
            hosts: vec!["node".into()],
        };
        let check = |changes: Value, expected: bool| {
            let mut document = json!({
                "id": "p", "network_id": "n", "mac_address": "52:54:00:00:00:01",
                "device_id": "node", "device_owner": "baremetal:none",
                "binding:host_id": "node", "binding:vnic_type": "baremetal",
            });
            for (key, value) in changes.as_object().unwrap() {
                document[key] = value.clone();
            }
            let port = neutron::Port::read(document.to_string().as_bytes()).unwrap();
            assert_eq!(ours.has(&port), expected, "{changes}");
        };
        check(json!({}), true);
        // Made for an instance that is gone, or not bound yet.
        check(json!({"device_id": "earlier instance"}), true);
        check(json!({"binding:host_id": "", "device_owner": ""}), true);
        check(json!({"device_id": "instance"}), true);
        check(json!({"device_id": "x", "binding:host_id": "other"}), false);
        check(json!({"device_id": "", "binding:host_id": null}), false);
        check(json!({"device_owner": "compute:nova"}), false);
        check(json!({"device_owner": "network:dhcp"}), false);
        check(
            json!({"device_owner": "", "binding:vnic_type": "normal"}),
            false,
        );
    }
}
