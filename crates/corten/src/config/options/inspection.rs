//! Inspection: what is asked of machines, which hooks and rules see the answer, where it is kept.

use crate::config::{
    Multi, Seconds,
    choice::{AddPorts, InventoryBackend, KeepPorts, RuleMask},
    section::section,
};
use std::{collections::BTreeMap, path::PathBuf};

section! {
    /// Inspection by the agent.
    Inspector = "inspector" {
        /// How often inspections under way are looked at.
        status_check_period: Seconds = "60",
        /// Kernel parameters of the ramdisk.
        extra_kernel_params: String = "",
        /// Switch machines off afterwards.
        power_off: bool = "true",
        /// Address that ramdisks send data to; no longer used upstream.
        callback_endpoint_override: Option<String>,
        /// Refuse to inspect machines that only an administrator could boot.
        require_managed_boot: bool = "true",
        /// Make all interfaces of the ramdisk ask for an address.
        force_dhcp: bool = "false",
        /// Which network interfaces become ports.
        add_ports: AddPorts = "pxe",
        /// Which ports stay.
        keep_ports: KeepPorts = "all",
        /// Note at ports which of them the machine booted from.
        update_pxe_enabled: bool = "true",
        /// Make ports from what the BMC knows, before the machine is booted.
        pre_create_ports: bool = "true",
        /// Hooks that run unless told otherwise.
        default_hooks: String = "ramdisk-error,validate-interfaces,ports,architecture",
        /// Hooks that run.
        hooks: String = "$default_hooks",
        /// File of devices that count as accelerators; built in if unset.
        known_accelerators: Option<PathBuf>,
        /// CPU flags and the capabilities they become.
        cpu_capabilities: BTreeMap<String, String> =
            "aes:cpu_aes,pdpe1gb:cpu_hugepages_1g,pse:cpu_hugepages,smx:cpu_txt,svm:cpu_vt,vmx:cpu_vt",
        /// Refuse extra hardware data with an item of unknown form.
        extra_hardware_strict: bool = "false",
        /// Names for PCI devices, as JSON.
        pci_device_alias: Multi<String>,
        /// Physical networks by address range, as `10.0.0.0/24:name`.
        physical_network_cidr_map: Vec<String>,
        /// Leave a GiB of the root disk out of `local_gb`, for partition tables.
        disk_partitioning_spacing: bool = "true",
    }
}

section! {
    /// Machines that nobody enrolled.
    AutoDiscovery = "auto_discovery" {
        /// Enroll them when they send inspection data.
        enabled: bool = "false",
        /// Hardware type they get.
        driver: Option<String>,
        /// Inspection scope they get.
        inspection_scope: Option<String>,
    }
}

section! {
    /// What inspection found.
    Inventory = "inventory" {
        /// Where it is kept.
        data_backend: InventoryBackend = "database",
        /// Swift container to keep it in.
        swift_data_container: String = "introspection_data_container",
    }
}

section! {
    /// Rules for what inspection found.
    InspectionRules = "inspection_rules" {
        /// File of rules that always apply.
        built_in_rules: Option<PathBuf>,
        /// When rules see secrets masked.
        mask_secrets: RuleMask = "always",
    }
}
