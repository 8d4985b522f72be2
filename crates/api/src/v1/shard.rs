//! `shards`: the parts into which operators divide their nodes, and how many nodes each has.

use crate::{
    call::Call,
    error::ApiError,
    json_writer::JsonWriter,
    policy::{Rule, Target},
    reply::Reply,
};
use types::version::since;

pub(crate) async fn list(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    call.no_args()?;
    call.permit(Rule::ShardsGet, &Target::NONE)?;
    let shards = store::node::shards(&call.state.db).await?;
    let mut w = JsonWriter::with_capacity(64 * shards.len() + 32);
    w.begin_object();
    w.key("shards");
    w.begin_array();
    for (name, count) in shards {
        w.begin_object();
        w.key("name");
        // Nodes of no shard are counted under the text that Python makes of nothing.
        w.str(name.as_deref().unwrap_or("None"));
        w.key("count");
        w.int(count);
        w.end_object();
    }
    w.end_array();
    w.end_object();
    Ok(Reply::ok(w.finish()))
}

/// `GET /shards/{shard}`: there is nothing to see about one.
pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    check_version(&call)?;
    Err(ApiError::not_found("The resource could not be found."))
}

fn check_version(call: &Call) -> Result<(), ApiError> {
    if call.version() < since::SHARD {
        return Err(ApiError::not_found("The API version does not allow shards"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use serde_json::json;
    use types::{Node, NodeId};

    #[tokio::test]
    async fn shards_are_counted_largest_first() {
        let service = Service::new();
        for shard in [None, Some("a"), Some("a")] {
            let mut node = Node::new(NodeId::generate(), "fake-hardware");
            node.shard = shard.map(str::to_owned);
            service.store_node(node).await;
        }
        let list = service.get("/v1/shards", 82).await.json();
        assert_eq!(
            list,
            json!({"shards": [{"name": "a", "count": 2}, {"name": "None", "count": 1}]})
        );
        let single = service.get("/v1/shards/a", 82).await;
        assert_eq!(
            (single.status.as_u16(), single.fault().as_str()),
            (404, "The resource could not be found.")
        );
        for path in ["/v1/shards", "/v1/shards/a"] {
            let early = service.get(path, 81).await;
            assert_eq!(early.status.as_u16(), 404, "{path}");
            assert_eq!(early.fault(), "The API version does not allow shards");
        }
    }
}
