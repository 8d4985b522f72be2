//! The gate in front of a BMC: who may talk to it, how often, for how long, and when not at all.
//!
//! BMCs are small computers. Each has one conversation at a time, with a pause between two; an
//! operation has a deadline; and one that did not answer several times in a row is left alone for
//! a while, so that nobody else waits for it in vain. After the pause a single conversation tries
//! again, and the pauses grow as long as nothing comes back.
//!
//! Protocols differ in what silence is, so they tell the gate what they heard: [`Permit::heard`]
//! and [`Permit::silent`]. The gate itself never sees a packet.

use crate::{DriverError, error::Variant};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{
    sync::OwnedMutexGuard,
    time::{Instant, sleep_until, timeout_at},
};

/// How BMCs are treated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateSettings {
    /// The least time from the end of a conversation to the next.
    pub interval: Duration,
    /// How long an operation may take, the wait for its turn included.
    pub deadline: Duration,
    /// How many silences in a row make the gate close.
    pub silences: u32,
    /// How long it is closed the first time.
    pub rest: Duration,
    /// How long it is closed at most.
    pub longest_rest: Duration,
}

impl Default for GateSettings {
    fn default() -> Self {
        Self {
            interval: Duration::from_millis(100),
            deadline: Duration::from_secs(120),
            silences: 6,
            rest: Duration::from_secs(15),
            longest_rest: Duration::from_secs(120),
        }
    }
}

/// Why there is no conversation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    #[error(
        "it was silent {silences} times in a row and is left alone; the next try is in {} s",
        next.as_secs().max(1)
    )]
    Resting { silences: u32, next: Duration },
    #[error("it was busy with other conversations for {} s", after.as_secs())]
    Busy { after: Duration },
    #[error("the BMC was not done within {} s", after.as_secs())]
    Deadline { after: Duration },
}

impl GateError {
    /// What it means for whoever wanted the conversation.
    pub(crate) fn variant(&self) -> Variant {
        match self {
            Self::Busy { .. } => DriverError::Busy,
            Self::Resting { .. } | Self::Deadline { .. } => DriverError::Unreachable,
        }
    }
}

/// All gates, by the name of what is behind them.
#[derive(Debug, Default)]
pub struct Gates {
    settings: GateSettings,
    gates: Mutex<HashMap<String, Arc<Gate>>>,
}

/// From so many gates on, those that nobody needs are forgotten.
const MANY: usize = 1024;

impl Gates {
    pub fn new(settings: GateSettings) -> Self {
        Self {
            settings,
            gates: Mutex::default(),
        }
    }

    /// The gate in front of a BMC.
    pub fn of(&self, peer: &str) -> Arc<Gate> {
        let mut gates = locked(&self.gates);
        if let Some(gate) = gates.get(peer) {
            return Arc::clone(gate);
        }
        if gates.len() >= MANY && gates.len().is_power_of_two() {
            gates.retain(|_, gate| Arc::strong_count(gate) > 1 || !gate.is_at_ease());
        }
        let gate = Arc::new(Gate::new(self.settings.clone()));
        gates.insert(peer.to_owned(), Arc::clone(&gate));
        gate
    }
}

/// The gate in front of one BMC.
#[derive(Debug)]
pub struct Gate {
    settings: GateSettings,
    /// Held by the conversation that is going on; says when the last one ended.
    turn: Arc<tokio::sync::Mutex<Option<Instant>>>,
    breaker: Mutex<Breaker>,
}

#[derive(Debug, Default)]
struct Breaker {
    /// In a row, up to now.
    silences: u32,
    /// Closed until then.
    until: Option<Instant>,
    /// How long the next rest is.
    rest: Duration,
}

/// No code panics while it holds one of these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gate {
    pub fn new(settings: GateSettings) -> Self {
        let breaker = Breaker {
            rest: settings.rest,
            ..Breaker::default()
        };
        Self {
            settings,
            turn: Arc::default(),
            breaker: Mutex::new(breaker),
        }
    }

    /// Waits for the turn of a conversation. Fails at once while the BMC is left alone.
    pub async fn enter(self: &Arc<Self>) -> Result<Permit, GateError> {
        self.check()?;
        let after = self.settings.deadline;
        let deadline = Instant::now() + after;
        let turn = timeout_at(deadline, Arc::clone(&self.turn).lock_owned()).await;
        let turn = turn.map_err(|_| GateError::Busy { after })?;
        // The conversation that was waited for may have found out that nobody answers.
        self.check()?;
        if let Some(ended) = *turn {
            sleep_until(ended + self.settings.interval).await;
        }
        Ok(Permit {
            gate: Arc::clone(self),
            turn,
            deadline,
        })
    }

    fn check(&self) -> Result<(), GateError> {
        let breaker = locked(&self.breaker);
        let next = breaker
            .until
            .map(|until| until.saturating_duration_since(Instant::now()));
        match next {
            Some(next) if !next.is_zero() => Err(GateError::Resting {
                silences: breaker.silences,
                next,
            }),
            _ => Ok(()),
        }
    }

    /// Whether forgetting the gate would change nothing.
    fn is_at_ease(&self) -> bool {
        let paced = self
            .turn
            .try_lock()
            .is_ok_and(|ended| ended.is_none_or(|at| at.elapsed() >= self.settings.interval));
        paced && locked(&self.breaker).silences == 0
    }
}

/// The right to talk to a BMC, for as long as the value lives.
#[derive(Debug)]
pub struct Permit {
    gate: Arc<Gate>,
    turn: OwnedMutexGuard<Option<Instant>>,
    deadline: Instant,
}

impl Permit {
    /// Does a part of the operation, unless its time is over.
    pub async fn within<T>(&self, work: impl Future<Output = T>) -> Result<T, GateError> {
        let after = self.gate.settings.deadline;
        let done = timeout_at(self.deadline, work).await;
        done.map_err(|_| GateError::Deadline { after })
    }

    /// The BMC has answered, whatever it said.
    pub fn heard(&self) {
        let mut breaker = locked(&self.gate.breaker);
        *breaker = Breaker {
            rest: self.gate.settings.rest,
            ..Breaker::default()
        };
    }

    /// The BMC has not answered. Fails when it is to be left alone from now on.
    pub fn silent(&self) -> Result<(), GateError> {
        self.unanswered(false)
    }

    /// The BMC took all the time that an operation may have, and has not answered. It is left alone
    /// from now on, whatever it did before: another such wait is too dear.
    pub fn given_up(&self) -> Result<(), GateError> {
        self.unanswered(true)
    }

    fn unanswered(&self, is_enough: bool) -> Result<(), GateError> {
        let settings = &self.gate.settings;
        let mut breaker = locked(&self.gate.breaker);
        breaker.silences = breaker.silences.saturating_add(1);
        if !is_enough && breaker.silences < settings.silences {
            return Ok(());
        }
        let next = breaker.rest;
        breaker.until = Some(Instant::now() + next);
        breaker.rest = (next * 2).min(settings.longest_rest);
        Err(GateError::Resting {
            silences: breaker.silences,
            next,
        })
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *self.turn = Some(Instant::now());
    }
}

#[cfg(test)]
#[path = "gate/tests.rs"]
mod tests;
