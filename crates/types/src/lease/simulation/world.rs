//! The world of the simulation: time, the network, hardware, and everything that goes wrong.

use super::{
    CALM, CHAOS, PATIENCE, Random, Rules, SKEW, TTL, Tally,
    conductor::{Conductor, Effect, Message, ticks},
    database::{Database, Loss, Row, Statement, conductor},
};
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};

#[derive(Debug, Clone)]
enum Event {
    /// A statement has reached the database.
    Execute {
        sender: usize,
        run: u64,
        ticket: u64,
        statement: Statement,
    },
    Deliver {
        to: usize,
        run: u64,
        message: Message,
    },
    Disturb(usize),
    Start(usize),
    Wake(usize),
    Heal(usize),
    Ask(usize),
    Calm,
}

/// A machine on which a conductor runs, or not.
#[derive(Debug)]
struct Machine {
    /// Which start of the process this is; messages to earlier ones are nobody's.
    run: u64,
    process: Option<Conductor>,
    /// What arrived while the process stood still.
    backlog: Option<Vec<Message>>,
    /// Whether the database is out of reach.
    cut: bool,
    /// Thousandths of the true speed.
    rate: u64,
    /// What the monotonic clock showed at the beginning.
    origin: u64,
    /// By how much the wall clock was set forward.
    jumped: u64,
}

/// The last call that a node's hardware received.
#[derive(Debug, Clone, Copy, Default)]
struct Call {
    who: usize,
    generation: i64,
    until: u64,
}

#[derive(Debug)]
pub(super) struct World {
    rules: Rules,
    random: Random,
    now: u64,
    queue: BTreeMap<(u64, u64), Event>,
    scheduled: u64,
    machines: Vec<Machine>,
    database: Database,
    /// When the last statement of a sender on a row is carried out.
    order: HashMap<(usize, Row), u64>,
    calls: Vec<Call>,
    tally: Tally,
    /// How many of a hundred statements and answers take up to the time-to-live.
    slow: u64,
}

impl World {
    pub(super) fn new(seed: u64, rules: Rules) -> Self {
        let mut random = Random(seed);
        let conductors = usize::try_from(random.between(3, 5)).unwrap();
        let nodes = usize::try_from(random.between(1, 4)).unwrap();
        let machines = (0..conductors).map(|_| Machine {
            run: 0,
            process: None,
            backlog: None,
            cut: false,
            rate: random.between(1000 - SKEW, 1000 + SKEW),
            origin: random.below(1_000_000),
            jumped: 0,
        });
        let machines = machines.collect();
        let mut world = Self {
            rules,
            random,
            now: 0,
            queue: BTreeMap::new(),
            scheduled: 0,
            machines,
            database: Database::new(rules, conductors, nodes),
            order: HashMap::new(),
            calls: vec![Call::default(); nodes],
            tally: Tally::default(),
            slow: 0,
        };
        world.slow = [4, 4, 20, 40][usize::try_from(world.random.below(4)).unwrap()];
        for who in 0..conductors {
            world.soon(TTL / 2, Event::Start(who));
            world.soon(3 * TTL, Event::Disturb(who));
        }
        for node in 0..nodes {
            world.soon(TTL, Event::Ask(node));
        }
        world.at(CHAOS, Event::Calm);
        world
    }

    pub(super) fn tally(&self) -> Tally {
        self.tally
    }

    fn at(&mut self, time: u64, event: Event) {
        self.scheduled += 1;
        self.queue.insert((time, self.scheduled), event);
    }

    /// At some time within the next ticks.
    fn soon(&mut self, within: u64, event: Event) {
        let time = self.now + self.random.below(within);
        self.at(time, event);
    }

    fn is_calm(&self) -> bool {
        self.now >= CHAOS
    }

    /// Lives through everything; the error is a promise that was broken.
    pub(super) fn run(&mut self) -> Result<(), String> {
        while let Some(((time, _), event)) = self.queue.pop_first() {
            if time > CHAOS + CALM {
                break;
            }
            self.now = time;
            self.happen(event)
                .map_err(|broken| format!("at {time}: {broken}"))?;
        }
        for (node, row) in self.database.nodes.iter().enumerate() {
            if let Some(holder) = &row.holder {
                return Err(format!("node {node} stays in the hands of {holder:?}"));
            }
        }
        Ok(())
    }

