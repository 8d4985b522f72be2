//! `bios`: the BIOS settings of a node, as they were last read.

use crate::{
    args::Args,
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    page,
    policy::Rule,
    reply::Reply,
    schema::{self, Pattern, Schema, Type},
    v1::{collection, subject},
    view::{
        self, Selection, ViewContext,
        bios::{ALWAYS, DEFAULT_FIELDS, FIELDS, QUERYABLE},
    },
};
use serde_json::Value;
use types::version::since;

const NAME: Schema = Schema {
    types: &[Type::String],
    pattern: Some(Pattern {
        text: "(?i)^[A-Z0-9-._~]+$",
        test: |text| {
            !text.is_empty()
                && text
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b"-._~".contains(&b))
        },
    }),
    ..Schema::ANY
};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::BIOS)?;
    let args = call.args(&["detail", "fields"])?;
    if call.version() < since::BIOS_REGISTRY {
        collection::refuse_names(&args)?;
    }
    let (fields, detail) = (args.string_list("fields")?, args.boolean("detail")?);
    collection::check_names(fields.as_deref(), QUERYABLE)?;
    let fields = page::wanted_fields(&call, fields, detail, &DEFAULT_FIELDS)?;
    if fields.iter().flatten().any(|name| name == "node_uuid") {
        // It may be asked for, and then Ironic breaks: settings do not know their node.
        return Err(ApiError::invalid("Field(s) \"node_uuid\" are not valid"));
    }
    let node = subject::node_for(&call, Rule::NodeBiosGet).await?;
    let settings = store::bios::list(&call.state.db, node.id).await?;
    let selection = match fields {
        Some(mut fields) => {
            fields.extend(ALWAYS.map(str::to_owned));
            Selection::named(FIELDS, call.version(), &fields)
        }
        None => Selection::full(FIELDS, call.version()),
    };
    let mut w = JsonWriter::with_capacity(512 * settings.len() + 32);
    w.begin_object();
    w.key("bios");
    w.begin_array();
    for setting in &settings {
        let scene = ViewContext::new(&call, call.param("node"));
        view::write(&mut w, FIELDS, selection, setting, &scene);
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::BIOS)?;
    let name = call.param("setting");
    schema::check_unnamed(&Value::from(name), &NAME)?;
    collection::refuse_names(&Args::from_query(&call.query)?)?;
    let node = subject::node_for(&call, Rule::NodeBiosGet).await?;
    let setting = store::bios::find(&call.state.db, node.id, name).await?;
    let Some(setting) = setting else {
        return Err(ApiError::not_found(format!(
            "Node {} doesn't have a BIOS setting '{name}'",
            node.id
        )));
    };
    let id = node.id.to_string();
    let mut w = JsonWriter::with_capacity(1024);
    w.begin_object();
    w.any_key(name);
    let selection = Selection::full(FIELDS, call.version());
    view::write(
        &mut w,
        FIELDS,
        selection,
        &setting,
        &ViewContext::new(&call, &id),
    );
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::json;
    use types::{BiosSetting, Node, NodeId};

    async fn service() -> (Service, NodeId) {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        let node = service.store_node(node).await.id;
        let settings = vec![
            BiosSetting::new("virt", Some("on".into())),
            BiosSetting::new("boot", None),
        ];
        store::bios::replace(&service.db, node, settings)
            .await
            .unwrap();
        (service, node)
    }

    #[tokio::test]
    async fn a_list_shows_names_and_values() {
        let (service, _) = service().await;
        let list = service.get("/v1/nodes/n1/bios", 40).await.json();
        assert_eq!(list["bios"][0]["name"], "boot");
        assert_eq!(list["bios"][1]["value"], "on");
        assert_eq!(list["bios"][1].as_object().unwrap().len(), 5);
        assert_eq!(
            list["bios"][1]["links"][0]["href"],
            "http://h:6385/v1/nodes/n1/bios/virt"
        );
        let keys = |query: &str| {
            let path = format!("/v1/nodes/n1/bios?{query}");
            let service = &service;
            async move {
                let list = service.get(&path, 74).await.json();
                list["bios"][0].as_object().unwrap().len()
            }
        };
        assert_eq!(keys("detail=true").await, 14);
        assert_eq!(keys("detail=false").await, 5);
        assert_eq!(keys("fields=Unique").await, 4);
        assert_eq!(keys("fields=").await, 3);
    }

    #[tokio::test]
    async fn one_setting_is_linked_by_the_uuid_of_its_node() {
        let (service, node) = service().await;
        let one = service.get("/v1/nodes/n1/bios/virt", 74).await.json();
        assert_eq!(one["virt"]["allowable_values"], json!([]));
        assert_eq!(one["virt"].as_object().unwrap().len(), 14);
        assert_eq!(
            one["virt"]["links"][0]["href"],
            format!("http://h:6385/v1/nodes/{node}/bios/virt")
        );
        let old = service.get("/v1/nodes/n1/bios/virt", 73).await.json();
        assert_eq!(old["virt"].as_object().unwrap().len(), 5);
    }

    #[tokio::test]
    async fn what_is_refused() {
        let (service, node) = service().await;
        let missing = format!("Node {node} doesn't have a BIOS setting 'nope'");
        for (path, minor, status, text) in [
            ("bios", 39, 404, ""),
            ("bios/virt", 39, 404, ""),
            ("bios/nope", 115, 404, missing.as_str()),
            (
                "bios/a%20b",
                115,
                400,
                "Schema error: 'a b' does not match '(?i)^[A-Z0-9-._~]+$'",
            ),
            (
                "bios/virt?fields=name",
                115,
                400,
                "Schema error: Additional properties are not allowed ('fields' was unexpected)",
            ),
            (
                "bios?fields=name&detail=true",
                73,
                400,
                "Schema error: Additional properties are not allowed ('detail', 'fields' were unexpected)",
            ),
            ("bios?limit=1", 115, 400, "Unexpected arguments: limit"),
            (
                "bios?fields=name&detail=true",
                115,
                400,
                "Can not specify ?detail=True and fields in the same request.",
            ),
            (
                "bios?fields=upper_bound",
                115,
                400,
                "Schema error: 'upper_bound' is not one of ['allowable_values', 'attribute_type', 'created_at', 'lower_bound', 'links', 'max_length', 'min_length', 'name', 'node_uuid', 'read_only', 'reset_required', 'unique', 'updated_at', 'value']",
            ),
        ] {
            let answer = service.get(&format!("/v1/nodes/n1/{path}"), minor).await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault().as_str()),
                (status, text),
                "{path}"
            );
        }
    }
}
