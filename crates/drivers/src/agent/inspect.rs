//! The `agent` inspect interface: what a ramdisk finds out about its machine.
//!
//! The conductor boots the ramdisk, through the node's boot interface where that knows how, and
//! otherwise by having the machine boot from the network, where an operator may serve one. Here is
//! only whether that second way is good enough.

use crate::{
    DriverError,
    iface::{Inspect, Inspection, Interface, Machine},
};
use async_trait::async_trait;
use types::{LeaseProof, step::OnRestart};

/// What operators can set about the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// `[inspector]require_managed_boot`: refuse to inspect machines that only an operator's own
    /// network boot could serve.
    pub require_managed_boot: bool,
    /// `[deploy]fast_track`: agents stay up between operations.
    pub fast_track: bool,
    /// `[deploy]fast_track_timeout`: for how many seconds an agent counts as there after a report.
    pub fast_track_timeout_s: i64,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            require_managed_boot: true,
            fast_track: false,
            fast_track_timeout_s: 300,
        }
    }
}

/// Work by an agent on the machine.
#[derive(Debug, Clone)]
pub struct Agent {
    settings: AgentSettings,
}

impl Agent {
    pub fn new(settings: &AgentSettings) -> Self {
        Self {
            settings: settings.clone(),
        }
    }
}

#[async_trait]
impl Interface for Agent {
    fn name(&self) -> &'static str {
        "agent"
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }

    fn on_restart(&self) -> OnRestart {
        // The machine is booted anew, and reports anew.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Inspect for Agent {
    fn takes_report(&self) -> bool {
        true
    }

    fn requires_managed_boot(&self) -> bool {
        self.settings.require_managed_boot
    }

    async fn inspect(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Inspection, DriverError> {
        Ok(Inspection::ByRamdisk)
    }

    async fn abort(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Ok(())
    }
}
