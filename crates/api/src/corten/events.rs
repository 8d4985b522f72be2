//! `GET /corten/v1/events`: the event log, for whoever follows it.
//!
//! A reader asks for what comes after the last cursor it saw, and may wait for it, or takes the log
//! as a stream ([`stream`]). Whoever was away for longer than the log reaches back is told so (410)
//! and where the log begins now. Who is restricted to a project reads about the nodes that are the
//! project's now; cursors count the events of all.

mod stream;
mod tail;

pub(crate) use tail::EventTail;

use crate::{
    args::{self, Args},
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{HiddenFields, Reach, Rule, Target},
    reply::Reply,
};
use axum::http::StatusCode;
use serde_json::Value;
use std::{collections::HashMap, time::Duration};
use store::{
    StoreError,
    event::{self, EventFilter, EventPage},
};
use tokio::time::Instant;
use types::{
    Node, NodeId,
    event::{EventKind, LoggedEvent},
};

const DEFAULT_LIMIT: i64 = 100;
const MAX_LIMIT: i64 = 1000;
/// No event ever gets the last number there is.
const LAST_CURSOR: i64 = i64::MAX - 1;
/// Proxies give up on silent connections after about a minute.
const MAX_WAIT_S: i64 = 60;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["after", "limit", "wait", "node", "kind", "project"])?;
    let after = args.integer("after")?;
    let limit = args.integer("limit")?.unwrap_or(DEFAULT_LIMIT);
    let limit = u32::try_from(limit.clamp(1, MAX_LIMIT)).unwrap_or(1);
    let wait = args.integer("wait")?.unwrap_or(0).clamp(0, MAX_WAIT_S);
    let wait = Duration::from_secs(wait.unsigned_abs());
    let mut question = Question::read(&args)?;
    let filter = question.filter(&call).await?;
    question.node = filter.node;
    let request = call.stream.clone();
    let last = request.as_ref().and_then(|r| r.last_event_id.as_deref());
    let last = last.filter(|id| !id.trim().is_empty());
    let cursor = match (last, after) {
        // Whoever was connected before knows better than the address it began with.
        (Some(id), _) => cursor(id)?,
        (None, Some(cursor)) => cursor.clamp(0, LAST_CURSOR),
        (None, None) => event::newest(&call.state.db).await?,
    };
    let answered = match request {
        Some(request) => {
            let settings = &call.state.settings;
            let who = request.reader(&settings.auth, call.ctx.caller.user.as_deref());
            let most = settings.stream.per_user;
            let Some(reader) = settings.readers.admit(who, most) else {
                return Err(ApiError::service(
                    StatusCode::TOO_MANY_REQUESTS,
                    format!("At most {most} streams of events can be read at a time."),
                ));
            };
            stream::open(call, (request, reader), question, filter, cursor).await
        }
        None => match read(&call, cursor, limit, wait, filter).await {
            Ok(mut page) => {
                redact(&call, &mut page.events).await?;
                Ok(Reply::ok(document(&page)))
            }
            Err(error) => Err(error),
        },
    };
    match answered {
        Err(StoreError::CursorTooOld { oldest }) => Ok(gone(TOO_OLD, oldest)),
        Err(StoreError::CursorUnknown { next }) => Ok(gone(UNKNOWN, next)),
        other => Ok(other?),
    }
}

/// The cursor in a `Last-Event-ID`.
fn cursor(id: &str) -> Result<i64, ApiError> {
    let number: Option<i64> = id.trim().parse().ok();
    number
        .filter(|cursor| (0..=LAST_CURSOR).contains(cursor))
        .ok_or_else(|| ApiError::invalid(format!("Last-Event-ID is no cursor: {id}")))
}

/// Which events a client asks for.
struct Question {
    /// A UUID or a name.
    ident: Option<String>,
    /// The node that it was when it was first looked up.
    node: Option<NodeId>,
    kinds: Vec<EventKind>,
    project: Option<String>,
}

