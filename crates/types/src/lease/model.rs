//! An exhaustive check of the lease protocol.
//!
//! Two conductors, each with two incarnations, one node and a database that is always right. In
//! every step one of them renews, looks, takes the lease, writes, gives it back, crashes or comes
//! back, or time passes. Their monotonic clocks run at the same speed but start anywhere, which is
//! why no step compares one's clock with the other's. All reachable states up to a depth are
//! visited.

use super::*;
use std::collections::{BTreeMap, HashSet, VecDeque};

const TTL: u64 = 3;
const DEPTH: usize = 12;
const EPOCHS: i64 = 3;
/// Counters and clocks are bounded by the depth, so the state space is finite.
const HOSTS: [&str; 2] = ["a", "b"];

fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
struct Process {
    epoch: i64,
    /// Time since the last renewal that succeeded; saturates at the time-to-live.
    since_renewal: u64,
    /// The generation it believes to hold.
    grant: Option<i64>,
    /// What it saw of the other: (epoch, counter, for how long unchanged).
    seen: Option<(i64, i64, u64)>,
    /// Paused processes do nothing, but time passes for them too.
    paused: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct World {
    /// `None` while crashed.
    processes: Vec<Option<Process>>,
    /// Rows of the conductors: (epoch, counter).
    members: Vec<(i64, i64)>,
    row: LeaseRow,
}

#[derive(Clone, Copy, Debug)]
enum Action {
    Tick,
    Renew(usize),
    Look(usize),
    Acquire(usize),
    TakeOver(usize),
    Write(usize),
    Release(usize),
    Crash(usize),
    Start(usize),
    Pause(usize),
    Wake(usize),
}

impl World {
    fn new() -> Self {
        let mut world = World {
            processes: vec![None, None],
            members: vec![(0, 0), (0, 0)],
            row: LeaseRow::default(),
        };
        for who in 0..2 {
            world.start(who);
        }
        world
    }

    fn start(&mut self, who: usize) {
        self.members[who].0 += 1;
        self.members[who].1 = 0;
        self.processes[who] = Some(Process {
            epoch: self.members[who].0,
            since_renewal: 0,
            grant: None,
            seen: None,
            paused: false,
        });
    }

    fn holder(&self, who: usize, epoch: i64) -> Holder {
        Holder {
            host: HOSTS[who].into(),
            epoch,
        }
    }

    /// Whether this process would call hardware now.
    fn acts(&self, who: usize) -> bool {
        self.processes[who].as_ref().is_some_and(|p| {
            let pulse = Pulse::new(Duration::ZERO, secs(TTL));
            p.grant.is_some() && pulse.may_act(secs(p.since_renewal))
        })
    }

    fn apply(&self, action: Action) -> Option<World> {
        let mut next = self.clone();
        match action {
            Action::Tick => {
                for process in next.processes.iter_mut().flatten() {
                    process.since_renewal = (process.since_renewal + 1).min(TTL);
                    if let Some(seen) = &mut process.seen {
                        seen.2 = (seen.2 + 1).min(TTL);
                    }
                }
            }
            Action::Start(who) => {
                if self.processes[who].is_some() || self.members[who].0 >= EPOCHS {
                    return None;
                }
                next.start(who);
            }
            Action::Crash(who) => {
                next.processes[who].take()?;
            }
            Action::Pause(who) => {
                let process = next.processes[who].as_mut().filter(|p| !p.paused)?;
                process.paused = true;
            }
            Action::Wake(who) => {
                let process = next.processes[who].as_mut().filter(|p| p.paused)?;
                process.paused = false;
            }
            Action::Renew(who) => {
                let member = &mut next.members[who];
                let process = next.processes[who].as_mut().filter(|p| !p.paused)?;
                // A later incarnation owns the row: the renewal fails, as in SQL.
                if member.0 != process.epoch {
                    return None;
                }
                member.1 += 1;
                let mut pulse = Pulse::new(Duration::ZERO, secs(TTL));
                let now = secs(process.since_renewal);
                if !pulse.renewed(now, now) {
                    // Too late: let go of everything and come back as a new incarnation.
                    if member.0 >= EPOCHS {
                        return None;
                    }
                    *member = (member.0 + 1, 0);
                    process.epoch = member.0;
                    process.grant = None;
                }
                process.since_renewal = 0;
            }
            Action::Look(who) => {
                let (epoch, counter) = next.members[1 - who];
                let process = next.processes[who].as_mut().filter(|p| !p.paused)?;
                match process.seen {
                    Some((e, c, _)) if (e, c) == (epoch, counter) => return None,
                    _ => process.seen = Some((epoch, counter, 0)),
                }
            }
            Action::Acquire(who) => {
                let epoch = self.processes[who]
                    .as_ref()
                    .filter(|p| !p.paused && p.grant.is_none())?
                    .epoch;
                let holder = self.holder(who, epoch);
                let grant = next.row.acquire(&holder)?;
                next.processes[who].as_mut()?.grant = Some(grant);
            }
            Action::TakeOver(who) => {
                let process = self.processes[who]
                    .as_ref()
                    .filter(|p| !p.paused && p.grant.is_none())?;
                let dead = self.row.holder.clone()?;
                let verdict = if dead.host == HOSTS[who] {
                    // One's own earlier incarnation is dead by definition.
                    let (epoch, counter) = self.members[who];
                    (dead.epoch < process.epoch).then_some(Verdict {
                        dead,
                        epoch,
                        counter,
                    })?
                } else {
                    let (epoch, counter, unchanged) = process.seen?;
                    let mut watch = Watch::new(secs(TTL));
                    watch.observe(&dead.host, epoch, counter, Duration::ZERO);
                    watch.verdict(&dead, secs(unchanged))?
                };
                let member = self.members[usize::from(verdict.dead.host != HOSTS[0])];
                let holder = self.holder(who, process.epoch);
                let grant = next.row.take_over(&verdict, member, &holder)?;
                next.processes[who].as_mut()?.grant = Some(grant);
            }
            Action::Write(who) => {
                let process = next.processes[who].as_mut().filter(|p| !p.paused)?;
                // The store refuses the write of a lost lease; the process then knows.
                if next.row.admits(process.grant?) {
                    return None;
                }
                process.grant = None;
            }
            Action::Release(who) => {
                let process = next.processes[who].as_mut().filter(|p| !p.paused)?;
                next.row.release(process.grant.take()?);
            }
        }
        Some(next)
    }

