//! `history`: what happened to a node, for people.

use crate::{
    args, call::Call, error::ApiError, json_writer::JsonWriter, lookup, page::Paging, policy::Rule,
    reply::Reply, v1::subject,
};
use serde_json::Value;
use std::fmt::Write as _;
use types::{NodeId, ProvisionState, event::HistoryEntry, version::since};

const SHORT: &[&str] = &["uuid", "created_at", "severity", "event"];
const DETAILED: &[&str] = &[
    "uuid",
    "created_at",
    "severity",
    "event_type",
    "event",
    "conductor",
    "user",
    "project",
    "state",
    "target_provision_state",
    "duration_seconds",
];

/// Events longer than this are cut in the short form.
const LONGEST_EVENT: usize = 255;
const CUT_EVENT: usize = 251;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::NODE_HISTORY)?;
    let args = call.args(&["detail", "marker", "limit", "sort_key", "sort_dir"])?;
    let detail = args.boolean("detail")?.unwrap_or(false);
    let marker = args.uuid("marker")?;
    let node = subject::node_for(&call, Rule::NodeHistoryGet).await?;
    let mut paging = Paging::read(&call, &args, marker, &[])?;
    if let Some(marker) = marker {
        entry_of(&call, node.id, marker).await?;
    }
    if !args.has("sort_key") {
        paging.sort_key = "created_at".into();
    }
    let mut page = paging.page();
    page.sort_key = column(&page.sort_key).to_owned();
    let rows = store::history::list(&call.state.db, node.id, page)
        .await
        .map_err(|error| {
            // The client's word for the column, not the store's.
            let asked = paging.sort_key.clone();
            match error {
                store::StoreError::BadSortKey(_) => store::StoreError::BadSortKey(asked).into(),
                other => paging.refused(other, not_found),
            }
        })?;
    let last = rows.last().map(|row| row.id.to_string());
    let mut w = JsonWriter::with_capacity(512 * rows.len() + 64);
    w.begin_object();
    w.key("history");
    w.begin_array();
    for row in &rows {
        write(&mut w, &call, node.id, row, detail);
    }
    w.end_array();
    if let Some(last) = last.filter(|_| u32::try_from(rows.len()) == Ok(paging.limit)) {
        w.key("next");
        w.str(&next(&call, &paging, marker, detail, &last));
    }
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

/// Where the next page is. Ironic writes its own marker into it as well, and `fields`, which
/// this list does not take.
fn next(call: &Call, paging: &Paging, marker: Option<&str>, detail: bool, last: &str) -> String {
    let fields = if detail { DETAILED } else { SHORT };
    let mut url = call
        .ctx
        .url(&format!("nodes/{}/history?", call.param("node")));
    // Writing to a string cannot fail.
    let _ = write!(
        url,
        "marker={}&sort_key={}&sort_dir={}&fields={}&limit={}&marker={last}",
        marker.unwrap_or("None"),
        paging.sort_key,
        paging.sort_dir(),
        fields.join(","),
        paging.limit,
    );
    url
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::NODE_HISTORY)?;
    call.no_args()?;
    args::uuid_or_name("event", &Value::from(call.param("event")))?;
    let node = subject::node_for(&call, Rule::NodeHistoryGet).await?;
    let entry = entry_of(&call, node.id, call.param("event")).await?;
    let mut w = JsonWriter::with_capacity(512);
    write(&mut w, &call, node.id, &entry, true);
    Ok(Reply::ok(w.finish()))
}

/// A history entry, if it belongs to this node. Ironic does not check that: a user who may read the
/// history of one node can read the entries of all nodes.
async fn entry_of(call: &Call, node: NodeId, ident: &str) -> Result<HistoryEntry, ApiError> {
    let found = lookup::by_id(call, ident, store::history::find).await?;
    found
        .filter(|entry| entry.node == node)
        .ok_or_else(|| not_found(ident))
}

fn not_found(ident: &str) -> ApiError {
    ApiError::not_found(format!("Node history record {ident} could not be found."))
}

/// The store's word for a column.
fn column(sort_key: &str) -> &str {
    match sort_key {
        "user" => "user_name",
        "severity" => "is_error",
        other => other,
    }
}

fn write(w: &mut JsonWriter, call: &Call, node: NodeId, entry: &HistoryEntry, detail: bool) {
    let version = call.version();
    let id = entry.id.to_string();
    w.begin_object();
    w.key("uuid");
    w.plain(&id);
    w.key("created_at");
    w.time(entry.created_at);
    w.key("severity");
    w.opt_str(
        entry
            .is_error
            .map(|is_error| if is_error { "ERROR" } else { "INFO" }),
    );
    if detail {
        w.key("event_type");
        w.opt_str(entry.event_type.as_deref());
        w.key("event");
        w.str(&entry.event);
        w.key("conductor");
        w.opt_str(entry.conductor.as_deref());
        w.key("user");
        w.opt_str(entry.user.as_deref());
        if version >= since::HISTORY_PROJECT {
            w.key("project");
            w.opt_str(entry.project.as_deref());
        }
        if version >= since::HISTORY_STATE {
            w.key("state");
            w.opt_str(entry.state.map(ProvisionState::as_str));
            w.key("target_provision_state");
            let target = entry.target_provision_state;
            w.opt_str(target.map(ProvisionState::as_str));
            w.key("duration_seconds");
            match entry.duration_seconds {
                Some(seconds) => w.int(seconds),
                None => w.null(),
            }
        }
    } else {
        w.key("event");
        w.str(&shortened(&entry.event));
    }
    w.key("links");
    w.begin_array();
    let node = node.to_string();
    w.link(
        &[&call.ctx.base, "/v1/nodes/", &node, "/history/", &id],
        "self",
    );
    w.end_array();
    w.end_object();
}

