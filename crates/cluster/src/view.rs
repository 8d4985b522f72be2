//! Which conductors are alive, as one process sees it.
//!
//! The rows of the conductors are read on a timer, and whenever a caller suspects that they are
//! stale. A conductor is dead when it signed off, or when its heartbeat counter did not change for
//! the time-to-live on our own monotonic clock ([`Watch`]). A process that has just started has not
//! watched for that long; until it sees a counter change, it ignores rows that are older than that
//! by the wall clock. That is a guess, and good enough for a ring.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, PoisonError, RwLock},
    time::{Duration, Instant},
};
use store::{Db, Page, StoreError};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;
use types::{
    NodeId, Timestamp,
    lease::{Holder, Watch},
    member::Member,
    ring::{Rings, Seat, Shape},
};

/// Settings of a view.
#[derive(Debug, Clone, Copy)]
pub struct ViewSettings {
    /// A conductor without a heartbeat for this long is dead.
    pub ttl: Duration,
    /// Maximum age of what was read, `[DEFAULT]hash_ring_reset_interval`.
    pub max_age: Duration,
    pub shape: Shape,
}

impl Default for ViewSettings {
    fn default() -> Self {
        Self {
            ttl: Duration::from_secs(60),
            max_age: Duration::from_secs(15),
            shape: Shape::default(),
        }
    }
}

impl ViewSettings {
    /// Interval of reading: several times within the time-to-live.
    pub fn interval(&self) -> Duration {
        const LEAST: Duration = Duration::from_millis(50);
        self.max_age.min(self.ttl / 4).max(LEAST)
    }
}

/// One process's picture of the cluster.
pub struct View {
    /// `None` for a single conductor without a cluster.
    source: Option<Source>,
    picture: RwLock<Arc<Picture>>,
}

struct Source {
    db: Db,
    settings: ViewSettings,
    started: Instant,
    /// Held while rows are read, so that concurrent refreshes read once.
    reading: tokio::sync::Mutex<Memory>,
}

/// What was seen so far.
struct Memory {
    ttl: Duration,
    watch: Watch,
    read_at: Option<Duration>,
    known: HashSet<String>,
    /// Epoch and counter at which members were found dead; one whose counter changes is alive after
    /// all.
    dead: HashMap<String, (i64, i64)>,
}

/// The live conductors, and what follows from them.
#[derive(Debug, Default)]
struct Picture {
    seats: Vec<Seat>,
    rings: Rings,
    /// RPC addresses of the live conductors.
    urls: BTreeMap<String, Option<String>>,
    /// How many pictures came before.
    revision: u64,
}

impl std::fmt::Debug for View {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("View")
            .field("hosts", &self.picture().urls.keys())
            .finish_non_exhaustive()
    }
}

impl View {
    /// The view of a single conductor with its own database.
    pub fn alone(me: Seat, shape: Shape) -> Arc<Self> {
        let urls = BTreeMap::from([(me.host.clone(), None)]);
        let seats = vec![me];
        let rings = Rings::new(&seats, shape);
        let picture = Picture {
            seats,
            rings,
            urls,
            revision: 0,
        };
        Arc::new(Self {
            source: None,
            picture: RwLock::new(Arc::new(picture)),
        })
    }

    /// The view of a process of a cluster; empty until the first [`View::refresh`].
    pub fn shared(db: Db, settings: ViewSettings) -> Arc<Self> {
        Arc::new(Self {
            source: Some(Source {
                db,
                settings,
                started: Instant::now(),
                reading: tokio::sync::Mutex::new(Memory::new(settings.ttl)),
            }),
            picture: RwLock::default(),
        })
    }

    fn picture(&self) -> Arc<Picture> {
        let picture = self.picture.read();
        Arc::clone(&picture.unwrap_or_else(PoisonError::into_inner))
    }

    /// The conductor that owns a node, if any conductor serves such nodes.
    pub fn owner(&self, node: NodeId, driver: &str, group: &str) -> Option<String> {
        let picture = self.picture();
        picture.rings.owner(node, driver, group).map(str::to_owned)
    }

    /// Whether a node belongs to this conductor.
    pub fn is_owner(&self, host: &str, node: NodeId, driver: &str, group: &str) -> bool {
        self.picture().rings.owner(node, driver, group) == Some(host)
    }

    /// How often the live conductors have changed.
    pub fn revision(&self) -> u64 {
        self.picture().revision
    }

    /// How the nodes of this hardware type and group are shared.
    pub fn shares(&self, driver: &str, group: &str) -> Vec<(String, f64)> {
        self.picture().rings.shares(driver, group)
    }

