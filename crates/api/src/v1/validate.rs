//! `validate`: whether the interfaces of a node have what they need.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    lookup,
    policy::{Rule, Target},
    reply::Reply,
    v1::subject,
};
use types::{InterfaceKind, Node, id::is_uuid_like, version::since};

/// The order in which verdicts are shown. The vendor interface is not judged.
const ORDER: &[InterfaceKind] = &[
    InterfaceKind::Boot,
    InterfaceKind::Deploy,
    InterfaceKind::Management,
    InterfaceKind::Network,
    InterfaceKind::Power,
    InterfaceKind::Bios,
    InterfaceKind::Console,
    InterfaceKind::Firmware,
    InterfaceKind::Inspect,
    InterfaceKind::Raid,
    InterfaceKind::Rescue,
    InterfaceKind::Storage,
];

/// `/nodes/{node}/validate`.
pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeValidate).await?;
    verdicts(&call, &node).await
}

/// `/nodes/validate?node=…`, the older spelling.
pub(crate) async fn get_by_query(call: Call) -> Result<Reply, ApiError> {
    let args = call.args(&["node", "node_uuid"])?;
    let (ident, uuid) = (args.uuid_or_name("node")?, args.uuid("node_uuid")?);
    if ident.is_some_and(|ident| !is_uuid_like(ident)) {
        call.require(since::NODE_NAME)?;
    }
    let Some(ident) = uuid.or(ident) else {
        // Ironic looks for a node called None: one that it cannot find before nodes had names, and
        // a name that is none since.
        return Err(if call.version() < since::NODE_NAME {
            ApiError::node_not_found("None")
        } else {
            ApiError::invalid("Expected a logical name or UUID but received None.")
        });
    };
    let node = lookup::node(&call, ident).await?;
    call.permit(Rule::NodeValidate, &Target::node(&node))?;
    verdicts(&call, &node).await
}

async fn verdicts(call: &Call, node: &Node) -> Result<Reply, ApiError> {
    let found = call.state.conductor.validate(node.id).await?;
    let mut w = JsonWriter::with_capacity(512);
    w.begin_object();
    for &kind in ORDER {
        let Some(verdict) = found.iter().find(|verdict| verdict.interface == kind) else {
            continue;
        };
        w.key(kind.as_str());
        w.begin_object();
        w.key("result");
        w.bool(verdict.reason.is_none());
        if let Some(reason) = &verdict.reason {
            w.key("reason");
            w.str(reason);
        }
        w.end_object();
    }
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::NodeId;

    #[tokio::test]
    async fn both_spellings_find_the_node() {
        let service = Service::new();
        let mut node = types::Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        let id = service.store_node(node).await.id;
        for path in [
            format!("/v1/nodes/{id}/validate"),
            "/v1/nodes/n1/validate".into(),
            "/v1/nodes/validate?node=n1".into(),
            format!("/v1/nodes/validate?node_uuid={id}"),
        ] {
            let answer = service.get(&path, 115).await;
            assert_eq!(
                (answer.status.as_u16(), answer.text.as_str()),
                (200, "{}"),
                "{path}"
            );
        }
        let old = service.get("/v1/nodes/validate?node=n1", 4).await;
        assert_eq!(old.status.as_u16(), 406);
        let early = service.get("/v1/nodes/validate", 1).await;
        assert_eq!(early.status.as_u16(), 404);
        assert_eq!(early.fault(), "Node None could not be found.");
        let none = service.get("/v1/nodes/validate", 115).await;
        assert_eq!(
            none.fault(),
            "Expected a logical name or UUID but received None."
        );
    }
}