fn shortened(event: &str) -> String {
    if event.chars().count() <= LONGEST_EVENT {
        return event.to_owned();
    }
    let cut: String = event.chars().take(CUT_EVENT).collect();
    cut + "..."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Service;
    use store::node::{Fence, Log};
    use types::{HistoryId, Node, Timestamp};

    /// A node with two entries, the later of which is long.
    async fn service() -> (Service, Vec<HistoryEntry>) {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        let node = service.store_node(node).await;
        let entry = |at: i64, is_error: bool, event: String| HistoryEntry {
            row: 0,
            id: HistoryId::generate(),
            node: node.id,
            created_at: Timestamp(at * 1_000_000),
            conductor: Some("cond1".into()),
            user: Some("u".into()),
            project: None,
            is_error: Some(is_error),
            event_type: Some("cleaning".into()),
            event,
            state: Some(ProvisionState::Cleaning),
            target_provision_state: Some(ProvisionState::Manageable),
            duration_seconds: None,
        };
        let history = vec![
            entry(1, false, "first".into()),
            entry(2, true, "é".repeat(256)),
        ];
        let log = Log {
            history: history.clone(),
            ..Log::default()
        };
        store::node::save(&service.db, node, Fence::Free, log)
            .await
            .unwrap();
        (service, history)
    }

    #[tokio::test]
    async fn the_short_form_cuts_and_pages() {
        let (service, history) = service().await;
        let all = service.get("/v1/nodes/n1/history", 78).await.json();
        let all = all["history"].as_array().unwrap();
        assert_eq!(all[0]["severity"], "INFO");
        assert_eq!(all[1]["severity"], "ERROR");
        let cut = format!("{}...", "é".repeat(CUT_EVENT));
        assert_eq!(all[1]["event"], cut);
        let keys: Vec<&String> = all[0].as_object().unwrap().keys().collect();
        assert_eq!(keys, ["uuid", "created_at", "severity", "event", "links"]);
        let page = service
            .get("/v1/nodes/n1/history?limit=1&sort_dir=desc", 115)
            .await
            .json();
        assert_eq!(page["history"][0]["uuid"], history[1].id.to_string());
        assert_eq!(
            page["next"],
            format!(
                "http://h:6385/v1/nodes/n1/history?marker=None&sort_key=created_at&sort_dir=desc&fields=uuid,created_at,severity,event&limit=1&marker={}",
                history[1].id
            )
        );
        let rest = format!("/v1/nodes/n1/history?marker={}", history[0].id);
        let rest = service.get(&rest, 115).await.json();
        assert_eq!(rest["history"].as_array().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn details_grow_with_the_version() {
        let (service, history) = service().await;
        let path = format!("/v1/nodes/n1/history/{}", history[1].id);
        for (minor, keys) in [(78, 8), (113, 9), (115, 12)] {
            let entry = service.get(&path, minor).await.json();
            assert_eq!(entry.as_object().unwrap().len(), keys, "1.{minor}");
        }
        let entry = service.get(&path, 115).await.json();
        assert_eq!(entry["event"], "é".repeat(256));
        assert_eq!(entry["target_provision_state"], "manageable");
        assert_eq!(entry["duration_seconds"], Value::Null);
        let list = service.get("/v1/nodes/n1/history?detail=true", 115).await;
        assert_eq!(list.json()["history"][1], entry);
    }

    #[tokio::test]
    async fn what_cannot_be_found_or_sorted_by() {
        let (service, _) = service().await;
        for (path, minor, status, text) in [
            ("", 77, 404, ""),
            (
                "/abc",
                115,
                404,
                "Node history record abc could not be found.",
            ),
            (
                "?sort_key=nope",
                115,
                400,
                "The sort_key value \"nope\" is an invalid field for sorting",
            ),
            (
                "?marker=00000000-0000-0000-0000-000000000000",
                115,
                404,
                "Node history record 00000000-0000-0000-0000-000000000000 could not be found.",
            ),
        ] {
            let answer = service
                .get(&format!("/v1/nodes/n1/history{path}"), minor)
                .await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault().as_str()),
                (status, text),
                "{path}"
            );
        }
        for key in ["user", "severity"] {
            let path = format!("/v1/nodes/n1/history?sort_key={key}");
            assert_eq!(service.get(&path, 115).await.status.as_u16(), 200);
        }
    }
}
