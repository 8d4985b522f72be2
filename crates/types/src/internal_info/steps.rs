//! Where a flow is: its list of steps, the index of the current one, and what a step that is called
//! again has to remember.
//!
//! The current step itself is a column of its own, `clean_step` and its like.

use super::{InternalInfo, key};
use crate::{
    JsonMap, Timestamp,
    step::{Step, StepKind, UserStep},
};
use serde_json::Value;

impl InternalInfo {
    /// The list that a flow runs.
    pub fn steps(&self, kind: StepKind) -> Vec<Step> {
        let maps = self.objects(key::list(kind)).into_iter().flatten();
        maps.filter_map(Step::from_map).collect()
    }

    /// Stores the list that a flow is going to run, from its beginning.
    pub fn set_steps(&mut self, kind: StepKind, steps: &[Step]) {
        let list: Vec<Value> = steps.iter().map(Step::to_json).collect();
        self.set(key::list(kind), list);
        self.forget_step_index(kind);
        self.forget_step_poll();
    }

    /// The steps of a cleaning as a user or a runbook asks for them; `None` when the driver's own
    /// are to run.
    pub fn requested_clean_steps(&self) -> Option<Vec<UserStep>> {
        let maps = self.objects(key::list(StepKind::Clean))?;
        Some(maps.cloned().filter_map(UserStep::from_map).collect())
    }

    /// Keeps the steps of a cleaning as a user or a runbook asks for them.
    pub fn request_clean_steps(&mut self, given: Vec<Value>, disable_ramdisk: bool) {
        self.set(key::list(StepKind::Clean), given);
        self.set(key::CLEANING_DISABLE_RAMDISK, disable_ramdisk);
        self.set(key::DECLARATIVE_CLEANING, true);
    }

    /// Whether the steps of the cleaning are those that somebody asked for.
    pub fn is_declarative_cleaning(&self) -> bool {
        self.flag(key::DECLARATIVE_CLEANING)
    }

    /// Whether the machine is cleaned as it is, without booting a ramdisk.
    pub fn cleans_without_ramdisk(&self) -> bool {
        self.flag(key::CLEANING_DISABLE_RAMDISK)
    }

    pub fn clean_without_ramdisk(&mut self) {
        self.set(key::CLEANING_DISABLE_RAMDISK, true);
    }

    /// Whether the machine is serviced as it is, without booting a ramdisk.
    pub fn services_without_ramdisk(&self) -> bool {
        self.flag(key::SERVICE_DISABLE_RAMDISK)
    }

    /// `None`: nobody asked, and the list itself tells.
    pub fn set_services_without_ramdisk(&mut self, disable: Option<bool>) {
        self.set(key::SERVICE_DISABLE_RAMDISK, disable);
    }

    /// The steps of a deployment as a user asked for them.
    pub fn user_deploy_steps(&self) -> Vec<UserStep> {
        let maps = self.objects(key::USER_DEPLOY_STEPS).into_iter().flatten();
        maps.cloned().filter_map(UserStep::from_map).collect()
    }

    pub fn set_user_deploy_steps(&mut self, asked: &[UserStep]) {
        let given = asked.iter().map(|step| Value::Object(step.given.clone()));
        self.set(key::USER_DEPLOY_STEPS, given.collect::<Vec<_>>());
    }

    /// The list of a deployment holds the agent's own steps by now.
    pub fn mark_steps_validated(&mut self) {
        self.set(key::STEPS_VALIDATED, true);
    }

    /// The index of the current step; `None` before the first one.
    pub fn step_index(&self, kind: StepKind) -> Option<usize> {
        let index = self.0.get(key::index(kind))?.as_u64()?;
        usize::try_from(index).ok()
    }

    pub fn set_step_index(&mut self, kind: StepKind, index: usize) {
        self.set(key::index(kind), index);
    }

    pub fn forget_step_index(&mut self, kind: StepKind) {
        self.remove(key::index(kind));
    }

