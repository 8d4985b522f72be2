//! What goes wrong: processes killed, paused and stopped, hosts cut off from one another, the
//! database gone for a while.
//!
//! What happens to whom, when and for how long follows from the seed; what comes of it depends on
//! everything else. A host has one trouble at a time, and each trouble ends by itself.

use crate::{
    network::Host,
    process::Process,
    world::{TTL_S, World},
};
use anyhow::Result;
use rustix::process::Signal;
use scenario::random::Random;
use std::{collections::BTreeMap, fmt, sync::Arc, time::Duration};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

/// A process that is asked to end gently ends within this.
const GENTLY: Duration = Duration::from_secs(40);

/// Something that goes wrong on the host with this number: the database has 0, then come the
/// conductors, then the APIs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Disturbance {
    Kill,
    /// A gentle end, as by a service manager.
    Stop,
    Pause,
    /// No packet comes or goes.
    Unplug,
    /// Packets to the host with this number vanish, and those from it too if so.
    Part {
        other: usize,
        both_ways: bool,
    },
}

/// A trouble with its place and time.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Plan {
    trouble: Disturbance,
    host: usize,
    lasts: Duration,
    /// Until the next trouble begins.
    then: Duration,
}

impl Disturbance {
    fn name(&self) -> &'static str {
        match self {
            Self::Kill => "killed",
            Self::Stop => "stopped",
            Self::Pause => "paused",
            Self::Unplug => "unplugged",
            Self::Part { .. } => "parted",
        }
    }
}

/// Chooses what goes wrong next.
fn plan(random: &mut Random, conductors: usize, apis: usize) -> Plan {
    let conductor = |random: &mut Random| 1 + random.below(conductors);
    // Where one process is everything, it is the API too.
    let api = |random: &mut Random| match apis {
        0 => conductor(random),
        apis => 1 + conductors + random.below(apis),
    };
    let service = |random: &mut Random| 1 + random.below(conductors + apis);
    let ttl = TTL_S * 1000;
    // Shorter and longer than it takes to be taken for dead.
    let while_ = |random: &mut Random| random.between(200, ttl * 5 / 2);
    let (trouble, host, lasts) = match random.below(100) {
        0..22 => (
            Disturbance::Kill,
            conductor(random),
            random.between(0, ttl * 3 / 2),
        ),
        22..30 => (Disturbance::Kill, api(random), random.between(0, 4000)),
        30..36 => (Disturbance::Stop, service(random), random.between(0, 3000)),
        36..58 => (Disturbance::Pause, conductor(random), while_(random)),
        58..62 => (Disturbance::Pause, api(random), random.between(200, 8000)),
        62..76 => {
            let other = 0;
            let both_ways = random.chance(50);
            let part = Disturbance::Part { other, both_ways };
            (part, service(random), while_(random))
        }
        76..84 => {
            let (host, other) = (api(random), conductor(random));
            let other = if host == other { 0 } else { other };
            let both_ways = random.chance(50);
            (Disturbance::Part { other, both_ways }, host, while_(random))
        }
        84..94 => (Disturbance::Unplug, service(random), while_(random)),
        94..96 => (Disturbance::Unplug, 0, random.between(200, ttl)),
        _ => (Disturbance::Kill, 0, random.between(0, 4000)),
    };
    Plan {
        trouble,
        host,
        lasts,
        then: random.between(200, 3500),
    }
}

/// What went wrong how often.
#[derive(Debug, Default)]
pub(crate) struct Tally(BTreeMap<&'static str, u64>);

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<String> = self.0.iter().map(|(k, n)| format!("{n} {k}")).collect();
        f.write_str(&words.join(", "))
    }
}