    /// All conductors that serve a hardware type, in any group.
    pub fn servers(&self, driver: &str) -> Vec<String> {
        self.picture().rings.servers(driver).to_vec()
    }

    /// All live conductors.
    pub fn hosts(&self) -> Vec<String> {
        self.picture().rings.hosts().to_vec()
    }

    /// The RPC address of a live conductor.
    pub fn url(&self, host: &str) -> Option<String> {
        self.picture().urls.get(host).cloned().flatten()
    }

    /// Whether a conductor is alive; `None` when this process does not watch it.
    pub fn is_alive(&self, host: &str) -> Option<bool> {
        let is_member = self.picture().urls.contains_key(host);
        (is_member || self.source.is_some()).then_some(is_member)
    }

    /// Reads the rows, however fresh the last reading is.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        self.read_unless(|_| false).await
    }

    /// Reads the rows unless that was done since `asked`: of many concurrent callers, one reads for
    /// all.
    pub async fn refresh_since(&self, asked: Instant) -> Result<(), StoreError> {
        self.read_unless(|read_at| read_at > asked).await
    }

    /// Reads the rows again and again, for a process that is no conductor.
    pub async fn follow(self: Arc<Self>, stop: CancellationToken) {
        let Some(source) = &self.source else {
            return;
        };
        let mut tick = interval(source.settings.interval());
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while stop.run_until_cancelled(tick.tick()).await.is_some() {
            if let Err(error) = self.refresh().await {
                tracing::warn!(error = %types::error::chain(&error), "cannot read the list of conductors from the database");
            }
        }
    }

    async fn read_unless(&self, is_fresh: impl Fn(Instant) -> bool) -> Result<(), StoreError> {
        let Some(source) = &self.source else {
            return Ok(());
        };
        let mut memory = source.reading.lock().await;
        if memory
            .read_at
            .is_some_and(|at| is_fresh(source.started + at))
        {
            return Ok(());
        }
        let now = source.started.elapsed();
        let members = store::member::list(&source.db, Page::first(u32::MAX)).await?;
        let living = memory.judge(members, now, Timestamp::now());
        self.show(living, source.settings.shape);
        Ok(())
    }

    /// Puts up a new picture if anything changed.
    fn show(&self, living: Vec<Member>, shape: Shape) {
        let seats: Vec<Seat> = living.iter().map(seat).collect();
        let urls: BTreeMap<String, Option<String>> = living
            .into_iter()
            .map(|member| (member.hostname, member.url))
            .collect();
        let old = self.picture();
        if old.urls == urls && old.seats == seats {
            return;
        }
        for host in urls.keys().filter(|host| !old.urls.contains_key(*host)) {
            tracing::info!(host, "conductor joined the hash ring");
        }
        for host in old.urls.keys().filter(|host| !urls.contains_key(*host)) {
            tracing::warn!(
                host,
                "conductor left the hash ring (signed off, or its heartbeat timed out)"
            );
        }
        let rings = Rings::new(&seats, shape);
        let picture = Arc::new(Picture {
            seats,
            rings,
            urls,
            revision: old.revision + 1,
        });
        *self.picture.write().unwrap_or_else(PoisonError::into_inner) = picture;
    }
}

fn seat(member: &Member) -> Seat {
    Seat {
        host: member.hostname.clone(),
        group: member.conductor_group.clone(),
        hardware_types: member.drivers.clone(),
    }
}

impl Memory {
    fn new(ttl: Duration) -> Self {
        Self {
            ttl,
            watch: Watch::new(ttl),
            read_at: None,
            known: HashSet::new(),
            dead: HashMap::new(),
        }
    }

    /// Those of the members, as read at `now`, that are alive and can be called.
    fn judge(&mut self, members: Vec<Member>, now: Duration, wall: Timestamp) -> Vec<Member> {
        // If we did not read for long (database unreachable, process paused), unchanged counters
        // prove nothing.
        if self.read_at.is_some_and(|at| now > at + self.ttl / 2) {
            self.watch = Watch::new(self.ttl);
        }
        self.read_at = Some(now);
        members
            .into_iter()
            .filter(|member| self.is_alive(member, now, wall) && member.url.is_some())
            .collect()
    }

