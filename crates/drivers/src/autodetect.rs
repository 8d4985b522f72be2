//! The `autodetect` deploy interface: which of the others it is depends on the instance.
//!
//! It does no work. Before any flow that could need a deploy interface the conductor asks the
//! registry which one it is to be, and the node has that one for as long as the flow lasts. What is
//! here answers for the node in between.

use crate::{
    DriverError,
    agent::deploy::ONE,
    iface::{Deploy, DeployBy, Interface, Machine},
};
use async_trait::async_trait;
use types::{
    Node,
    step::{OnRestart, StepSpec},
};

pub const NAME: &str = "autodetect";

/// A deploy interface that is still to be chosen.
#[derive(Debug, Clone, Copy)]
pub struct AutodetectDeploy;

#[async_trait]
impl Interface for AutodetectDeploy {
    fn name(&self) -> &'static str {
        NAME
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Err(DriverError::InvalidParameter(
            "No valid deploy interfaces found in autodetect_deploy_interfaces configuration."
                .to_owned(),
        ))
    }

    fn steps(&self) -> &'static [StepSpec] {
        ONE
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

#[async_trait]
impl Deploy for AutodetectDeploy {
    fn by(&self) -> DeployBy {
        DeployBy::Agent
    }

    fn takes_heartbeats(&self, _node: &Node) -> bool {
        // An agent that inspected the machine may be kept for what comes next.
        true
    }
}
