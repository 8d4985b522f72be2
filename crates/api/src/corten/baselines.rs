//! `/corten/v1/baselines`: what firmware and BIOS settings the machines of a resource class are to
//! have, and which machines deviate.
//!
//! Nothing is asked of the machines: what is compared is what `GET /v1/nodes/{node}/firmware` and
//! `…/bios` show.

use crate::{
    args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    schema::{self, baseline::BASELINE},
};
use serde_json::{Value, json};
use store::{
    Page,
    baseline::{self, Stored},
    node::{Columns, NodeFilter},
};
use types::{
    JsonMap, Node, NodeId, Timestamp,
    baseline::{Baseline, Comparison, Values},
};

/// How many values a baseline has of each kind: a BIOS has some hundred settings.
const MOST_VALUES: usize = 2000;
const LONGEST_NAME: usize = 255;
const LONGEST_VALUE: usize = 1024;
const USUAL_NODES: i64 = 100;
const MOST_NODES: i64 = 1000;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenBaselineGet, &Target::NONE)?;
    let rows = baseline::list(&call.state.db).await?;
    let rows: Vec<Value> = rows.iter().map(document).collect();
    let document = json!({"baselines": rows});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenBaselineGet, &Target::NONE)?;
    let row = find(&call).await?;
    Ok(Reply::ok(JsonWriter::document(&document(&row))))
}

/// Stores a baseline whole.
pub(crate) async fn put(call: Call) -> Result<Reply, ApiError> {
    let body = call.body()?;
    schema::check_unnamed(&body, &BASELINE)?;
    call.permit(Rule::CortenBaselineUpdate, &Target::NONE)?;
    let body = args::object(body);
    let baseline = Baseline {
        resource_class: call.param("resource_class").to_owned(),
        description: body
            .get("description")
            .and_then(Value::as_str)
            .map(str::to_owned),
        firmware: values(&body, "firmware")?,
        bios_settings: values(&body, "bios_settings")?,
        created_at: Timestamp::now(),
        updated_at: None,
    };
    if baseline.firmware.is_empty() && baseline.bios_settings.is_empty() {
        return Err(ApiError::invalid(
            "A baseline names at least one firmware version or BIOS setting.",
        ));
    }
    match baseline::put(&call.state.db, baseline).await? {
        Stored::New(row) | Stored::Changed(row) => {
            Ok(Reply::ok(JsonWriter::document(&document(&row))))
        }
        Stored::TooMany => Err(ApiError::conflict(format!(
            "There are {} baselines already.",
            baseline::MOST
        ))),
    }
}

pub(crate) async fn delete(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    call.permit(Rule::CortenBaselineUpdate, &Target::NONE)?;
    let row = find(&call).await?;
    baseline::delete(&call.state.db, &row.resource_class).await?;
    Ok(Reply::no_content())
}

/// How the machines of the class compare: a page of them in the order of their creation.
pub(crate) async fn report(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["limit", "marker"])?;
    let limit = args.integer("limit")?.unwrap_or(USUAL_NODES);
    let limit = u32::try_from(limit)
        .ok()
        .filter(|limit| (1..=1000).contains(limit));
    let limit =
        limit.ok_or_else(|| ApiError::invalid(format!("limit is from 1 to {MOST_NODES}.")))?;
    let marker = args.string("marker")?;
    let marker = marker.map(|text| {
        let id: Option<NodeId> = lookup::id(text);
        id.ok_or_else(|| ApiError::invalid("marker: it is no UUID"))
    });
    let marker = marker.transpose()?;
    call.permit(Rule::CortenBaselineGet, &Target::NONE)?;
    let baseline = find(&call).await?;
    let filter = NodeFilter {
        resource_class: Some(baseline.resource_class.clone()),
        ..NodeFilter::all()
    };
    let page = Page {
        marker: marker.map(|id| id.to_string()),
        ..Page::first(limit)
    };
    let db = &call.state.db;
    let nodes = store::node::list(db, filter, page, Columns::Summary).await?;
    let mut rows = Vec::with_capacity(nodes.len());
    for node in &nodes {
        let firmware = store::firmware::list(db, node.id).await?;
        let settings = store::bios::list(db, node.id).await?;
        rows.push(row(node, &baseline.compare(&firmware, &settings)));
    }
    let is_full = u32::try_from(nodes.len()) == Ok(limit);
    let next = nodes.last().filter(|_| is_full).map(|last| last.id);
    let document = json!({
        "resource_class": baseline.resource_class,
        "nodes": rows,
        "next": next,
    });
    Ok(Reply::ok(JsonWriter::document(&document)))
}