impl Question {
    fn read(args: &Args) -> Result<Self, ApiError> {
        let ident = args.value("node");
        let ident = ident.map(|value| args::uuid_or_name("node", value));
        let kinds = args.string_list("kind")?.unwrap_or_default();
        let kinds = kinds.iter().map(|name| {
            let known = || EventKind::ALL.iter().map(|kind| kind.as_str());
            name.parse().map_err(|_| {
                let known: Vec<&str> = known().collect();
                ApiError::invalid(format!("{name} is none of the kinds {}", known.join(", ")))
            })
        });
        Ok(Self {
            ident: ident.transpose()?.map(str::to_owned),
            node: None,
            kinds: kinds.collect::<Result<_, _>>()?,
            project: args.string("project")?.map(str::to_owned),
        })
    }

    /// What of it the caller gets.
    async fn filter(&self, call: &Call) -> Result<EventFilter, ApiError> {
        let asked = self.project.as_deref();
        let project = match call.reach(Rule::NodeListAll, Rule::NodeList, asked)? {
            Reach::Everything => self.project.clone(),
            Reach::Project(project) => Some(project.to_owned()),
        };
        let node = match (&self.ident, self.node) {
            // The reader sees what belongs to its project now; that the node does is asked by SQL.
            (_, Some(known)) => Some(known),
            (Some(ident), None) => Some(node(call, ident, project.is_some()).await?),
            (None, None) => None,
        };
        Ok(EventFilter {
            node,
            project,
            kinds: self.kinds.clone(),
        })
    }
}

/// The node of a UUID or a name. A UUID need not exist any more: its events still do, but nobody
/// knows whose they were, so they are for those who see everything.
async fn node(call: &Call, ident: &str, restricted: bool) -> Result<NodeId, ApiError> {
    if restricted {
        return Ok(lookup::node(call, ident).await?.id);
    }
    if let Some(id) = lookup::id(ident) {
        return Ok(id);
    }
    let found = store::node::find_by_name(&call.state.db, ident).await?;
    found
        .map(|node| node.id)
        .ok_or_else(|| ApiError::node_not_found(ident))
}

/// Takes errors out of what the caller reads about nodes whose last error it may not see.
async fn redact(call: &Call, events: &mut [LoggedEvent]) -> Result<(), ApiError> {
    let policy = &call.state.settings.policy;
    if policy.sees_all_fields(&call.ctx.credentials) {
        return Ok(());
    }
    let mut hidden: HashMap<NodeId, bool> = HashMap::new();
    for event in events {
        let hide = match hidden.get(&event.node) {
            Some(known) => *known,
            None => {
                let node = store::node::find(&call.state.db, event.node).await?;
                let seen = |node: &Node| call.allows(Rule::NodeGetLastError, &Target::node(node));
                let hide = !node.as_ref().is_some_and(seen);
                hidden.insert(event.node, hide);
                hide
            }
        };
        if hide {
            hide_error(event);
        }
    }
    Ok(())
}

/// An error event is the error itself. A provision event may end with the error that caused the
/// move, so its text is written again from the states in its data, which never hold an error.
fn hide_error(event: &mut LoggedEvent) {
    match event.kind {
        EventKind::Error => HiddenFields::LAST_ERROR.clone_into(&mut event.text),
        EventKind::Provision => {
            let state = |key: &str| event.data.get(key).and_then(Value::as_str);
            event.text = match (state("from"), state("to")) {
                (Some(from), Some(to)) => format!("{from} -> {to}"),
                _ => HiddenFields::LAST_ERROR.to_owned(),
            };
        }
        _ => {}
    }
}

