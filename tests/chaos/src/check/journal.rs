//! Whether two conductors worked on one machine at the same time, as the machine saw it.
//!
//! A change lasts until it ended, or until the hardware was done, or until its conductor was dead,
//! whatever came first: a conductor that is paused notes the end too late, and one that is killed
//! never does.

use crate::process::Death;
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

#[derive(Debug, Deserialize)]
struct Line {
    who: String,
    pid: u32,
    node: String,
    operation: String,
    generation: i64,
    call: u64,
    phase: String,
    at_ns: u64,
    takes_ns: u64,
}

/// One change of a machine.
#[derive(Debug)]
struct Call {
    begin: Line,
    end_ns: u64,
}

/// What the journal says.
#[derive(Debug)]
pub(crate) struct Findings {
    pub(crate) calls: usize,
    /// Of whom there was no end.
    pub(crate) cut_short: usize,
    pub(crate) overlaps: Vec<String>,
}

pub(crate) fn check(text: &str, deaths: &[Death]) -> Result<Findings> {
    let mut open: HashMap<(u32, u64), Line> = HashMap::new();
    let mut calls: BTreeMap<String, Vec<Call>> = BTreeMap::new();
    let mut close = |begin: Line, last_ns: u64| {
        let end_ns = last_ns.min(begin.at_ns.saturating_add(begin.takes_ns));
        let of_node = calls.entry(begin.node.clone()).or_default();
        of_node.push(Call { begin, end_ns });
    };
    for line in text.lines() {
        let line: Line = serde_json::from_str(line).with_context(|| line.to_owned())?;
        let key = (line.pid, line.call);
        if line.phase == "begin" {
            open.insert(key, line);
        } else if let Some(begin) = open.remove(&key) {
            close(begin, line.at_ns);
        }
    }
    let cut_short = open.len();
    for ((pid, _), begin) in open {
        let death = deaths.iter().find(|death| death.pid == pid);
        close(begin, death.map_or(u64::MAX, |death| death.at_ns));
    }
    let mut findings = Findings {
        calls: calls.values().map(Vec::len).sum(),
        cut_short,
        overlaps: Vec::new(),
    };
    for (node, mut calls) in calls {
        calls.sort_by_key(|call| call.begin.at_ns);
        findings.overlaps.extend(overlaps(&node, &calls));
    }
    Ok(findings)
}

/// Changes of one machine that began before another incarnation's ended; `calls` are in the order
/// of their beginnings.
fn overlaps(node: &str, calls: &[Call]) -> Vec<String> {
    let mut found = Vec::new();
    let mut active: Vec<&Call> = Vec::new();
    for call in calls {
        active.retain(|other| other.end_ns > call.begin.at_ns);
        for other in &active {
            let who = |call: &Call| (call.begin.pid, call.begin.generation);
            if who(other) != who(call) {
                let shown = |call: &Call| {
                    let Line {
                        who,
                        pid,
                        operation,
                        generation,
                        at_ns,
                        ..
                    } = &call.begin;
                    format!("{who} ({pid}, lease {generation}) {operation} at {at_ns}")
                };
                let common = other.end_ns - call.begin.at_ns;
                found.push(format!(
                    "{node}: {} and {} share {} µs",
                    shown(other),
                    shown(call),
                    common / 1000
                ));
            }
        }
        active.push(call);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A line; times are in units of which the hardware takes ten.
    fn line(pid: u32, generation: i64, call: u64, phase: &str, at: u64) -> String {
        json!({
            "who": format!("c{pid}"), "pid": pid, "node": "n", "operation": "power.set",
            "generation": generation, "call": call, "phase": phase, "at_ns": at, "takes_ns": 10,
        })
        .to_string()
    }

    #[track_caller]
    fn check_lines(lines: &[String], deaths: &[Death], expected: usize) {
        let findings = check(&lines.join("\n"), deaths).unwrap();
        assert_eq!(findings.overlaps.len(), expected, "{findings:?}");
    }

    #[test]
    fn one_after_the_other_is_fine() {
        let lines = [
            line(1, 1, 0, "begin", 100),
            line(1, 1, 0, "end", 110),
            line(2, 2, 0, "begin", 110),
            line(2, 2, 0, "end", 120),
        ];
        check_lines(&lines, &[], 0);
    }

    #[test]
    fn two_at_once_are_found() {
        let lines = [
            line(1, 1, 0, "begin", 100),
            line(2, 2, 0, "begin", 109),
            line(1, 1, 0, "end", 110),
            line(2, 2, 0, "end", 119),
        ];
        check_lines(&lines, &[], 1);
    }

    #[test]
    fn a_later_lease_of_the_same_process_is_somebody_else() {
        let two = |second: i64| {
            [
                line(1, 1, 0, "begin", 100),
                line(1, second, 1, "begin", 105),
                line(1, 1, 0, "end", 110),
                line(1, second, 1, "end", 115),
            ]
        };
        check_lines(&two(1), &[], 0);
        check_lines(&two(2), &[], 1);
    }

    #[test]
    fn a_sleeper_does_not_make_the_hardware_slower() {
        let lines = [
            line(1, 1, 0, "begin", 100),
            line(2, 2, 0, "begin", 200),
            line(2, 2, 0, "end", 210),
            line(1, 1, 0, "end", 205),
        ];
        check_lines(&lines, &[], 0);
    }

    #[test]
    fn the_dead_do_nothing() {
        let lines = [line(1, 1, 0, "begin", 100), line(2, 2, 0, "begin", 105)];
        check_lines(&lines, &[], 1);
        let death = Death { pid: 1, at_ns: 104 };
        check_lines(&lines, &[death], 0);
        let death = Death { pid: 1, at_ns: 106 };
        check_lines(&lines, &[death], 1);
    }

    #[test]
    fn other_machines_do_not_matter() {
        let other = line(2, 2, 0, "begin", 101).replace(r#""n""#, r#""m""#);
        check_lines(&[line(1, 1, 0, "begin", 100), other], &[], 0);
    }
}
