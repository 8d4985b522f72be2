//! What a change of a port or port group with a virtual interface means for Neutron.

use super::{NodeNetwork, failed};
use crate::{DriverError, iface::Machine};
use openstack::neutron::body;
use types::{Port, Portgroup, port::MacAddress};

pub(super) async fn changed(
    network: &NodeNetwork,
    machine: &Machine<'_>,
    old: &Port,
    new: &Port,
) -> Result<(), DriverError> {
    check_group(machine, new)?;
    let Some(vif) = new.vif() else {
        return Ok(());
    };
    if old.address != new.address {
        set_address(network, vif, new.address).await?;
    }
    if old.client_id() != new.client_id() {
        let body = body::set_client_id(new.client_id());
        let set = network
            .neutron
            .change_port(vif, &body, &network.caller, network.deadline());
        set.await.map_err(|error| {
            failed(
                &format!("Update DHCP options on port: {vif} failed."),
                &error,
            )
        })?;
    }
    Ok(())
}

/// A member of a group whose members are not used by themselves.
fn check_group(machine: &Machine<'_>, port: &Port) -> Result<(), DriverError> {
    let group = machine
        .portgroups
        .iter()
        .find(|group| port.portgroup.as_deref() == Some(&group.id.to_string()));
    let Some(group) = group.filter(|group| !group.standalone_ports_supported) else {
        return Ok(());
    };
    let mut reasons = Vec::new();
    if port.pxe_enabled {
        reasons.push("'pxe_enabled' was set to True".to_owned());
    }
    if let Some(vif) = port.vif() {
        reasons.push(format!("VIF {vif} is attached to the port"));
    }
    if reasons.is_empty() {
        return Ok(());
    }
    // Two spaces, as in Ironic.
    Err(DriverError::Conflict(format!(
        "Port group {} doesn't support standalone ports. This port {} cannot be  a member of that port group because of: {}",
        group.id,
        port.id,
        reasons.join(", ")
    )))
}

pub(super) async fn group_changed(
    network: &NodeNetwork,
    old: &Portgroup,
    new: &Portgroup,
) -> Result<(), DriverError> {
    match (new.vif(), new.address) {
        (Some(vif), Some(address)) if old.address != new.address => {
            set_address(network, vif, address).await
        }
        _ => Ok(()),
    }
}

/// Gives a port another address. One that is bound is unbound for it, and bound again as it was.
async fn set_address(
    network: &NodeNetwork,
    vif: &str,
    address: MacAddress,
) -> Result<(), DriverError> {
    let neutron = &network.neutron;
    let changed = async {
        let port = neutron
            .port(vif, &network.caller, network.deadline())
            .await?;
        let body = match &port.host_id {
            Some(host) if port.is_bound() => {
                neutron
                    .update_port(vif, &body::unbind(), network.deadline())
                    .await?;
                body::bind_again(host, port.profile.clone().unwrap_or_default(), address)
            }
            _ => body::set_mac(address),
        };
        neutron.update_port(vif, &body, network.deadline()).await
    };
    changed.await.map(drop).map_err(|error| {
        failed(
            &format!("Update MAC address on port: {vif} failed."),
            &error,
        )
    })
}
