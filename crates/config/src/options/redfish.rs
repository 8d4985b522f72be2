//! Redfish: connections, firmware updates, virtual media, inspection.

use crate::{
    Seconds, VerifyCa,
    choice::{BmcTlsVersion, ImageSource, RedfishAuth},
    section::section,
};

section! {
    /// Redfish.
    Redfish = "redfish" {
        /// How many times a connection is tried.
        acts connection_attempts: u32 [1..] = "5",
        /// How long to wait between those.
        acts connection_retry_interval: Seconds [1..] = "4",
        /// Time-out of a connection.
        acts connect_timeout: Seconds [1..] = "30",
        /// Time-out of an answer.
        acts read_timeout: Seconds [1..] = "60",
        /// Most sessions kept open; zero keeps none.
        acts connection_cache_size: u32 [0..] = "1000",
        /// How to log in on BMCs of nodes that do not say.
        acts auth_type: RedfishAuth = "auto",
        /// Authorities trusted when speaking with BMCs of nodes that do not say.
        acts verify_ca: Option<VerifyCa>,
        /// Oldest TLS version accepted with BMCs; the library's choice if unset.
        acts tls_minimum_version: Option<BmcTlsVersion>,
        /// TLS ciphers offered to BMCs; the library's choice if unset.
        acts tls_ciphers: Option<String>,
        /// Serve virtual media from Swift.
        acts use_swift: bool = "false",
        /// Swift container for them.
        acts swift_container: String = "ironic_redfish_container",
        /// How long they stay there.
        acts swift_object_expiry_timeout: Seconds [1..] = "900",
        /// Kernel parameters of ramdisks booted by virtual media.
        acts kernel_append_params: String = "nofb vga=normal",
        /// Mode of files served to BMCs, as a decimal number (420 is 0644).
        acts file_permission: u32 = "420",
        /// How firmware gets to BMCs.
        stops("BMCs fetch firmware from the address that is given, in this build; remove the option")
        firmware_source: ImageSource = "http",
        /// How often firmware updates are looked at; zero switches it off.
        acts firmware_update_status_interval: Seconds [0..] = "60",
        /// How often failed firmware updates are looked at; zero switches it off.
        warns("failures are seen when the work is looked at, as the status interval says")
        firmware_update_fail_interval: Seconds [0..] = "60",
        /// How long to leave a BMC alone after its firmware was updated.
        acts firmware_update_wait_unresponsive_bmc: Seconds [0..] = "0",
        /// How many good answers in a row show that a BMC is back.
        acts firmware_update_required_successes: u32 [0..] = "3",
        /// How long to wait between the questions.
        acts firmware_update_validation_interval: Seconds [0..] = "30",
        /// How long a BMC may take to come back.
        acts firmware_update_resource_validation_timeout: Seconds [0..] = "480",
        /// How long an update of a BMC's firmware may take.
        warns("Ironic does not apply it either")
        firmware_update_bmc_timeout: Seconds [0..] = "300",
        /// How long to wait before a machine is restarted for an update.
        acts firmware_update_reboot_delay: Seconds [0..] = "300",
        /// How long to wait between looks at a BMC's version.
        acts firmware_update_bmc_version_check_interval: Seconds [0..] = "30",
        /// How long an update of a network card may stay in state starting.
        acts firmware_update_nic_starting_wait: Seconds [0..] = "30",
        /// How long all updates of a node may take.
        acts firmware_update_overall_timeout: Seconds [0..] = "7200",
        /// How often RAID changes are looked at; zero switches it off.
        acts raid_config_status_interval: Seconds [0..] = "60",
        /// How often failed RAID changes are looked at; zero switches it off.
        warns("failures are seen when the work is looked at, as the status interval says")
        raid_config_fail_interval: Seconds [0..] = "60",
        /// How long a change of the boot mode may take.
        acts boot_mode_config_timeout: Seconds [0..] = "900",
        /// Set a BMC's clock when it is wrong.
        acts enable_verify_bmc_clock: bool = "false",
        /// Hooks that inspection runs unless told otherwise.
        acts default_inspection_hooks: String = "validate-interfaces,ports,architecture",
        /// Hooks that inspection runs.
        acts inspection_hooks: String = "$default_inspection_hooks",
        /// How many times a change is tried on a machine that is starting.
        acts post_boot_retry_attempts: u32 [1..] = "6",
        /// How long to wait between those at first.
        acts post_boot_retry_delay: Seconds [1..] = "5",
        /// How many times power on is tried on a BMC that says it is busy.
        acts power_on_conflict_retry_attempts: u32 [0..] = "6",
        /// How long to wait between those.
        acts power_on_conflict_retry_interval: Seconds [1..] = "10",
        /// Wait until the BMC says that virtual media is inserted.
        acts enable_vmedia_insert_polling: bool = "false",
        /// How long that may take.
        acts vmedia_insert_timeout: Seconds [1..] = "60",
        /// How long to wait between looks.
        acts vmedia_insert_poll_interval: Seconds [1..] = "2",
    }
}
