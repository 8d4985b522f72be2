//! Processors.

use super::{Files, smbios::Tables};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const FOLDER: &str = "sys/devices/system/cpu";

/// As inventories show them: the first stands for all.
pub(super) fn describe(files: &Files<'_>, tables: &Tables) -> Value {
    let text = files.text("proc/cpuinfo").unwrap_or_default();
    let first = text.split("\n\n").next().unwrap_or_default();
    let field = |name: &str| {
        first.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        })
    };
    let count = text
        .lines()
        .filter(|line| {
            line.split(':')
                .next()
                .is_some_and(|key| key.trim() == "processor")
        })
        .count();
    // Arm has no name here, and another word for flags.
    let model = field("model name").or_else(|| tables.processor_name());
    let flags = field("flags").or_else(|| field("Features"));
    let flags = flags.unwrap_or_default();
    let flags: Vec<&str> = flags.split_whitespace().collect();
    json!({
        "model_name": model.unwrap_or_default(),
        "frequency": highest(files).or_else(|| field("cpu MHz")).unwrap_or_default(),
        "count": count,
        "architecture": std::env::consts::ARCH,
        "flags": flags,
        "socket_count": sockets(files, count),
    })
}

/// What the first processor can do at most, in MHz, with the four digits that lscpu shows.
fn highest(files: &Files<'_>) -> Option<String> {
    let path = format!("{FOLDER}/cpu0/cpufreq/cpuinfo_max_freq");
    let kilohertz: u64 = files.number(path)?;
    Some(format!("{}.{:04}", kilohertz / 1000, kilohertz % 1000 * 10))
}

fn sockets(files: &Files<'_>, count: usize) -> usize {
    let packages: BTreeSet<i64> = files
        .numbered(FOLDER, "cpu")
        .into_iter()
        .filter_map(|cpu| files.number(format!("{FOLDER}/cpu{cpu}/topology/physical_package_id")))
        .collect();
    // Where the kernel does not know, all are in one.
    packages.len().max(count.min(1))
}
