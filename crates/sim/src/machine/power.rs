//! Power: what may be asked of a machine, and what then happens when.

use super::{Change, Machine, State};
use crate::{backend::Order, fault::Write};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What may be asked of a machine's power.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    On,
    Off,
    Cycle,
    Reset,
    /// Asks the operating system to shut down.
    Soft,
    /// A diagnostic interrupt.
    Nmi,
}

/// Why the machine started last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RestartCause {
    #[default]
    Unknown,
    Command,
    Reset,
}

/// The power of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Power {
    pub is_on: bool,
    /// How often the machine has booted.
    pub boots: u32,
    pub cause: RestartCause,
    pending: Option<Pending>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Pending {
    at: Instant,
    to: Step,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    On,
    Off,
    /// Off, and on again after that.
    Cycle,
}

/// Why an action is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("not possible while the machine is powered off")]
    IsOff,
}

impl Power {
    pub(super) fn new(is_on: bool) -> Self {
        Self {
            is_on,
            boots: u32::from(is_on),
            cause: RestartCause::Unknown,
            pending: None,
        }
    }

    /// Whether the machine is on its way from one state to another, and to which.
    pub fn target(&self) -> Option<bool> {
        self.pending.map(|pending| pending.to != Step::Off)
    }
}

impl Machine {
    pub fn power(&self) -> Power {
        self.state().power
    }

    /// Does what was asked, or begins to.
    pub fn control(&self, action: Action) -> Result<(), Refused> {
        {
            let mut state = self.state();
            let is_on = state.power.is_on;
            if !is_on
                && matches!(action, Action::Cycle | Action::Reset)
                && self.personality().oddities.refuses_cycle_when_off
            {
                return Err(Refused::IsOff);
            }
            Self::remember(&mut state, action);
            if !self.faults_in(&state).ignores(Write::Power) {
                self.act(&mut state, action);
                self.settle(&mut state);
            }
        }
        self.tell(Change::Requested(action));
        Ok(())
    }

    fn act(&self, state: &mut State, action: Action) {
        self.boot_flags_were_used(state);
        if self.is_process() {
            let (firmware, device) = state.boot.choice();
            self.order(Order::of(action, firmware, device));
            return;
        }
        let settings = self.settings();
        let now = Instant::now();
        let is_on = state.power.is_on;
        let (to, time) = match action {
            Action::On if !is_on => (Step::On, settings.power_time),
            Action::Off if is_on => (Step::Off, settings.power_time),
            Action::Soft if is_on => (Step::Off, settings.shutdown_time),
            Action::Cycle if is_on => (Step::Cycle, settings.power_time),
            Action::Cycle | Action::Reset if !is_on => (Step::On, settings.power_time),
            Action::Reset => {
                self.boot_now(state, RestartCause::Reset);
                return;
            }
            // An order that brings the machine to where it is cancels one that leads away.
            Action::On | Action::Off => {
                state.power.pending = None;
                return;
            }
            Action::Soft | Action::Cycle | Action::Nmi => return,
        };
        state.power.pending = Some(Pending { at: now + time, to });
    }

    /// Makes good what had its time to come.
    pub(super) fn settle(&self, state: &mut State) {
        let now = Instant::now();
        while let Some(pending) = state.power.pending.filter(|pending| pending.at <= now) {
            state.power.pending = None;
            match pending.to {
                Step::On => {
                    state.power.is_on = true;
                    self.tell(Change::Power(true));
                    self.boot_now(state, RestartCause::Command);
                }
                Step::Off => self.switch_off(state),
                Step::Cycle => {
                    self.switch_off(state);
                    state.power.pending = Some(Pending {
                        at: pending.at + self.settings().power_time,
                        to: Step::On,
                    });
                }
            }
        }
        self.forget_boot_flags(state, now);
    }

    fn switch_off(&self, state: &mut State) {
        state.power.is_on = false;
        self.tell(Change::Power(false));
    }

    pub(super) fn boot_now(&self, state: &mut State, cause: RestartCause) {
        state.power.cause = cause;
        state.power.boots += 1;
        self.start_parts(state);
        let (firmware, device) = state.boot.start();
        self.tell(Change::Booted(firmware, device));
        if !self.is_process() {
            self.print_boot(state);
        }
    }

    /// What the process behind the machine reports.
    pub fn report_power(&self, is_on: bool) {
        let mut state = self.state();
        if state.power.is_on == is_on {
            return;
        }
        state.power.is_on = is_on;
        self.tell(Change::Power(is_on));
        if is_on {
            self.boot_now(&mut state, RestartCause::Command);
        }
    }

    /// What the process behind the machine reports when it was reset.
    pub fn report_reset(&self) {
        let mut state = self.state();
        self.boot_now(&mut state, RestartCause::Reset);
    }
}
