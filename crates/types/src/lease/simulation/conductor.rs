//! A conductor of the simulation: the same decisions as the real one takes, without its work.

use super::{
    INTERVAL, LONGEST_CALL, Random, Rules, TTL, Tally,
    database::{Member, Outcome, Statement, conductor, host},
};
use crate::lease::{Holder, Pulse, Verdict, Watch};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// One unit of simulated time.
pub(super) fn ticks(count: u64) -> Duration {
    Duration::from_millis(count)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grant {
    pub(super) epoch: i64,
    pub(super) generation: i64,
}

/// What reaches a conductor, or what it reminds itself of.
#[derive(Debug, Clone)]
pub(super) enum Message {
    Answer {
        ticket: u64,
        outcome: Outcome,
    },
    /// No answer came in time.
    GaveUp {
        ticket: u64,
    },
    Renew,
    Look,
    /// Somebody asks for work on a node.
    Ask {
        node: usize,
    },
    /// A worker goes on.
    Step {
        node: usize,
        generation: i64,
    },
    Called {
        node: usize,
        generation: i64,
    },
    /// To end in an orderly way.
    Leave,
}

/// What a conductor wants to happen.
#[derive(Debug)]
pub(super) enum Effect {
    Send {
        ticket: u64,
        statement: Statement,
    },
    /// Reminds it of something after this time on its own clock.
    After {
        wait: u64,
        message: Message,
    },
    Call {
        node: usize,
        generation: i64,
        lasts: u64,
    },
    /// The process ends.
    Exit,
}

#[derive(Debug, Clone)]
enum Pending {
    Register { sent: Duration },
    Renew { sent: Duration },
    Look,
    Take { node: usize },
    Write { node: usize, generation: i64 },
    Release { node: usize, generation: i64 },
    SignOff,
}

#[derive(Debug, Clone)]
struct Worker {
    grant: Grant,
    /// Calls to make before the lease is given back.
    left: u64,
}

#[derive(Debug)]
pub(super) struct Conductor {
    rules: Rules,
    me: usize,
    epoch: Option<i64>,
    pulse: Option<Pulse>,
    watch: Watch,
    workers: BTreeMap<(usize, i64), Worker>,
    /// Nodes whose lease is being asked for.
    taking: BTreeSet<usize>,
    pending: BTreeMap<u64, Pending>,
    tickets: u64,
    leaving: bool,
    signed_off: bool,
    pub(super) effects: Vec<Effect>,
}

impl Conductor {
    pub(super) fn new(rules: Rules, me: usize) -> Self {
        let mut fresh = Self {
            rules,
            me,
            epoch: None,
            pulse: None,
            watch: Watch::new(ticks(TTL)),
            workers: BTreeMap::new(),
            taking: BTreeSet::new(),
            pending: BTreeMap::new(),
            tickets: 0,
            leaving: false,
            signed_off: false,
            effects: Vec::new(),
        };
        fresh.after(0, Message::Renew);
        fresh.after(INTERVAL / 2, Message::Look);
        fresh
    }

    pub(super) fn epoch(&self) -> Option<i64> {
        self.epoch
    }

    /// Whether it renewed recently enough to act, on its own clock.
    pub(super) fn may_act(&self, now: Duration) -> bool {
        self.pulse.is_some_and(|pulse| pulse.may_act(now))
    }

    pub(super) fn works(&self) -> bool {
        !self.workers.is_empty()
    }

    fn after(&mut self, wait: u64, message: Message) {
        self.effects.push(Effect::After { wait, message });
    }

    fn send(&mut self, statement: Statement, pending: Pending) {
        self.tickets += 1;
        let ticket = self.tickets;
        self.pending.insert(ticket, pending);
        self.effects.push(Effect::Send { ticket, statement });
    }

    fn is_pending(&self, wanted: impl Fn(&Pending) -> bool) -> bool {
        self.pending.values().any(wanted)
    }

    pub(super) fn handle(
        &mut self,
        message: Message,
        now: Duration,
        random: &mut Random,
        tally: &mut Tally,
    ) {
        match message {
            Message::Renew => {
                self.after(INTERVAL, Message::Renew);
                self.renew(now);
            }
            Message::Look => {
                self.after(INTERVAL, Message::Look);
                if self.epoch.is_some()
                    && !self.leaving
                    && !self.is_pending(|p| matches!(p, Pending::Look))
                {
                    self.send(Statement::Look, Pending::Look);
                }
            }
            Message::Ask { node } => {
                let free =
                    !self.taking.contains(&node) && !self.workers.keys().any(|(at, _)| *at == node);
                if let Some(epoch) = self.epoch
                    && free
                    && !self.leaving
                {
                    self.taking.insert(node);
                    self.send(Statement::Acquire { node, epoch }, Pending::Take { node });
                }
            }
            Message::Step { node, generation } => self.step(node, generation, now, random),
            Message::Called { node, generation } => self.called(node, generation),
            Message::Leave => {
                self.leaving = true;
                self.sign_off_if_done();
            }
            Message::GaveUp { ticket } => {
                if let Some(pending) = self.pending.remove(&ticket) {
                    self.gave_up(pending);
                }
            }
            Message::Answer { ticket, outcome } => {
                // Whoever gave up does not hear it.
                if let Some(pending) = self.pending.remove(&ticket) {
                    self.answered(pending, outcome, now, random, tally);
                }
            }
        }
    }

    fn renew(&mut self, now: Duration) {
        let busy = |p: &Pending| {
            matches!(
                p,
                Pending::Register { .. } | Pending::Renew { .. } | Pending::SignOff
            )
        };
        if self.is_pending(busy) {
            return;
        }
        match self.epoch {
            Some(epoch) if self.may_act(now) || !self.rules.anew => {
                self.send(Statement::Renew { epoch }, Pending::Renew { sent: now });
            }
            _ if self.leaving => self.effects.push(Effect::Exit),
            _ => self.register(now),
        }
    }

    fn register(&mut self, now: Duration) {
        self.send(Statement::Register, Pending::Register { sent: now });
    }

    fn answered(
        &mut self,
        pending: Pending,
        outcome: Outcome,
        now: Duration,
        random: &mut Random,
        tally: &mut Tally,
    ) {
        match (pending, outcome) {
            (Pending::Register { sent }, Outcome::Registered { epoch }) => {
                self.epoch = Some(epoch);
                let begins = if self.rules.counted_from_sending {
                    sent
                } else {
                    now
                };
                self.pulse = Some(Pulse::new(begins, ticks(TTL)));
                if self.rules.epoch {
                    self.workers.clear();
                }
                self.sign_off_if_done();
            }
            (Pending::Renew { sent }, Outcome::Renewed(true)) => {
                let in_time = self
                    .pulse
                    .as_mut()
                    .is_some_and(|pulse| pulse.renewed(sent, now));
                if !in_time {
                    tally.lapses += 1;
                    if self.rules.anew {
                        self.register(now);
                    } else {
                        self.pulse = Some(Pulse::new(sent, ticks(TTL)));
                    }
                }
            }
            // A registration of ours whose answer got lost.
            (Pending::Renew { .. }, Outcome::Renewed(false)) if self.leaving => {}
            (Pending::Renew { .. }, Outcome::Renewed(false)) => self.register(now),
            (Pending::Look, Outcome::Seen { members, leases }) => {
                for (who, member) in members.iter().enumerate() {
                    let name = host(who);
                    self.watch.observe(&name, member.epoch, member.counter, now);
                }
                for (node, lease) in leases.into_iter().enumerate() {
                    if let Some(holder) = lease.holder {
                        self.judge(node, &holder, lease.generation, &members, now);
                    }
                }
            }
            (Pending::Take { node }, Outcome::Granted(grant)) => {
                self.taking.remove(&node);
                if let Some(grant) = grant {
                    self.begin(node, grant, random);
                }
                self.sign_off_if_done();
            }
            (Pending::Write { node, generation }, Outcome::Written(true)) => {
                self.after(random.below(20), Message::Step { node, generation });
            }
            (
                Pending::Write { node, generation } | Pending::Release { node, generation },
                Outcome::Written(_),
            ) => {
                self.workers.remove(&(node, generation));
                self.sign_off_if_done();
            }
            (Pending::SignOff, Outcome::SignedOff) => {
                self.signed_off = true;
                self.sign_off_if_done();
            }
            (pending, outcome) => panic!("{pending:?} was answered by {outcome:?}"),
        }
    }

    fn gave_up(&mut self, pending: Pending) {
        match pending {
            // The next round comes.
            Pending::Register { .. } | Pending::Renew { .. } | Pending::Look => {}
            // Looking tells whether it was granted.
            Pending::Take { node } => {
                self.taking.remove(&node);
                self.sign_off_if_done();
            }
            Pending::Write { node, generation } => self.write(node, generation),
            Pending::Release { node, generation } => self.release(node, generation),
            // The others find out by themselves.
            Pending::SignOff => {
                self.signed_off = true;
                self.sign_off_if_done();
            }
        }
    }

    /// A lease that somebody holds: is it to be taken over?
    fn judge(
        &mut self,
        node: usize,
        holder: &Holder,
        generation: i64,
        members: &[Member],
        now: Duration,
    ) {
        let Some(epoch) = self.epoch else {
            return;
        };
        if self.taking.contains(&node) || self.leaving {
            return;
        }
        let mine = holder.host == host(self.me) && holder.epoch == epoch;
        let statement = if mine {
            let known = self.workers.contains_key(&(node, generation));
            if known || !self.rules.reclaims {
                return;
            }
            Statement::Reclaim {
                node,
                epoch,
                generation,
            }
        } else {
            let seen = members[conductor(&holder.host)];
            // One's own earlier incarnation is dead by definition.
            let at_once = holder.host == host(self.me) || !self.rules.lets_calls_end;
            let verdict = if at_once && holder.epoch < seen.epoch {
                Some(Verdict {
                    dead: holder.clone(),
                    epoch: seen.epoch,
                    counter: seen.counter,
                })
            } else {
                self.watch.verdict(holder, now)
            };
            let Some(verdict) = verdict else {
                return;
            };
            Statement::TakeOver {
                node,
                epoch,
                verdict,
            }
        };
        self.taking.insert(node);
        self.send(statement, Pending::Take { node });
    }

    fn begin(&mut self, node: usize, grant: Grant, random: &mut Random) {
        if self.rules.epoch && self.epoch != Some(grant.epoch) {
            return;
        }
        let left = random.between(1, 4);
        self.workers
            .insert((node, grant.generation), Worker { grant, left });
        let generation = grant.generation;
        self.after(random.below(20), Message::Step { node, generation });
    }

    fn step(&mut self, node: usize, generation: i64, now: Duration, random: &mut Random) {
        let Some(worker) = self.workers.get_mut(&(node, generation)) else {
            return;
        };
        let current = !self.rules.epoch || self.epoch == Some(worker.grant.epoch);
        let open = !self.rules.gate || self.pulse.is_some_and(|pulse| pulse.may_act(now));
        if !current || !open {
            self.workers.remove(&(node, generation));
            self.sign_off_if_done();
            return;
        }
        if worker.left == 0 || self.leaving {
            self.release(node, generation);
            return;
        }
        worker.left -= 1;
        let lasts = random.between(1, LONGEST_CALL);
        self.effects.push(Effect::Call {
            node,
            generation,
            lasts,
        });
    }

    fn called(&mut self, node: usize, generation: i64) {
        if self.workers.contains_key(&(node, generation)) {
            self.write(node, generation);
        }
    }

    fn write(&mut self, node: usize, generation: i64) {
        if self.workers.contains_key(&(node, generation)) {
            let pending = Pending::Write { node, generation };
            self.send(Statement::Write { node, generation }, pending);
        }
    }

    fn release(&mut self, node: usize, generation: i64) {
        if self.workers.contains_key(&(node, generation)) {
            let pending = Pending::Release { node, generation };
            self.send(Statement::Release { node, generation }, pending);
        }
    }

    /// Once the last worker has ended, the others may have what is left at once.
    fn sign_off_if_done(&mut self) {
        let ended = self.workers.is_empty() && self.taking.is_empty();
        if self.signed_off {
            if ended {
                self.effects.push(Effect::Exit);
            }
            return;
        }
        if !self.leaving || self.is_pending(|p| matches!(p, Pending::SignOff)) {
            return;
        }
        if let Some(epoch) = self.epoch
            && (ended || !self.rules.work_ends_first)
        {
            if self.rules.work_ends_first {
                self.epoch = None;
            }
            self.send(Statement::SignOff { epoch }, Pending::SignOff);
        }
    }
}
