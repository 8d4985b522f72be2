//! What a round of a periodic pass costs with N fake nodes on SQLite; bench/passes runs it.
//!
//!     passes NODES ROUNDS
//!
//! Power sync visits every node and finds nothing wrong; time-outs look at as many nodes that wait
//! and are not late. Prints one line a pass: nodes, rounds, and microseconds of CPU and of time that
//! a round takes for each node. The CPU is that of the whole process, its database threads included.

#![allow(
    clippy::disallowed_methods,
    reason = "no service: it may wait for its files"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a program for measuring, which ends when something is wrong"
)]

use conductor::{Service, Settings};
use drivers::{Registry, registry::RegistrySettings};
use std::time::{Duration, Instant};
use store::{Db, KeyRing, Location, Upgrade, node::Log};
use tokio::task::JoinSet;
use types::{InterfaceKind, Node, NodeId, PowerState, ProvisionState, Timestamp};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse::<u64>().unwrap());
    let nodes = arguments.next().unwrap_or(1000);
    let rounds = arguments.next().unwrap_or(5);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let at_once = Duration::from_millis(1);
        let mut power = quiet();
        power.sync_power_state_interval = at_once;
        measure("power_sync", nodes, rounds, power, ProvisionState::Active).await;
        let mut waits = quiet();
        waits.check_provision_state_interval = at_once;
        measure("timeouts", nodes, rounds, waits, ProvisionState::CleanWait).await;
    });
}

/// No other pass than the one that is measured.
fn quiet() -> Settings {
    let off = Duration::ZERO;
    Settings {
        sync_power_state_interval: off,
        power_failure_recovery_interval: off,
        check_provision_state_interval: off,
        check_rescue_state_interval: off,
        step_poll_interval: off,
        cache_clean_up_interval: off,
        spread_passes: false,
        ..Settings::default()
    }
}

async fn measure(pass: &str, nodes: u64, rounds: u64, settings: Settings, state: ProvisionState) {
    let folder = tempfile::tempdir().unwrap();
    let place = Location::Sqlite(folder.path().join("db"));
    let db = Db::open(&place, KeyRing::ephemeral().unwrap(), Upgrade::Run).unwrap();
    fill(&db, nodes, state).await;
    let service = Service::start(db, registry(), settings).await.unwrap();
    // The first round warms the caches up.
    let warm = wait(&service, pass, 1).await;
    let (cpu, began) = (cpu_us(), Instant::now());
    let done = wait(&service, pass, warm + rounds).await - warm;
    let (cpu, took) = (cpu_us() - cpu, began.elapsed());
    let visits = (nodes * done) as f64;
    let report = report(&service, pass);
    assert!(
        pass != "power_sync" || report.last_visited == nodes,
        "{report:?}"
    );
    assert_eq!(report.total_failed, 0);
    println!(
        "{pass} nodes={nodes} rounds={done} cpu_us={:.3} us={:.3}",
        cpu as f64 / visits,
        took.as_micros() as f64 / visits
    );
    service.stop().await;
}

fn report(service: &Service, pass: &str) -> types::pass::PassReport {
    let mut all = service.passes().into_iter();
    all.find(|report| report.name == pass).unwrap()
}

/// Waits until so many rounds have ended; says how many it were.
async fn wait(service: &Service, pass: &str, rounds: u64) -> u64 {
    loop {
        let ended = report(service, pass).rounds;
        if ended >= rounds {
            return ended;
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

/// Nodes as they are found in service: with an address and a password, and something inside.
async fn fill(db: &Db, nodes: u64, state: ProvisionState) {
    let mut running = JoinSet::new();
    for number in 0..nodes {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some(format!("node-{number}"));
        node.provision_state = state;
        node.provision_updated_at = Some(Timestamp::now());
        node.power_state = Some(PowerState::On);
        // Nobody has to take it over when the conductor starts.
        node.conductor_affinity = Some(Settings::default().host);
        let info = &mut node.driver_info;
        info.insert("fake_address".into(), format!("10.0.0.{number}").into());
        info.insert("fake_password".into(), "password".into());
        node.driver_internal_info
            .set_last_power_state_change(Timestamp::now());
        node.properties.insert("vendor".into(), "fake".into());
        let db = db.clone();
        running.spawn(async move { store::node::insert(&db, node, Log::default()).await });
        while running.len() >= 256 {
            running.join_next().await.unwrap().unwrap().unwrap();
        }
    }
    while let Some(inserted) = running.join_next().await {
        inserted.unwrap().unwrap();
    }
}

fn registry() -> Registry {
    let mut wanted = RegistrySettings::default();
    wanted.enable_hardware_types(vec!["fake-hardware".into()]);
    for &kind in InterfaceKind::ALL {
        let name = if kind == InterfaceKind::Network {
            "noop"
        } else {
            "fake"
        };
        wanted.enable_interfaces(kind, vec![name.into()]);
    }
    wanted.set_default(InterfaceKind::Storage, None);
    Registry::new(&wanted).unwrap()
}

/// What the threads of this process have used of the CPU, in microseconds.
fn cpu_us() -> u64 {
    let threads = std::fs::read_dir("/proc/self/task").unwrap();
    let of_thread = |entry: std::io::Result<std::fs::DirEntry>| {
        let file = entry.ok()?.path().join("schedstat");
        let text = std::fs::read_to_string(file).ok()?;
        text.split(' ').next()?.parse::<u64>().ok()
    };
    threads.filter_map(of_thread).sum::<u64>() / 1000
}
