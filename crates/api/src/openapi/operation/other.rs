//! Everything but nodes.

use super::{
    Answer as A, Body, FIELDS, FULL_PAGE, Operation, PAGE, delete, get, node, patch, post, put,
    small,
};
use crate::{
    check::trait_names,
    route::Method,
    schema,
    stream::EVENT_STREAM,
    v1::{allocation, chassis, deploy_template, event, runbook, volume},
};
use types::version::since;

pub(super) const PORT_DETAIL: &[&str] = &[
    "limit",
    "marker",
    "sort_key",
    "sort_dir",
    "address",
    "conductor_groups",
    "description_contains",
    "node",
    "node_uuid",
    "portgroup",
    "shard",
];
pub(super) const PORT_LIST: &[&str] = &[
    "limit",
    "marker",
    "sort_key",
    "sort_dir",
    "address",
    "conductor_groups",
    "description_contains",
    "node",
    "node_uuid",
    "portgroup",
    "shard",
    "fields",
    "detail",
];
pub(super) const PORTGROUP_DETAIL: &[&str] = &[
    "limit",
    "marker",
    "sort_key",
    "sort_dir",
    "address",
    "conductor_groups",
    "node",
    "shard",
];
pub(super) const PORTGROUP_LIST: &[&str] = &[
    "limit",
    "marker",
    "sort_key",
    "sort_dir",
    "address",
    "conductor_groups",
    "node",
    "shard",
    "fields",
    "detail",
];
pub(super) const VOLUME_LIST: &[&str] = &[
    "limit", "marker", "sort_key", "sort_dir", "fields", "detail", "node",
];
const PAGE_OF_ALLOCATIONS: &[&str] = &[
    "limit",
    "marker",
    "sort_key",
    "sort_dir",
    "fields",
    "node",
    "owner",
    "resource_class",
    "state",
];
const PAGE_OF_RUNBOOKS: &[&str] = &[
    "limit", "marker", "sort_key", "sort_dir", "fields", "detail", "project",
];
const PAGE_OF_RULES: &[&str] = &[
    "limit", "marker", "sort_key", "sort_dir", "fields", "detail", "phase",
];

const fn driver_vendor(method: Method) -> Operation {
    let path = "drivers/{driver}/vendor_passthru/{method}";
    let operation = Operation::new(method, path, "Call a method of a driver", &[200, 202]);
    let operation = operation.answers(A::Free);
    match method {
        Method::Get => operation,
        _ => operation.body(Body::Free),
    }
}

