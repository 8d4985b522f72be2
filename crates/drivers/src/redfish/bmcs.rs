//! What is remembered about services between two conversations: the login, the root, the machine.
//!
//! BMCs have room for few sessions, so one is kept and used by all that is asked with the same
//! credentials, and closed when nobody has asked for a while.

use super::{
    address::Origin,
    info::{Auth, Info, Login, Tls},
    quirks::Quirks,
    resource::Resource,
    wire::{Ask, Ticket, Wire},
};
use crate::gate::Gates;
use reqwest::{Method, header::HeaderValue};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};
use tokio::time::{Instant, timeout};

/// How long closing a session may take; the service forgets it some day anyway.
const FAREWELL: Duration = Duration::from_secs(10);

/// A service as one user sees it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    origin: Origin,
    root: String,
    login: Option<Login>,
    auth: Auth,
    tls: Tls,
}

/// How requests are to be authorised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Access {
    /// It has not been tried yet.
    Unknown,
    Nobody,
    Password,
    Session {
        token: HeaderValue,
        location: Option<String>,
    },
}

#[derive(Debug)]
pub struct Memory {
    pub access: Access,
    pub root: Option<Arc<Resource>>,
    /// The path of the only machine.
    pub system: Option<String>,
    pub quirks: Option<Quirks>,
    /// Whether it has answered anything since it was last found silent.
    pub was_heard: bool,
    used: Instant,
}

/// A service, and what is known of it.
#[derive(Debug)]
pub struct Bmc {
    key: Key,
    memory: Mutex<Memory>,
}

/// No code panics while it holds one of these locks.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bmc {
    fn new(key: Key) -> Self {
        let access = match (&key.login, key.auth) {
            (None, _) => Access::Nobody,
            (Some(_), Auth::Basic) => Access::Password,
            (Some(_), _) => Access::Unknown,
        };
        Self {
            key,
            memory: Mutex::new(Memory {
                access,
                root: None,
                system: None,
                quirks: None,
                was_heard: false,
                used: Instant::now(),
            }),
        }
    }

    pub fn memory(&self) -> MutexGuard<'_, Memory> {
        locked(&self.memory)
    }

    pub fn login(&self) -> Option<&Login> {
        self.key.login.as_ref()
    }

    /// Forgets what may be different when the service is back.
    pub fn forget(&self) {
        let mut memory = self.memory();
        (memory.root, memory.system, memory.quirks) = (None, None, None);
        memory.was_heard = false;
    }

    fn touch(&self) {
        self.memory().used = Instant::now();
    }
}

/// All services that were talked to lately, and what it takes to talk to them.
#[derive(Debug)]
pub struct Bmcs {
    pub wire: Wire,
    pub gates: Gates,
    limit: usize,
    idle: Duration,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    all: HashMap<Key, Arc<Bmc>>,
    is_swept: bool,
}

impl Bmcs {
    pub fn new(wire: Wire, gates: Gates, limit: usize, idle: Duration) -> Self {
        Self {
            wire,
            gates,
            limit,
            idle,
            known: Mutex::default(),
        }
    }

    pub fn of(self: &Arc<Self>, info: &Info) -> Arc<Bmc> {
        let key = Key {
            origin: info.origin.clone(),
            root: info.root.clone(),
            login: info.login.clone(),
            auth: info.auth,
            tls: info.tls.clone(),
        };
        let mut known = locked(&self.known);
        if let Some(bmc) = known.all.get(&key) {
            bmc.touch();
            return Arc::clone(bmc);
        }
        if known.all.len() >= self.limit.max(1) {
            let unused = known.all.values().filter(|bmc| Arc::strong_count(bmc) == 1);
            let oldest = unused.min_by_key(|bmc| bmc.memory().used).map(Arc::clone);
            if let Some(oldest) = oldest {
                known.all.remove(&oldest.key);
                self.leave(oldest);
            }
        }
        let bmc = Arc::new(Bmc::new(key.clone()));
        known.all.insert(key, Arc::clone(&bmc));
        if !known.is_swept {
            known.is_swept = true;
            tokio::spawn(sweep(Arc::downgrade(self), self.idle));
        }
        bmc
    }

    /// After a conversation: where sessions are not kept, its session is closed.
    pub fn done(self: &Arc<Self>, bmc: &Arc<Bmc>) {
        bmc.touch();
        if self.limit == 0 && tokio::runtime::Handle::try_current().is_ok() {
            locked(&self.known).all.remove(&bmc.key);
            self.leave(Arc::clone(bmc));
        }
    }

    fn leave(self: &Arc<Self>, bmc: Arc<Bmc>) {
        let bmcs = Arc::clone(self);
        tokio::spawn(async move { bmcs.close(&bmc).await });
    }

    /// Closes the session, if there is one. It does not matter whether that works.
    async fn close(&self, bmc: &Bmc) {
        let access = std::mem::replace(&mut bmc.memory().access, Access::Unknown);
        let Access::Session {
            token,
            location: Some(location),
        } = access
        else {
            return;
        };
        let peer = bmc.key.origin.to_string();
        let Ok(permit) = self.gates.of(&peer).enter().await else {
            return;
        };
        let ask = Ask {
            method: Method::DELETE,
            path: &location,
            body: None,
            ticket: Ticket::Token(&token),
            if_match: None,
            identity: true,
            limit: None,
        };
        let farewell = self.wire.exchange(&bmc.key.origin, &bmc.key.tls, &ask);
        let outcome = timeout(FAREWELL, farewell).await;
        tracing::debug!(
            bmc = peer,
            closed = matches!(outcome, Ok(Ok(_))),
            "left a session"
        );
        drop(permit);
    }

    /// Those that nobody has used for a while; they are forgotten.
    fn idle(&self) -> Vec<Arc<Bmc>> {
        let mut known = locked(&self.known);
        let mut idle = Vec::new();
        known.all.retain(|_, bmc| {
            let is_idle = Arc::strong_count(bmc) == 1 && bmc.memory().used.elapsed() >= self.idle;
            if is_idle {
                idle.push(Arc::clone(bmc));
            }
            !is_idle
        });
        if known.all.is_empty() {
            known.is_swept = false;
        }
        idle
    }
}

/// Closes idle sessions, until there is nothing left to watch.
async fn sweep(bmcs: Weak<Bmcs>, idle: Duration) {
    loop {
        tokio::time::sleep((idle / 4).max(Duration::from_millis(50))).await;
        let Some(bmcs) = bmcs.upgrade() else { return };
        for bmc in bmcs.idle() {
            bmcs.leave(bmc);
        }
        if !locked(&bmcs.known).is_swept {
            return;
        }
    }
}
