//! Hardware that is not there: the interfaces named `fake`.
//!
//! They do at once what they are asked to, so that the service can be tried and tested without
//! machines. A machine's state is its node's row, never this process's memory: it survives a
//! restart, and another conductor sees the same machine. Therefore the power state is unknown
//! until it is first set, as it is with Ironic's fake driver.
//!
//! What `driver_info` and the settings can ask for:
//!
//! * `fake_fail` makes operations fail, `fake_refuse` has them answer like a BMC that does not let us
//!   in, `fake_silent` like one that does not answer (`fake_error` is what they say then), and
//!   `fake_wait` makes those that can wait for a ramdisk
//!   (steps, `inspect.inspect`, `rescue.rescue`, `deploy.prepare_cleaning`,
//!   `deploy.prepare_service`) answer that they wait. Each is a list of names, or one text with
//!   commas between them. An operation is named `<kind>.<operation>` after the methods of
//!   [`crate::iface`] (`power.set`, `deploy.prepare`, `bios.validate`); a step also `<flow>.<step>`
//!   (`clean.log_passthrough`); the last part alone names it too (`inspect`, `rescue`). The keys are
//!   not among the properties of the driver, because those are what clients compare with
//!   Ironic. Reports of a ramdisk are noted where `deploy` was told to wait for one.
//! * `fake_power` is the state that the machine's power is found in (`power on`, `power off`,
//!   `error`, `unknown`) until the service changes it. A text behind `#` makes another surprise of
//!   the same state; behind `#always` the machine stays in it whatever it is told.
//! * [`FakeSettings::set_delay`] makes operations of a kind take time.
//! * [`FakeSettings::journal`] has every change written down, for tests that look for two
//!   conductors working on one machine.
//!
//! Ironic has a second vendor implementation without a name to enable it by; it is left out.

mod bench;
mod bios;
mod boot;
mod console;
mod delay;
mod deploy;
mod firmware;
mod inspect;
mod journal;
mod management;
mod power;
mod raid;
mod rescue;
mod storage;
mod vendor;

pub(crate) use bench::Bench;
pub use delay::{Delay, InvalidDelay};

use crate::{
    DriverError,
    iface::{Interface, Machine},
};
use async_trait::async_trait;
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};
use types::{
    InterfaceKind, LeaseProof,
    step::{ArgSpec, OnRestart, Step, StepKind, StepOutcome, StepSpec},
};

/// How the fake hardware behaves.
#[derive(Debug, Clone, Default)]
pub struct FakeSettings {
    delays: BTreeMap<InterfaceKind, Delay>,
    /// File to which every change of a machine is appended.
    pub journal: Option<PathBuf>,
    /// Name of this conductor in the journal.
    pub host: String,
}

impl FakeSettings {
    /// `[fake]<kind>_delay`: how long operations of a kind take.
    pub fn set_delay(&mut self, kind: InterfaceKind, delay: Delay) {
        self.delays.insert(kind, delay);
    }
}

/// The implementation named `fake` of one kind.
#[derive(Debug, Clone)]
pub struct Fake {
    bench: Arc<Bench>,
    kind: InterfaceKind,
}

impl Fake {
    pub(crate) fn new(bench: &Arc<Bench>, kind: InterfaceKind) -> Self {
        Self {
            bench: Arc::clone(bench),
            kind,
        }
    }
}

#[async_trait]
impl Interface for Fake {
    fn name(&self) -> &'static str {
        "fake"
    }

    fn properties(&self) -> &'static [(&'static str, &'static str)] {
        match self.kind {
            InterfaceKind::Vendor => vendor::PROPERTIES,
            _ => &[],
        }
    }

    async fn validate(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        Bench::validate(machine, self.kind)
    }

    fn steps(&self) -> &'static [StepSpec] {
        match self.kind {
            InterfaceKind::Bios => bios::STEPS,
            InterfaceKind::Deploy => deploy::STEPS,
            InterfaceKind::Firmware => firmware::STEPS,
            InterfaceKind::Vendor => vendor::STEPS,
            _ => &[],
        }
    }

    async fn run_step(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        if !self.steps().iter().any(|known| known.step == step.step) {
            let name = step.name();
            return Err(DriverError::Failed(format!("there is no step {name}")));
        }
        let outcome = self.bench.step(lease, machine, step).await?;
        match self.kind {
            InterfaceKind::Bios => {
                if let Some(settings) = bios::after(step)? {
                    machine.found.bios = Some(settings);
                }
            }
            InterfaceKind::Vendor if vendor::always_waits(step) => {
                return Ok(StepOutcome::Wait {
                    reason: "the step waits for whoever continues it".to_owned(),
                });
            }
            _ => {}
        }
        Ok(outcome)
    }

    fn on_restart(&self) -> OnRestart {
        OnRestart::Repeat
    }
}

/// A clean step as most of the fake ones are.
const fn clean_step(step: &'static str, args: &'static [ArgSpec]) -> StepSpec {
    StepSpec {
        kind: StepKind::Clean,
        step,
        priority: 0,
        abortable: false,
        requires_ramdisk: true,
        args,
        on_restart: OnRestart::Repeat,
    }
}

#[cfg(test)]
#[path = "fake/tests.rs"]
mod tests;
