//! `GET /corten/v1/work`: the operations that run, and what each is waiting for.
//!
//! Which nodes are busy is known from memory; how far each is comes from the end of its event log,
//! from its row and from its conductor. A conductor that does not answer in time costs the progress
//! of its nodes, not the answer.

use super::timeline::story;
use crate::{
    call::Call,
    error::ApiError,
    fleet::{
        filter::Filter,
        look::Look,
        page::{Busy, busy},
        query::Query,
        viewer::Viewer,
    },
    json_writer::JsonWriter,
    reply::Reply,
};
use futures_util::{StreamExt, stream};
use serde_json::{Value, json};
use std::{collections::HashMap, time::Duration};
use store::{
    StoreError,
    node::{Column, ColumnSet, NodeRow},
};
use types::{InternalInfo, NodeId, ProvisionState as S, Timestamp, progress::Live, step::StepKind};

/// How many operations are shown.
const MOST: usize = 500;
/// How much of each log is read: enough for all but operations of very many steps.
const EVENTS: u32 = 40;
/// How long conductors are waited for, and how many are asked at a time.
const PATIENCE: Duration = Duration::from_millis(500);
const AT_ONCE: usize = 32;

const NAME: Column = Column::of("name");
const TARGET: Column = Column::of("target_provision_state");
const INFO: Column = Column::of("driver_internal_info");

