//! What the hardware saw.

use serde_json::Value;
use std::{collections::HashMap, path::Path};
use types::NodeId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) who: String,
    pub(super) node: NodeId,
    pub(super) operation: String,
    pub(super) generation: i64,
    call: u64,
    pub(super) begins: bool,
}

/// Every line so far, in the order of events.
pub(super) fn read(path: &Path) -> Vec<Line> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            let text = |key: &str| line[key].as_str().unwrap().to_owned();
            Line {
                who: text("who"),
                node: text("node").parse().unwrap(),
                operation: text("operation"),
                generation: line["generation"].as_i64().unwrap(),
                call: line["call"].as_u64().unwrap(),
                begins: line["phase"] == "begin",
            }
        })
        .collect()
}

/// Fails when somebody called a machine under an older grant than the one before. This holds also
/// where a process stood still: the call in which it did ends when it wakes, but no other begins.
#[track_caller]
pub(super) fn check_order(lines: &[Line]) {
    let mut newest: HashMap<NodeId, &Line> = HashMap::new();
    for line in lines.iter().filter(|line| line.begins) {
        let last = newest.entry(line.node).or_insert(line);
        assert!(
            line.generation >= last.generation,
            "{line:?} came after {last:?}"
        );
        *last = line;
    }
}

/// Fails when two conductors were at work on one machine at the same time.
#[track_caller]
pub(super) fn check_overlap(lines: &[Line]) {
    let mut under_way: HashMap<NodeId, Vec<&Line>> = HashMap::new();
    for line in lines {
        let calls = under_way.entry(line.node).or_default();
        if line.begins {
            for call in calls.iter() {
                assert_eq!(call.who, line.who, "{line:?} began during {call:?}");
            }
            calls.push(line);
        } else {
            calls.retain(|call| (&call.who, call.call) != (&line.who, line.call));
        }
    }
}
