//! `children`: the nodes that are parts of another, such as accelerator cards with a BMC of their
//! own.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Reach, Rule},
    reply::Reply,
    v1::subject,
};
use store::{
    Page,
    node::{Children, Columns, NodeFilter},
};
use types::version::since;

/// The list has no pages.
const ALL: u32 = u32::MAX;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    // Ironic breaks below this version; what it means is that there is no such thing.
    call.require_endpoint(since::PARENT_NODE)?;
    call.no_args()?;
    let node = subject::node(&call).await?;
    let uuid = node.id.to_string();
    let filter = NodeFilter {
        project: match call.reach(Rule::NodeListAll, Rule::NodeList, None)? {
            Reach::Everything => None,
            Reach::Project(project) => Some(project.to_owned()),
        },
        children: Children::Of(uuid.clone()),
        ..NodeFilter::default()
    };
    let db = &call.state.db;
    let children = store::node::list(db, filter, Page::first(ALL), Columns::Summary).await?;
    let mut w = JsonWriter::with_capacity(64 * children.len() + 256);
    w.begin_object();
    w.key("children");
    w.begin_array();
    for child in &children {
        w.plain(child.id);
    }
    w.end_array();
    w.key("links");
    w.link(
        &[&call.ctx.base, "/v1/nodes?parent_node=", &uuid],
        "children",
    );
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::{Node, NodeId};

    #[tokio::test]
    async fn children_are_listed_by_uuid() {
        let service = Service::new();
        let parent = Node::new(NodeId::generate(), "fake-hardware");
        let parent = service.store_node(parent).await.id;
        let mut child = Node::new(NodeId::generate(), "fake-hardware");
        child.parent_node = Some(parent.to_string());
        let child = service.store_node(child).await.id;
        let path = format!("/v1/nodes/{parent}/children");
        assert_eq!(
            service.get(&path, 83).await.text,
            format!(
                "{{\"children\": [\"{child}\"], \"links\": {{\"href\": \"http://h:6385/v1/nodes?parent_node={parent}\", \"rel\": \"children\"}}}}"
            )
        );
        assert_eq!(service.get(&path, 82).await.status.as_u16(), 404);
    }
}
