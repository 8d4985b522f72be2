//! The documents that say what there is, in IPA's shape.

use serde_json::{Value, json};

/// What describes the protocol.
const DOCS: &str = "https://docs.openstack.org/ironic-python-agent";

pub(super) fn root(url: &str) -> Value {
    json!({
        "name": "OpenStack Ironic Python Agent API",
        "description": "Ironic Python Agent is a provisioning agent for OpenStack Ironic",
        "versions": [version(url)],
        "default_version": version(url),
    })
}

pub(super) fn v1(url: &str) -> Value {
    let links = |resource: &str| {
        json!([
            {"href": format!("{url}/v1/{resource}"), "rel": "self"},
            {"href": format!("{url}/{resource}"), "rel": "bookmark"},
        ])
    };
    let version = version(url);
    json!({
        "commands": links("commands"),
        "status": links("status"),
        "media_types": [{
            "base": "application/json",
            "type": "application/vnd.openstack.ironic-python-agent.v1+json",
        }],
        "id": version["id"],
        "links": version["links"],
    })
}

fn version(url: &str) -> Value {
    json!({
        "id": "v1",
        "links": [
            {"href": format!("{url}/v1"), "rel": "self"},
            {"href": format!("{DOCS}/"), "rel": "describedby", "type": "text/html"},
        ],
    })
}