async fn find(call: &Call) -> Result<Baseline, ApiError> {
    let class = call.param("resource_class");
    let found = baseline::find(&call.state.db, class).await?;
    found.ok_or_else(|| ApiError::not_found(format!("Resource class {class} has no baseline.")))
}

/// The texts that a body has under a key.
fn values(body: &JsonMap, key: &str) -> Result<Values, ApiError> {
    let given = body.get(key).and_then(Value::as_object);
    let given = given.into_iter().flatten();
    let values = given.map(|(name, value)| {
        let refused = |why: &str| Err(ApiError::invalid(format!("{key}: {name}: {why}")));
        let Value::String(value) = value else {
            return refused("the value must be a text");
        };
        let is_plain = |text: &str| !text.is_empty() && !text.chars().any(char::is_control);
        if !is_plain(name) || name.chars().count() > LONGEST_NAME {
            return refused("a name has 1 to 255 characters, none of them a control character");
        }
        if !is_plain(value) || value.chars().count() > LONGEST_VALUE {
            return refused("a value has 1 to 1024 characters, none of them a control character");
        }
        Ok((name.clone(), value.clone()))
    });
    let values: Values = values.collect::<Result<_, ApiError>>()?;
    if values.len() > MOST_VALUES {
        let text = format!("{key}: more than {MOST_VALUES} values");
        return Err(ApiError::invalid(text));
    }
    Ok(values)
}

fn document(baseline: &Baseline) -> Value {
    json!({
        "resource_class": baseline.resource_class,
        "description": baseline.description,
        "firmware": baseline.firmware,
        "bios_settings": baseline.bios_settings,
        "created_at": baseline.created_at.to_string(),
        "updated_at": baseline.updated_at.map(|at| at.to_string()),
    })
}

