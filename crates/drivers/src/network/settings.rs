//! What the configuration says about Neutron's networks.

use crate::iface::NetworkPurpose;
use std::time::Duration;

/// The network for one purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PurposeNetwork {
    /// UUID or name.
    pub network: Option<String>,
    pub security_groups: Vec<String>,
}

/// `[neutron]`, but for logging in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkSettings {
    pub cleaning: PurposeNetwork,
    pub provisioning: PurposeNetwork,
    pub rescuing: PurposeNetwork,
    pub inspection: PurposeNetwork,
    pub servicing: PurposeNetwork,
    /// Whether ports that no machine boots from get onto networks for ramdisks too.
    pub add_all_ports: bool,
    pub fail_on_binding_failure: bool,
    /// Whether machines that are never switched off may change networks.
    pub allow_disabling_power_off: bool,
    /// How many addresses a port has in a subnet with stateful DHCPv6.
    pub dhcpv6_address_count: usize,
    /// How often a port, or the agent of a smart NIC, is looked at, and after which pause.
    pub max_attempts: u32,
    pub retry_interval: Duration,
    /// What a smart NIC needs after its machine was switched on.
    pub poll_interval: Duration,
}

impl Default for NetworkSettings {
    fn default() -> Self {
        Self {
            cleaning: PurposeNetwork::default(),
            provisioning: PurposeNetwork::default(),
            rescuing: PurposeNetwork::default(),
            inspection: PurposeNetwork::default(),
            servicing: PurposeNetwork::default(),
            add_all_ports: false,
            fail_on_binding_failure: true,
            allow_disabling_power_off: false,
            dhcpv6_address_count: 4,
            max_attempts: 100,
            retry_interval: Duration::from_secs(10),
            poll_interval: Duration::from_secs(2),
        }
    }
}

impl NetworkSettings {
    /// The network of a ramdisk; the instance's networks are not ours to choose.
    pub(super) fn network(&self, purpose: NetworkPurpose) -> Option<&PurposeNetwork> {
        Some(match purpose {
            NetworkPurpose::Cleaning => &self.cleaning,
            NetworkPurpose::Provisioning => &self.provisioning,
            NetworkPurpose::Rescuing => &self.rescuing,
            NetworkPurpose::Inspection => &self.inspection,
            NetworkPurpose::Servicing => &self.servicing,
            NetworkPurpose::Tenant => return None,
        })
    }
}