/// Makes trouble for a while; when this returns, everything runs and is connected again.
pub(crate) async fn make(
    world: &Arc<World>,
    mut random: Random,
    lasts: Duration,
    say: impl Fn(&str),
) -> Result<Tally> {
    let started = Instant::now();
    let mut tally = Tally::default();
    let mut under_way: JoinSet<(usize, Result<()>)> = JoinSet::new();
    let count = 1 + world.conductors.len() + world.apis.len();
    let mut is_busy = vec![false; count];
    while started.elapsed() < lasts {
        let plan = plan(&mut random, world.conductors.len(), world.apis.len());
        while let Some(ended) = under_way.try_join_next() {
            let (host, outcome) = ended?;
            outcome?;
            is_busy[host] = false;
        }
        if !is_busy[plan.host] {
            is_busy[plan.host] = true;
            *tally.0.entry(plan.trouble.name()).or_default() += 1;
            say(&format!(
                "{:6.1} s: {} is {} for {:.1} s{}",
                started.elapsed().as_secs_f64(),
                process(world, plan.host).name,
                plan.trouble.name(),
                plan.lasts.as_secs_f64(),
                match plan.trouble {
                    Disturbance::Part { other, both_ways } => format!(
                        " {} {}",
                        if both_ways { "from" } else { "on its way to" },
                        process(world, other).name
                    ),
                    _ => String::new(),
                }
            ));
            let (world, plan) = (Arc::clone(world), plan.clone());
            under_way.spawn(async move { (plan.host, cause(&world, &plan).await) });
        }
        sleep(plan.then).await;
        world.look_after()?;
    }
    while let Some(ended) = under_way.join_next().await {
        ended?.1?;
    }
    Ok(tally)
}

fn process(world: &World, number: usize) -> &Process {
    let mut services = world.services();
    match number.checked_sub(1).and_then(|index| services.nth(index)) {
        Some(service) => service,
        None => &world.database.process,
    }
}

/// Lets one thing go wrong, and right again.
async fn cause(world: &World, plan: &Plan) -> Result<()> {
    let process = process(world, plan.host);
    let host = &process.host;
    match plan.trouble {
        Disturbance::Kill => {
            // A database server that is killed leaves its children behind; this ends them as
            // suddenly, and nothing is tidied up either.
            let signal = if plan.host == 0 {
                Signal::QUIT
            } else {
                Signal::KILL
            };
            process.end(signal, GENTLY).await?;
            sleep(plan.lasts).await;
            process.start()?;
        }
        Disturbance::Stop => {
            process.end(Signal::TERM, GENTLY).await?;
            sleep(plan.lasts).await;
            process.start()?;
        }
        Disturbance::Pause => {
            process.signal(Signal::STOP)?;
            sleep(plan.lasts).await;
            process.signal(Signal::CONT)?;
        }
        Disturbance::Unplug => {
            host.unplug().await?;
            sleep(plan.lasts).await;
            host.plug().await?;
        }
        Disturbance::Part { other, both_ways } => {
            let other = &self::process(world, other).host;
            part(host, other, both_ways, plan.lasts).await?;
        }
    }
    Ok(())
}

async fn part(one: &Host, other: &Host, both_ways: bool, lasts: Duration) -> Result<()> {
    one.lose(other).await?;
    if both_ways {
        other.lose(one).await?;
    }
    sleep(lasts).await;
    one.find(other).await?;
    other.find(one).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_seed_makes_the_same_trouble_again() {
        let plans = |seed| -> Vec<Plan> {
            let mut random = Random::seeded(seed);
            (0..100).map(|_| plan(&mut random, 3, 2)).collect()
        };
        assert_eq!(plans(1), plans(1));
        assert_ne!(plans(1), plans(2));
    }

    #[test]
    fn everybody_has_every_kind_of_trouble() {
        let mut random = Random::seeded(5);
        let plans: Vec<Plan> = (0..2000).map(|_| plan(&mut random, 3, 2)).collect();
        let seen: HashSet<(usize, &str)> =
            plans.iter().map(|p| (p.host, p.trouble.name())).collect();
        for host in 1..=5 {
            for name in ["killed", "stopped", "paused", "unplugged", "parted"] {
                assert!(seen.contains(&(host, name)), "{host} {name}");
            }
        }
        assert!(seen.contains(&(0, "killed")) && seen.contains(&(0, "unplugged")));
        let ttl = Duration::from_secs(TTL_S);
        let pauses = plans.iter().filter(|p| p.trouble == Disturbance::Pause);
        assert!(
            pauses
                .clone()
                .any(|p| p.lasts > ttl + Duration::from_secs(2))
        );
        assert!(pauses.clone().any(|p| p.lasts < ttl / 2));
    }
}
