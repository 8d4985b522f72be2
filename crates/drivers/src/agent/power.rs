//! The `agent` power interface: machines that nothing but the software on them can restart.
//!
//! The only state it can tell is that a machine is on, namely while an agent reports from it; the
//! only thing that can be done is to have that agent reboot the machine, which the conductor does
//! because it is who talks to agents.

use super::AgentSettings;
use crate::{
    DriverError, Failure,
    iface::{Interface, Machine, Power},
};
use async_trait::async_trait;
use types::{
    LeaseProof, Node, PowerState, PowerTarget, ProvisionState, Timestamp, step::OnRestart,
};

/// Power by an agent on the machine.
#[derive(Debug, Clone)]
pub struct AgentPower {
    settings: AgentSettings,
}

impl AgentPower {
    pub fn new(settings: &AgentSettings) -> Self {
        Self {
            settings: settings.clone(),
        }
    }

    /// Whether agents of this node stay up between operations.
    fn is_fast_track(&self, machine: &Machine<'_>) -> bool {
        machine.node.fast_track(self.settings.fast_track)
    }

    /// Whether an agent has reported recently enough to be there still.
    fn is_alive(&self, node: &Node, now: Timestamp) -> bool {
        let is_recent = |at: Timestamp| now.seconds_since(at) <= self.settings.fast_track_timeout_s;
        let inspected = node.inspection_finished_at;
        if node.power_state == Some(PowerState::On) && inspected.is_some_and(is_recent) {
            return true;
        }
        // An agent without an address reported before the machine was last without power, unless
        // it is one that inspects.
        let is_inspecting = matches!(
            node.provision_state,
            ProvisionState::Inspecting | ProvisionState::InspectWait
        );
        let info = &node.driver_internal_info;
        if !info.has_agent() && !is_inspecting {
            return false;
        }
        info.agent_last_heartbeat().is_some_and(is_recent)
    }
}

#[async_trait]
impl Interface for AgentPower {
    fn name(&self) -> &'static str {
        "agent"
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        if !self.is_fast_track(machine) {
            return Err(DriverError::InvalidParameter(
                "Fast track mode must be enabled to use the agent power interface".to_owned(),
            ));
        }
        if !self.is_alive(machine.node, Timestamp::now()) {
            return Err(DriverError::InvalidParameter(format!(
                "Agent seems offline for node {}, the agent power interface cannot be used",
                machine.node.id
            )));
        }
        Ok(())
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Fail("it cannot be told whether the agent was asked to reboot")
    }
}

#[async_trait]
impl Power for AgentPower {
    async fn get(&self, machine: &Machine<'_>) -> Result<Option<PowerState>, DriverError> {
        let alive = self.is_alive(machine.node, Timestamp::now());
        Ok(alive.then_some(PowerState::On))
    }

    async fn set(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        target: PowerTarget,
        _timeout_s: Option<u64>,
    ) -> Result<(), DriverError> {
        Err(DriverError::Rejected(Failure::new(format!(
            "Failed to set node power state to {target}. The agent power interface can only reboot."
        ))))
    }

    fn by_agent(&self) -> bool {
        true
    }

    fn supported(&self) -> &'static [PowerTarget] {
        &[PowerTarget::Reboot, PowerTarget::SoftReboot]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::{JsonMap, NodeId};

    const NOW: Timestamp = Timestamp(1_700_000_000_000_000);

    fn power() -> AgentPower {
        AgentPower::new(&AgentSettings::default())
    }

    fn node() -> Node {
        Node::new(NodeId::generate(), "manual-management")
    }

    #[test]
    fn an_agent_is_there_while_it_reports() {
        let mut node = node();
        assert!(!power().is_alive(&node, NOW));
        let heard = NOW.plus_seconds(-300);
        node.driver_internal_info.set_agent_last_heartbeat(heard);
        // It has no address: the machine was without power since.
        assert!(!power().is_alive(&node, NOW));
        let info =
            json!({"agent_url": "http://10.0.0.1:9999", "agent_last_heartbeat": heard.naive()});
        node.driver_internal_info = info.as_object().cloned().unwrap().into();
        assert!(power().is_alive(&node, NOW));
        assert!(!power().is_alive(&node, NOW.plus_seconds(1)));
    }

    #[test]
    fn a_machine_that_was_just_inspected_runs_its_agent() {
        let mut node = node();
        node.inspection_finished_at = Some(NOW.plus_seconds(-10));
        assert!(!power().is_alive(&node, NOW));
        node.power_state = Some(PowerState::On);
        assert!(power().is_alive(&node, NOW));
    }

    #[tokio::test]
    async fn without_fast_track_it_cannot_be_used() {
        let mut node = node();
        let mut refusal = async |info: serde_json::Value| {
            let info: JsonMap = info.as_object().unwrap().clone();
            node.driver_info = info.clone();
            let machine = Machine::new(&mut node, &info, &[]);
            power().validate(&machine).await.unwrap_err().to_string()
        };
        assert_eq!(
            refusal(json!({})).await,
            "Fast track mode must be enabled to use the agent power interface"
        );
        let refused = refusal(json!({"fast_track": "true"})).await;
        assert!(
            refused.starts_with("Agent seems offline for node"),
            "{refused}"
        );
    }
}
