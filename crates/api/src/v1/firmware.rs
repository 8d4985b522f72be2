//! `firmware`: the firmware components of a node, as they were last read.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::Rule,
    reply::Reply,
    v1::{collection, subject},
    view::{
        self, Selection, ViewContext,
        firmware::{ALWAYS, FIELDS},
    },
};
use types::{pyrepr, version::since};

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    call.require_path(since::FIRMWARE)?;
    let args = call.args(&["detail", "fields"])?;
    if let Some(detail) = args.value("detail") {
        // It must be a boolean, which nothing in a query can be.
        return Err(ApiError::invalid(format!(
            "Schema error: {} is not of type 'boolean'",
            pyrepr::repr(detail)
        )));
    }
    let fields = args.string_list("fields")?;
    check_fields(&call, fields.as_deref())?;
    let node = subject::node_for(&call, Rule::NodeFirmwareGet).await?;
    let components = store::firmware::list(&call.state.db, node.id).await?;
    let selection = match fields {
        Some(mut fields) => {
            fields.extend(ALWAYS.map(str::to_owned));
            Selection::named(FIELDS, call.version(), &fields)
        }
        None => Selection::full(FIELDS, call.version()),
    };
    let mut w = JsonWriter::with_capacity(512 * components.len() + 32);
    w.begin_object();
    w.key("firmware");
    w.begin_array();
    for component in &components {
        let scene = ViewContext::new(&call, &component.component);
        view::write(&mut w, FIELDS, selection, component, &scene);
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

fn check_fields(call: &Call, fields: Option<&[String]>) -> Result<(), ApiError> {
    let known: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
    collection::check_names(fields, &known)?;
    let newer: Vec<&str> = FIELDS
        .iter()
        .filter(|field| field.since > call.version())
        .map(|field| field.name)
        .filter(|name| fields.unwrap_or_default().iter().any(|f| f == name))
        .collect();
    if newer.is_empty() {
        return Ok(());
    }
    Err(ApiError::invalid(format!(
        "Fields {} are not allowed in this API version. They require at least API version {}.",
        newer.join(", "),
        since::FIRMWARE_MAKER
    )))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::{FirmwareComponent, Node, NodeId};

    #[tokio::test]
    async fn components_are_listed() {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        let node = service.store_node(node).await.id;
        let bmc = FirmwareComponent::new("bmc", Some("1.0".into()));
        store::firmware::observe(&service.db, node, vec![bmc])
            .await
            .unwrap();
        let path = "/v1/nodes/n1/firmware";
        for (minor, query, keys) in [
            (115, "", 9),
            (113, "", 6),
            (115, "?fields=component", 3),
            (115, "?fields=", 2),
        ] {
            let list = service.get(&format!("{path}{query}"), minor).await.json();
            let shown = list["firmware"][0].as_object().unwrap().len();
            assert_eq!(shown, keys, "1.{minor} {query}");
        }
        for (minor, query, status, text) in [
            (85, "", 404, ""),
            (
                115,
                "?detail=true",
                400,
                "Schema error: 'true' is not of type 'boolean'",
            ),
            (
                113,
                "?fields=model,vendor",
                400,
                "Fields vendor, model are not allowed in this API version. They require at least API version 1.114.",
            ),
            (
                115,
                "?fields=links",
                400,
                "Schema error: 'links' is not one of ['created_at', 'updated_at', 'component', 'initial_version', 'current_version', 'last_version_flashed', 'vendor', 'model', 'serial_number']",
            ),
        ] {
            let answer = service.get(&format!("{path}{query}"), minor).await;
            assert_eq!(
                (answer.status.as_u16(), answer.fault().as_str()),
                (status, text)
            );
        }
    }
}