    fn is_alive(&mut self, member: &Member, now: Duration, wall: Timestamp) -> bool {
        let (host, sign) = (&member.hostname, (member.epoch, member.counter));
        self.watch.observe(host, sign.0, sign.1, now);
        let is_new = self.known.insert(host.clone());
        if self.dead.get(host) == Some(&sign) {
            return false;
        }
        self.dead.remove(host);
        let holder = Holder {
            host: host.clone(),
            epoch: member.epoch,
        };
        let is_silent = self.watch.verdict(&holder, now).is_some();
        if is_silent || (is_new && self.looks_old(member, wall)) {
            self.dead.insert(host.clone(), sign);
            return false;
        }
        member.online
    }

    fn looks_old(&self, member: &Member, wall: Timestamp) -> bool {
        let seen = member.updated_at.unwrap_or(member.created_at);
        let limit = i64::try_from(self.ttl.as_micros()).unwrap_or(i64::MAX);
        wall.0.saturating_sub(seen.0) > limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TTL: Duration = Duration::from_secs(60);
    const WALL: Timestamp = Timestamp(1_800_000_000_000_000);

    fn second(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn member(host: &str, counter: i64) -> Member {
        Member {
            row: 1,
            hostname: host.into(),
            conductor_group: String::new(),
            drivers: vec!["ipmi".into()],
            online: true,
            epoch: 1,
            counter,
            url: Some(format!("http://{host}:8089")),
            created_at: WALL,
            updated_at: Some(WALL),
        }
    }

    fn hosts(living: &[Member]) -> Vec<&str> {
        living.iter().map(|m| m.hostname.as_str()).collect()
    }

    #[test]
    fn who_stands_still_is_dead_until_it_moves() {
        let mut memory = Memory::new(TTL);
        for at in [0, 20, 40, 59] {
            let both = vec![member("a", 5), member("b", at)];
            let living = memory.judge(both, second(at.unsigned_abs()), WALL);
            assert_eq!(hosts(&living), ["a", "b"], "{at}");
        }
        let living = memory.judge(vec![member("a", 5), member("b", 60)], second(60), WALL);
        assert_eq!(hosts(&living), ["b"]);
        let living = memory.judge(vec![member("a", 6), member("b", 61)], second(61), WALL);
        assert_eq!(hosts(&living), ["a", "b"]);
    }

    #[test]
    fn who_could_not_look_has_seen_nobody_die_but_does_not_forget_the_dead() {
        let mut memory = Memory::new(TTL);
        for at in [0, 25, 50, 60] {
            memory.judge(
                vec![member("a", 5), member("b", at)],
                second(at.unsigned_abs()),
                WALL,
            );
        }
        // The database was away for an hour; nobody could sign.
        let both = || vec![member("a", 5), member("b", 60)];
        assert_eq!(hosts(&memory.judge(both(), second(3600), WALL)), ["b"]);
        for at in [3625, 3650] {
            assert_eq!(hosts(&memory.judge(both(), second(at), WALL)), ["b"]);
        }
        assert!(memory.judge(both(), second(3660), WALL).is_empty());
    }

    #[test]
    fn a_row_from_long_ago_must_move_first() {
        let mut memory = Memory::new(TTL);
        let later = WALL.plus_seconds(61);
        assert!(
            memory
                .judge(vec![member("a", 5)], second(0), later)
                .is_empty()
        );
        assert!(
            memory
                .judge(vec![member("a", 5)], second(9), later)
                .is_empty()
        );
        let living = memory.judge(vec![member("a", 6)], second(10), later);
        assert_eq!(hosts(&living), ["a"]);
        // Once it was seen to move, the wall clock has no say any more.
        let living = memory.judge(vec![member("a", 6)], second(20), later);
        assert_eq!(hosts(&living), ["a"]);
    }

    #[test]
    fn who_signed_off_or_cannot_be_called_is_no_member() {
        let mut memory = Memory::new(TTL);
        let (mut off, mut mute) = (member("off", 1), member("mute", 1));
        off.online = false;
        mute.url = None;
        let living = memory.judge(vec![off, mute, member("c", 1)], second(0), WALL);
        assert_eq!(hosts(&living), ["c"]);
    }

    #[test]
    fn whoever_is_alone_serves_what_it_can() {
        let me = seat(&member("a", 0));
        let view = View::alone(me, Shape::default());
        let node = NodeId::generate();
        assert_eq!(view.owner(node, "ipmi", "").as_deref(), Some("a"));
        assert!(view.is_owner("a", node, "ipmi", ""));
        assert_eq!(view.owner(node, "ipmi", "east"), None);
        assert_eq!(view.owner(node, "redfish", ""), None);
        assert_eq!((view.is_alive("a"), view.is_alive("b")), (Some(true), None));
        assert_eq!(view.url("a"), None);
    }
}
