//! The model of a machine: what both protocols read and change.
//!
//! Callers see methods; the state behind them has one lock, which is never held while anything is
//! waited for. Nothing here runs by itself: what is to happen later (a machine that takes two
//! seconds to power on) is written down with its time and made good when somebody looks next. A
//! hundred thousand idle machines therefore cost memory and nothing else.
//!
//! To add a part that few machines use, give it a module under `machine/`, put an
//! `Option<Box<Part>>` into [`State`], and let its methods (`impl Machine`) make it when it is first
//! written or when reading it needs more than the seed.

pub mod account;
pub mod bios;
pub mod boot;
pub mod console;
pub mod event;
pub mod firmware;
pub mod identity;
pub mod inventory;
pub mod log;
pub mod media;
pub mod parts;
pub mod power;
pub mod refusal;
pub mod secure_boot;
pub mod sensor;
pub mod session;
pub mod storage;
pub mod task;

use crate::{
    backend::Order,
    fault::{Faults, Write},
    personality::Personality,
};
use account::{Accounts, User};
use boot::{Boot, Firmware};
use console::Console;
use log::EventLog;
use parts::Parts;
use power::{Action, Power};
use sensor::Readings;
use serde::Serialize;
use std::{
    collections::VecDeque,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use tokio::sync::{broadcast, mpsc};

/// What all machines of a simulator have in common.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Machines of the same seed are the same machines.
    pub seed: u64,
    pub personality: &'static Personality,
    /// The accounts that a BMC has at first.
    pub users: Arc<[User]>,
    /// How long it takes to power on or off.
    pub power_time: Duration,
    /// How long an operating system takes to shut down when it is asked to.
    pub shutdown_time: Duration,
    /// How long a BMC is away when it is restarted.
    pub bmc_reboot_time: Duration,
    /// After how long boot flags are forgotten that no chassis command has followed.
    pub boot_flags_time: Duration,
    pub sessions: u16,
    pub is_on_at_first: bool,
    /// The faults of machines that were given none of their own.
    pub faults: Arc<Faults>,
    /// Tells what happened, to whom it concerns.
    pub events: broadcast::Sender<Event>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            personality: Personality::generic(),
            users: Arc::new([User::administrator("admin", "password")]),
            power_time: Duration::ZERO,
            shutdown_time: Duration::ZERO,
            bmc_reboot_time: Duration::from_secs(2),
            boot_flags_time: Duration::from_secs(60),
            sessions: 32,
            is_on_at_first: false,
            faults: Arc::default(),
            events: broadcast::channel(256).0,
        }
    }
}

/// Something that happened to a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub machine: u32,
    pub change: Change,
}

/// What happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A requested power change that takes time.
    Requested(Action),
    Power(bool),
    Booted(Firmware, boot::Device),
    BootOverride,
    Light,
    BmcRestarted,
    Faults,
}

/// A simulated machine.
#[derive(Debug)]
pub struct Machine {
    index: u32,
    settings: Arc<Settings>,
    state: Mutex<State>,
    /// Where orders go if the machine is a process; none if it is purely simulated.
    backend: Option<mpsc::UnboundedSender<Order>>,
    /// Where its screen is shown, if it has one.
    screen: OnceLock<SocketAddr>,
}

/// Everything about a machine that changes.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) power: Power,
    pub(crate) boot: Boot,
    pub(crate) light: Light,
    /// Its own faults, if they are not those of all.
    faults: Option<Arc<Faults>>,
    /// How many answers the BMC has given: some faults hit every n-th.
    answers: u32,
    /// Grows when the BMC restarts; sessions of an older one are gone.
    epoch: u32,
    away_until: Option<Instant>,
    pub(crate) accounts: Option<Box<Accounts>>,
    pub(crate) log: Option<Box<EventLog>>,
    /// The serial console, created when it is first opened.
    pub(crate) console: Option<Box<Console>>,
    pub(crate) readings: Option<Box<Readings>>,
    /// Further state of the Redfish service, created on first use.
    pub(crate) parts: Option<Box<Parts>>,
    /// The inventory (FRU), stored once it was written to.
    pub(crate) fru: Option<Box<[u8]>>,
    /// What was asked of the machine, the newest last.
    history: VecDeque<Action>,
}

/// The light by which people find the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Light {
    #[default]
    Off,
    Until(Instant),
    Forever,
}

/// How many actions are remembered.
const HISTORY: usize = 64;

impl Machine {
    pub fn new(index: u32, settings: Arc<Settings>) -> Self {
        Self::with_backend(index, settings, None)
    }

    pub fn with_backend(
        index: u32,
        settings: Arc<Settings>,
        backend: Option<mpsc::UnboundedSender<Order>>,
    ) -> Self {
        let state = State {
            power: Power::new(settings.is_on_at_first && backend.is_none()),
            boot: Boot::new(!settings.personality.oddities.is_legacy_only),
            light: Light::Off,
            faults: None,
            answers: 0,
            epoch: 0,
            away_until: None,
            accounts: None,
            log: None,
            console: None,
            readings: None,
            parts: None,
            fru: None,
            history: VecDeque::new(),
        };
        Self {
            index,
            settings,
            state: Mutex::new(state),
            backend,
            screen: OnceLock::new(),
        }
    }

    /// The VNC server that shows the machine's screen while it is on.
    pub fn screen(&self) -> Option<SocketAddr> {
        self.screen.get().copied()
    }

