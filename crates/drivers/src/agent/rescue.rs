//! The `agent` rescue interface: a ramdisk that lets its user in instead of the instance.
//!
//! The conductor boots it and talks to it; here is only what a node must say before.

use crate::{
    DriverError,
    iface::{Interface, Machine, Readiness, Rescue},
};
use async_trait::async_trait;
use serde_json::Value;
use types::{LeaseProof, step::OnRestart};

/// Rescue by an agent on the machine.
#[derive(Debug, Clone, Copy)]
pub struct AgentRescue;

impl AgentRescue {
    fn not_here<T>() -> Result<T, DriverError> {
        Err(DriverError::Unsupported { what: "rescue" })
    }
}

#[async_trait]
impl Interface for AgentRescue {
    fn name(&self) -> &'static str {
        "agent"
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let node = machine.node.id;
        match machine.node.instance_info.get("rescue_password") {
            None | Some(Value::Null) => Err(DriverError::InvalidParameter(format!(
                "Node {node} is missing 'instance_info/rescue_password'. It is required for rescuing node."
            ))),
            Some(Value::String(password)) if password.trim().is_empty() => {
                Err(DriverError::InvalidParameter(format!(
                    "The 'instance_info/rescue_password' is an empty string for node {node}. The 'rescue_password' must be a non-empty string value."
                )))
            }
            Some(_) => Ok(()),
        }
    }

    fn on_restart(&self) -> OnRestart {
        // The ramdisk, or the instance, is booted anew.
        OnRestart::Repeat
    }
}

#[async_trait]
impl Rescue for AgentRescue {
    fn by_agent(&self) -> bool {
        true
    }

    async fn rescue(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<Readiness, DriverError> {
        Self::not_here()
    }
    async fn unrescue(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Self::not_here()
    }
    async fn clean_up(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
    ) -> Result<(), DriverError> {
        Self::not_here()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use types::{JsonMap, Node, NodeId};

    #[tokio::test]
    async fn a_rescue_needs_a_password() {
        let mut node = Node::new(NodeId::generate(), "ipmi");
        let mut check = async |password: Value| {
            node.instance_info.clear();
            if !password.is_null() {
                let key = "rescue_password".to_owned();
                node.instance_info.insert(key, password);
            }
            let nothing = JsonMap::new();
            let machine = Machine::new(&mut node, &nothing, &[]);
            let checked = AgentRescue.validate(&machine).await;
            checked.map_err(|error| error.to_string())
        };
        assert!(check(json!(null)).await.unwrap_err().contains("is missing"));
        assert!(
            check(json!(" "))
                .await
                .unwrap_err()
                .contains("an empty string")
        );
        assert_eq!(check(json!("secret")).await, Ok(()));
        // As it is in a row: sealed.
        assert_eq!(check(json!({"sealed": "x"})).await, Ok(()));
    }
}
