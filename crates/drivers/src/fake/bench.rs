//! What all fake interfaces share: taking time, failing and waiting on request, and the journal.

use super::{FakeSettings, journal::Journal};
use crate::{
    DriverError,
    iface::{Awaited, Machine, Readiness},
};
use serde_json::Value;
use std::{
    io,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};
use types::{
    InterfaceKind, JsonMap, LeaseProof,
    step::{Step, StepKind, StepOutcome},
};

const FAIL: &str = "fake_fail";
/// As `fake_fail`, with the answer of a BMC that does not let us in.
const REFUSE: &str = "fake_refuse";
/// The same, with a BMC that does not answer.
const SILENT: &str = "fake_silent";
/// What is said about such a failure.
const TEXT: &str = "fake_error";
const WAIT: &str = "fake_wait";
const POLL: &str = "fake_poll";

/// The workbench on which fake machines stand.
#[derive(Debug)]
pub(crate) struct Bench {
    settings: FakeSettings,
    journal: Option<Journal>,
    /// Counts operations, so that equal ones do not all take equally long.
    count: AtomicU64,
}

impl Bench {
    /// Fails when the journal cannot be opened.
    pub(crate) fn new(settings: FakeSettings) -> io::Result<Self> {
        let journal = settings.journal.as_deref().map(Journal::open).transpose()?;
        Ok(Self {
            settings,
            journal,
            count: AtomicU64::new(0),
        })
    }

    /// Validates the interface of a kind.
    pub(super) fn validate(machine: &Machine<'_>, kind: InterfaceKind) -> Result<(), DriverError> {
        let names = [format!("{kind}.validate")];
        if is_listed(machine.driver_info, FAIL, &names) {
            return Err(DriverError::InvalidParameter(told_to_fail(
                machine, &names[0],
            )));
        }
        Ok(())
    }

    /// Asks the machine something.
    pub(super) async fn read(
        &self,
        machine: &Machine<'_>,
        kind: InterfaceKind,
        operation: &str,
    ) -> Result<(), DriverError> {
        let time = self.time_for(machine, kind);
        Self::work(machine, time, &[format!("{kind}.{operation}")]).await
    }

    /// Changes the machine.
    pub(super) async fn change(
        &self,
        lease: &LeaseProof,
        machine: &Machine<'_>,
        kind: InterfaceKind,
        operation: &str,
    ) -> Result<(), DriverError> {
        let names = [format!("{kind}.{operation}")];
        self.change_as(lease, machine, kind, &names).await
    }

    /// Carries out a step.
    pub(super) async fn step(
        &self,
        lease: &LeaseProof,
        machine: &mut Machine<'_>,
        step: &Step,
    ) -> Result<StepOutcome, DriverError> {
        let names = [format!("{}.{}", flow_of(machine), step.step), step.name()];
        // What is told to fail as well does so when it is called again.
        if machine.step_state().is_none() && is_listed(machine.driver_info, POLL, &names) {
            machine.set_step_state(JsonMap::new());
            return Ok(StepOutcome::Again {
                reason: format!("fake hardware works on {}", names[0]),
                after: Duration::from_millis(1),
                reboot: true,
            });
        }
        self.change_as(lease, machine, step.interface, &names)
            .await?;
        Ok(match wait_reason(machine.driver_info, &names) {
            Some(reason) => StepOutcome::Wait { reason },
            None => StepOutcome::Done,
        })
    }

    /// Why an operation that changed the machine is to be waited for, if it is.
    pub(super) fn must_wait(
        driver_info: &JsonMap,
        kind: InterfaceKind,
        operation: &str,
    ) -> Option<String> {
        wait_reason(driver_info, &[format!("{kind}.{operation}")])
    }

    /// Changes a machine, and tells whether the operation is to be waited for.
    pub(super) async fn make_ready(
        &self,
        lease: &LeaseProof,
        machine: &Machine<'_>,
        kind: InterfaceKind,
        operation: &str,
    ) -> Result<Readiness, DriverError> {
        self.change(lease, machine, kind, operation).await?;
        Ok(
            match Self::must_wait(machine.driver_info, kind, operation) {
                Some(reason) => Readiness::Wait(Awaited::Other(reason)),
                None => Readiness::Ready,
            },
        )
    }

    async fn change_as(
        &self,
        lease: &LeaseProof,
        machine: &Machine<'_>,
        kind: InterfaceKind,
        names: &[String],
    ) -> Result<(), DriverError> {
        if lease.node() != machine.node.id {
            return Err(DriverError::Failed(format!(
                "the lease is on node {}, not on this one",
                lease.node()
            )));
        }
        let time = self.time_for(machine, kind);
        let entry = match &self.journal {
            Some(journal) => Some(
                journal
                    .begin(&self.settings.host, lease, &names[0], time)
                    .await,
            ),
            None => None,
        };
        let outcome = Self::work(machine, time, names).await;
        if let Some(entry) = entry {
            entry.end().await;
        }
        outcome
    }

    /// How long the next operation of this kind takes.
    fn time_for(&self, machine: &Machine<'_>, kind: InterfaceKind) -> Duration {
        let Some(delay) = self.settings.delays.get(&kind) else {
            return Duration::ZERO;
        };
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        delay.sample(machine.node.id, count)
    }

    async fn work(
        machine: &Machine<'_>,
        time: Duration,
        names: &[String],
    ) -> Result<(), DriverError> {
        if !time.is_zero() {
            tokio::time::sleep(time).await;
        }
        if is_listed(machine.driver_info, FAIL, names) {
            return Err(DriverError::Failed(told_to_fail(machine, &names[0])));
        }
        if is_listed(machine.driver_info, REFUSE, names) {
            return Err(DriverError::Refused(
                told_to_fail(machine, &names[0]).into(),
            ));
        }
        if is_listed(machine.driver_info, SILENT, names) {
            let text = told_to_fail(machine, &names[0]);
            return Err(DriverError::Unreachable(text.into()));
        }
        Ok(())
    }
}

/// The flow that a node which runs a step is in.
fn flow_of(machine: &Machine<'_>) -> StepKind {
    let state = machine.node.provision_state;
    if state.is_cleaning() {
        StepKind::Clean
    } else if state.is_servicing() {
        StepKind::Service
    } else if state == types::ProvisionState::Verifying {
        StepKind::Verify
    } else {
        StepKind::Deploy
    }
}

fn told_to_fail(machine: &Machine<'_>, name: &str) -> String {
    match machine.driver_info.get(TEXT).and_then(Value::as_str) {
        Some(text) => text.to_owned(),
        None => format!("fake hardware was told to fail {name}"),
    }
}

fn wait_reason(driver_info: &JsonMap, names: &[String]) -> Option<String> {
    is_listed(driver_info, WAIT, names)
        .then(|| format!("fake hardware was told to wait after {}", names[0]))
}

/// Whether the list under `key` has one of the names, or the last part of one.
fn is_listed(driver_info: &JsonMap, key: &str, names: &[String]) -> bool {
    let is_meant = |listed: &str| {
        let listed = listed.trim();
        names.iter().any(|name| {
            name == listed || name.split_once('.').is_some_and(|(_, last)| last == listed)
        })
    };
    match driver_info.get(key) {
        Some(Value::String(text)) => text.split(',').any(is_meant),
        Some(Value::Array(list)) => list.iter().filter_map(Value::as_str).any(is_meant),
        _ => false,
    }
}
