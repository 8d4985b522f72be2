//! The event log: dense, one story for every node, everything that was accepted in it, and the
//! same for every reader.

use super::{
    HOLE, Violations,
    database::{EventRow, NodeRow},
};
use crate::{
    account::ClientAnswers,
    reader::{Reader, mark},
};
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Places in the log have no gap, and every event has one.
pub(super) fn dense(events: &[EventRow], wrong: &mut Violations) {
    for (index, event) in events.iter().enumerate() {
        let expected = i64::try_from(index + 1).ok();
        if event.sequence != expected {
            let what = format!("{:?} comes where {expected:?} should", event.sequence);
            wrong.add("the log has a gap or a repetition", what);
            return;
        }
    }
}

/// The moves of every node follow one another, from its beginning to where it is now.
pub(super) fn chains(events: &[EventRow], nodes: &[NodeRow], wrong: &mut Violations) {
    let mut at: HashMap<&str, &str> = HashMap::new();
    let mut gone: HashSet<&str> = HashSet::new();
    let mut hole = |event: &EventRow, why: &str| {
        let what = format!(
            "{} {:?}: {} ({why})",
            event.node, event.sequence, event.text
        );
        wrong.add(HOLE, what);
    };
    for event in events {
        let node = event.node.as_str();
        if gone.contains(node) {
            hole(event, "after its end");
        }
        match event.kind.as_str() {
            "created" => {
                if at.insert(node, "enroll").is_some() {
                    hole(event, "created twice");
                }
            }
            "deleted" => {
                gone.insert(node);
            }
            "provision" => {
                let word = |key: &str| event.data[key].as_str().unwrap_or_default();
                let before = at.insert(node, word("to"));
                if before != Some(word("from")) {
                    hole(event, &format!("it was in {before:?}"));
                }
            }
            _ if at.contains_key(node) => {}
            _ => hole(event, "before its beginning"),
        }
    }
    for node in nodes {
        let told = at.get(node.uuid.as_str());
        if told != Some(&node.state.as_str()) {
            let what = format!("{} is in {}, the log says {told:?}", node.uuid, node.state);
            wrong.add("the story of a node ends elsewhere", what);
        }
    }
}

/// Whatever was accepted is in the log, and a change of fields once.
pub(super) fn accepted(events: &[EventRow], told: &ClientAnswers, wrong: &mut Violations) {
    let mut times: HashMap<&str, (usize, usize)> = HashMap::new();
    for event in events {
        if let Some(id) = &event.request_id {
            let (all, updates) = times.entry(id).or_default();
            *all += 1;
            *updates += usize::from(event.kind == "updated");
        }
    }
    for request in told.accepted.iter().filter(|request| request.is_told) {
        let what = || format!("{} ({})", request.what, request.request_id);
        match times.get(request.request_id.as_str()) {
            None => wrong.add("an accepted request was lost", what()),
            Some((_, updates)) if *updates > 1 => {
                wrong.add("an accepted request was carried out twice", what());
            }
            Some(_) => {}
        }
    }
}

/// Every reader saw exactly the log.
pub(super) fn readers(events: &[EventRow], readers: &[Arc<Reader>], wrong: &mut Violations) {
    let log: Vec<u64> = events
        .iter()
        .map(|e| mark(e.sequence.unwrap_or_default(), &e.node, &e.kind, &e.text))
        .collect();
    for reader in readers {
        let name = &reader.name;
        if let Some(what) = reader.wrong() {
            wrong.add("a reader got events in disorder", format!("{name}: {what}"));
            continue;
        }
        let seen = reader.seen();
        if seen.len() != log.len() {
            let what = format!("{name} saw {} of {}", seen.len(), log.len());
            wrong.add("a reader did not get the whole log", what);
        }
        let differs = seen.iter().zip(&log).position(|(a, b)| a != b);
        if let Some(index) = differs {
            let what = format!("{name}: event {} is another one", index + 1);
            wrong.add("a reader saw another log", what);
        }
    }
}
