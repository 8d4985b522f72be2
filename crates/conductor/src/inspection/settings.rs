//! What operators can set about inspection by a ramdisk.

use super::hook::Hook;
use outbound::Policy;
use std::{path::PathBuf, time::Duration};
use tls::Trust;

/// Which network interfaces become ports (`[inspector]add_ports`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddPorts {
    All,
    /// Those that had an IP address while the ramdisk ran.
    Active,
    /// The one that the machine booted from.
    Pxe,
    Disabled,
}

impl AddPorts {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Active => "active",
            Self::Pxe => "pxe",
            Self::Disabled => "disabled",
        }
    }
}

/// Which ports stay (`[inspector]keep_ports`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeepPorts {
    All,
    /// Those that the machine still has.
    Present,
    /// Those that inspection would add.
    Added,
}

/// When rules see secrets masked (`[inspection_rules]mask_secrets`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaskSecrets {
    Always,
    Never,
    /// Unless the rule itself is sensitive.
    Sensitive,
}

/// Whose DHCP requests the operator's dnsmasq answers (`[pxe_filter]`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PxeFilter {
    /// The folder of hosts that dnsmasq reads.
    pub folder: PathBuf,
    /// Inspect interfaces of nodes that are let through while they are inspected.
    pub interfaces: Vec<String>,
    pub sync_period: Duration,
}

/// Names and defaults follow the options of Ironic.
#[derive(Debug, Clone)]
pub struct InspectionSettings {
    /// `[inspector]hooks`, in order.
    pub hooks: Vec<Hook>,
    /// `[redfish]inspection_hooks`: those for what is found without a ramdisk.
    pub redfish_hooks: Vec<Hook>,
    /// Whether ports are made from what the BMC knows, before the machine is booted.
    pub pre_create_ports: bool,
    pub add_ports: AddPorts,
    pub keep_ports: KeepPorts,
    pub update_pxe_enabled: bool,
    /// Whether machines are switched off afterwards.
    pub power_off: bool,
    /// More kernel parameters for the ramdisk, and their values.
    pub extra_kernel_params: Vec<(String, String)>,
    /// Whether the ramdisk brings all interfaces up.
    pub force_dhcp: bool,
    /// CPU flags and the capabilities they become.
    pub cpu_capabilities: Vec<(String, String)>,
    /// Whether extra hardware data must have the right form throughout.
    pub extra_hardware_strict: bool,
    /// `[inspector]pci_device_alias`, as written: JSON objects.
    pub pci_device_alias: Vec<String>,
    /// Physical networks by address range, as `10.0.0.0/24:name`.
    pub physical_network_cidr_map: Vec<String>,
    /// Whether a GiB of the root disk is left out of `local_gb`.
    pub disk_partitioning_spacing: bool,
    /// File of devices that count as accelerators, instead of the list we know.
    pub known_accelerators: Option<PathBuf>,
    /// Whether machines that nobody enrolled are processed in `enroll`.
    pub auto_discovery: bool,
    /// The operator's dnsmasq, if it is told whom to answer.
    pub pxe_filter: Option<PxeFilter>,
    /// Whether what was found is kept (`[inventory]data_backend`).
    pub keep_data: bool,
    /// File of rules that always apply.
    pub built_in_rules: Option<PathBuf>,
    pub mask_secrets: MaskSecrets,
    /// `[DEFAULT]webserver_verify_ca`, for rules that call an address.
    pub trust: Trust,
    /// Where such calls may lead.
    pub outbound: Policy,
}

impl Default for InspectionSettings {
    fn default() -> Self {
        let flags = [
            ("aes", "cpu_aes"),
            ("pdpe1gb", "cpu_hugepages_1g"),
            ("pse", "cpu_hugepages"),
            ("smx", "cpu_txt"),
            ("svm", "cpu_vt"),
            ("vmx", "cpu_vt"),
        ];
        Self {
            hooks: vec![
                Hook::RamdiskError,
                Hook::ValidateInterfaces,
                Hook::Ports,
                Hook::Architecture,
            ],
            redfish_hooks: vec![Hook::ValidateInterfaces, Hook::Ports, Hook::Architecture],
            pre_create_ports: true,
            add_ports: AddPorts::Pxe,
            keep_ports: KeepPorts::All,
            update_pxe_enabled: true,
            power_off: true,
            extra_kernel_params: Vec::new(),
            force_dhcp: false,
            cpu_capabilities: flags
                .map(|(flag, name)| (flag.to_owned(), name.to_owned()))
                .to_vec(),
            extra_hardware_strict: false,
            pci_device_alias: Vec::new(),
            physical_network_cidr_map: Vec::new(),
            disk_partitioning_spacing: true,
            known_accelerators: None,
            auto_discovery: false,
            pxe_filter: None,
            keep_data: true,
            built_in_rules: None,
            mask_secrets: MaskSecrets::Always,
            trust: Trust::Machine,
            outbound: Policy::default(),
        }
    }
}