fn row(node: &Node, found: &Comparison) -> Value {
    json!({
        "node_uuid": node.id,
        "node_name": node.name,
        "verdict": found.verdict,
        "deviations": found.deviations,
    })
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::{Value, json};
    use types::{BiosSetting, FirmwareComponent, Node, NodeId};

    const PATH: &str = "/corten/v1/baselines/gold";

    fn wanted() -> Value {
        json!({"description": "as delivered", "firmware": {"bmc": "2.0"},
            "bios_settings": {"Virtualization": "Enabled"}})
    }

    /// A node of the class, whose BMC has this version.
    async fn node(service: &Service, name: &str, version: Option<&str>) -> NodeId {
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some(name.into());
        node.resource_class = Some("gold".into());
        let node = service.store_node(node).await;
        if let Some(version) = version {
            let parts = vec![FirmwareComponent::new("bmc", Some(version.into()))];
            let stored = store::firmware::observe(&service.db, node.id, parts).await;
            stored.unwrap();
            let setting = BiosSetting::new("Virtualization", Some("Enabled".into()));
            let stored = store::bios::replace(&service.db, node.id, vec![setting]).await;
            stored.unwrap();
        }
        node.id
    }

    #[tokio::test]
    async fn readers_of_the_system_see_them_and_administrators_write_them() {
        let service = Service::guarded();
        for (persona, reads, writes) in [
            ("admin@system", 404, 200),
            ("reader@system", 200, 403),
            ("admin@p1", 403, 403),
        ] {
            let read = service.get_as(persona, PATH).await;
            assert_eq!(read.status, reads, "{persona}: {}", read.text);
            let written = service.send_as(persona, "PUT", PATH, wanted()).await;
            assert_eq!(written.status, writes, "{persona}: {}", written.text);
        }
    }

    #[tokio::test]
    async fn a_baseline_is_replaced_whole_and_removed() {
        let service = Service::new();
        let made = service.send("PUT", PATH, 1, wanted()).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let made = made.json();
        assert_eq!(made["firmware"], json!({"bmc": "2.0"}));
        assert_eq!(made["updated_at"], Value::Null);
        let other = json!({"firmware": {"bios": "7"}});
        let changed = service.send("PUT", PATH, 1, other).await.json();
        assert_eq!(changed["bios_settings"], json!({}));
        assert_ne!(changed["updated_at"], Value::Null);
        let all = service.get("/corten/v1/baselines", 1).await.json();
        assert_eq!(all["baselines"], json!([changed]));
        let gone = service.send("DELETE", PATH, 1, Value::Null).await;
        assert_eq!(gone.status, 204);
        assert_eq!(service.get(PATH, 1).await.status, 404);
        let again = service.send("DELETE", PATH, 1, Value::Null).await;
        assert_eq!(again.status, 404);
    }

    #[tokio::test]
    async fn what_cannot_be_compared_is_refused() {
        let service = Service::new();
        for (body, told) in [
            (json!({}), "at least one"),
            (json!({"firmware": {}}), "at least one"),
            (json!({"firmware": {"bmc": 2}}), "must be a text"),
            (json!({"firmware": {"": "2"}}), "1 to 255 characters"),
            (json!({"firmware": {"bmc": "a\nb"}}), "control character"),
            (json!({"bios_settings": {"x": ""}}), "1 to 1024 characters"),
            (json!({"bios_settings": ["x"]}), "bios_settings"),
            (json!({"colour": "red"}), "colour"),
        ] {
            let refused = service.send("PUT", PATH, 1, body).await;
            assert_eq!(refused.status, 400, "{}", refused.text);
            assert!(refused.text.contains(told), "{}", refused.text);
        }
        let long = format!("/corten/v1/baselines/{}", "x".repeat(81));
        assert_eq!(service.send("PUT", &long, 1, wanted()).await.status, 400);
        let all = service.get("/corten/v1/baselines", 1).await.json();
        assert_eq!(all["baselines"], json!([]));
    }

    #[tokio::test]
    async fn machines_of_the_class_are_compared_page_by_page() {
        let service = Service::new();
        let ids = [
            node(&service, "n1", Some("2.0")).await,
            node(&service, "n2", Some("1.9")).await,
            node(&service, "n3", None).await,
        ];
        let other = Node::new(NodeId::generate(), "fake-hardware");
        service.store_node(other).await;
        let path = format!("{PATH}/report");
        assert_eq!(service.get(&path, 1).await.status, 404);
        service.send("PUT", PATH, 1, wanted()).await;
        let page = service.get(&format!("{path}?limit=2"), 1).await.json();
        let verdict = |row: &Value| (row["node_name"].clone(), row["verdict"].clone());
        let rows: Vec<_> = page["nodes"].as_array().unwrap().iter().collect();
        assert_eq!(verdict(rows[0]), (json!("n1"), json!("matches")));
        assert_eq!(verdict(rows[1]), (json!("n2"), json!("differs")));
        let deviation = json!({"part": "firmware", "name": "bmc", "wanted": "2.0", "found": "1.9"});
        assert_eq!(rows[1]["deviations"], json!([deviation]));
        assert_eq!(page["next"], ids[1].to_string());
        let rest = format!("{path}?marker={}", ids[1]);
        let rest = service.get(&rest, 1).await.json();
        assert_eq!(verdict(&rest["nodes"][0]), (json!("n3"), json!("unknown")));
        assert_eq!(rest["nodes"].as_array().unwrap().len(), 1);
        assert_eq!(rest["next"], Value::Null);
        for query in ["limit=0", "limit=1001", "marker=n1"] {
            let refused = service.get(&format!("{path}?{query}"), 1).await;
            assert_eq!(refused.status, 400, "{query}");
        }
    }
}