    fn check(&self, path: &[Action]) {
        let writers = (0..2)
            .filter(|&who| {
                self.processes[who]
                    .as_ref()
                    .is_some_and(|p| p.grant.is_some_and(|g| self.row.admits(g)))
            })
            .count();
        assert!(
            writers <= 1,
            "two holders could both write after {path:?}: {self:?}"
        );
        assert!(
            !(self.acts(0) && self.acts(1)),
            "two conductors would call the hardware of one node after {path:?}: {self:?}"
        );
    }
}

#[test]
fn two_holders_never_both_write_nor_both_call_hardware() {
    let actions: Vec<Action> = std::iter::once(Action::Tick)
        .chain((0..2).flat_map(|who| {
            [
                Action::Renew(who),
                Action::Look(who),
                Action::Acquire(who),
                Action::TakeOver(who),
                Action::Write(who),
                Action::Release(who),
                Action::Crash(who),
                Action::Start(who),
                Action::Pause(who),
                Action::Wake(who),
            ]
        }))
        .collect();
    let mut seen = HashSet::new();
    let mut queue = VecDeque::from([(World::new(), Vec::<Action>::new())]);
    let mut takeovers = 0u64;
    let mut lost_writes = 0u64;
    let mut by_depth: BTreeMap<usize, u64> = BTreeMap::new();
    while let Some((world, path)) = queue.pop_front() {
        world.check(&path);
        *by_depth.entry(path.len()).or_default() += 1;
        if path.len() == DEPTH {
            continue;
        }
        for &action in &actions {
            let Some(next) = world.apply(action) else {
                continue;
            };
            takeovers += u64::from(matches!(action, Action::TakeOver(_)));
            lost_writes += u64::from(matches!(action, Action::Write(_)));
            if seen.insert(next.canonical()) {
                let mut longer = path.clone();
                longer.push(action);
                queue.push_back((next, longer));
            }
        }
    }
    // A model in which nothing interesting happens proves nothing.
    assert!(
        takeovers > 100 && lost_writes > 100,
        "{takeovers} takeovers, {lost_writes} lost writes"
    );
    assert!(seen.len() > 10_000, "only {} states", seen.len());
}

impl World {
    /// Two worlds that differ only in absolute counters and generations behave alike.
    fn canonical(&self) -> World {
        let mut world = self.clone();
        for who in 0..2 {
            let base = world.members[who].1;
            let shift = |value: i64| value - base;
            world.members[who].1 = 0;
            if let Some(other) = &mut world.processes[1 - who]
                && let Some(seen) = &mut other.seen
                && seen.0 == world.members[who].0
            {
                seen.1 = shift(seen.1).max(-1);
            }
        }
        let generation = world.row.generation;
        world.row.generation = 0;
        for process in world.processes.iter_mut().flatten() {
            process.grant = process.grant.map(|g| (g - generation).max(-1));
        }
        world
    }
}

#[test]
fn a_lost_lease_neither_writes_nor_releases() {
    let mut row = LeaseRow::default();
    let first = Holder {
        host: "a".into(),
        epoch: 1,
    };
    let second = Holder {
        host: "b".into(),
        epoch: 1,
    };
    let old = row.acquire(&first).unwrap();
    let verdict = Verdict {
        dead: first,
        epoch: 1,
        counter: 7,
    };
    assert_eq!(
        row.take_over(&verdict, (1, 8), &second),
        None,
        "it renewed: it is alive"
    );
    let new = row.take_over(&verdict, (1, 7), &second).unwrap();
    assert!(!row.admits(old), "the lost lease must not write");
    assert!(row.admits(new));
    assert!(!row.release(old));
    assert!(row.release(new));
}

/// Too rare a coincidence to wait for: the renewal is sent in time, and carried out when the node
/// is somebody else's already.
#[test]
fn a_renewal_that_is_carried_out_late_does_not_count() {
    let holder = |host: &str| Holder {
        host: host.into(),
        epoch: 1,
    };
    let (a, b) = (holder("a"), holder("b"));
    let ttl = secs(600);
    let mut row = LeaseRow::default();
    let lost = row.acquire(&b).unwrap();
    let mut pulse = Pulse::new(secs(0), ttl);
    let mut watch = Watch::new(ttl);
    watch.observe("b", 1, 0, secs(5));

    let sent = secs(390);
    assert!(pulse.may_act(sent), "it is sent in time");
    let verdict = watch.verdict(&b, secs(605)).unwrap();
    row.take_over(&verdict, (1, 0), &a).unwrap();
    // Now it is carried out, and answered.
    let answered = secs(610);
    let mut hasty = pulse;
    assert!(hasty.renewed(sent, sent) && hasty.may_act(answered));
    assert!(
        !row.admits(lost),
        "whoever judges by the sending acts without a lease"
    );
    assert!(!pulse.renewed(sent, answered));
    assert!(!pulse.may_act(answered));
}