pub(super) static OPERATIONS: &[Operation] = &[
    get("", "Show the versions there are", A::Shape(&small::ROOT)).public(),
    get("v1", "Show the resources there are", A::Shape(&small::V1)).public(),
    // Ports.
    get("ports", "List ports", A::Many("ports", "Port")).query(PORT_LIST),
    get(
        "ports/detail",
        "List ports with all fields",
        A::Many("ports", "Port"),
    )
    .query(PORT_DETAIL),
    post(
        "ports",
        "Add a port",
        Body::Whole(&schema::port::PORT),
        A::One("Port"),
    ),
    get("ports/{port}", "Show a port", A::One("Port")).query(FIELDS),
    patch("ports/{port}", "Change a port", A::One("Port")),
    delete("ports/{port}", "Remove a port"),
    // Port groups.
    get(
        "portgroups",
        "List port groups",
        A::Many("portgroups", "Portgroup"),
    )
    .query(PORTGROUP_LIST)
    .since(since::PORTGROUPS),
    get(
        "portgroups/detail",
        "List port groups in full",
        A::Many("portgroups", "Portgroup"),
    )
    .query(PORTGROUP_DETAIL)
    .since(since::PORTGROUPS),
    post(
        "portgroups",
        "Add a port group",
        Body::Whole(&schema::portgroup::PORTGROUP),
        A::One("Portgroup"),
    )
    .since(since::PORTGROUPS),
    get(
        "portgroups/{portgroup}",
        "Show a port group",
        A::One("Portgroup"),
    )
    .query(FIELDS)
    .since(since::PORTGROUPS),
    patch(
        "portgroups/{portgroup}",
        "Change a port group",
        A::One("Portgroup"),
    )
    .since(since::PORTGROUPS),
    delete("portgroups/{portgroup}", "Remove a port group").since(since::PORTGROUPS),
    get(
        "portgroups/{portgroup}/ports",
        "List the ports of a group",
        A::Many("ports", "Port"),
    )
    .query(PORT_LIST)
    .since(since::PORTGROUP_LINKS),
    get(
        "portgroups/{portgroup}/ports/detail",
        "List the ports of a group in full",
        A::Many("ports", "Port"),
    )
    .query(PORT_DETAIL)
    .since(since::PORTGROUP_LINKS),
    // Chassis.
    get("chassis", "List chassis", A::Many("chassis", "Chassis")).query(FULL_PAGE),
    get(
        "chassis/detail",
        "List chassis with all fields",
        A::Many("chassis", "Chassis"),
    )
    .query(PAGE),
    post(
        "chassis",
        "Add a chassis",
        Body::Whole(&chassis::SCHEMA),
        A::One("Chassis"),
    ),
    get("chassis/{chassis}", "Show a chassis", A::One("Chassis")).query(FIELDS),
    patch("chassis/{chassis}", "Change a chassis", A::One("Chassis")),
    delete("chassis/{chassis}", "Remove a chassis"),
    get(
        "chassis/{chassis}/nodes",
        "List the nodes of a chassis",
        A::Many("nodes", "Node"),
    )
    .query(node::LIST),
    get(
        "chassis/{chassis}/nodes/detail",
        "List the nodes of a chassis in full",
        A::Many("nodes", "Node"),
    )
    .query(node::DETAIL),
    // Drivers and conductors.
    get("drivers", "List drivers", A::Many("drivers", "Driver"))
        .query(&["type", "detail", "fields"]),
    get("drivers/{driver}", "Show a driver", A::One("Driver")).query(FIELDS),
    get(
        "drivers/{driver}/properties",
        "Show what driver_info may hold",
        A::Shape(&small::ANY_OBJECT),
    ),
    get(
        "drivers/{driver}/raid/logical_disk_properties",
        "Show what a logical disk may be asked for",
        A::Shape(&small::ANY_OBJECT),
    )
    .since(since::RAID),
    get(
        "drivers/{driver}/vendor_passthru/methods",
        "List the methods of a driver",
        A::Shape(&small::ANY_OBJECT),
    ),
    driver_vendor(Method::Get),
    driver_vendor(Method::Post),
    driver_vendor(Method::Put),
    driver_vendor(Method::Patch),
    driver_vendor(Method::Delete),
    get(
        "conductors",
        "List conductors",
        A::Many("conductors", "Conductor"),
    )
    .query(FULL_PAGE)
    .since(since::CONDUCTORS),
    get(
        "conductors/{conductor}",
        "Show a conductor",
        A::One("Conductor"),
    )
    .query(FIELDS)
    .since(since::CONDUCTORS),
    // Volumes.
    get("volume", "Show where volumes are", A::Shape(&small::VOLUME)).since(since::VOLUME),
    get(
        "volume/connectors",
        "List volume connectors",
        A::Many("connectors", "VolumeConnector"),
    )
    .query(VOLUME_LIST)
    .since(since::VOLUME),
    post(
        "volume/connectors",
        "Add a volume connector",
        Body::Whole(&volume::connector::SCHEMA),
        A::One("VolumeConnector"),
    )
    .since(since::VOLUME),
    get(
        "volume/connectors/{connector}",
        "Show a volume connector",
        A::One("VolumeConnector"),
    )
    .query(FIELDS)
    .since(since::VOLUME),
    patch(
        "volume/connectors/{connector}",
        "Change a volume connector",
        A::One("VolumeConnector"),
    )
    .since(since::VOLUME),
    delete("volume/connectors/{connector}", "Remove a volume connector").since(since::VOLUME),
    get(
        "volume/targets",
        "List volume targets",
        A::Many("targets", "VolumeTarget"),
    )
    .query(VOLUME_LIST)
    .since(since::VOLUME),
    post(
        "volume/targets",
        "Add a volume target",
        Body::Whole(&volume::target::SCHEMA),
        A::One("VolumeTarget"),
    )
    .since(since::VOLUME),
    get(
        "volume/targets/{target}",
        "Show a volume target",
        A::One("VolumeTarget"),
    )
    .query(FIELDS)
    .since(since::VOLUME),
    patch(
        "volume/targets/{target}",
        "Change a volume target",
        A::One("VolumeTarget"),
    )
    .since(since::VOLUME),
    delete("volume/targets/{target}", "Remove a volume target").since(since::VOLUME),
    // Deploy templates, runbooks and inspection rules.
    get(
        "deploy_templates",
        "List deploy templates",
        A::Many("deploy_templates", "DeployTemplate"),
    )
    .query(FULL_PAGE)
    .since(since::DEPLOY_TEMPLATES),
    post(
        "deploy_templates",
        "Add a deploy template",
        Body::Whole(&deploy_template::SCHEMA),
        A::One("DeployTemplate"),
    )
    .since(since::DEPLOY_TEMPLATES),
    get(
        "deploy_templates/{template}",
        "Show a deploy template",
        A::One("DeployTemplate"),
    )
    .query(FIELDS)
    .since(since::DEPLOY_TEMPLATES),
    patch(
        "deploy_templates/{template}",
        "Change a deploy template",
        A::One("DeployTemplate"),
    )
    .since(since::DEPLOY_TEMPLATES),
    delete("deploy_templates/{template}", "Remove a deploy template")
        .since(since::DEPLOY_TEMPLATES),
    get("runbooks", "List runbooks", A::Many("runbooks", "Runbook"))
        .query(PAGE_OF_RUNBOOKS)
        .since(since::RUNBOOKS),
    post(
        "runbooks",
        "Add a runbook",
        Body::Whole(&runbook::SCHEMA),
        A::One("Runbook"),
    )
    .since(since::RUNBOOKS),
    get("runbooks/{runbook}", "Show a runbook", A::One("Runbook"))
        .query(FIELDS)
        .since(since::RUNBOOKS),
    patch("runbooks/{runbook}", "Change a runbook", A::One("Runbook")).since(since::RUNBOOKS),
    delete("runbooks/{runbook}", "Remove a runbook").since(since::RUNBOOKS),
    get(
        "runbooks/{runbook}/traits",
        "List the traits of a runbook",
        A::Shape(&small::TRAITS),
    )
    .since(since::RUNBOOK_TRAITS),
    put(
        "runbooks/{runbook}/traits",
        "Replace all traits of a runbook",
        &[204],
    )
    .body(Body::Whole(&trait_names::BODY))
    .since(since::RUNBOOK_TRAITS),
    delete(
        "runbooks/{runbook}/traits",
        "Remove all traits of a runbook",
    )
    .since(since::RUNBOOK_TRAITS),
    put(
        "runbooks/{runbook}/traits/{trait}",
        "Add a trait to a runbook",
        &[204],
    )
    .since(since::RUNBOOK_TRAITS),
    delete(
        "runbooks/{runbook}/traits/{trait}",
        "Remove a trait from a runbook",
    )
    .since(since::RUNBOOK_TRAITS),
    get(
        "inspection_rules",
        "List inspection rules",
        A::Many("inspection_rules", "InspectionRule"),
    )
    .query(PAGE_OF_RULES)
    .since(since::INSPECTION_RULES),
    post(
        "inspection_rules",
        "Add an inspection rule",
        Body::Whole(&schema::inspection_rule::RULE),
        A::One("InspectionRule"),
    )
    .since(since::INSPECTION_RULES),
    get(
        "inspection_rules/{rule}",
        "Show an inspection rule",
        A::One("InspectionRule"),
    )
    .query(FIELDS)
    .since(since::INSPECTION_RULES),
    patch(
        "inspection_rules/{rule}",
        "Change an inspection rule",
        A::One("InspectionRule"),
    )
    .since(since::INSPECTION_RULES),
    delete("inspection_rules/{rule}", "Remove an inspection rule").since(since::INSPECTION_RULES),
    // Allocations.
    get(
        "allocations",
        "List allocations",
        A::Many("allocations", "Allocation"),
    )
    .query(PAGE_OF_ALLOCATIONS)
    .since(since::ALLOCATIONS),
    post(
        "allocations",
        "Ask for a node",
        Body::Whole(&allocation::SCHEMA),
        A::One("Allocation"),
    )
    .since(since::ALLOCATIONS),
    get(
        "allocations/{allocation}",
        "Show an allocation",
        A::One("Allocation"),
    )
    .query(FIELDS)
    .since(since::ALLOCATIONS),
    patch(
        "allocations/{allocation}",
        "Change an allocation",
        A::One("Allocation"),
    )
    .since(since::ALLOCATION_UPDATE),
    delete("allocations/{allocation}", "Give a node back").since(since::ALLOCATIONS),
    // The rest.
    post(
        "events",
        "Report what happened elsewhere",
        Body::Whole(&event::BODY),
        A::Nothing,
    )
    .succeeds(&[204])
    .since(since::EVENTS),
    get("shards", "List shards", A::Shape(&small::SHARDS)).since(since::SHARD),
    get(
        "lookup",
        "Find the node that a ramdisk runs on",
        A::Shape(&small::LOOKUP),
    )
    .query(&["addresses", "node_uuid"])
    .since(since::RAMDISK_ENDPOINTS)
    .public(),
    post(
        "heartbeat/{node}",
        "Report that a ramdisk is there",
        Body::None,
        A::Nothing,
    )
    .named(&[
        "callback_url",
        "agent_version",
        "agent_token",
        "agent_verify_ca",
        "agent_status",
        "agent_status_message",
    ])
    .succeeds(&[202])
    .since(since::RAMDISK_ENDPOINTS)
    .public(),
    post(
        "continue_inspection",
        "Report what a ramdisk found",
        Body::Whole(&schema::inspection::DATA),
        A::Shape(&small::ANY_OBJECT),
    )
    .query(&["node_uuid"])
    .succeeds(&[202])
    .public(),
    Operation {
        special: &[(410, "Too late.", &small::EVENTS_GONE)],
        media: &[super::JSON, EVENT_STREAM],
        ..get(
            "corten/v1/events",
            "Follow what happens",
            A::Shape(&small::EVENTS),
        )
        .query(&["after", "limit", "wait", "node", "kind", "project"])
    },
    Operation {
        media: &["text/plain"],
        ..get("corten/v1/metrics", "Show what Prometheus reads", A::Free)
    },
    get(
        "corten/v1/status",
        "Show how the service fares",
        A::Shape(&small::STATUS),
    ),
    get(
        "corten/v1/webhooks",
        "List the addresses that events are posted to",
        A::Shape(&small::WEBHOOKS),
    ),
    post(
        "corten/v1/webhooks",
        "Have events posted to an address",
        Body::Whole(&schema::webhook::WEBHOOK),
        A::Shape(&small::WEBHOOK),
    ),
    get(
        "corten/v1/webhooks/{webhook}",
        "Show a webhook and how far it is",
        A::Shape(&small::WEBHOOK),
    ),
    Operation::new(
        Method::Patch,
        "corten/v1/webhooks/{webhook}",
        "Change a webhook",
        &[200],
    )
    .body(Body::Whole(&schema::webhook::CHANGES))
    .answers(A::Shape(&small::WEBHOOK)),
    delete("corten/v1/webhooks/{webhook}", "Delete a webhook"),
    post(
        "corten/v1/webhooks/{webhook}/test",
        "Post something that is no event, at once",
        Body::None,
        A::Shape(&small::WEBHOOK_TEST),
    )
    .succeeds(&[200]),
    get(
        "corten/v1/webhooks/{webhook}/dead-letters",
        "List what could not be delivered",
        A::Shape(&small::DEAD_LETTERS),
    )
    .query(&["after", "limit"]),
    Operation {
        special: &[(410, "The log does not reach back so far.", &small::FAULT)],
        ..post(
            "corten/v1/webhooks/{webhook}/replay",
            "Deliver again",
            Body::Whole(&schema::webhook::REPLAY),
            A::Nothing,
        )
        .succeeds(&[202])
    },
    get(
        "corten/v1/nodes/{node}/boot-log",
        "Show how the machine boots",
        A::Shape(&small::BOOT_LOG),
    ),
    Operation {
        success: &[101],
        special: &[(426, "Not a WebSocket.", &small::FAULT)],
        ..get(
            "corten/v1/nodes/{node}/console",
            "Join the serial console by WebSocket",
            A::Nothing,
        )
        .query(&["mode", "take_over"])
    },
    get(
        "corten/v1/nodes/{node}/recorder",
        "Show what was said to the BMC",
        A::Shape(&small::RECORDING),
    ),
    get(
        "corten/v1/nodes/{node}/sensors",
        "Read the sensors",
        A::Shape(&small::SENSORS),
    ),
    get(
        "corten/v1/nodes/{node}/timeline",
        "Show what was done to the machine, and what is being waited for",
        A::Shape(&small::TIMELINE),
    )
    .query(&["limit"]),
    post(
        "corten/v1/agent/progress/{node}",
        "Tell how far an agent is",
        Body::Whole(&schema::progress::PROGRESS),
        A::Nothing,
    )
    .succeeds(&[202])
    .public(),
    get(
        "corten/v1/openapi.json",
        "Show this document",
        A::Shape(&small::ANY_OBJECT),
    )
    .public(),
];
