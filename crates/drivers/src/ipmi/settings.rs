//! What operators can set about IPMI.

use crate::{console::LogSettings, gate::GateSettings};
use outbound::Policy;
use std::{net::IpAddr, ops::Range, time::Duration};

/// The options of `[ipmi]`, and those of other sections that IPMI hardware follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IpmiSettings {
    pub gate: GateSettings,
    /// Where BMCs may be.
    pub outbound: Policy,
    /// How long a request is repeated that the BMC could not answer for the moment.
    pub retry_for: Duration,
    /// How long to wait before a request is repeated, besides the pacing.
    pub retry_pause: Duration,
    /// How long the first wait for an answer is; each next one is as much longer.
    pub first_wait: Duration,
    /// How often a datagram is sent before the BMC counts as silent.
    pub tries: u32,
    /// Whether BMCs are told not to forget the boot device after a minute, where the node does not
    /// say.
    pub disable_boot_timeout: bool,
    /// Suites to try on BMCs that refuse the usual ones, the last one first.
    pub cipher_suites: Vec<u32>,
    /// How long a machine may take to switch its power.
    pub power_wait: Duration,
    /// How long an operating system may take to shut down.
    pub soft_off_wait: Duration,
    /// How long a machine is given after a reset before it is looked at.
    pub reset_pause: Duration,
    /// Whether machines that do not say are booted by UEFI.
    pub default_uefi: bool,
    /// Where consoles are served.
    pub console_address: IpAddr,
    /// Ports for consoles of nodes that name none; `None` where such nodes have no console.
    pub console_ports: Option<Vec<Range<u16>>>,
    /// Whether a console needs a port. Without one it is there for those who come by the API.
    pub console_needs_port: bool,
    /// How long an idle console stays open; `None` for ever.
    pub console_idle: Option<Duration>,
    /// How often a BMC is asked whether it is still there while nothing is said on a console.
    pub console_keep_alive: Duration,
    /// Where what machines say is kept, if it is.
    pub console_log: Option<LogSettings>,
}

impl Default for IpmiSettings {
    fn default() -> Self {
        Self {
            outbound: Policy::default(),
            gate: GateSettings::default(),
            retry_for: Duration::from_secs(60),
            retry_pause: Duration::from_secs(1),
            first_wait: Duration::from_secs(1),
            tries: 4,
            disable_boot_timeout: true,
            cipher_suites: Vec::new(),
            power_wait: Duration::from_secs(60),
            soft_off_wait: Duration::from_secs(600),
            reset_pause: Duration::from_secs(15),
            default_uefi: true,
            console_address: IpAddr::from([127, 0, 0, 1]),
            console_ports: None,
            console_needs_port: true,
            console_idle: Some(Duration::from_secs(600)),
            console_keep_alive: Duration::from_secs(20),
            console_log: None,
        }
    }
}
