//! The `noop` deploy interface: somebody else installs the machine.
//!
//! Every node passes, the one step succeeds, and nothing is done to the machine.

use crate::{
    DriverError,
    agent::deploy::ONE,
    iface::{Deploy, Interface, Machine},
};
use async_trait::async_trait;
use types::{
    LeaseProof,
    step::{OnRestart, Step, StepOutcome, StepSpec},
};

/// Deployment by somebody else.
#[derive(Debug, Clone, Copy)]
pub struct NoopDeploy;

#[async_trait]
impl Interface for NoopDeploy {
    fn name(&self) -> &'static str {
        "noop"
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }

    fn steps(&self) -> &'static [StepSpec] {
        ONE
    }

    async fn run_step(
        &self,
        _lease: &LeaseProof,
        _machine: &mut Machine<'_>,
        _step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        Ok(StepOutcome::Done)
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

impl Deploy for NoopDeploy {}
