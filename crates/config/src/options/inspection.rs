//! Inspection: what is asked of machines, which hooks and rules see the answer, where it is kept.

use crate::{
    Multi, Seconds,
    choice::{AddPorts, InventoryBackend, KeepPorts, RuleMask},
    section::section,
};
use std::{collections::BTreeMap, path::PathBuf};

section! {
    /// Inspection by the agent.
    Inspector = "inspector" {
        /// How often inspections under way are looked at.
        warns("Ironic does not apply it either")
        status_check_period: Seconds = "60",
        /// Kernel parameters of the ramdisk.
        acts extra_kernel_params: String = "",
        /// Switch machines off afterwards.
        acts power_off: bool = "true",
        /// Address that ramdisks send data to; no longer used upstream.
        warns("Ironic does not apply it either")
        callback_endpoint_override: Option<String>,
        /// Refuse to inspect machines that only an administrator could boot.
        acts require_managed_boot: bool = "true",
        /// Make all interfaces of the ramdisk ask for an address.
        acts force_dhcp: bool = "false",
        /// Which network interfaces become ports.
        acts add_ports: AddPorts = "pxe",
        /// Which ports stay.
        acts keep_ports: KeepPorts = "all",
        /// Note at ports which of them the machine booted from.
        acts update_pxe_enabled: bool = "true",
        /// Make ports from what the BMC knows, before the machine is booted.
        acts pre_create_ports: bool = "true",
        /// Hooks that run unless told otherwise.
        acts default_hooks: String = "ramdisk-error,validate-interfaces,ports,architecture",
        /// Hooks that run.
        acts hooks: String = "$default_hooks",
        /// File of devices that count as accelerators; built in if unset.
        acts known_accelerators: Option<PathBuf>,
        /// CPU flags and the capabilities they become.
        acts cpu_capabilities: BTreeMap<String, String> =
            "aes:cpu_aes,pdpe1gb:cpu_hugepages_1g,pse:cpu_hugepages,smx:cpu_txt,svm:cpu_vt,vmx:cpu_vt",
        /// Refuse extra hardware data with an item of unknown form.
        acts extra_hardware_strict: bool = "false",
        /// Names for PCI devices, as JSON.
        acts pci_device_alias: Multi<String>,
        /// Physical networks by address range, as `10.0.0.0/24:name`.
        acts physical_network_cidr_map: Vec<String>,
        /// Leave a GiB of the root disk out of `local_gb`, for partition tables.
        acts disk_partitioning_spacing: bool = "true",
    }
}

section! {
    /// Machines that nobody enrolled.
    AutoDiscovery = "auto_discovery" {
        /// Enroll them when they send inspection data.
        acts enabled: bool = "false",
        /// Hardware type they get.
        acts driver: Option<String>,
        /// Inspection scope they get.
        warns("Ironic does not apply it either")
        inspection_scope: Option<String>,
    }
}

section! {
    /// What inspection found.
    Inventory = "inventory" {
        /// Where it is kept.
        acts data_backend: InventoryBackend = "database",
        /// Swift container to keep it in.
        acts swift_data_container: String = "introspection_data_container",
    }
}

section! {
    /// Rules for what inspection found.
    InspectionRules = "inspection_rules" {
        /// File of rules that always apply.
        acts built_in_rules: Option<PathBuf>,
        /// When rules see secrets masked.
        acts mask_secrets: RuleMask = "always",
    }
}
