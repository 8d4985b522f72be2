//! What operators can set about Redfish.

use super::{
    StepSettings,
    info::{Auth, TlsVersion},
};
use crate::gate::GateSettings;
use outbound::Policy;
use std::time::Duration;

/// The options of `[redfish]`, and those of other sections that Redfish hardware follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedfishSettings {
    pub gate: GateSettings,
    /// Where BMCs may be.
    pub outbound: Policy,
    /// How often a request is sent that did not get through.
    pub attempts: u32,
    /// How long to wait between those.
    pub attempt_pause: Duration,
    pub connect_timeout: Duration,
    pub read_timeout: Duration,
    /// How often a question is repeated that the service failed to answer for reasons of its own.
    pub server_retries: u32,
    /// How long to wait between those.
    pub server_retry_pause: Duration,
    /// How many sessions are kept open at most.
    pub sessions: usize,
    /// How long a session that nobody uses is kept open.
    pub session_idle: Duration,
    /// How to log in where the node does not say.
    pub auth: Auth,
    /// Whom to trust where the node does not say.
    pub verify: Option<tls::Trust>,
    /// Whether services that do not speak TLS are left alone.
    pub require_tls: bool,
    pub tls_minimum: Option<TlsVersion>,
    pub tls_ciphers: Option<String>,
    /// How long a machine may take to switch its power.
    pub power_wait: Duration,
    /// How long an operating system may take to shut down.
    pub soft_off_wait: Duration,
    /// How long a machine is given after a reset before it is looked at.
    pub reset_pause: Duration,
    /// How often power on is tried on a BMC that says it is busy, and how long to wait between.
    pub power_on_conflicts: u32,
    pub power_on_conflict_pause: Duration,
    /// How often a change is tried on a machine that is starting, and the first pause between.
    pub post_attempts: u32,
    pub post_pause: Duration,
    /// How long a change of the boot mode or of secure boot may take.
    pub boot_mode_wait: Duration,
    /// How long to wait between two looks at such a change.
    pub boot_mode_pause: Duration,
    /// How long a BMC that is reset is left alone before it is looked at, how long it may take to
    /// be back, and how long to wait between two looks.
    pub bmc_reset_pause: Duration,
    pub bmc_reset_wait: Duration,
    pub bmc_reset_look: Duration,
    /// Whether a BMC's clock is set when it is wrong.
    pub verify_clock: bool,
    /// Whether to wait until the BMC says that virtual media is inserted, how long at most, and
    /// how long between two looks.
    pub watch_insert: bool,
    pub insert_wait: Duration,
    pub insert_pause: Duration,
    /// Whether machines that do not say are booted by UEFI.
    pub default_uefi: bool,
    /// About steps that take their time.
    pub steps: StepSettings,
}

impl Default for RedfishSettings {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            outbound: Policy::default(),
            gate: GateSettings::default(),
            attempts: 5,
            attempt_pause: seconds(4),
            connect_timeout: seconds(30),
            read_timeout: seconds(60),
            server_retries: 10,
            server_retry_pause: seconds(3),
            sessions: 1000,
            session_idle: seconds(300),
            auth: Auth::Auto,
            verify: None,
            require_tls: false,
            tls_minimum: None,
            tls_ciphers: None,
            power_wait: seconds(60),
            soft_off_wait: seconds(600),
            reset_pause: seconds(15),
            power_on_conflicts: 6,
            power_on_conflict_pause: seconds(10),
            post_attempts: 6,
            post_pause: seconds(5),
            boot_mode_wait: seconds(900),
            boot_mode_pause: seconds(15),
            bmc_reset_pause: seconds(30),
            bmc_reset_wait: seconds(960),
            bmc_reset_look: seconds(10),
            verify_clock: false,
            watch_insert: false,
            insert_wait: seconds(60),
            insert_pause: seconds(2),
            default_uefi: true,
            steps: StepSettings::default(),
        }
    }
}
