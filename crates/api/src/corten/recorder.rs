//! `GET /corten/v1/nodes/{node}/recorder`: what was said between the service and a machine's BMC.
//!
//! It holds no secrets, but what a BMC says about itself is for those who run the place.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use serde_json::json;
use types::{
    Timestamp,
    recording::{FORMAT, Header, VERSION},
};

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::CortenNodeGetRecorder).await?;
    let recording = call.state.conductor.recording(node.id).await?;
    let header = Header {
        format: FORMAT.to_owned(),
        version: VERSION,
        node: node.id.to_string(),
        driver: node.driver,
        at: format!("{}Z", Timestamp::now().naive()),
        dropped: recording.dropped,
    };
    let document = json!({"recording": header, "exchanges": recording.exchanges});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::{Node, NodeId};

    #[tokio::test]
    async fn it_is_for_the_administrators_of_the_system() {
        let service = Service::guarded();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.owner = Some("p1".into());
        let node = service.store_node(node).await;
        let path = format!("/corten/v1/nodes/{}/recorder", node.id);
        for (persona, status) in [
            ("admin@system", 200),
            ("member@system", 403),
            ("reader@system", 403),
            ("admin@p1", 403),
            ("admin@p2", 404),
        ] {
            let answer = service.get_as(persona, &path).await;
            assert_eq!(answer.status, status, "{persona}: {}", answer.text);
        }
        let shown = service.get_as("admin@system", &path).await.json();
        assert_eq!(shown["recording"]["format"], "corten-recording");
        assert_eq!(shown["recording"]["version"], 1);
        assert_eq!(shown["recording"]["node"], node.id.to_string());
        assert_eq!(shown["exchanges"].as_array().map(Vec::len), Some(0));
    }
}