/// What a row says about the work on its node.
#[derive(Debug, Default)]
struct Row {
    name: Option<String>,
    target: Option<String>,
    /// How many steps have begun, and how many there are.
    steps: Option<(usize, usize)>,
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let viewer = Viewer::of(&call)?;
    let (state, now) = (&call.state, Timestamp::now());
    let asked = state.fleet.ask(state, move |index| {
        busy(
            &mut Filter::new(index, &Query::default(), &viewer, now),
            MOST,
        )
    });
    let (total, nodes) = asked.await?;
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    let rows = rows(&call, &nodes).await?;
    let events = store::event::latest_of(&state.db, ids.clone(), EVENTS).await?;
    let events: HashMap<NodeId, _> = events.into_iter().collect();
    let lives = lives(&call, ids).await;
    let nothing = Live::default();
    let operations = nodes.iter().filter_map(|node| {
        let row = rows.get(&node.id)?;
        let live = lives.get(&node.id).unwrap_or(&nothing);
        let flows = story::flows(events.get(&node.id).map_or(&[], Vec::as_slice), live);
        Some(document(&call, node, row, flows.last(), live, now))
    });
    let mut operations: Vec<(Timestamp, Value)> = operations.collect();
    operations.sort_by_key(|(since, _)| *since);
    let document = json!({
        "at": now.to_string(),
        "total": total,
        "operations": operations.into_iter().map(|(_, shown)| shown).collect::<Vec<_>>(),
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

/// Since when it is waited for, and what is shown.
fn document(
    call: &Call,
    node: &Busy,
    row: &Row,
    flow: Option<&story::Flow>,
    live: &Live,
    now: Timestamp,
) -> (Timestamp, Value) {
    let brief = flow.and_then(|flow| flow.brief());
    let waiting = brief.as_ref().and_then(|brief| brief.waiting);
    let limits = &call.state.settings.wait_limits;
    let since = waiting.map_or(node.since, |(_, since)| since);
    let shown = json!({
        "node": node.id,
        "name": row.name,
        "verb": brief.as_ref().map(|brief| brief.verb),
        "look": Look::of(node.state),
        "provision_state": node.state,
        "target_provision_state": row.target,
        "conductor": Some(&node.conductor).filter(|name| !name.is_empty()),
        "started_at": brief.as_ref().map(|brief| brief.started_at.to_string()),
        "state_since": node.since.to_string(),
        "phase": brief.as_ref().and_then(|brief| brief.phase),
        "step": brief.as_ref().and_then(|brief| brief.step),
        "steps_done": row.steps.map(|(done, _)| done),
        "steps_total": row.steps.map(|(_, total)| total),
        "waiting": waiting.map(|(what, since)| json!({
            "for": what,
            "since": since.to_string(),
            "timeout_at": limits.end(node.state, node.since).map(|end| end.to_string()),
            "is_stuck": limits.is_stuck(node.state, node.since, now),
        })),
        "progress": live.progress.as_ref().map(|(progress, at)| json!({
            "phase": progress.phase, "bytes": progress.bytes, "total": progress.total,
            "rate": progress.rate, "eta": progress.eta(), "at": at.to_string(),
        })),
    });
    (since, shown)
}

async fn rows(call: &Call, nodes: &[Busy]) -> Result<HashMap<NodeId, Row>, StoreError> {
    let ids: Vec<NodeId> = nodes.iter().map(|node| node.id).collect();
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let kinds: HashMap<NodeId, StepKind> = nodes
        .iter()
        .filter_map(|node| Some((node.id, kind(node.state)?)))
        .collect();
    let columns = ColumnSet::ID.with(NAME).with(TARGET).with(INFO);
    let read = move |rows: &mut HashMap<NodeId, Row>, row: &NodeRow| {
        let Some(id) = row.id() else {
            return Ok(());
        };
        let info = row.text(INFO).unwrap_or_default();
        let steps = kinds.get(&id).and_then(|kind| steps(info, *kind));
        let text = |column: Column| row.text(column).map(str::to_owned);
        let (name, target) = (text(NAME), text(TARGET));
        rows.insert(
            id,
            Row {
                name,
                target,
                steps,
            },
        );
        Ok(())
    };
    store::node::show_some(&call.state.db, &ids, columns, HashMap::new(), read).await
}

/// The steps of an operation in this state.
fn kind(state: S) -> Option<StepKind> {
    Some(match state {
        S::Deploying | S::DeployWait | S::DeployHold => StepKind::Deploy,
        S::Cleaning | S::CleanWait | S::CleanHold => StepKind::Clean,
        S::Servicing | S::ServiceWait | S::ServiceHold => StepKind::Service,
        _ => return None,
    })
}

fn steps(info: &str, kind: StepKind) -> Option<(usize, usize)> {
    let info: InternalInfo = serde_json::from_str(info).ok()?;
    let total = info.steps(kind).len();
    (total > 0).then(|| (info.step_index(kind).unwrap_or(0).min(total), total))
}

/// What conductors know about nodes besides their rows, as far as they answer in time.
async fn lives(call: &Call, ids: Vec<NodeId>) -> HashMap<NodeId, Live> {
    let conductor = &call.state.conductor;
    let mut asked = stream::iter(ids)
        .map(|id| async move { (id, conductor.live(id).await) })
        .buffer_unordered(AT_ONCE);
    let mut lives = HashMap::new();
    let all = async {
        while let Some((id, live)) = asked.next().await {
            if let Ok(live) = live {
                lives.insert(id, live);
            }
        }
    };
    // Without an answer there is no progress to show.
    let _ = tokio::time::timeout(PATIENCE, all).await;
    lives
}

#[cfg(test)]
mod tests {
    use crate::{Settings, WaitLimits, testing::Service};
    use serde_json::{Value, json};
    use std::collections::BTreeMap;
    use store::node::{Fence, Log};
    use types::{
        Caller, Node, NodeId, ProvisionState as S, Timestamp,
        event::{EventKind, NewEvent},
        progress::Progress,
    };

    /// A deployment that waits for its ramdisk since this many seconds.
    async fn waiting(service: &Service, name: &str, seconds: i64, owner: &str) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        (node.name, node.owner) = (Some(name.into()), Some(owner.into()));
        let mut node = service.store_node(node).await;
        node.provision_state = S::DeployWait;
        node.target_provision_state = Some(S::Active);
        node.provision_updated_at = Some(Timestamp::now().plus_seconds(-seconds));
        let tell = |kind: EventKind, data: Value| {
            NewEvent::new(&node, kind, "told", data, &Caller::service())
        };
        let log = Log {
            events: vec![
                tell(
                    EventKind::Provision,
                    json!({"from": "available", "to": "deploying", "event": "deploy"}),
                ),
                tell(EventKind::Step, json!({"step": "deploy.deploy"})),
                tell(
                    EventKind::Step,
                    json!({"wait": "the first heartbeat", "boots": true}),
                ),
            ],
            ..Log::default()
        };
        let saved = store::node::save(&service.db, node.clone(), Fence::Free, log);
        saved.await.unwrap()
    }

    #[tokio::test]
    async fn operations_are_told_with_what_they_wait_for_and_how_far_they_are() {
        let limits = WaitLimits(BTreeMap::from([(S::DeployWait, 100)]));
        let service = Service::with(Settings {
            wait_limits: limits,
            ..Settings::default()
        });
        waiting(&service, "fresh", 10, "p1").await;
        waiting(&service, "old", 90, "p1").await;
        let mut idle = Node::new(NodeId::generate(), "fake-hardware");
        idle.provision_state = S::Active;
        service.store_node(idle).await;
        let progress = Progress {
            phase: "writing image".into(),
            bytes: 10,
            total: Some(40),
            rate: Some(10),
            command: None,
        };
        service.conductor.live.lock().unwrap().progress = Some((progress, Timestamp::now()));
        let work = service.get("/corten/v1/work", 1).await.json();
        assert_eq!(work["total"], 2);
        let operations = work["operations"].as_array().unwrap();
        let old = operations
            .iter()
            .find(|shown| shown["name"] == "old")
            .unwrap();
        assert_eq!(
            (&old["verb"], &old["look"]),
            (&json!("deploy"), &json!("waiting"))
        );
        assert_eq!(old["waiting"]["for"], "the first heartbeat");
        assert_eq!(old["waiting"]["is_stuck"], true);
        assert_eq!(old["phase"], "booting the ramdisk");
        assert_eq!(old["step"], "deploy.deploy");
        assert_eq!(old["conductor"], "cond1");
        assert_eq!(
            (&old["progress"]["eta"], &old["steps_total"]),
            (&json!(3), &Value::Null)
        );
        let fresh = operations
            .iter()
            .find(|shown| shown["name"] == "fresh")
            .unwrap();
        assert_eq!(fresh["waiting"]["is_stuck"], false);
    }

    #[tokio::test]
    async fn a_project_sees_its_own_work() {
        let service = Service::guarded();
        waiting(&service, "mine", 10, "p1").await;
        for (persona, total) in [("reader@system", 1), ("reader@p1", 1), ("reader@p2", 0)] {
            let work = service.get_as(persona, "/corten/v1/work").await.json();
            assert_eq!(work["total"], total, "{persona}");
            assert_eq!(work["operations"].as_array().unwrap().len(), total);
        }
        let refused = service.get_as("nothing@p1", "/corten/v1/work").await;
        assert_eq!(refused.status, 403);
    }
}