/// The events after the cursor; waits for the first one as long as the client likes.
async fn read(
    call: &Call,
    after: i64,
    limit: u32,
    wait: Duration,
    filter: EventFilter,
) -> Result<EventPage, StoreError> {
    let db = &call.state.db;
    let deadline = Instant::now() + wait;
    let mut cursor = after;
    loop {
        let page = event::after(db, cursor, limit, filter.clone()).await?;
        if page.events.is_empty() && !page.at_end {
            cursor = page.next;
            continue;
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if !page.events.is_empty() || left.is_zero() {
            return Ok(page);
        }
        // Events of other nodes may wake us; go on behind them.
        cursor = page.next;
        event::wait(db, cursor, left).await?;
    }
}

fn document(page: &EventPage) -> Vec<u8> {
    let mut w = JsonWriter::with_capacity(256 * page.events.len() + 64);
    w.begin_object();
    w.key("events");
    w.begin_array();
    for event in &page.events {
        w.value(&event.document());
    }
    w.end_array();
    w.key("next");
    w.int(page.next);
    w.end_object();
    w.finish()
}

const TOO_OLD: &str = "The event log does not reach back to this cursor any more; read on from the oldest event there is.";
const UNKNOWN: &str = "The event log never had this cursor: it was restored from a backup, or is another one. Read the nodes anew, and read on from the event named here.";

/// What to say to whoever cannot go on, and with which event it can.
fn gone(error: &str, event: i64) -> Reply {
    let mut w = JsonWriter::with_capacity(256);
    w.begin_object();
    w.key("error");
    w.str(error);
    w.key("oldest");
    w.int(event);
    w.end_object();
    Reply {
        status: StatusCode::GONE,
        ..Reply::ok(w.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use serde_json::json;
    use store::node::{Fence, Log};
    use types::{Caller, Timestamp, event::NewEvent};

    async fn node(service: &Service, name: &str) -> Node {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some(name.into());
        service.store_node(node).await
    }

    /// Writes an event about a node.
    async fn tell(service: &Service, node: &mut Node, text: &str) {
        let data = json!({"text": text, "a_password": "p"});
        let event = NewEvent::new(node, EventKind::Updated, text, data, &Caller::service());
        let saved = store::node::save(&service.db, node.clone(), Fence::Free, Log::event(event));
        *node = saved.await.unwrap();
    }

    async fn read(service: &Service, query: &str) -> Value {
        let answer = service.get(&format!("/corten/v1/events?{query}"), 1).await;
        assert_eq!(answer.status.as_u16(), 200, "{answer:?}");
        answer.json()
    }

    fn texts(page: &Value) -> Vec<&str> {
        let events = page["events"].as_array().unwrap();
        events.iter().map(|e| e["text"].as_str().unwrap()).collect()
    }

    #[tokio::test]
    async fn a_reader_follows_the_log() {
        let service = Service::new();
        let (mut one, mut two) = (node(&service, "one").await, node(&service, "two").await);
        let start = read(&service, "").await;
        assert_eq!(texts(&start), Vec::<&str>::new());
        tell(&service, &mut one, "first").await;
        tell(&service, &mut two, "second").await;
        tell(&service, &mut one, "third").await;
        let page = read(&service, &format!("after={}&limit=2", start["next"])).await;
        assert_eq!(texts(&page), ["first", "second"]);
        let event = &page["events"][0];
        assert_eq!(event["node"], one.id.to_string());
        assert_eq!(event["node_name"], "one");
        assert_eq!(event["kind"], "updated");
        assert_eq!(
            event["data"],
            json!({"text": "first", "a_password": "******"})
        );
        let rest = read(&service, &format!("after={}", page["next"])).await;
        assert_eq!(texts(&rest), ["third"]);
        for ident in [one.id.to_string(), "one".into()] {
            let query = format!("after={}&node={ident}", start["next"]);
            assert_eq!(texts(&read(&service, &query).await), ["first", "third"]);
        }
    }

    #[tokio::test]
    async fn a_waiting_reader_is_woken_by_its_node_only() {
        let service = Service::new();
        let (mut one, mut two) = (node(&service, "one").await, node(&service, "two").await);
        let start = read(&service, "").await;
        let query = format!("after={}&wait=60&node=two", start["next"]);
        let (page, ()) = tokio::join!(read(&service, &query), async {
            tell(&service, &mut one, "not this").await;
            tell(&service, &mut two, "this").await;
        });
        assert_eq!(texts(&page), ["this"]);
    }

    #[tokio::test]
    async fn whoever_comes_too_late_is_told_where_to_go_on() {
        let service = Service::new();
        let mut one = node(&service, "one").await;
        for text in ["a", "b"] {
            tell(&service, &mut one, text).await;
        }
        let end = Timestamp::now().plus_seconds(60);
        store::event::purge(&service.db, end, 1).await.unwrap();
        let answer = service.get("/corten/v1/events?after=0", 1).await;
        assert_eq!(answer.status, StatusCode::GONE);
        let oldest = answer.json()["oldest"].as_i64().unwrap();
        let page = read(&service, &format!("after={}", oldest - 1)).await;
        assert_eq!(page["events"][0]["cursor"], oldest);
        // Who knows more than there ever was has read another log.
        let beyond = [2, i64::MAX].map(|ahead| oldest.saturating_add(ahead));
        for after in beyond {
            let path = format!("/corten/v1/events?after={after}");
            let answer = service.get(&path, 1).await;
            assert_eq!(answer.status, StatusCode::GONE, "{answer:?}");
            assert!(answer.text.contains("never had this cursor"), "{answer:?}");
            assert_eq!(answer.json()["oldest"], oldest);
        }
    }

    #[tokio::test]
    async fn lessees_read_of_their_nodes_and_not_of_errors() {
        let service = Service::guarded();
        let mut leased = Node::new(NodeId::generate(), "fake-hardware");
        (leased.owner, leased.lessee) = (Some("p1".into()), Some("p2".into()));
        let mut leased = service.store_node(leased).await;
        let mut other = node(&service, "other").await;
        tell(&service, &mut other, "elsewhere").await;
        let caller = Caller::service();
        let event = |kind, text, data| NewEvent::new(&leased, kind, text, data, &caller);
        let moved =
            |text, from, to| event(EventKind::Provision, text, json!({"from": from, "to": to}));
        let log = Log {
            events: vec![
                event(EventKind::Error, "broken", json!({})),
                moved("a -> b: broken", "a", "b"),
                moved("b -> c", "b", "c"),
                // Whatever the text looks like, only the data decides what a lessee reads.
                moved("c -> d, broken", "c", "d"),
                event(EventKind::Provision, "no states: broken", json!({})),
            ],
            ..Log::default()
        };
        let saved = store::node::save(&service.db, leased.clone(), Fence::Free, log);
        leased = saved.await.unwrap();
        let notice = HiddenFields::LAST_ERROR;
        let told: &[&str] = &[
            "broken",
            "a -> b: broken",
            "b -> c",
            "c -> d, broken",
            "no states: broken",
        ];
        for (persona, expected) in [
            ("reader@system", [&["elsewhere"], told].concat()),
            ("reader@p1", told.to_vec()),
            (
                "reader@p2",
                vec![notice, "a -> b", "b -> c", "c -> d", notice],
            ),
            ("reader@p3", vec![]),
        ] {
            let page = service.get_as(persona, "/corten/v1/events?after=0").await;
            assert_eq!(texts(&page.json()), expected, "{persona}");
        }
        let theirs = format!("/corten/v1/events?after=0&node={}", leased.id);
        assert_eq!(service.get_as("reader@p3", &theirs).await.status, 404);
    }

    #[tokio::test]
    async fn unknown_names_are_not_found() {
        let service = Service::new();
        let answer = service.get("/corten/v1/events?node=nope", 1).await;
        assert_eq!(answer.status.as_u16(), 404);
    }
}
