//! What every part of a conductor shares.

use crate::{Settings, progress::LiveBook, worker::Workers};
use cluster::View;
use drivers::{Registry, agent::AgentClient};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError, RwLock},
    time::{Duration, Instant},
};
use store::Db;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use types::{
    Fault, NodeId,
    lease::{Holder, Pulse},
    ring::Seat,
};

pub(crate) struct Core {
    pub(crate) db: Db,
    pub(crate) registry: Registry,
    pub(crate) agents: AgentClient,
    pub(crate) settings: Settings,
    pub(crate) workers: Workers,
    /// Cancelled when the process is asked to stop.
    pub(crate) stop: CancellationToken,
    /// Everything that runs in the background.
    pub(crate) tasks: TaskTracker,
    /// Which conductors are alive, and so whose a node is.
    pub(crate) view: Arc<View>,
    /// How far work is, in more detail than rows tell.
    pub(crate) live: Arc<LiveBook>,
    /// Nodes whose lease is being asked for, see [`Core::take_lease`].
    taking: Mutex<HashSet<NodeId>>,
    /// This incarnation; replaced when we had to register anew.
    me: RwLock<Holder>,
    pulse: Mutex<Pulse>,
    /// Origin of the monotonic times that the lease protocol compares.
    started: Instant,
}

impl Core {
    pub(crate) fn new(db: Db, registry: Registry, settings: Settings, me: Holder) -> Arc<Self> {
        let workers = Workers::new(
            settings.workers_pool_size,
            settings.reserved_workers_pool_percentage,
        );
        let view = view(&db, &registry, &settings);
        let pulse = Pulse::new(Duration::ZERO, settings.heartbeat_timeout);
        Arc::new(Self {
            db,
            registry,
            agents: AgentClient::new(settings.ramdisk.client.clone()),
            settings,
            workers,
            stop: CancellationToken::new(),
            tasks: TaskTracker::new(),
            view,
            live: Arc::default(),
            taking: Mutex::default(),
            me: RwLock::new(me),
            pulse: Mutex::new(pulse),
            started: Instant::now(),
        })
    }

    /// Monotonic time.
    pub(crate) fn clock(&self) -> Duration {
        self.started.elapsed()
    }

    pub(crate) fn me(&self) -> Holder {
        self.me
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whether this conductor may call hardware: it renewed its sign of life recently enough.
    pub(crate) fn may_act(&self) -> bool {
        self.pulse
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .may_act(self.clock())
    }

    /// Notes a renewal sent at `sent`; false when it came too late to keep our leases.
    pub(crate) fn renewed(&self, sent: Duration) -> bool {
        self.pulse
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .renewed(sent)
    }

    /// Becomes a new incarnation.
    pub(crate) fn reincarnate(&self, me: Holder) {
        *self.me.write().unwrap_or_else(PoisonError::into_inner) = me;
        let fresh = Pulse::new(self.clock(), self.settings.heartbeat_timeout);
        *self.pulse.lock().unwrap_or_else(PoisonError::into_inner) = fresh;
    }

    /// Whether nodes of this driver and group are ours to serve.
    pub(crate) fn serves(&self, driver: &str, group: &str) -> bool {
        group == self.settings.conductor_group
            && self.registry.hardware_types().any(|name| name == driver)
    }

    /// Whether a node is ours, as far as we know who is alive. Whatever looks for nodes by itself
    /// asks this first, so that of all conductors the one acts that requests go to as well.
    pub(crate) fn is_mine(&self, node: NodeId, driver: &str, group: &str) -> bool {
        self.view.is_owner(&self.settings.host, node, driver, group)
    }

    /// The conductor that a node belongs to, if anybody serves such nodes.
    pub(crate) fn owner_of(&self, node: NodeId, driver: &str, group: &str) -> Option<String> {
        self.view.owner(node, driver, group)
    }

    /// Fails like the original when nobody serves a driver, and with the reason where the name is
    /// an old one.
    pub(crate) fn check_host(&self, driver: &str, group: &str) -> Result<(), Fault> {
        if self.serves(driver, group) {
            return Ok(());
        }
        if let Some(reason) = drivers::hardware_type::refusal(driver) {
            return Err(Fault::InvalidParameter(reason));
        }
        Err(Fault::NoValidHost {
            driver: driver.to_owned(),
            group: group.to_owned(),
        })
    }

    /// Keeps others of this process from asking for the same lease; `None` when one does already.
    pub(crate) fn begin_taking(&self, id: NodeId) -> Option<Taking<'_>> {
        let mut taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        // Lazily: a right that is not granted must not be given back either.
        taking.insert(id).then(|| Taking { core: self, id })
    }
}

fn view(db: &Db, registry: &Registry, settings: &Settings) -> Arc<View> {
    if settings.url.is_none() {
        let me = Seat {
            host: settings.host.clone(),
            group: settings.conductor_group.clone(),
            hardware_types: registry.hardware_types().map(str::to_owned).collect(),
        };
        return View::alone(me, settings.ring_shape);
    }
    View::shared(db.clone(), settings.view())
}

/// The right to ask for a lease; given back when dropped.
pub(crate) struct Taking<'a> {
    core: &'a Core,
    id: NodeId,
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        let mut taking = self
            .core
            .taking
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        taking.remove(&self.id);
    }
}
