//! `GET /corten/v1/nodes/{node}/addresses`: where a machine can be reached, as far as it is known:
//! what our DHCP server gave to its ports, and where its ramdisk last spoke from.

use crate::{
    call::Call, error::ApiError, json_writer::JsonWriter, policy::Rule, reply::Reply, v1::subject,
};
use reqwest::Url;
use serde_json::{Value, json};

pub(crate) async fn get(call: Call) -> Result<Reply, ApiError> {
    call.no_args()?;
    let node = subject::node_for(&call, Rule::NodeGet).await?;
    let leases = call.state.conductor.leases(node.id).await?;
    let leased = leases
        .into_iter()
        .flatten()
        .map(|address| json!({"address": address.to_string(), "from": "lease"}));
    let mut addresses: Vec<Value> = leased.collect();
    let agent = node.driver_internal_info.agent_url();
    let agent = agent.and_then(|url| Url::parse(url).ok());
    if let Some(host) = agent.as_ref().and_then(Url::host_str) {
        let host = host.trim_start_matches('[').trim_end_matches(']');
        addresses.push(json!({"address": host, "from": "agent"}));
    }
    let document = json!({"node_uuid": node.id.to_string(), "addresses": addresses});
    Ok(Reply::ok(JsonWriter::document(&document)))
}

#[cfg(test)]
mod tests {
    use crate::testing::Service;
    use types::{Node, NodeId, Timestamp, rpc::Heartbeat};

    #[tokio::test]
    async fn the_ramdisk_tells_where_a_machine_is() {
        let service = Service::new();
        let mut node = Node::new(NodeId::generate(), "fake-hardware");
        node.name = Some("n1".into());
        let heartbeat = Heartbeat {
            callback_url: "https://[2001:db8::7]:9999".into(),
            agent_version: None,
            agent_token: None,
            agent_verify_ca: None,
            agent_status: None,
            agent_status_message: None,
            from: None,
        };
        let now = Timestamp::now();
        node.driver_internal_info.note_heartbeat(&heartbeat, now);
        let node = service.store_node(node).await;
        let answer = service.get("/corten/v1/nodes/n1/addresses", 115).await;
        assert_eq!(
            answer.text,
            format!(
                r#"{{"node_uuid": "{}", "addresses": [{{"address": "2001:db8::7", "from": "agent"}}]}}"#,
                node.id
            )
        );
        let answer = service.get("/corten/v1/nodes/n2/addresses", 115).await;
        assert_eq!(answer.status, 404);
    }
}