    fn happen(&mut self, event: Event) -> Result<(), String> {
        match event {
            Event::Execute {
                sender,
                run,
                ticket,
                statement,
            } => self.execute(sender, run, ticket, &statement)?,
            Event::Deliver { to, run, message } => self.deliver(to, run, message)?,
            Event::Disturb(who) => self.disturb(who)?,
            Event::Start(who) => self.start(who)?,
            Event::Wake(who) => self.wake(who)?,
            Event::Heal(who) => self.machines[who].cut = false,
            Event::Ask(node) => {
                let who = self.random.below(self.machines.len() as u64);
                let who = usize::try_from(who).unwrap();
                let run = self.machines[who].run;
                self.deliver(who, run, Message::Ask { node })?;
                if !self.is_calm() {
                    self.soon(TTL / 2, Event::Ask(node));
                }
            }
            Event::Calm => {
                for who in 0..self.machines.len() {
                    self.machines[who].cut = false;
                    self.wake(who)?;
                }
                // Somebody lives.
                self.start(0)?;
            }
        }
        Ok(())
    }

    fn start(&mut self, who: usize) -> Result<(), String> {
        let machine = &mut self.machines[who];
        if machine.process.is_none() {
            machine.run += 1;
            machine.backlog = None;
            machine.process = Some(Conductor::new(self.rules, who));
            self.carry_out(who)?;
        }
        Ok(())
    }

    fn wake(&mut self, who: usize) -> Result<(), String> {
        let run = self.machines[who].run;
        let mut backlog = self.machines[who].backlog.take().unwrap_or_default();
        // Whoever slept hears everything at once, in any order.
        while !backlog.is_empty() {
            let which = self.random.below(backlog.len() as u64);
            let message = backlog.swap_remove(usize::try_from(which).unwrap());
            self.deliver(who, run, message)?;
        }
        Ok(())
    }

    fn disturb(&mut self, who: usize) -> Result<(), String> {
        if self.is_calm() {
            return Ok(());
        }
        self.soon(4 * TTL, Event::Disturb(who));
        match self.random.below(6) {
            0 => {
                let machine = &mut self.machines[who];
                machine.process = None;
                machine.backlog = None;
                self.soon(3 * TTL, Event::Start(who));
            }
            1 | 2 => {
                self.machines[who].backlog.get_or_insert_default();
                self.soon(2 * TTL, Event::Wake(who));
            }
            3 => {
                self.machines[who].cut = true;
                self.soon(2 * TTL, Event::Heal(who));
            }
            4 => {
                let jump = self.random.below(10 * TTL);
                let machine = &mut self.machines[who];
                // Forward, and back again some time later.
                machine.jumped = if machine.jumped == 0 { jump } else { 0 };
            }
            _ => {
                let run = self.machines[who].run;
                self.deliver(who, run, Message::Leave)?;
                self.soon(3 * TTL, Event::Start(who));
            }
        }
        Ok(())
    }

    /// The clock by which a conductor judges.
    fn clock(&self, who: usize) -> Duration {
        let machine = &self.machines[who];
        let monotonic = machine.origin + self.now * machine.rate / 1000;
        let wall = if self.rules.monotonic {
            0
        } else {
            machine.jumped
        };
        ticks(monotonic + wall)
    }

    fn deliver(&mut self, to: usize, run: u64, message: Message) -> Result<(), String> {
        let now = self.clock(to);
        let machine = &mut self.machines[to];
        if machine.run != run {
            return Ok(());
        }
        let Some(process) = &mut machine.process else {
            return Ok(());
        };
        if let Some(backlog) = &mut machine.backlog {
            backlog.push(message);
            return Ok(());
        }
        process.handle(message, now, &mut self.random, &mut self.tally);
        self.carry_out(to)
    }