    pub(crate) fn set_screen(&self, address: SocketAddr) {
        // A machine has one screen for life.
        let _ = self.screen.set(address);
    }

    pub fn index(&self) -> u32 {
        self.index
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn personality(&self) -> &'static Personality {
        self.settings.personality
    }

    /// The state as it is now: what had its time to come has come.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        let mut state = self.locked();
        self.settle(&mut state);
        state
    }

    /// No thread leaves the state half changed, so one that panicked has done no harm to it.
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn tell(&self, change: Change) {
        // There may be no receiver.
        let _ = self.settings.events.send(Event {
            machine: self.index,
            change,
        });
    }

    pub(crate) fn order(&self, order: Order) {
        if let Some(backend) = &self.backend {
            // A backend that is gone leaves the machine as it is.
            let _ = backend.send(order);
        }
    }

    pub(crate) fn is_process(&self) -> bool {
        self.backend.is_some()
    }

    pub fn faults(&self) -> Arc<Faults> {
        let state = self.locked();
        self.faults_in(&state)
    }

    pub(crate) fn faults_in(&self, state: &State) -> Arc<Faults> {
        Arc::clone(state.faults.as_ref().unwrap_or(&self.settings.faults))
    }

    /// Turns the knobs of this machine; none goes back to those of all.
    pub fn set_faults(&self, faults: Option<Faults>) {
        self.locked().faults = faults.map(Arc::new);
        self.tell(Change::Faults);
    }

    /// Whether a write is accepted and forgotten. Writes of parts beside power and boot ask with
    /// [`Write::Other`].
    pub fn ignores(&self, write: Write) -> bool {
        self.faults().ignores(write)
    }

    /// What becomes of the answer that is about to be given.
    pub fn delivery(&self) -> crate::fault::Delivery {
        let mut state = self.locked();
        if self.is_away(&mut state) {
            return crate::fault::Delivery::Lost;
        }
        state.answers = state.answers.wrapping_add(1);
        self.faults_in(&state).delivery(state.answers)
    }

    /// Whether the BMC is restarting, and hears nothing.
    pub fn is_bmc_away(&self) -> bool {
        self.is_away(&mut self.locked())
    }

    fn is_away(&self, state: &mut State) -> bool {
        let is_away = state.away_until.is_some_and(|until| Instant::now() < until);
        if !is_away {
            state.away_until = None;
        }
        is_away
    }

    /// Sessions know in which epoch they were opened: those of an older one are gone.
    pub fn epoch(&self) -> u32 {
        self.locked().epoch
    }

    /// How many sessions there may be at once, for each protocol.
    pub fn session_limit(&self) -> u16 {
        self.faults()
            .session_limit
            .unwrap_or(self.settings.sessions)
    }

    /// Restarts the BMC: it is silent for a while and has forgotten its sessions. The machine
    /// itself notices nothing.
    pub fn restart_bmc(&self) {
        let time = match self.faults().reboot_seconds {
            0 => self.settings.bmc_reboot_time,
            seconds => Duration::from_secs(seconds.into()),
        };
        {
            let mut state = self.locked();
            state.epoch = state.epoch.wrapping_add(1);
            state.away_until = Some(Instant::now() + time);
            if let Some(parts) = &mut state.parts {
                parts.sessions.forget();
            }
        }
        self.tell(Change::BmcRestarted);
    }

    pub fn light(&self) -> Light {
        let mut state = self.locked();
        if let Light::Until(end) = state.light
            && end <= Instant::now()
        {
            state.light = Light::Off;
        }
        state.light
    }

    pub fn set_light(&self, light: Light) {
        if self.ignores(Write::Other) {
            return;
        }
        self.locked().light = light;
        self.tell(Change::Light);
    }

    /// What was asked of the machine, the newest last.
    pub fn history(&self) -> Vec<Action> {
        let state = self.locked();
        state.history.iter().copied().collect()
    }

    pub(crate) fn remember(state: &mut State, action: Action) {
        let history = &mut state.history;
        if history.len() == HISTORY {
            history.pop_front();
        }
        history.push_back(action);
    }

    /// What tests and operators see of a machine.
    pub fn summary(&self) -> Summary {
        let power = self.power();
        let boot = self.boot();
        let light = self.light();
        let last_boot = self.state().boot.last;
        Summary {
            index: self.index,
            name: self.name(),
            uuid: self.uuid().to_string(),
            serial: self.serial(),
            power: power.is_on,
            boots: power.boots,
            boot_device: boot.device,
            boot_enabled: boot.enabled,
            boot_mode: boot.mode,
            last_boot: last_boot.map(|(firmware, device)| BootSummary { firmware, device }),
            light: light != Light::Off,
            history: self.history(),
            faults: Faults::clone(&self.faults()),
        }
    }
}

/// What tests and operators see of a machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub index: u32,
    pub name: String,
    pub uuid: String,
    pub serial: String,
    pub power: bool,
    /// How often it has booted.
    pub boots: u32,
    pub boot_device: boot::Device,
    pub boot_enabled: boot::Enabled,
    pub boot_mode: Firmware,
    pub last_boot: Option<BootSummary>,
    pub light: bool,
    pub history: Vec<Action>,
    pub faults: Faults,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BootSummary {
    pub firmware: Firmware,
    pub device: boot::Device,
}

#[cfg(test)]
#[path = "machine/tests.rs"]
mod tests;
