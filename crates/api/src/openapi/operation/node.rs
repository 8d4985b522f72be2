//! Nodes and what stands below them.

use super::{Answer as A, Body, FIELDS, Operation, delete, get, patch, post, put, small};
use crate::{
    check::{raid, trait_names},
    route::Method,
    schema,
    v1::{vifs, vmedia},
};
use types::version::since;

const FILTERS: &[&str] = &[
    "limit",
    "marker",
    "sort_key",
    "sort_dir",
    "associated",
    "chassis_uuid",
    "conductor",
    "conductor_group",
    "description_contains",
    "driver",
    "fault",
    "include_children",
    "instance_name",
    "instance_uuid",
    "lessee",
    "maintenance",
    "owner",
    "parent_node",
    "project",
    "provision_state",
    "resource_class",
    "retired",
    "shard",
    "sharded",
];

/// The same, with what is shown.
pub(super) const LIST: &[&str] = &{
    let mut names = ["fields"; FILTERS.len() + 2];
    let mut at = 0;
    while at < FILTERS.len() {
        names[at] = FILTERS[at];
        at += 1;
    }
    names[at] = "detail";
    names
};

pub(super) const DETAIL: &[&str] = FILTERS;

const NODE: A = A::One("Node");
const NODES: A = A::Many("nodes", "Node");

const fn vendor(method: Method) -> Operation {
    let path = "nodes/{node}/vendor_passthru/{method}";
    let operation = Operation::new(
        method,
        path,
        "Call a method of the vendor interface",
        &[200, 202],
    );
    let operation = operation.answers(A::Free);
    match method {
        Method::Get => operation,
        _ => operation.body(Body::Free),
    }
}

const fn vendor_by_query(method: Method) -> Operation {
    let operation = vendor(method).query(&["method"]);
    Operation {
        path: "nodes/{node}/vendor_passthru",
        summary: "Call a method of the vendor interface, named by an argument",
        ..operation
    }
}

