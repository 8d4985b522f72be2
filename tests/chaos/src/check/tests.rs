//! Each check finds what it is for.

use super::{
    database::{AllocationRow, EventRow},
    *,
};
use crate::account::Accepted;
use serde_json::{Value, json};

fn node(uuid: &str, state: &str) -> NodeRow {
    NodeRow {
        uuid: uuid.into(),
        state: state.into(),
        reservation: None,
        work: None,
        target_power_state: None,
        last_error: None,
        extra: "{}".into(),
        allocation: None,
    }
}

fn event(sequence: i64, node: &str, kind: &str, data: Value) -> EventRow {
    EventRow {
        sequence: Some(sequence),
        node: node.into(),
        kind: kind.into(),
        text: kind.into(),
        data,
        request_id: Some(format!("req-{sequence}")),
    }
}

fn moved(sequence: i64, node: &str, from: &str, to: &str) -> EventRow {
    event(sequence, node, "provision", json!({"from": from, "to": to}))
}

/// What a look at this much finds.
fn look(nodes: Vec<NodeRow>, events: Vec<EventRow>, accepted: &[&str]) -> Violations {
    let snapshot = Snapshot {
        nodes,
        events,
        allocations: Vec::new(),
    };
    let accepted = accepted.iter().map(|id| Accepted {
        request_id: (*id).to_owned(),
        what: "something".into(),
        is_told: true,
    });
    let told = ClientAnswers {
        accepted: accepted.collect(),
        ..ClientAnswers::default()
    };
    let mut wrong = Violations::default();
    super::nodes(&snapshot.nodes, &mut wrong);
    log::dense(&snapshot.events, &mut wrong);
    log::chains(&snapshot.events, &snapshot.nodes, &mut wrong);
    log::accepted(&snapshot.events, &told, &mut wrong);
    wrong
}

fn story() -> Vec<EventRow> {
    vec![
        event(1, "n", "created", json!({})),
        moved(2, "n", "enroll", "verifying"),
        moved(3, "n", "verifying", "manageable"),
    ]
}

#[test]
fn a_good_ending_is_left_alone() {
    let wrong = look(vec![node("n", "manageable")], story(), &["req-1", "req-2"]);
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn an_accepted_request_that_nobody_tells_of_is_lost() {
    let wrong = look(vec![node("n", "manageable")], story(), &["req-9"]);
    assert!(wrong.has("an accepted request was lost"));
}

#[test]
fn a_request_that_changed_fields_twice_is_found() {
    let mut events = story();
    for sequence in [4, 5] {
        let mut update = event(sequence, "n", "updated", json!({}));
        update.request_id = Some("req-x".into());
        events.push(update);
    }
    let wrong = look(vec![node("n", "manageable")], events, &["req-x"]);
    assert!(wrong.has("an accepted request was carried out twice"));
}

#[test]
fn gaps_and_holes_are_found() {
    let mut events = story();
    events.remove(1);
    let wrong = look(vec![node("n", "manageable")], events, &[]);
    assert!(wrong.has("the log has a gap or a repetition"));
    assert!(wrong.has(HOLE));
    let wrong = look(vec![node("n", "available")], story(), &[]);
    assert!(wrong.has("the story of a node ends elsewhere"));
}

#[test]
fn nodes_must_be_at_rest_for_a_reason() {
    let mut reserved = node("n", "manageable");
    reserved.reservation = Some("c1".into());
    assert!(look(vec![reserved], story(), &[]).has("a node is still reserved"));
    let wrong = look(vec![node("n", "deploying")], story(), &[]);
    assert!(wrong.has("a node is not at rest"));
    let wrong = look(vec![node("n", "deploy failed")], story(), &[]);
    assert!(wrong.has("a node failed without a reason"));
    let mut failed = node("n", "manageable");
    failed.last_error = Some("the moon was full".into());
    let wrong = look(vec![failed], story(), &[]);
    assert!(wrong.has("a node has an error that nothing explains"));
}

#[test]
fn values_and_nodes_that_were_accepted_must_be_there() {
    let mut ledger = Ledger::new();
    ledger.exists = Certainty::Yes;
    ledger.accepted_value = Some(ledger.next_value());
    let id = ledger.id.to_string();
    let found = |nodes: Vec<NodeRow>, ledger: &Ledger| {
        let mut wrong = Violations::default();
        super::ledgers(std::slice::from_ref(ledger), &nodes, &mut wrong);
        wrong
    };
    let mut row = node(&id, "active");
    assert!(found(Vec::new(), &ledger).has("a node that was created is not there"));
    assert!(found(vec![node("x", "active")], &ledger).has("a node is there that nobody created"));
    row.extra = json!({"n": 1}).to_string();
    assert!(found(vec![row], &ledger).is_empty());
    let wrong = found(vec![node(&id, "active")], &ledger);
    assert!(wrong.has("an accepted value was lost"));
    ledger.exists = Certainty::No;
    let wrong = found(vec![node(&id, "active")], &ledger);
    assert!(wrong.has("a node that was deleted is there"));
}

#[test]
fn allocations_and_nodes_must_agree() {
    let mut row = node("n", "available");
    row.allocation = Some("a".into());
    let allocation = |state: &str, node: Option<&str>| AllocationRow {
        uuid: "a".into(),
        state: state.into(),
        node: node.map(str::to_owned),
    };
    let found = |nodes: Vec<NodeRow>, allocations: Vec<AllocationRow>| {
        let snapshot = Snapshot {
            nodes,
            events: Vec::new(),
            allocations,
        };
        let record = Record {
            snapshot: &snapshot,
            told: &ClientAnswers::default(),
            ledgers: &[],
            wishes: &[],
            readers: &[],
            lapses: &[],
        };
        let mut wrong = Violations::default();
        super::allocations(&record, &mut wrong);
        wrong
    };
    let active = || vec![allocation("active", Some("n"))];
    assert!(found(vec![row], active()).is_empty());
    let wrong = found(vec![node("n", "available")], active());
    assert!(wrong.has("an allocation hangs in the air"));
    let wrong = found(Vec::new(), vec![allocation("allocating", None)]);
    assert!(wrong.has("an allocation hangs in the air"));
}
