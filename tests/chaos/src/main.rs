//! Conductors and APIs that are killed, paused and parted while machines live: `make chaos`.
//!
//! Three conductors and two APIs share one PostgreSQL, each on a host of its own. Clients lead the
//! lives of many fake machines through both APIs and keep account of what was accepted; readers
//! follow the event log; trouble comes as the seed wants it. At the end everything is put right,
//! and what was accepted is compared with what is there. The program only uses what an operator
//! has, and reads the tables of the database. See docs/develop/chaos.md.

mod account;
mod allocation;
mod bad_day;
mod check;
mod clock;
mod http;
mod life;
mod network;
mod postgres;
mod process;
mod reader;
mod trouble;
mod world;

use account::Front;
use anyhow::{Context, Result, ensure};
use check::{DOUBLE_WORK, HOLE, Record, Violations, database};
use clap::Parser;
use life::{Keeper, Ledger};
use reader::Reader;
use scenario::random::Random;
use std::{
    collections::hash_map::RandomState,
    fs,
    hash::BuildHasher,
    io::{self, Write},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::{task::JoinSet, time::Instant};
use world::World;

#[derive(Debug, Parser)]
#[command(about = "Machines live while their service is killed, paused and parted")]
struct Args {
    /// What everything random follows from; a fresh one if not given
    #[arg(long)]
    seed: Option<u64>,
    /// How long trouble is made
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// How many machines live
    #[arg(long, default_value_t = 1000)]
    nodes: usize,
    /// How many clients lead their lives
    #[arg(long, default_value_t = 32)]
    clients: usize,
    /// The program to be tested
    #[arg(long, default_value = "target/release/corten")]
    corten: PathBuf,
    /// Where everything is kept
    #[arg(long, default_value = "target/chaos")]
    folder: PathBuf,
    /// Expect two conductors to work on one machine: the program was built without fences
    #[arg(long)]
    unfenced: bool,
    /// One process that is API and conductor, instead of a cluster
    #[arg(long)]
    alone: bool,
    /// Instead: one service with a full disk, a read-only or slow database, clocks that jump
    #[arg(long, conflicts_with = "unfenced")]
    bad_days: bool,
    /// Of the bad days, only those with this in their names
    #[arg(long, default_value = "", requires = "bad_days")]
    only: String,
    /// The namespaces are there already
    #[arg(long, hide = true)]
    inside: bool,
}

fn main() -> ExitCode {
    match act(Args::parse()) {
        Ok(code) => code,
        Err(error) => {
            say(&format!("chaos: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn say(text: &str) {
    let _ = writeln!(io::stdout().lock(), "{text}");
}

fn act(args: Args) -> Result<ExitCode> {
    let seed = args.seed.unwrap_or_else(|| RandomState::new().hash_one(0));
    if args.inside {
        let runtime = tokio::runtime::Runtime::new()?;
        return if args.bad_days {
            runtime.block_on(bad_day::run(&args.folder, &args.corten, &args.only))
        } else {
            runtime.block_on(run(&args, seed))
        };
    }
    ensure!(
        network::is_possible(),
        "cannot create network namespaces: run as root"
    );
    if args.folder.exists() {
        fs::remove_dir_all(&args.folder)?;
    }
    fs::create_dir_all(&args.folder)?;
    let found = |path: &Path| {
        let path = fs::canonicalize(path);
        path.map(|path| path.display().to_string())
    };
    let corten = found(&args.corten).with_context(|| args.corten.display().to_string())?;
    if !args.bad_days {
        say(&format!("repeat this run with --seed {seed}"));
    }
    let mut words = vec![
        "--inside".to_owned(),
        format!("--seed={seed}"),
        format!("--seconds={}", args.seconds),
        format!("--nodes={}", args.nodes),
        format!("--clients={}", args.clients),
        format!("--corten={corten}"),
        format!("--folder={}", found(&args.folder)?),
    ];
    if args.bad_days {
        words.push(format!("--only={}", args.only));
    }
    for (name, is_set) in [
        ("--alone", args.alone),
        ("--bad-days", args.bad_days),
        ("--unfenced", args.unfenced),
    ] {
        if is_set {
            words.push(name.to_owned());
        }
    }
    let status = network::enclosed(&words)?.status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The load, until it is stopped.
struct Bustle {
    stop: Arc<AtomicBool>,
    keepers: JoinSet<Keeper>,
    wishers: JoinSet<Vec<allocation::Wish>>,
}

impl Bustle {
    async fn end(self) -> (Vec<Ledger>, Vec<allocation::Wish>) {
        self.stop.store(true, Ordering::Relaxed);
        let keepers = self.keepers.join_all().await;
        let wishes = self.wishers.join_all().await;
        let ledgers = keepers.into_iter().flat_map(|keeper| keeper.nodes);
        (ledgers.collect(), wishes.into_iter().flatten().collect())
    }
}

async fn run(args: &Args, seed: u64) -> Result<ExitCode> {
    let mut random = Random::seeded(seed);
    let world = Arc::new(World::create(&args.folder, &args.corten, args.alone).await?);
    let front = Arc::new(Front::new(world.endpoints()));
    let readers = readers(&world);
    let stop_reading = Arc::new(AtomicBool::new(false));
    let mut following = JoinSet::new();
    for reader in &readers {
        let stop = Arc::clone(&stop_reading);
        following.spawn(Arc::clone(reader).follow(random.fork(), stop));
    }
    let bustle = start(args, &front, &mut random).await;
    say(&format!("{} machines live", args.nodes));
    let lasts = Duration::from_secs(args.seconds);
    let tally = trouble::make(&world, random.fork(), lasts, say).await?;
    say(&format!("everything is put right: {tally}"));
    let (ledgers, wishes) = bustle.end().await;
    world.answers().await?;
    let mut wrong = Violations::default();
    if let Err(error) = quiet(&world, &readers).await {
        wrong.add("it does not come to rest", format!("{error:#}"));
    }
    stop_reading.store(true, Ordering::Relaxed);
    following.join_all().await;

    let url = world.database.url();
    let snapshot = tokio::task::spawn_blocking(move || database::snapshot(&url)).await??;
    let lapses: Vec<String> = world.services().flat_map(|p| p.lapses()).collect();
    let told = front.told();
    let record = Record {
        snapshot: &snapshot,
        told: &told,
        ledgers: &ledgers,
        wishes: &wishes,
        readers: &readers,
        lapses: &lapses,
    };
    wrong.merge(check::everything(&record));
    let deaths: Vec<_> = world.services().flat_map(|p| p.deaths()).collect();
    let journal = fs::read_to_string(&world.journal).context("no journal file found")?;
    let hardware = check::journal::check(&journal, &deaths)?;
    wrong.extend(DOUBLE_WORK, hardware.overlaps);

    let failed = snapshot.nodes.iter().filter(|n| n.state.contains("failed"));
    say(&format!(
        "{} machines, {} of them in a failed state with its reason\n\
         {} requests accepted, {} without an answer, statuses {:?}\n\
         {} events, {} readers with {} interruptions\n\
         {} calls of hardware, {} of them cut short\n\
         {} starts failed while the database was away",
        snapshot.nodes.len(),
        failed.count(),
        told.accepted.len(),
        told.unanswered,
        told.statuses,
        snapshot.events.len(),
        readers.len(),
        readers.iter().map(|r| r.interruptions()).sum::<u64>(),
        hardware.calls,
        hardware.cut_short,
        lapses.len(),
    ));
    say(&format!("{wrong}"));
    Ok(verdict(args, seed, &wrong))
}

fn verdict(args: &Args, seed: u64, wrong: &Violations) -> ExitCode {
    let as_expected = if args.unfenced {
        // Whether they meet at the hardware, or one writes what the other has left behind, is chance.
        wrong.has(DOUBLE_WORK) || wrong.has(HOLE)
    } else {
        wrong.is_empty()
    };
    let text = match (args.unfenced, as_expected) {
        (false, true) => "chaos: nothing was lost, and nothing was done twice".to_owned(),
        (false, false) => format!("chaos: FAILED; repeat with --seed {seed}"),
        (true, true) => "chaos: without fences double work is found, as it should".to_owned(),
        (true, false) => format!("chaos: FAILED to find double work; seed {seed}"),
    };
    say(&text);
    if as_expected {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Readers that keep to one API, and some that go from one to the other.
fn readers(world: &World) -> Vec<Arc<Reader>> {
    let endpoints = world.endpoints();
    let mut readers: Vec<Arc<Reader>> = endpoints
        .iter()
        .map(|one| Reader::new(format!("reader of {one}"), vec![one.clone()]))
        .collect();
    for name in ["wanderer", "stroller"] {
        readers.push(Reader::new(name, endpoints.clone()));
    }
    readers
}

/// Creates the machines and lets them live.
async fn start(args: &Args, front: &Arc<Front>, random: &mut Random) -> Bustle {
    let stop = Arc::new(AtomicBool::new(false));
    let mut enrolling = JoinSet::new();
    for index in 0..args.clients {
        let count = (args.nodes + index) / args.clients;
        if count > 0 {
            let keeper = Keeper::new(Arc::clone(front), random.fork(), count);
            enrolling.spawn(keeper.enroll());
        }
    }
    let mut keepers = JoinSet::new();
    for keeper in enrolling.join_all().await {
        keepers.spawn(keeper.lead(Arc::clone(&stop)));
    }
    let mut wishers = JoinSet::new();
    for _ in 0..2 {
        let (front, stop) = (Arc::clone(front), Arc::clone(&stop));
        wishers.spawn(allocation::wish(front, random.fork(), stop));
    }
    Bustle {
        stop,
        keepers,
        wishers,
    }
}

/// Waits until no node is reserved and every reader has caught up.
async fn quiet(world: &World, readers: &[Arc<Reader>]) -> Result<()> {
    const PATIENCE: Duration = Duration::from_secs(240);
    const CALM: u32 = 8;
    let started = Instant::now();
    let mut calm = 0;
    loop {
        let url = world.database.url();
        let (busy, unplaced, placed) =
            tokio::task::spawn_blocking(move || database::unrest(&url)).await??;
        let behind = readers
            .iter()
            .filter(|reader| reader.wrong().is_none())
            .filter(|reader| i64::try_from(reader.position()) != Ok(placed))
            .count();
        if busy == 0 && unplaced == 0 && behind == 0 {
            calm += 1;
            if calm >= CALM {
                return Ok(());
            }
        } else {
            calm = 0;
        }
        ensure!(
            started.elapsed() < PATIENCE,
            "timeout after {} s: {busy} nodes are still busy, {unplaced} events are not in the log, \
             {behind} readers are behind",
            PATIENCE.as_secs()
        );
        // There is no event for the absence of events.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}
