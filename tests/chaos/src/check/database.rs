//! What the database holds at the end, read from its tables.

use anyhow::Result;
use postgres::{Client, NoTls, Row};
use serde_json::Value;

#[derive(Debug)]
pub(crate) struct NodeRow {
    pub(crate) uuid: String,
    pub(crate) state: String,
    pub(crate) reservation: Option<String>,
    pub(crate) work: Option<String>,
    pub(crate) target_power_state: Option<String>,
    pub(crate) last_error: Option<String>,
    pub(crate) extra: String,
    pub(crate) allocation: Option<String>,
}

#[derive(Debug)]
pub(crate) struct EventRow {
    pub(crate) sequence: Option<i64>,
    pub(crate) node: String,
    pub(crate) kind: String,
    pub(crate) text: String,
    pub(crate) data: Value,
    pub(crate) request_id: Option<String>,
}

#[derive(Debug)]
pub(crate) struct AllocationRow {
    pub(crate) uuid: String,
    pub(crate) state: String,
    pub(crate) node: Option<String>,
}

/// Everything at one moment.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) nodes: Vec<NodeRow>,
    /// In the order of the log.
    pub(crate) events: Vec<EventRow>,
    pub(crate) allocations: Vec<AllocationRow>,
}

pub(crate) fn snapshot(url: &str) -> Result<Snapshot> {
    let mut client = Client::connect(url, NoTls)?;
    let nodes = client.query(
        "SELECT uuid, provision_state, reservation, work, target_power_state, last_error, extra, \
         allocation_uuid FROM nodes ORDER BY id",
        &[],
    )?;
    let events = client.query(
        "SELECT sequence, node_uuid, kind, text_line, data, request_id FROM events \
         ORDER BY sequence, id",
        &[],
    )?;
    let allocations = client.query("SELECT uuid, state, node_uuid FROM allocations", &[])?;
    Ok(Snapshot {
        nodes: nodes.iter().map(node).collect(),
        events: events.iter().map(event).collect(),
        allocations: allocations.iter().map(allocation).collect(),
    })
}

/// How many nodes somebody works on, or should, how many events have no place in the log yet, and
/// how many have one.
pub(crate) fn unrest(url: &str) -> Result<(i64, i64, i64)> {
    let mut client = Client::connect(url, NoTls)?;
    let row = client.query_one(
        "SELECT (SELECT COUNT(*) FROM nodes WHERE reservation IS NOT NULL \
           OR target_power_state IS NOT NULL OR provision_state LIKE '%ing' \
           OR provision_state LIKE '%wait%') \
         + (SELECT COUNT(*) FROM allocations WHERE state = 'allocating'), \
         (SELECT COUNT(*) FROM events WHERE sequence IS NULL), \
         (SELECT COUNT(*) FROM events WHERE sequence IS NOT NULL)",
        &[],
    )?;
    Ok((row.get(0), row.get(1), row.get(2)))
}

fn node(row: &Row) -> NodeRow {
    NodeRow {
        uuid: row.get(0),
        state: row.get(1),
        reservation: row.get(2),
        work: row.get(3),
        target_power_state: row.get(4),
        last_error: row.get(5),
        extra: row.get(6),
        allocation: row.get(7),
    }
}

fn event(row: &Row) -> EventRow {
    let data: String = row.get(4);
    EventRow {
        sequence: row.get(0),
        node: row.get(1),
        kind: row.get(2),
        text: row.get(3),
        data: serde_json::from_str(&data).unwrap_or_default(),
        request_id: row.get(5),
    }
}

fn allocation(row: &Row) -> AllocationRow {
    AllocationRow {
        uuid: row.get(0),
        state: row.get(1),
        node: row.get(2),
    }
}