    /// Whether the current step is to be run once more when its wait is over. Asking forgets it.
    pub fn take_step_repeat(&mut self, kind: StepKind) -> bool {
        let skip = self.remove(key::skip(kind));
        skip.is_some_and(|skip| !crate::pyrepr::truth(&skip))
    }

    /// Whether the machine was rebooted at the end of the current step.
    pub fn is_rebooted_by_step(&self, kind: StepKind) -> bool {
        self.flag(key::reboot(kind))
    }

    pub fn mark_rebooted_by_step(&mut self, kind: StepKind) {
        self.set(key::reboot(kind), true);
    }

    pub fn forget_reboot_by_step(&mut self, kind: StepKind) {
        self.remove(key::reboot(kind));
    }

    /// Whether a conductor of Ironic was looking after the hardware of a step.
    pub fn is_polled_step(&self, kind: StepKind) -> bool {
        self.flag(key::polling(kind))
    }

    /// Whether a step looks after its hardware by itself and wants to be called again.
    pub fn has_step_poll(&self) -> bool {
        self.0.contains_key(key::STEP_POLL_DUE)
    }

    /// Whether that step wants to be called by now. A time that cannot be read has come.
    pub fn is_step_poll_due(&self, now: Timestamp) -> bool {
        let due = self.text(key::STEP_POLL_DUE);
        due.is_some_and(|due| Timestamp::parse(due).is_none_or(|due| due <= now))
    }

    pub fn set_step_poll_due(&mut self, at: Timestamp) {
        self.set(key::STEP_POLL_DUE, at.to_string());
    }

    /// Whether a step wants the machine rebooted, and it is not certain that it was.
    pub fn has_pending_reboot(&self) -> bool {
        self.flag(key::STEP_POLL_REBOOT)
    }

    pub fn set_pending_reboot(&mut self) {
        self.set(key::STEP_POLL_REBOOT, true);
    }

    pub fn forget_pending_reboot(&mut self) {
        self.remove(key::STEP_POLL_REBOOT);
    }

    /// Whether an agent ran on the machine when a step rebooted it.
    pub fn had_agent_at_reboot(&self) -> bool {
        self.flag(key::STEP_POLL_RAMDISK)
    }

    pub fn mark_agent_at_reboot(&mut self) {
        self.set(key::STEP_POLL_RAMDISK, true);
    }

    /// What a step that is called again has to remember; nothing when it is called first.
    pub fn step_state(&self) -> Option<&JsonMap> {
        self.0.get(key::STEP_STATE)?.as_object()
    }

    pub fn set_step_state(&mut self, state: JsonMap) {
        self.set(key::STEP_STATE, state);
    }

    /// The step has ended, however it did: it is not called again and has nothing to remember.
    pub fn forget_step_poll(&mut self) {
        self.remove_all(&[
            key::STEP_POLL_DUE,
            key::STEP_POLL_REBOOT,
            key::STEP_POLL_RAMDISK,
            key::STEP_STATE,
        ]);
    }

    /// The flow is over: its list, and everything that belongs to it. As in Ironic, the list stays
    /// as null.
    pub fn forget_steps(&mut self, kind: StepKind) {
        self.set(key::list(kind), Value::Null);
        self.forget_step_index(kind);
        self.remove_all(&[
            key::reboot(kind),
            key::skip(kind),
            key::polling(kind),
            key::agent_steps(kind),
            key::STEPS_VALIDATED,
            key::AGENT_START_ATTEMPTED,
        ]);
        match kind {
            StepKind::Clean => {
                self.remove_all(&[key::CLEANING_DISABLE_RAMDISK, key::DECLARATIVE_CLEANING]);
            }
            StepKind::Deploy => self.remove_all(&[key::USER_DEPLOY_STEPS, key::IMAGE_SOURCE]),
            StepKind::Service | StepKind::Verify => {
                self.remove_all(&[key::SERVICE_DISABLE_RAMDISK, key::IMAGE_SOURCE]);
            }
        }
        self.forget_step_poll();
    }
}