    /// Does what a conductor wants done.
    fn carry_out(&mut self, who: usize) -> Result<(), String> {
        let run = self.machines[who].run;
        let Some(process) = &mut self.machines[who].process else {
            return Ok(());
        };
        for effect in std::mem::take(&mut process.effects) {
            match effect {
                Effect::Send { ticket, statement } => self.send(who, ticket, statement),
                Effect::After { wait, message } => {
                    let at = self.now + wait * 1000 / self.machines[who].rate + 1;
                    let to = who;
                    self.at(at, Event::Deliver { to, run, message });
                }
                Effect::Call {
                    node,
                    generation,
                    lasts,
                } => {
                    self.call(who, node, generation, lasts)?;
                    let message = Message::Called { node, generation };
                    let to = who;
                    self.at(self.now + lasts, Event::Deliver { to, run, message });
                }
                Effect::Exit => self.machines[who].process = None,
            }
        }
        Ok(())
    }

    /// Hardware is called: nobody else's call may be under way, and nobody may have called it under
    /// a later grant.
    fn call(&mut self, who: usize, node: usize, generation: i64, lasts: u64) -> Result<(), String> {
        self.tally.calls += 1;
        let last = self.calls[node];
        // One's own earlier incarnation is gone, and whoever comes after it knows that.
        let under_way = last.until > self.now && last.who != who;
        if under_way || last.generation > generation {
            return Err(format!(
                "c{who} called node {node} under generation {generation} after {last:?}"
            ));
        }
        self.calls[node] = Call {
            who,
            generation,
            until: self.now + lasts,
        };
        Ok(())
    }

    /// How long something is on its way.
    fn delay(&mut self) -> u64 {
        if !self.is_calm() && self.random.percent(self.slow) {
            return self.random.between(1, TTL);
        }
        let most = if !self.is_calm() && self.random.percent(10) {
            100
        } else {
            8
        };
        self.random.between(1, most)
    }

    fn send(&mut self, sender: usize, ticket: u64, statement: Statement) {
        let machine = &self.machines[sender];
        let (run, cut) = (machine.run, machine.cut);
        let patience = self.random.between(PATIENCE.0, PATIENCE.1);
        let gives_up = self.now + patience * 1000 / machine.rate;
        let message = Message::GaveUp { ticket };
        let to = sender;
        self.at(gives_up, Event::Deliver { to, run, message });
        let lost = if cut { 80 } else { 1 };
        if !self.is_calm() && self.random.percent(lost) {
            return;
        }
        let delay = if cut {
            self.random.between(1, 2 * TTL)
        } else {
            self.delay()
        };
        let mut at = self.now + delay;
        if let Some(row) = statement.row(sender) {
            // The earlier one has the lock of the row.
            let before = self.order.entry((sender, row)).or_default();
            at = at.max(*before + 1);
            *before = at;
        }
        self.at(
            at,
            Event::Execute {
                sender,
                run,
                ticket,
                statement,
            },
        );
    }

    fn execute(
        &mut self,
        sender: usize,
        run: u64,
        ticket: u64,
        statement: &Statement,
    ) -> Result<(), String> {
        let (outcome, loss) = self.database.execute(sender, statement, &mut self.tally)?;
        if let Some(loss) = loss {
            self.check_loss(&loss)?;
        }
        let lost = self.machines[sender].cut || self.random.percent(2);
        if lost && !self.is_calm() {
            self.tally.lost_answers += 1;
            return Ok(());
        }
        let at = self.now + self.delay();
        let message = Message::Answer { ticket, outcome };
        let to = sender;
        self.at(at, Event::Deliver { to, run, message });
        Ok(())
    }

    /// Who lives and renews keeps its leases.
    fn check_loss(&self, loss: &Loss) -> Result<(), String> {
        let from = conductor(&loss.from.host);
        let now = self.clock(from);
        let lives = self.machines[from].process.as_ref().is_some_and(|process| {
            process.epoch() == Some(loss.from.epoch) && process.works() && process.may_act(now)
        });
        if lives {
            return Err(format!(
                "c{} took node {} over from c{from}, which is alive",
                loss.by, loss.node
            ));
        }
        Ok(())
    }
}
