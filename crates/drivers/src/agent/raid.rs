//! The `agent` RAID interface: disks that the machine's own software puts together.
//!
//! All of its steps are the agent's, who tells the conductor of them when it runs; so this has none
//! of its own.

use crate::{
    DriverError,
    iface::{Interface, Machine, Raid},
    logical_disk::LOGICAL_DISK_PROPERTIES,
};
use async_trait::async_trait;
use types::step::OnRestart;

/// RAID by an agent on the machine.
#[derive(Debug, Clone, Copy)]
pub struct AgentRaid;

#[async_trait]
impl Interface for AgentRaid {
    fn name(&self) -> &'static str {
        "agent"
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

impl Raid for AgentRaid {
    fn logical_disk_properties(&self) -> &'static [(&'static str, &'static str)] {
        LOGICAL_DISK_PROPERTIES
    }
}
