//! Network interfaces that have Neutron put machines on networks: `flat` and `neutron`.
//!
//! `neutron` gives a machine a network for each thing that is done to it, and plugs it in by telling
//! Neutron which switch and port it is on. `flat` leaves it on one network; only cleaning and
//! inspection have ports of their own.
//!
//! Two rules hold throughout. A machine is never on two networks: whoever binds a port needs proof
//! that the machine is off all others ([`order::Unplugged`]). And nothing is forgotten: the node's row
//! says where a machine is about to be put before it is put there ([`Network::announce`]), so that what
//! was made before a crash is found again by its device, network and address.

mod boot_port;
mod choice;
pub mod data;
pub mod dhcp;
mod lookup;
mod order;
mod ports;
mod settings;
mod tenant;
mod vif;
mod wait;
mod wire;

pub use dhcp::NeutronDhcp;
pub use settings::{NetworkSettings, PurposeNetwork};

use crate::{
    DriverError, Failure,
    iface::{Interface, Machine, Network, NetworkPurpose},
};
use async_trait::async_trait;
use openstack::{Caller, Deadline, Error, Services, neutron::Neutron};
use std::{sync::Arc, time::Duration};
use types::{
    JsonMap, LeaseProof, NodeId, Port, Portgroup,
    internal_info::{BootNetwork, BootPortProgress},
    network::VifNote,
    step::{OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

/// For each request. Neutron answers some only when its switches have.
const PATIENCE: Duration = Duration::from_secs(120);

/// In which of the two ways machines are put on networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Flat,
    Neutron,
}

impl Style {
    /// Whether a ramdisk for this purpose has ports of its own; otherwise it uses the instance's.
    fn has_boot_ports(self, purpose: NetworkPurpose) -> bool {
        match self {
            Self::Neutron => purpose != NetworkPurpose::Tenant,
            Self::Flat => matches!(
                purpose,
                NetworkPurpose::Cleaning | NetworkPurpose::Inspection
            ),
        }
    }
}

/// The network interfaces `flat` and `neutron`.
#[derive(Debug, Clone)]
pub struct NeutronNetwork {
    style: Style,
    services: Option<Arc<Services>>,
    settings: Arc<NetworkSettings>,
}

/// Neutron, as it is asked about one node.
#[derive(Debug, Clone)]
pub(crate) struct NodeNetwork {
    neutron: Neutron,
    caller: Caller,
    node: NodeId,
    /// What ports have as their device: the instance or the node.
    device: String,
    style: Style,
    settings: Arc<NetworkSettings>,
}

impl NeutronNetwork {
    pub fn flat(services: Option<Arc<Services>>, settings: Arc<NetworkSettings>) -> Self {
        Self {
            style: Style::Flat,
            services,
            settings,
        }
    }

    pub fn neutron(services: Option<Arc<Services>>, settings: Arc<NetworkSettings>) -> Self {
        Self {
            style: Style::Neutron,
            services,
            settings,
        }
    }

    fn of(&self, machine: &Machine<'_>) -> Result<NodeNetwork, DriverError> {
        let services = self.services.as_ref().ok_or_else(|| {
            DriverError::Environment("this process has no clients of OpenStack services".into())
        })?;
        let instance = machine.node.instance_uuid.as_ref();
        let node = machine.node.id;
        Ok(NodeNetwork {
            neutron: services.neutron().clone(),
            caller: machine.caller.clone(),
            node,
            device: instance.map_or_else(|| node.to_string(), ToString::to_string),
            style: self.style,
            settings: Arc::clone(&self.settings),
        })
    }
}

impl NodeNetwork {
    fn deadline(&self) -> Deadline {
        Deadline::after(PATIENCE)
    }
}

/// What an attempt failed at: in Ironic's words, then what can be done about it.
fn failed(tried: &str, error: &Error) -> DriverError {
    let (why, remedy) = (error.sdk_text(), error.remedy());
    DriverError::Environment(Failure::new(format!("{tried} {why}; {remedy}")))
}

fn refused(text: impl Into<String>) -> DriverError {
    DriverError::Environment(Failure::new(text.into()))
}

const PROPERTIES: &[(&str, &str)] = &[
    (
        "cleaning_network",
        "UUID or name of the network for cleaning, in place of [neutron]cleaning_network. Optional.",
    ),
    (
        "provisioning_network",
        "UUID or name of the network for deploying, in place of [neutron]provisioning_network. Optional.",
    ),
    (
        "rescuing_network",
        "UUID or name of the network for rescue, in place of [neutron]rescuing_network. Optional.",
    ),
    (
        "inspection_network",
        "UUID or name of the network for inspection, in place of [neutron]inspection_network. Optional.",
    ),
    (
        "servicing_network",
        "UUID or name of the network for servicing, in place of [neutron]servicing_network. Optional.",
    ),
    (
        "fail_on_binding_failure",
        "Whether a port that Neutron cannot bind is a failure, in place of [neutron]fail_on_port_binding_failure. Optional.",
    ),
];

const STEPS: &[StepSpec] = &[StepSpec {
    kind: StepKind::Service,
    step: "reattach_networking",
    priority: 0,
    abortable: false,
    requires_ramdisk: false,
    args: &[],
    on_restart: OnRestart::Repeat,
}];

#[async_trait]
impl Interface for NeutronNetwork {
    fn name(&self) -> &'static str {
        match self.style {
            Style::Flat => "flat",
            Style::Neutron => "neutron",
        }
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        PROPERTIES
    }

    /// The networks of a user who may not see them are looked up when they are needed, by us.
    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        if self.style == Style::Flat {
            return network
                .find(machine, NetworkPurpose::Cleaning)
                .await
                .map(drop);
        }
        if machine.node.stays_on() && !self.settings.allow_disabling_power_off {
            return Err(DriverError::InvalidParameter(format!(
                "Node {} has disable_power_off set, and network interface neutron changes networks \
                 while machines are off; set [neutron]allow_disabling_power_off to allow that with \
                 a machine that runs",
                machine.node.id
            )));
        }
        if machine.caller.is_limited_user() {
            return Ok(());
        }
        for purpose in [NetworkPurpose::Cleaning, NetworkPurpose::Provisioning] {
            network.find(machine, purpose).await?;
        }
        Ok(())
    }

    fn steps(&self) -> &'static [StepSpec] {
        match self.style {
            Style::Flat => &[],
            Style::Neutron => STEPS,
        }
    }

    /// Takes the machine off its instance's networks and puts it on them again.
    async fn run_step(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        if step.step != "reattach_networking" {
            return Err(DriverError::no_step(step));
        }
        let network = self.of(machine)?;
        tenant::unbind_all(&network, machine).await?;
        // Nothing new may be bound by this: the note of what was there stays good until the end.
        order::note_tenant(machine, true);
        let unplugged = order::clear(&network, machine, None).await?;
        tenant::bind_all(&network, machine, unplugged).await?;
        Ok(StepOutcome::Done)
    }

    fn on_restart(&self) -> OnRestart {
        // What is there already is found and used or taken away.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Network for NeutronNetwork {
    fn uses_neutron(&self) -> bool {
        true
    }

    fn needs_power(&self, machine: &Machine<'_>) -> Option<Duration> {
        let is_smart = machine.ports.iter().any(|port| port.is_smart());
        let is_affected = is_smart && self.style == Style::Neutron;
        is_affected.then_some(self.settings.poll_interval)
    }

    async fn validate_for(
        &self,
        machine: &Machine<'_>,
        purpose: NetworkPurpose,
    ) -> Result<(), DriverError> {
        if !self.style.has_boot_ports(purpose) {
            return Ok(());
        }
        self.of(machine)?.find(machine, purpose).await.map(drop)
    }

    async fn announce(
        &self,
        machine: &mut Machine<'_>,
        purpose: NetworkPurpose,
    ) -> Result<bool, DriverError> {
        if !self.style.has_boot_ports(purpose) {
            let is_bound = !wire::with_vifs(machine).is_empty();
            return Ok(is_bound && order::note_tenant(machine, true));
        }
        let network = self.of(machine)?;
        let found = network.find(machine, purpose).await?;
        let mut notes = machine.node.driver_internal_info.networks();
        let mut noted = BootNetwork {
            purpose,
            network: found.id,
            device: network.device,
            progress: BootPortProgress::Making,
        };
        let known = |known: &&BootNetwork| known.network == noted.network;
        if let Some(before) = notes.boot_networks(purpose).find(known).cloned()
            && before.progress != BootPortProgress::Made
        {
            noted.progress = BootPortProgress::Resumed;
            noted.device = before.device;
        }
        notes.set_boot_network(noted);
        machine.node.driver_internal_info.set_networks(&notes);
        Ok(true)
    }

    async fn add_network(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        purpose: NetworkPurpose,
    ) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        if !self.style.has_boot_ports(purpose) {
            let unplugged = order::clear(&network, machine, None).await?;
            return tenant::bind_all(&network, machine, unplugged).await;
        }
        let notes = machine.node.driver_internal_info.networks();
        let announced = notes.boot_networks(purpose).last().cloned();
        let announced = announced.ok_or_else(|| {
            refused(format!(
                "the {purpose} network of node {} is not recorded in its row",
                network.node
            ))
        })?;
        let unplugged = order::clear(&network, machine, Some(&announced)).await?;
        boot_port::add_all(&network, machine, &announced, unplugged).await
    }

    async fn remove_network(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        purpose: NetworkPurpose,
    ) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        if purpose == NetworkPurpose::Tenant {
            return tenant::unbind_all(&network, machine).await;
        }
        if !self.style.has_boot_ports(purpose) {
            return match tenant::may_be_bound(&network, machine).await? {
                true => tenant::unbind_all(&network, machine).await,
                false => Ok(()),
            };
        }
        boot_port::remove_all(&network, machine, purpose).await
    }

    async fn vifs(&self, machine: &Machine<'_>) -> Result<Vec<String>, DriverError> {
        let wires = wire::with_vifs(machine);
        let vifs = wires.iter().filter_map(|wire| wire.vif());
        Ok(vifs.map(str::to_owned).collect())
    }

    async fn place_vif(
        &self,
        machine: &Machine<'_>,
        vif: &JsonMap,
    ) -> Result<Option<VifNote>, DriverError> {
        let network = self.of(machine)?;
        vif::place(&network, machine, vif).await.map(Some)
    }

    async fn attach_vif(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        note: &VifNote,
    ) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        vif::attach(&network, machine, note).await
    }

    async fn settle_vif(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        note: &VifNote,
    ) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        vif::settle(&network, machine, note).await
    }

    async fn detach_vif(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        id: &str,
    ) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        vif::detach(&network, machine, id).await
    }

    async fn port_changed(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        old: &Port,
        new: &Port,
    ) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        ports::changed(&network, machine, old, new).await
    }

    async fn portgroup_changed(
        &self,
        _lease: &LeaseProof,
        machine: &mut Machine<'_>,
        old: &Portgroup,
        new: &Portgroup,
    ) -> Result<(), DriverError> {
        let network = self.of(machine)?;
        ports::group_changed(&network, old, new).await
    }

    async fn network_data(&self, machine: &Machine<'_>) -> Result<Option<JsonMap>, DriverError> {
        let network = self.of(machine)?;
        data::collect(&network, machine).await
    }
}
