//! Values that attributes may have, fitting or not, and the attributes to try them on.

use super::request::Objects;
use scenario::random::Random;
use serde_json::{Value, json};

/// A kind of resource: where one of the round is, a body that makes another, and what either has.
struct ResourceSample {
    one: &'static str,
    made: &'static str,
    attributes: &'static [&'static str],
}

const KINDS: &[ResourceSample] = &[
    ResourceSample {
        one: "nodes/{node}",
        made: r#"{"driver": "fake-hardware"}"#,
        attributes: &[
            "name",
            "driver",
            "driver_info",
            "extra",
            "properties",
            "instance_info",
            "instance_uuid",
            "chassis_uuid",
            "owner",
            "lessee",
            "description",
            "resource_class",
            "protected_reason",
            "retired_reason",
            "shard",
            "network_data",
            "bios_interface",
            "power_interface",
            "deploy_interface",
            "network_interface",
            "uuid",
            "created_at",
            "power_state",
            "provision_state",
            "traits",
            "allocation_uuid",
            "driver_internal_info",
            "fault",
            "reservation",
            "last_error",
            "console_enabled",
            "links",
            "ports",
            "conductor",
            "instance_name",
            "nothing",
        ],
    },
    ResourceSample {
        one: "ports/{port}",
        made: r#"{"node_uuid": "{node}", "address": "52:54:00:ee:ee:01"}"#,
        attributes: &[
            "address",
            "node_uuid",
            "extra",
            "local_link_connection",
            "portgroup_uuid",
            "physical_network",
            "internal_info",
            "name",
            "description",
            "vendor",
            "category",
            "uuid",
            "created_at",
            "links",
            "nothing",
        ],
    },
    ResourceSample {
        one: "portgroups/{group}",
        made: r#"{"node_uuid": "{node}"}"#,
        attributes: &[
            "name",
            "address",
            "node_uuid",
            "extra",
            "mode",
            "properties",
            "internal_info",
            "physical_network",
            "category",
            "dynamic_portgroup",
            "uuid",
            "links",
            "ports",
        ],
    },
    ResourceSample {
        one: "chassis/{chassis}",
        made: "{}",
        attributes: &[
            "description",
            "extra",
            "uuid",
            "nodes",
            "links",
            "created_at",
        ],
    },
    ResourceSample {
        one: "allocations/{allocation}",
        made: r#"{"resource_class": "nothing has this either"}"#,
        attributes: &[
            "name",
            "extra",
            "resource_class",
            "state",
            "owner",
            "candidate_nodes",
            "node_uuid",
            "traits",
            "uuid",
        ],
    },
    ResourceSample {
        one: "volume/connectors/{connector}",
        made: r#"{"node_uuid": "{node}", "type": "iqn", "connector_id": "iqn.odd.other"}"#,
        attributes: &["type", "connector_id", "extra", "uuid", "links"],
    },
    ResourceSample {
        one: "volume/targets/{target}",
        made: r#"{"node_uuid": "{node}", "volume_type": "iscsi", "boot_index": 7, "volume_id": "o"}"#,
        attributes: &[
            "volume_type",
            "properties",
            "boot_index",
            "volume_id",
            "extra",
            "uuid",
        ],
    },
    ResourceSample {
        one: "deploy_templates/{template}",
        made: r#"{"name": "CUSTOM_ODD_OTHER", "steps": [{"interface": "bios", "step": "x", "args": {}, "priority": 1}]}"#,
        attributes: &["name", "steps", "extra", "uuid", "links"],
    },
];

/// Values of every type. Left out is what known differences are about: numbers beyond 64 bits and
/// texts with NUL.
fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(""),
        json!("x"),
        json!("a b"),
        json!("é"),
        json!("None"),
        json!("true"),
        json!("x".repeat(300)),
        json!([]),
        json!({}),
        json!(["a"]),
        json!({"a": 1}),
        json!([{}]),
        json!("00000000-0000-0000-0000-000000000000"),
        json!("52:54:00:00:00:99"),
    ]
}

/// What follows the attribute in a pointer, mostly nothing.
const BELOW: &[&str] = &[
    "", "", "", "", "/a", "/a/b", "/", "//", "/0", "/-", "/~0", "/~1", "/~", "/é",
];

const OPERATIONS: &[&str] = &[
    "add", "replace", "remove", "add", "replace", "remove", "test", "move", "ADD", "",
];

/// The path and the body of a patch with one operation.
pub(super) fn patch(random: &mut Random, objects: &Objects) -> (String, String) {
    let kind = random.pick(KINDS);
    let attribute = random.pick(kind.attributes);
    let mut operation = json!({
        "op": random.pick(OPERATIONS), "path": format!("/{attribute}{}", random.pick(BELOW)),
    });
    if random.chance(85) {
        operation["value"] = random.pick(&values()).clone();
    }
    let path = objects.filled(kind.one);
    (path, json!([operation]).to_string())
}

/// The path and the body of a request that makes something with one odd attribute.
pub(super) fn creation(random: &mut Random, objects: &Objects) -> (String, String) {
    let kind = random.pick(KINDS);
    let list = kind.one.rsplit_once('/').map_or(kind.one, |(list, _)| list);
    let mut body: Value = serde_json::from_str(&objects.filled(kind.made)).unwrap_or_default();
    if random.chance(85) {
        body[*random.pick(kind.attributes)] = random.pick(&values()).clone();
    } else if let Some(map) = body.as_object_mut()
        && let Some(name) = map.keys().next().cloned()
    {
        let _ = map.remove(&name);
    }
    (list.to_owned(), body.to_string())
}
