//! What operators can set about PDUs.

use crate::gate::GateSettings;
use outbound::Policy;
use std::time::Duration;

/// The options of `[snmp]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnmpSettings {
    pub gate: GateSettings,
    /// Where PDUs may be.
    pub outbound: Policy,
    /// How long an answer is waited for before a question is repeated.
    pub timeout: Duration,
    /// How often a question is repeated.
    pub retries: u32,
    /// How long an outlet may take to switch.
    pub power_wait: Duration,
    /// How often an outlet is looked at meanwhile.
    pub look_every: Duration,
    /// How long an outlet is left off when a machine is rebooted.
    pub reboot_delay: Duration,
    /// How long an outlet is given before it is switched on and after it was switched off.
    pub action_delay: Duration,
}

impl Default for SnmpSettings {
    fn default() -> Self {
        Self {
            outbound: Policy::default(),
            gate: GateSettings {
                // One silence is already a question that was repeated several times.
                silences: 3,
                ..GateSettings::default()
            },
            timeout: Duration::from_secs(1),
            retries: 5,
            power_wait: Duration::from_secs(10),
            look_every: Duration::from_secs(1),
            reboot_delay: Duration::ZERO,
            action_delay: Duration::ZERO,
        }
    }
}
