//! What every part of a conductor shares.

use crate::{
    Settings, batch::BatchWork, hands::HeldLeases, images::ImageWork, inband::ImagePeers,
    incarnation::Incarnation, passes::Ledger, power_updates::PowerUpdates, progress::LiveBook,
    worker::Workers,
};
use cluster::{View, origin::Origins};
use drivers::{Registry, agent::AgentClient};
use openstack::Service;
use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};
use store::Db;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use types::{Fault, NodeId, lease::Holder, ring::Seat};

pub(crate) struct Core {
    pub(crate) db: Db,
    pub(crate) registry: Registry,
    pub(crate) agents: AgentClient,
    pub(crate) settings: Settings,
    pub(crate) workers: Workers,
    /// Cancelled when no more work is to be taken up.
    pub(crate) leaving: CancellationToken,
    /// Cancelled when work under way is to stop where it can be taken up again.
    pub(crate) stop: CancellationToken,
    /// Cancelled when all work has ended.
    pub(crate) over: CancellationToken,
    /// Everything that runs in the background.
    pub(crate) tasks: TaskTracker,
    /// The sign of life, which goes on until all of that has ended.
    pub(crate) vital: TaskTracker,
    /// Which conductors are alive, and so whose a node is.
    pub(crate) view: Arc<View>,
    /// How far work is, in more detail than rows tell.
    pub(crate) live: Arc<LiveBook>,
    /// Tells Nova about power states, where that is wanted.
    pub(crate) power_updates: Option<Arc<PowerUpdates>>,
    /// What the periodic passes remember.
    pub(crate) ledger: Ledger,
    /// Nodes whose lease is being asked for, see [`Core::take_lease`].
    taking: Mutex<HashSet<NodeId>>,
    /// Leases that somebody works under.
    pub(crate) hands: HeldLeases,
    /// Nodes for which something is kept here besides their rows.
    served: Mutex<HashSet<NodeId>>,
    /// What is done about the image store.
    pub(crate) images: ImageWork,
    /// Which agents write the same image now.
    pub(crate) image_peers: ImagePeers,
    /// What is done about batches.
    pub(crate) batches: BatchWork,
    /// Where ramdisks may speak from.
    pub(crate) origins: Origins,
    /// Whether the ring keeps us when we stop.
    stays_registered: AtomicBool,
    /// This incarnation; replaced when we had to register anew.
    incarnation: RwLock<Arc<Incarnation>>,
    /// Origin of the monotonic times that the lease protocol compares.
    started: Instant,
}

impl Core {
    /// `started` is when the registration was sent.
    pub(crate) fn new(
        db: Db,
        registry: Registry,
        settings: Settings,
        me: Holder,
        started: Instant,
    ) -> Arc<Self> {
        let workers = Workers::new(
            settings.workers_pool_size,
            settings.reserved_workers_pool_percentage,
        );
        let view = view(&db, &registry, &settings);
        let ttl = settings.heartbeat_timeout;
        let incarnation = Incarnation::new(me, Duration::ZERO, ttl, started);
        let ledger = Ledger::new(&settings);
        let services = registry.openstack().filter(|services| {
            settings.send_power_notifications && services.has_login(Service::Nova)
        });
        let power_updates = services.map(|services| PowerUpdates::new(services.nova().clone()));
        Arc::new(Self {
            origins: Origins::new(db.clone()),
            db,
            registry,
            agents: AgentClient::new(settings.ramdisk.client.clone()),
            settings,
            workers,
            leaving: CancellationToken::new(),
            stop: CancellationToken::new(),
            over: CancellationToken::new(),
            tasks: TaskTracker::new(),
            view,
            vital: TaskTracker::new(),
            live: Arc::default(),
            power_updates,
            ledger,
            taking: Mutex::default(),
            hands: HeldLeases::default(),
            images: ImageWork::default(),
            image_peers: ImagePeers::default(),
            batches: BatchWork::default(),
            served: Mutex::default(),
            stays_registered: AtomicBool::new(false),
            incarnation: RwLock::new(incarnation),
            started,
        })
    }

    /// Monotonic time.
    pub(crate) fn clock(&self) -> Duration {
        self.started.elapsed()
    }

    /// Notes that something is kept here for a node.
    pub(crate) fn serve(&self, node: NodeId) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.insert(node);
    }

    pub(crate) fn unserve(&self, node: NodeId) {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.remove(&node);
    }

    /// The nodes for which something is kept here; those of `more` are among them from now on.
    pub(crate) fn served(&self, more: &HashSet<NodeId>) -> HashSet<NodeId> {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.extend(more);
        served.clone()
    }

    pub(crate) fn stay_registered(&self) {
        self.stays_registered.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stays_registered(&self) -> bool {
        self.stays_registered.load(Ordering::Relaxed)
    }

    pub(crate) fn incarnation(&self) -> Arc<Incarnation> {
        let now = self.incarnation.read();
        Arc::clone(&now.unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn me(&self) -> Holder {
        self.incarnation().holder.clone()
    }

    /// The incarnation to which a lease was granted, if it is the present one.
    pub(crate) fn incarnation_of(&self, epoch: i64) -> Option<Arc<Incarnation>> {
        Some(self.incarnation()).filter(|now| now.holder.epoch == epoch)
    }

    /// Whether hardware may be called under a lease that was granted in this epoch.
    pub(crate) fn may_act(&self, epoch: i64) -> bool {
        self.incarnation_of(epoch).is_some_and(|now| now.is_open())
    }

    /// Becomes a new incarnation, whose registration was sent at `sent`. Whatever works under the
    /// old one ends.
    pub(crate) fn reincarnate(&self, me: Holder, sent: Duration) {
        let ttl = self.settings.heartbeat_timeout;
        let fresh = Incarnation::new(me, sent, ttl, self.started);
        self.vital.spawn(Arc::clone(&fresh).watch());
        let mut now = self
            .incarnation
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *now, fresh).end();
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

    /// Fails as Ironic does if no conductor serves the driver, and names the reason if the driver was
    /// renamed or removed.
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

    /// Whether somebody of this process is asking for a lease.
    pub(crate) fn is_taking(&self, id: NodeId) -> bool {
        let taking = self.taking.lock().unwrap_or_else(PoisonError::into_inner);
        taking.contains(&id)
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
