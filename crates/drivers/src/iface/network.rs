//! What the conductor asks of networks.
//!
//! A machine is put on a network in two steps. [`Network::announce`] notes in the node where it is to
//! be, which the conductor saves; [`Network::add_network`] then puts it there. Virtual interfaces are
//! attached likewise: [`Network::place_vif`] says to which port, which is stored before
//! [`Network::attach_vif`] changes anything.

use super::{Interface, Machine};
use crate::DriverError;
use async_trait::async_trait;
use std::time::Duration;
use types::{
    JsonMap, LeaseProof, Port, Portgroup,
    network::{NetworkPurpose, VifNote},
};

#[async_trait]
pub trait Network: Interface {
    /// Whether it looks at port groups, and at what Neutron has for the machine.
    fn uses_neutron(&self) -> bool {
        false
    }

    /// Whether the machine must be on while its networks change, and how long its network cards need
    /// after they got power.
    fn needs_power(&self, _machine: &Machine<'_>) -> Option<Duration> {
        None
    }

    /// Whether there is a network for this purpose.
    async fn validate_for(
        &self,
        _machine: &Machine<'_>,
        _purpose: NetworkPurpose,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    /// Notes in the node what [`Network::add_network`] is about to do; says whether anything was noted
    /// that must be saved first.
    async fn announce(
        &self,
        _machine: &mut Machine<'_>,
        _purpose: NetworkPurpose,
    ) -> Result<bool, DriverError> {
        Ok(false)
    }

    /// Puts the machine on a network. What was noted with its ports is in [`Machine::found`], also
    /// after a failure.
    async fn add_network(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        purpose: NetworkPurpose,
    ) -> Result<(), DriverError>;

    /// Takes the machine off a network.
    async fn remove_network(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        purpose: NetworkPurpose,
    ) -> Result<(), DriverError>;

    /// The virtual interfaces that are attached to the machine.
    async fn vifs(&self, _machine: &Machine<'_>) -> Result<Vec<String>, DriverError> {
        Ok(Vec::new())
    }

    /// Says which port or port group a virtual interface is for, where that is kept; `vif` is what
    /// the client said about it, its `id` included.
    async fn place_vif(
        &self,
        _machine: &Machine<'_>,
        _vif: &JsonMap,
    ) -> Result<Option<VifNote>, DriverError> {
        Ok(None)
    }

    /// Attaches a virtual interface to the port or port group that it is noted with by now.
    async fn attach_vif(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _note: &VifNote,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    /// Makes what is behind an attached virtual interface what the rows say, after a change of it was
    /// interrupted.
    async fn settle_vif(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _note: &VifNote,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    async fn detach_vif(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _id: &str,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    /// A port is about to be changed by a client.
    async fn port_changed(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _old: &Port,
        _new: &Port,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    /// A port group is about to be changed by a client.
    async fn portgroup_changed(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _old: &Portgroup,
        _new: &Portgroup,
    ) -> Result<(), DriverError> {
        Ok(())
    }

    /// `network_data.json` for a ramdisk that gets no address otherwise.
    async fn network_data(&self, _machine: &Machine<'_>) -> Result<Option<JsonMap>, DriverError> {
        Ok(None)
    }
}
