//! What operators can set about steps that take their time: BIOS, RAID and firmware.

use std::time::Duration;

/// Options of `[redfish]`, and limits that Ironic leaves to the time-outs of its flows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepSettings {
    /// How often BIOS settings and firmware updates are looked at.
    pub status_interval: Duration,
    /// How often RAID changes are looked at.
    pub raid_interval: Duration,
    /// How long BIOS settings may take until they are in effect.
    pub bios_wait: Duration,
    /// How long a whole RAID step may take.
    pub raid_wait: Duration,
    /// How often iDRACs are asked whether their controllers accept work.
    pub ready_pause: Duration,
    /// How long to leave a BMC alone after an update of something whose kind is not known.
    pub unresponsive_bmc_wait: Duration,
    /// How many good answers in a row show that a BMC is back; zero: nobody asks.
    pub required_successes: u32,
    /// How long to wait between the questions.
    pub validation_interval: Duration,
    /// How long a BMC may take to come back; zero: nobody asks.
    pub validation_timeout: Duration,
    /// How long to look for the new version of a BMC before going on without it.
    pub bmc_version_wait: Duration,
    /// How long to wait between looks at a BMC's version.
    pub version_check_interval: Duration,
    /// How long an update of a network card may stay in state starting before the machine is
    /// rebooted for it.
    pub nic_starting_wait: Duration,
    /// How long all updates of a step may take; zero: as long as they like.
    pub overall_timeout: Duration,
}

impl Default for StepSettings {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            status_interval: seconds(60),
            raid_interval: seconds(60),
            bios_wait: seconds(1800),
            raid_wait: seconds(4 * 3600),
            ready_pause: seconds(10),
            unresponsive_bmc_wait: seconds(0),
            required_successes: 3,
            validation_interval: seconds(30),
            validation_timeout: seconds(480),
            bmc_version_wait: seconds(300),
            version_check_interval: seconds(30),
            nic_starting_wait: seconds(30),
            overall_timeout: seconds(7200),
        }
    }
}
