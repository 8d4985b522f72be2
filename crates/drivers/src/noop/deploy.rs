//! The `noop` deploy interface: somebody else installs the machine.
//!
//! Every node passes, the one step succeeds, and nothing is done to the machine.

use crate::{
    DriverError,
    iface::{Deploy, Interface, Machine},
};
use async_trait::async_trait;
use types::{
    LeaseProof,
    step::{OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

/// Deployment by somebody else.
#[derive(Debug, Clone, Copy)]
pub struct NoopDeploy;

const STEPS: &[StepSpec] = &[StepSpec {
    kind: StepKind::Deploy,
    step: "deploy",
    priority: 100,
    abortable: false,
    requires_ramdisk: true,
    args: &[],
    on_restart: OnRestart::Repeat,
}];

#[async_trait]
impl Interface for NoopDeploy {
    fn name(&self) -> &'static str {
        "noop"
    }

    async fn validate(&self, _machine: &Machine<'_>) -> Result<(), DriverError> {
        Ok(())
    }

    fn steps(&self) -> &'static [StepSpec] {
        STEPS
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
