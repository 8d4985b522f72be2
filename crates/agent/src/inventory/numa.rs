//! Which memory, processors and interfaces are near each other.

use super::{Files, nic};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const NODES: &str = "sys/devices/system/node";

/// `Err` says what is missing: a kernel without this has nothing to tell at all.
pub(super) fn topology(files: &Files<'_>) -> Result<Value, String> {
    let nodes = files.numbered(NODES, "node");
    if nodes.is_empty() {
        return Err("no NUMA nodes in /sys/devices/system/node".to_owned());
    }
    let mut ram = Vec::new();
    let mut cores: BTreeMap<(u32, u32), Vec<u32>> = BTreeMap::new();
    for node in nodes {
        let folder = format!("{NODES}/node{node}");
        let size = memory_kb(files, &folder).ok_or(format!("node {node} has no size"))?;
        ram.push(json!({"numa_node": node, "size_kb": size}));
        for thread in files.numbered(&folder, "cpu") {
            let core = files.number(format!("{folder}/cpu{thread}/topology/core_id"));
            let core: u32 = core.ok_or(format!("processor {thread} has no core"))?;
            cores.entry((node, core)).or_default().push(thread);
        }
    }
    let cpus: Vec<Value> = cores
        .into_iter()
        .map(|((node, core), threads)| {
            json!({"cpu": core, "numa_node": node, "thread_siblings": threads})
        })
        .collect();
    let nics: Vec<Value> = files
        .names("sys/class/net")
        .iter()
        .filter(|name| nic::is_device(files, name))
        .filter_map(|name| {
            let node: i32 = files.number(format!("sys/class/net/{name}/device/numa_node"))?;
            Some(json!({"name": name, "numa_node": node}))
        })
        .collect();
    Ok(json!({"ram": ram, "cpus": cpus, "nics": nics}))
}

/// A line such as `Node 0 MemTotal: 1560000 kB`.
fn memory_kb(files: &Files<'_>, folder: &str) -> Option<u64> {
    let text = files.text(format!("{folder}/meminfo"))?;
    let line = text.lines().find(|line| line.contains("MemTotal:"))?;
    let (_, value) = line.split_once(':')?;
    value.split_whitespace().next()?.parse().ok()
}
