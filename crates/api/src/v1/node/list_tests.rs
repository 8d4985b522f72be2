//! A list reads only the columns that its fields need. Whichever they are, it shows of a node what
//! the node itself shows.

use crate::testing::Service;
use serde_json::Value;
use types::{Node, NodeId, PowerState, ProvisionState};

/// A node that has a value of its own in every field of the default list.
fn sample() -> Node {
    let mut node = Node::new(NodeId::generate(), "fake-hardware");
    node.name = Some("n1".into());
    node.instance_uuid = Some("00000000-0000-0000-0000-000000000001".into());
    node.maintenance = true;
    node.power_state = Some(PowerState::On);
    node.provision_state = ProvisionState::Active;
    node.conductor_group = "g".into();
    node.description = Some("d".into());
    node.owner = Some("p".into());
    node
}

async fn get(service: &Service, path: &str) -> Value {
    service.get(path, 115).await.json()
}

#[tokio::test]
async fn a_list_shows_of_a_node_what_the_node_shows() {
    let service = Service::new();
    let node = service.store_node(sample()).await.id;
    let whole = get(&service, &format!("/v1/nodes/{node}")).await;
    let names: Vec<&str> = whole
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let mut queryable = Vec::new();
    for name in names {
        let one = format!("/v1/nodes/{node}?fields={name}");
        let one = service.get(&one, 115).await;
        let list = service.get(&format!("/v1/nodes?fields={name}"), 115).await;
        assert_eq!(list.status, one.status, "{name}");
        // Some fields cannot be asked for by their names.
        if one.status == 200 {
            assert_eq!(list.json()["nodes"][0][name], whole[name], "{name}");
            queryable.push(name);
        }
    }
    assert!(queryable.len() > 50, "{queryable:?}");
    let list = get(&service, "/v1/nodes").await;
    for (name, value) in list["nodes"][0].as_object().unwrap() {
        assert_eq!(*value, whole[name], "{name}");
        assert_ne!(*value, Value::Null, "the sample has no {name}");
    }
    let list = format!("/v1/nodes?fields={}", queryable.join(","));
    let list = get(&service, &list).await;
    for name in queryable {
        assert_eq!(list["nodes"][0][name], whole[name], "{name}");
    }
}
