//! Redfish: connections, firmware updates, virtual media, inspection.

use crate::config::{
    Seconds, VerifyCa,
    choice::{BmcTlsVersion, ImageSource, RedfishAuth},
    section::section,
};

section! {
    /// Redfish.
    Redfish = "redfish" {
        /// How many times a connection is tried.
        connection_attempts: u32 [1..] = "5",
        /// How long to wait between those.
        connection_retry_interval: Seconds [1..] = "4",
        /// Time-out of a connection.
        connect_timeout: Seconds [1..] = "30",
        /// Time-out of an answer.
        read_timeout: Seconds [1..] = "60",
        /// Most sessions kept open; zero keeps none.
        connection_cache_size: u32 [0..] = "1000",
        /// How to log in on BMCs of nodes that do not say.
        auth_type: RedfishAuth = "auto",
        /// Authorities trusted when speaking with BMCs of nodes that do not say.
        verify_ca: Option<VerifyCa>,
        /// Oldest TLS version spoken with BMCs; the library's choice if unset.
        tls_minimum_version: Option<BmcTlsVersion>,
        /// TLS ciphers offered to BMCs; the library's choice if unset.
        tls_ciphers: Option<String>,
        /// Serve virtual media from Swift.
        use_swift: bool = "false",
        /// Swift container for them.
        swift_container: String = "ironic_redfish_container",
        /// How long they stay there.
        swift_object_expiry_timeout: Seconds = "900",
        /// Kernel parameters of ramdisks booted by virtual media.
        kernel_append_params: String = "nofb vga=normal",
        /// Mode of files served to BMCs, as a decimal number (420 is 0644).
        file_permission: u32 = "420",
        /// How firmware gets to BMCs.
        firmware_source: ImageSource = "http",
        /// How often firmware updates are looked at; zero switches it off.
        firmware_update_status_interval: Seconds [0..] = "60",
        /// How often failed firmware updates are looked at; zero switches it off.
        firmware_update_fail_interval: Seconds [0..] = "60",
        /// How long to leave a BMC alone after its firmware was updated.
        firmware_update_wait_unresponsive_bmc: Seconds [0..] = "0",
        /// How many good answers in a row show that a BMC is back.
        firmware_update_required_successes: u32 [0..] = "3",
        /// How long to wait between the questions.
        firmware_update_validation_interval: Seconds [0..] = "30",
        /// How long a BMC may take to come back.
        firmware_update_resource_validation_timeout: Seconds [0..] = "480",
        /// How long an update of a BMC's firmware may take.
        firmware_update_bmc_timeout: Seconds [0..] = "300",
        /// How long to wait before a machine is restarted for an update.
        firmware_update_reboot_delay: Seconds [0..] = "300",
        /// How long to wait between looks at a BMC's version.
        firmware_update_bmc_version_check_interval: Seconds [0..] = "30",
        /// How long an update of a network card may stay in state starting.
        firmware_update_nic_starting_wait: Seconds [0..] = "30",
        /// How long all updates of a node may take.
        firmware_update_overall_timeout: Seconds [0..] = "7200",
        /// How often RAID changes are looked at; zero switches it off.
        raid_config_status_interval: Seconds [0..] = "60",
        /// How often failed RAID changes are looked at; zero switches it off.
        raid_config_fail_interval: Seconds [0..] = "60",
        /// How long a change of the boot mode may take.
        boot_mode_config_timeout: Seconds [0..] = "900",
        /// Set a BMC's clock when it is wrong.
        enable_verify_bmc_clock: bool = "false",
        /// Hooks that inspection runs unless told otherwise.
        default_inspection_hooks: String = "validate-interfaces,ports,architecture",
        /// Hooks that inspection runs.
        inspection_hooks: String = "$default_inspection_hooks",
        /// How many times a change is tried on a machine that is starting.
        post_boot_retry_attempts: u32 [1..] = "6",
        /// How long to wait between those at first.
        post_boot_retry_delay: Seconds [1..] = "5",
        /// How many times power on is tried on a BMC that says it is busy.
        power_on_conflict_retry_attempts: u32 [0..] = "6",
        /// How long to wait between those.
        power_on_conflict_retry_interval: Seconds [1..] = "10",
        /// Wait until the BMC says that virtual media is inserted.
        enable_vmedia_insert_polling: bool = "false",
        /// How long that may take.
        vmedia_insert_timeout: Seconds [1..] = "60",
        /// How long to wait between looks.
        vmedia_insert_poll_interval: Seconds [1..] = "2",
    }
}
