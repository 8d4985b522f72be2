//! What a change of a port or port group with a virtual interface means for Neutron.

use super::{NodeNetwork, failed, wire::Wire};
use crate::{DriverError, Failure, iface::Machine};
use openstack::{
    Caller, Error,
    neutron::{self, body},
};
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
        let moved = Move {
            vif,
            host: &Wire::Port(new).host(network.node),
            from: Some(old.address),
            to: new.address,
        };
        moved.carry_out(network).await?;
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
            let moved = Move {
                vif,
                host: &network.node.to_string(),
                from: old.address,
                to: address,
            };
            moved.carry_out(network).await
        }
        _ => Ok(()),
    }
}

/// Another address for the port of a virtual interface.
struct Move<'a> {
    vif: &'a str,
    /// Where the machine is plugged in.
    host: &'a str,
    from: Option<MacAddress>,
    to: MacAddress,
}

impl Move<'_> {
    async fn carry_out(&self, network: &NodeNetwork) -> Result<(), DriverError> {
        let Self { vif, host, .. } = self;
        let neutron = &network.neutron;
        let read = neutron
            .port_with_binding(vif, &network.caller, network.deadline())
            .await;
        let port = read.map_err(|error| self.failed(&error))?;
        if let Some(other) = port.other_host(host, self.from) {
            tracing::warn!(node = %network.node, port = vif, host = other, "a port keeps its address: another host has it");
            return Ok(());
        }
        if port.may_be_plugged() {
            return self.plug_again(network, &port).await;
        }
        // A port that a host only claims takes another address as it is.
        let body = body::set_mac(self.to);
        let set = neutron.update_port(vif, &body, network.deadline());
        set.await.map(drop).map_err(|error| self.failed(&error))
    }

    /// Neutron refuses another address for a port that is plugged in: it is unbound, and bound again
    /// as it was.
    async fn plug_again(
        &self,
        network: &NodeNetwork,
        port: &neutron::Port,
    ) -> Result<(), DriverError> {
        let moved = async {
            let neutron = &network.neutron;
            neutron
                .update_port(self.vif, &body::unbind(), network.deadline())
                .await?;
            self.bind(network, port, self.to).await
        };
        let Err(error) = moved.await else {
            return Ok(());
        };
        match self.put_back(network, port).await {
            Ok(true) => Ok(()),
            Ok(false) => Err(self.failed(&error)),
            Err(also) => {
                let (why, remedy) = (error.sdk_text(), also.remedy());
                Err(DriverError::Environment(Failure::new(format!(
                    "Update MAC address on port: {} failed. {why}; the port could not be bound again either ({}), so node {} is off its network until the address is changed again or the virtual interface is detached and attached; {remedy}",
                    self.vif,
                    also.sdk_text(),
                    network.node
                ))))
            }
        }
    }

    async fn bind(
        &self,
        network: &NodeNetwork,
        port: &neutron::Port,
        address: MacAddress,
    ) -> Result<(), Error> {
        let profile = port.profile.clone().unwrap_or_default();
        let bound = body::bind_again(self.host, profile, address);
        let bound = network
            .neutron
            .update_port(self.vif, &bound, network.deadline());
        bound.await.map(drop)
    }

    /// After a failure: binds the port with the address that it had. Says whether that was not
    /// needed, because only the answer to the change was lost.
    async fn put_back(&self, network: &NodeNetwork, port: &neutron::Port) -> Result<bool, Error> {
        let neutron = &network.neutron;
        let now = neutron
            .port(self.vif, &Caller::service(), network.deadline())
            .await?;
        if now.may_be_plugged() {
            return Ok(now.mac() == Some(self.to));
        }
        if let Some(before) = port.mac().or(self.from) {
            self.bind(network, port, before).await?;
        }
        Ok(false)
    }

    fn failed(&self, error: &Error) -> DriverError {
        failed(
            &format!("Update MAC address on port: {} failed.", self.vif),
            error,
        )
    }
}
