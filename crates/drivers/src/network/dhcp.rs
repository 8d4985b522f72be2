//! The DHCP provider `neutron`: its DHCP agents tell machines what to boot.

use super::{NodeNetwork, refused, wire};
use crate::{
    DriverError, Failure,
    iface::Machine,
    network::{NetworkSettings, Style},
};
use boot::dhcp_options::DhcpOption as BootOption;
use openstack::{
    Services,
    neutron::{self, body, dhcp::DhcpOption},
};
use std::{sync::Arc, time::Duration};

/// Neutron as DHCP server.
#[derive(Debug, Clone)]
pub struct NeutronDhcp {
    pub services: Arc<Services>,
    /// How long its agents take to act on what they are told.
    pub port_setup_delay: Duration,
}

impl NeutronDhcp {
    fn of(&self, machine: &Machine<'_>) -> NodeNetwork {
        NodeNetwork {
            neutron: self.services.neutron().clone(),
            caller: machine.caller.clone(),
            node: machine.node.id,
            device: machine.node.id.to_string(),
            style: Style::Flat,
            settings: Arc::new(NetworkSettings::default()),
        }
    }

    /// Writes the options to every port that the machine uses now. One that takes them is enough.
    pub async fn set_options(
        &self,
        machine: &Machine<'_>,
        options: &[BootOption],
    ) -> Result<(), DriverError> {
        let network = self.of(machine);
        let node = network.node;
        let vifs = current_vifs(machine);
        if vifs.is_empty() {
            return Err(refused(format!(
                "No VIFs found for node {node} when attempting to update DHCP BOOT options."
            )));
        }
        let mut why = None;
        let mut is_set = false;
        for vif in &vifs {
            match set(&network, vif, options).await {
                Ok(()) => is_set = true,
                Err(error) => {
                    let text = types::error::chain(&error);
                    tracing::warn!(%node, port = vif, error = text, "DHCP options were not set");
                    why = Some(text);
                }
            }
        }
        if !is_set {
            let why = why.unwrap_or_default();
            return Err(DriverError::Environment(Failure::new(format!(
                "Failed to set DHCP BOOT options for any port on node {node}. {why}"
            ))));
        }
        if !self.port_setup_delay.is_zero() {
            tokio::time::sleep(self.port_setup_delay).await;
        }
        Ok(())
    }

    /// The first address of each port that the machine uses now, as far as it has one.
    pub async fn addresses(&self, machine: &Machine<'_>) -> Vec<std::net::IpAddr> {
        let network = self.of(machine);
        let mut addresses = Vec::new();
        for vif in current_vifs(machine) {
            let port = network
                .neutron
                .port(&vif, &network.caller, network.deadline());
            match port.await {
                Ok(port) => addresses.extend(first_address(&port)),
                Err(error) => {
                    let error = types::error::chain(&error);
                    tracing::warn!(node = %network.node, port = vif, error, "the address of a port is not known");
                }
            }
        }
        addresses
    }
}

fn first_address(port: &neutron::Port) -> Option<std::net::IpAddr> {
    port.fixed_ips.first()?.ip_address.as_deref()?.parse().ok()
}

/// Groups first, as in Ironic.
fn current_vifs(machine: &Machine<'_>) -> Vec<String> {
    let wires = wire::all(machine);
    let (ports, groups): (Vec<_>, Vec<_>) = wires
        .iter()
        .partition(|wire| matches!(wire, wire::Wire::Port(_)));
    let all = groups.into_iter().chain(ports);
    let vifs = all.filter_map(|wire| wire.current_vif().map(str::to_owned));
    vifs.collect()
}

/// Options of IP versions that the port has no address of are of no use to it.
async fn set(network: &NodeNetwork, vif: &str, options: &[BootOption]) -> Result<(), DriverError> {
    let tried = format!("Update DHCP options on port: {vif} failed.");
    let port = network
        .neutron
        .port(vif, &network.caller, network.deadline())
        .await
        .map_err(|error| super::failed(&tried, &error))?;
    let versions = port.ip_versions();
    let options: Vec<DhcpOption> = options
        .iter()
        .filter(|option| versions.contains(&option.ip_version))
        .map(|option| DhcpOption {
            name: option.name.clone(),
            value: option.value.clone(),
            ip_version: option.ip_version,
        })
        .collect();
    let body = body::set_dhcp_options(&options);
    let set = network.neutron.update_port(vif, &body, network.deadline());
    set.await
        .map(drop)
        .map_err(|error| super::failed(&tried, &error))
}
