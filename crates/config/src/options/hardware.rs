//! BMCs and power strips, except Redfish; and hardware that does not exist.

use super::reasons::NO_IPMITOOL;
use crate::{Multi, Seconds, choice::AmtProtocol, section::section};

section! {
    /// IPMI.
    Ipmi = "ipmi" {
        /// How long a command is tried.
        acts command_retry_timeout: Seconds = "60",
        /// Least time between two commands to one BMC.
        acts min_command_interval: Seconds = "5",
        /// Leave retries to the IPMI client.
        warns(NO_IPMITOOL)
        use_ipmitool_retries: bool = "false",
        /// End a command that takes longer than its time-out.
        warns(NO_IPMITOOL)
        kill_on_timeout: bool = "true",
        /// Tell BMCs not to forget the boot device after a minute.
        acts disable_boot_timeout: bool = "true",
        /// Further error texts after which a command is tried again.
        warns(NO_IPMITOOL)
        additional_retryable_ipmi_errors: Multi<String>,
        /// Log the conversations.
        warns("what is said to BMCs is always kept, by the flight recorder")
        debug: bool = "false",
        /// Pass passwords by the environment rather than by a file.
        warns(NO_IPMITOOL)
        store_cred_in_env: bool = "false",
        /// Cipher suites to try on BMCs that refuse the usual one, the last one first.
        acts cipher_suite_versions: Vec<u32>,
    }
}

section! {
    /// Switched power strips, as in releases up to 35.
    Snmp = "snmp" {
        /// How long an outlet may take to switch.
        acts power_timeout: Seconds = "10",
        /// Pause between off and on.
        acts reboot_delay: Seconds [0..] = "0",
        /// Pause before an outlet is switched on and after it was switched off.
        acts power_action_delay: Seconds [0..] = "0",
        /// Seconds to wait for an answer.
        acts udp_transport_timeout: f64 [0.0..] = "1.0",
        /// How many times a question is repeated.
        acts udp_transport_retries: u32 [0..] = "5",
    }
}

section! {
    /// Outlets of iBoots, as in releases up to 6.
    Iboot = "iboot" {
        /// How many times an order is repeated.
        acts max_retry: u32 [0..] = "3",
        /// Pause before an order is repeated, and between two looks at an outlet.
        acts retry_interval: Seconds [0..] = "1",
        /// Pause between off and on.
        acts reboot_delay: Seconds [0..] = "5",
    }
}

section! {
    /// Servers below UCS Manager, as in releases up to 12.
    CiscoUcs = "cisco_ucs" {
        /// How many times a server is looked at that is switched.
        acts max_retry: u32 [0..] = "6",
        /// Pause between two looks.
        acts action_interval: Seconds [0..] = "5",
    }
}

section! {
    /// Servers of SeaMicro's chassis, as in releases up to 6.
    Seamicro = "seamicro" {
        /// How many times an order is repeated that a server does not follow.
        acts max_retry: u32 [0..] = "3",
        /// How long a server may take to follow one.
        acts action_timeout: Seconds = "10",
    }
}

section! {
    /// Virtual machines of hypervisors, as in releases up to 8.
    Ssh = "ssh" {
        /// What virsh connects to on the hypervisor.
        acts libvirt_uri: String = "qemu:///system",
    }
}

section! {
    /// Servers with Cisco's management controller, as in releases up to 12.
    Cimc = "cimc" {
        /// How many times a server is looked at that is switched.
        acts max_retry: u32 [0..] = "6",
        /// Pause between two looks.
        acts action_interval: Seconds [0..] = "10",
    }
}

section! {
    /// Machines with Intel AMT, as in releases up to 6.
    Amt = "amt" {
        /// How machines are spoken to that do not say it: with TLS (`https`) or without.
        acts protocol: AmtProtocol = "http",
        /// How many times an order is given.
        acts max_attempts: u32 [1..] = "3",
        /// Pause after an order, before the machine is looked at.
        acts action_wait: Seconds [0..] = "10",
        /// How long a controller stays awake that was pinged.
        warns("no pings are sent: the connection itself wakes a controller")
        awake_interval: Seconds [0..] = "60",
    }
}

section! {
    /// Deploys over iSCSI, as in releases up to 17.
    Iscsi = "iscsi" {
        /// Port of the target on the node.
        acts portal_port: u16 = "3260",
        /// Flags for the copying program.
        warns("images are written by this process, not by a copying program")
        conv_flags: Option<String>,
        /// How many times to look for the disk.
        acts verify_attempts: u32 [1..] = "3",
    }
}

section! {
    /// Hardware that only pretends. Delays are seconds, or `least,most` of a random time.
    Fake = "fake" {
        /// Delay of power actions.
        acts power_delay: String = "0",
        /// Delay of boot actions.
        acts boot_delay: String = "0",
        /// Delay of deploy actions.
        acts deploy_delay: String = "0",
        /// Delay of vendor actions.
        acts vendor_delay: String = "0",
        /// Delay of management actions.
        acts management_delay: String = "0",
        /// Delay of inspection.
        acts inspect_delay: String = "0",
        /// Delay of RAID actions.
        acts raid_delay: String = "0",
        /// Delay of BIOS actions.
        acts bios_delay: String = "0",
        /// Delay of storage actions.
        acts storage_delay: String = "0",
        /// Delay of rescue actions.
        acts rescue_delay: String = "0",
        /// Delay of firmware actions.
        acts firmware_delay: String = "0",
    }
}