pub(super) static OPERATIONS: &[Operation] = &[
    get("nodes", "List nodes", NODES).query(LIST),
    get("nodes/detail", "List nodes with all fields", NODES).query(DETAIL),
    post(
        "nodes",
        "Enroll a node",
        Body::Whole(&schema::node::CREATE),
        NODE,
    ),
    get("nodes/{node}", "Show a node", NODE).query(FIELDS),
    patch("nodes/{node}", "Change a node", NODE).query(&["reset_interfaces"]),
    delete("nodes/{node}", "Forget a node"),
    get(
        "nodes/validate",
        "Judge the interfaces of a node",
        A::Shape(&small::ANY_OBJECT),
    )
    .query(&["node", "node_uuid"]),
    get(
        "nodes/{node}/validate",
        "Judge the interfaces of a node",
        A::Shape(&small::ANY_OBJECT),
    ),
    vendor_by_query(Method::Get),
    vendor_by_query(Method::Post),
    vendor_by_query(Method::Put),
    vendor_by_query(Method::Patch),
    vendor_by_query(Method::Delete),
    get(
        "nodes/{node}/vendor_passthru/methods",
        "List the methods of the vendor interface",
        A::Shape(&small::ANY_OBJECT),
    ),
    vendor(Method::Get),
    vendor(Method::Post),
    vendor(Method::Put),
    vendor(Method::Patch),
    vendor(Method::Delete),
    get(
        "nodes/{node}/vifs",
        "List attached virtual interfaces",
        A::Shape(&small::VIFS),
    )
    .since(since::VIFS),
    post(
        "nodes/{node}/vifs",
        "Attach a virtual interface",
        Body::Whole(&vifs::SCHEMA),
        A::Nothing,
    )
    .since(since::VIFS)
    .succeeds(&[204]),
    delete("nodes/{node}/vifs/{vif}", "Detach a virtual interface").since(since::VIFS),
    get(
        "nodes/{node}/vmedia",
        "List attached images",
        A::Shape(&small::ANY_OBJECTS),
    )
    .since(since::VIRTUAL_MEDIA_LIST),
    post(
        "nodes/{node}/vmedia",
        "Attach an image",
        Body::Whole(&vmedia::SCHEMA),
        A::Nothing,
    )
    .succeeds(&[204])
    .since(since::VIRTUAL_MEDIA),
    delete("nodes/{node}/vmedia", "Detach images")
        .query(&["device_types"])
        .since(since::VIRTUAL_MEDIA),
    delete("nodes/{node}/vmedia/{device}", "Detach an image").since(since::VIRTUAL_MEDIA),
    get(
        "nodes/{node}/allocation",
        "Show the allocation of a node",
        A::One("Allocation"),
    )
    .query(FIELDS)
    .since(since::ALLOCATIONS),
    delete("nodes/{node}/allocation", "Remove the allocation of a node").since(since::ALLOCATIONS),
    put("nodes/{node}/maintenance", "Leave a node alone", &[202]).body(Body::Named {
        names: &["reason"],
        required: &[],
    }),
    delete("nodes/{node}/maintenance", "Look after a node again").succeeds(&[202]),
    get(
        "nodes/{node}/states",
        "Show the states of a node",
        A::Shape(&small::STATES),
    ),
    put(
        "nodes/{node}/states/power",
        "Change the power state",
        &[202],
    )
    .named(&["target", "timeout"]),
    put(
        "nodes/{node}/states/provision",
        "Change the provision state",
        &[202],
    )
    .named(&[
        "target",
        "configdrive",
        "clean_steps",
        "deploy_steps",
        "rescue_password",
        "disable_ramdisk",
        "service_steps",
        "runbook",
    ]),
    put(
        "nodes/{node}/states/raid",
        "Set the RAID configuration to be made",
        &[204],
    )
    .body(Body::Whole(&raid::SCHEMA))
    .since(since::RAID),
    put(
        "nodes/{node}/states/boot_mode",
        "Change the boot mode",
        &[202],
    )
    .named(&["target"])
    .since(since::SET_BOOT_MODE),
    put(
        "nodes/{node}/states/secure_boot",
        "Switch secure boot",
        &[202],
    )
    .named(&["target"])
    .since(since::SET_BOOT_MODE),
    get(
        "nodes/{node}/states/console",
        "Show the console",
        A::Shape(&small::CONSOLE),
    ),
    put("nodes/{node}/states/console", "Switch the console", &[202]).named(&["enabled"]),
    get(
        "nodes/{node}/management/boot_device",
        "Show the boot device",
        A::Shape(&small::BOOT_DEVICE),
    ),
    put(
        "nodes/{node}/management/boot_device",
        "Set the boot device",
        &[204],
    )
    .named(&["boot_device", "persistent"]),
    get(
        "nodes/{node}/management/boot_device/supported",
        "List supported boot devices",
        A::Shape(&small::BOOT_DEVICES),
    ),
    put(
        "nodes/{node}/management/inject_nmi",
        "Interrupt the machine",
        &[204],
    )
    .since(since::INJECT_NMI),
    get(
        "nodes/{node}/management/indicators",
        "List indicators",
        A::Shape(&small::INDICATORS),
    ),
    get(
        "nodes/{node}/management/indicators/{indicator}",
        "Show an indicator",
        A::Shape(&small::INDICATOR),
    ),
    put(
        "nodes/{node}/management/indicators/{indicator}",
        "Switch an indicator",
        &[204],
    )
    .named(&["state"]),
    get(
        "nodes/{node}/traits",
        "List the traits of a node",
        A::Shape(&small::TRAITS),
    )
    .since(since::TRAITS),
    put(
        "nodes/{node}/traits",
        "Replace all traits of a node",
        &[204],
    )
    .body(Body::Whole(&trait_names::BODY))
    .since(since::TRAITS),
    delete("nodes/{node}/traits", "Remove all traits of a node").since(since::TRAITS),
    put(
        "nodes/{node}/traits/{trait}",
        "Add a trait to a node",
        &[204],
    )
    .since(since::TRAITS),
    delete("nodes/{node}/traits/{trait}", "Remove a trait from a node").since(since::TRAITS),
    get(
        "nodes/{node}/history",
        "List what happened to a node",
        A::Shape(&small::HISTORY),
    )
    .query(&["limit", "marker", "sort_key", "sort_dir", "detail"])
    .since(since::NODE_HISTORY),
    get(
        "nodes/{node}/history/{event}",
        "Show one thing that happened to a node",
        A::Shape(&small::HISTORY_ENTRY),
    )
    .since(since::NODE_HISTORY),
    get(
        "nodes/{node}/children",
        "List the children of a node",
        A::Shape(&small::CHILDREN),
    )
    .since(since::PARENT_NODE),
    get(
        "nodes/{node}/ports",
        "List the ports of a node",
        A::Many("ports", "Port"),
    )
    .query(super::other::PORT_LIST),
    get(
        "nodes/{node}/ports/detail",
        "List the ports of a node in full",
        A::Many("ports", "Port"),
    )
    .query(super::other::PORT_DETAIL),
    get(
        "nodes/{node}/portgroups",
        "List the port groups of a node",
        A::Many("portgroups", "Portgroup"),
    )
    .query(super::other::PORTGROUP_LIST)
    .since(since::PORTGROUP_LINKS),
    get(
        "nodes/{node}/portgroups/detail",
        "List the port groups of a node in full",
        A::Many("portgroups", "Portgroup"),
    )
    .query(super::other::PORTGROUP_DETAIL)
    .since(since::PORTGROUP_LINKS),
    get(
        "nodes/{node}/volume",
        "Show where volumes are",
        A::Shape(&small::VOLUME),
    )
    .since(since::VOLUME),
    get(
        "nodes/{node}/volume/connectors",
        "List the volume connectors of a node",
        A::Many("connectors", "VolumeConnector"),
    )
    .query(super::other::VOLUME_LIST)
    .since(since::VOLUME),
    get(
        "nodes/{node}/volume/targets",
        "List the volume targets of a node",
        A::Many("targets", "VolumeTarget"),
    )
    .query(super::other::VOLUME_LIST)
    .since(since::VOLUME),
    get(
        "nodes/{node}/bios",
        "List BIOS settings",
        A::Many("bios", "BiosSetting"),
    )
    .query(&["detail", "fields"])
    .since(since::BIOS),
    get(
        "nodes/{node}/bios/{setting}",
        "Show a BIOS setting",
        A::Named("BiosSetting"),
    )
    .since(since::BIOS),
    get(
        "nodes/{node}/firmware",
        "List firmware",
        A::Many("firmware", "FirmwareComponent"),
    )
    .query(&["detail", "fields"])
    .since(since::FIRMWARE),
    get(
        "nodes/{node}/inventory",
        "Show what inspection found",
        A::Shape(&small::INVENTORY),
    )
    .since(since::NODE_INVENTORY),
];
