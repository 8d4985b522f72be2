//! Asks many BMCs for their power, as a conductor does, and says how long it took.
//!
//!     ipmi_power FIRST_ADDRESS PORT COUNT AT_ONCE USER PASSWORD
//!
//! The BMCs are at COUNT addresses from the first one on. What is printed is one JSON object:
//! seconds, failures, seconds of CPU, and the most memory that was in use. `bench/ipmi` runs it.

#![allow(
    clippy::disallowed_methods,
    reason = "no service: it may wait for its files"
)]
#![allow(clippy::print_stdout, clippy::unwrap_used, clippy::expect_used)]

use drivers::{
    iface::{Machine, Power},
    ipmi::{Ipmi, IpmiPower, IpmiSettings},
};
use serde_json::{Value, json};
use std::{net::Ipv4Addr, sync::Arc, time::Duration};
use tokio::{sync::Semaphore, task::JoinSet, time::Instant};
use types::{Node, NodeId};

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("threads");
    runtime.block_on(run());
}

async fn run() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [first, port, count, at_once, user, password] = &arguments[..] else {
        panic!("ipmi_power FIRST_ADDRESS PORT COUNT AT_ONCE USER PASSWORD");
    };
    let first: Ipv4Addr = first.parse().expect("an address");
    let port: u16 = port.parse().expect("a port");
    let count: u32 = count.parse().expect("a number of BMCs");
    let limit = Arc::new(Semaphore::new(at_once.parse().expect("a number at once")));
    // Pacing off, and patience for answers that wait behind thousands of others.
    let mut settings = IpmiSettings {
        first_wait: Duration::from_secs(2),
        ..IpmiSettings::default()
    };
    settings.gate.interval = Duration::ZERO;
    let ipmi = Arc::new(Ipmi::new(settings));
    let mut rounds = Vec::new();
    // The second round finds the sessions of the first one.
    for _ in 0..2 {
        let start = Instant::now();
        let mut tasks = JoinSet::new();
        for index in 0..count {
            let info = json!({
                "ipmi_address": Ipv4Addr::from(u32::from(first) + index).to_string(),
                "ipmi_port": port, "ipmi_username": user, "ipmi_password": password,
            });
            let (ipmi, limit) = (Arc::clone(&ipmi), Arc::clone(&limit));
            tasks.spawn(async move {
                let _permit = limit.acquire().await;
                let Value::Object(info) = info else {
                    unreachable!()
                };
                let mut node = Node::new(NodeId::generate(), "ipmi");
                let machine = Machine::new(&mut node, &info, &[]);
                IpmiPower(ipmi).get(&machine).await.is_ok()
            });
        }
        let answered = tasks.join_all().await;
        let failures = answered.iter().filter(|is_ok| !**is_ok).count();
        rounds.push(json!({
            "seconds": start.elapsed().as_secs_f64(), "failures": failures,
        }));
    }
    let result = json!({
        "bmcs": count, "rounds": rounds,
        "cpu_seconds": cpu_seconds(), "peak_kib": peak_kib(),
    });
    println!("{result}");
}

/// Ticks of a hundredth of a second, in user and system mode.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let fields = after_name.split(' ').skip(11).take(2);
    fields
        .filter_map(|field| field.parse::<f64>().ok())
        .sum::<f64>()
        / 100.0
}

fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok())
        .unwrap_or(0)
}
