//! BMCs and power strips, except Redfish; and hardware that does not exist.

use crate::config::{Multi, Seconds, section::section};

section! {
    /// IPMI.
    Ipmi = "ipmi" {
        /// How long a command is tried.
        command_retry_timeout: Seconds = "60",
        /// Least time between two commands to one BMC.
        min_command_interval: Seconds = "5",
        /// Leave retries to the IPMI client.
        use_ipmitool_retries: bool = "false",
        /// End a command that takes longer than its time-out.
        kill_on_timeout: bool = "true",
        /// Tell BMCs not to forget the boot device after a minute.
        disable_boot_timeout: bool = "true",
        /// Further error texts after which a command is tried again.
        additional_retryable_ipmi_errors: Multi<String>,
        /// Log the conversations.
        debug: bool = "false",
        /// Pass passwords by the environment rather than by a file.
        store_cred_in_env: bool = "false",
        /// Cipher suites to try on BMCs that refuse the usual one, the last one first.
        cipher_suite_versions: Vec<u32>,
    }
}

section! {
    /// Switched power strips, as in releases up to 35.
    Snmp = "snmp" {
        /// How long an outlet may take to switch.
        power_timeout: Seconds = "10",
        /// Pause between off and on.
        reboot_delay: Seconds [0..] = "0",
        /// Pause before an outlet is switched on and after it was switched off.
        power_action_delay: Seconds [0..] = "0",
        /// Seconds to wait for an answer.
        udp_transport_timeout: f64 [0.0..] = "1.0",
        /// How many times a question is repeated.
        udp_transport_retries: u32 [0..] = "5",
    }
}

section! {
    /// Deploys over iSCSI, as in releases up to 17.
    Iscsi = "iscsi" {
        /// Port of the target on the node.
        portal_port: u16 = "3260",
        /// Flags for the copying program.
        conv_flags: Option<String>,
        /// How many times to look for the disk.
        verify_attempts: u32 [1..] = "3",
    }
}

section! {
    /// Hardware that only pretends. Delays are seconds, or `least,most` of a random time.
    Fake = "fake" {
        /// Delay of power actions.
        power_delay: String = "0",
        /// Delay of boot actions.
        boot_delay: String = "0",
        /// Delay of deploy actions.
        deploy_delay: String = "0",
        /// Delay of vendor actions.
        vendor_delay: String = "0",
        /// Delay of management actions.
        management_delay: String = "0",
        /// Delay of inspection.
        inspect_delay: String = "0",
        /// Delay of RAID actions.
        raid_delay: String = "0",
        /// Delay of BIOS actions.
        bios_delay: String = "0",
        /// Delay of storage actions.
        storage_delay: String = "0",
        /// Delay of rescue actions.
        rescue_delay: String = "0",
        /// Delay of firmware actions.
        firmware_delay: String = "0",
    }
}
