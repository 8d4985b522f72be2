//! Nodes and what stands below them.

use super::{Answer as A, Body, FIELDS, Operation, PAGE, joined, operations, other, small};
use crate::{
    check::{raid, trait_names},
    schema,
    v1::{vifs, vmedia},
};

pub(super) const DETAIL: &[&str] = joined!(
    PAGE,
    &[
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
    ]
);

/// The same, with what is shown.
pub(super) const LIST: &[&str] = joined!(DETAIL, &["detail", "fields"]);

const NODE: A = A::One("Node");
const NODES: A = A::Many("nodes", "Node");

pub(super) static OPERATIONS: &[Operation] = operations! {
    Get "nodes", "List nodes" => NODES, query LIST;
    Get "nodes/detail", "List nodes with all fields" => NODES, query DETAIL;
    Post "nodes", "Enroll a node" => NODE, body Body::Whole(&schema::node::CREATE);
    Get "nodes/{node}", "Show a node" => NODE, query FIELDS;
    Patch "nodes/{node}", "Change a node" => NODE, query &["reset_interfaces"];
    Delete "nodes/{node}", "Forget a node";
    Get "nodes/validate", "Judge the interfaces of a node" => A::Shape(&small::ANY_OBJECT), query &["node", "node_uuid"];
    Get "nodes/{node}/validate", "Judge the interfaces of a node" => A::Shape(&small::ANY_OBJECT);
    Get "nodes/{node}/vendor_passthru", "Call a method of the vendor interface, named by an argument" => A::Free, query &["method"], succeeds &[200, 202];
    Post "nodes/{node}/vendor_passthru", "Call a method of the vendor interface, named by an argument" => A::Free, query &["method"], body Body::Free, succeeds &[200, 202];
    Put "nodes/{node}/vendor_passthru", "Call a method of the vendor interface, named by an argument" => A::Free, query &["method"], body Body::Free, succeeds &[200, 202];
    Patch "nodes/{node}/vendor_passthru", "Call a method of the vendor interface, named by an argument" => A::Free, query &["method"], body Body::Free, succeeds &[200, 202];
    Delete "nodes/{node}/vendor_passthru", "Call a method of the vendor interface, named by an argument" => A::Free, query &["method"], body Body::Free, succeeds &[200, 202];
    Get "nodes/{node}/vendor_passthru/methods", "List the methods of the vendor interface" => A::Shape(&small::ANY_OBJECT);
    Get "nodes/{node}/vendor_passthru/{method}", "Call a method of the vendor interface" => A::Free, succeeds &[200, 202];
    Post "nodes/{node}/vendor_passthru/{method}", "Call a method of the vendor interface" => A::Free, body Body::Free, succeeds &[200, 202];
    Put "nodes/{node}/vendor_passthru/{method}", "Call a method of the vendor interface" => A::Free, body Body::Free, succeeds &[200, 202];
    Patch "nodes/{node}/vendor_passthru/{method}", "Call a method of the vendor interface" => A::Free, body Body::Free, succeeds &[200, 202];
    Delete "nodes/{node}/vendor_passthru/{method}", "Call a method of the vendor interface" => A::Free, body Body::Free, succeeds &[200, 202];
    Get "nodes/{node}/vifs" since VIFS, "List attached virtual interfaces" => A::Shape(&small::VIFS);
    Post "nodes/{node}/vifs" since VIFS, "Attach a virtual interface", body Body::Whole(&vifs::SCHEMA), succeeds &[204];
    Delete "nodes/{node}/vifs/{vif}" since VIFS, "Detach a virtual interface";
    Get "nodes/{node}/vmedia" since VIRTUAL_MEDIA_LIST, "List attached images" => A::Shape(&small::ANY_OBJECTS);
    Post "nodes/{node}/vmedia" since VIRTUAL_MEDIA, "Attach an image", body Body::Whole(&vmedia::SCHEMA), succeeds &[204];
    Delete "nodes/{node}/vmedia" since VIRTUAL_MEDIA, "Detach images", query &["device_types"];
    Delete "nodes/{node}/vmedia/{device}" since VIRTUAL_MEDIA, "Detach an image";
    Get "nodes/{node}/allocation" since ALLOCATIONS, "Show the allocation of a node" => A::One("Allocation"), query FIELDS;
    Delete "nodes/{node}/allocation" since ALLOCATIONS, "Remove the allocation of a node";
    Put "nodes/{node}/maintenance", "Leave a node alone", succeeds &[202], body Body::Named { names: &["reason"], required: &[] };
    Delete "nodes/{node}/maintenance", "Look after a node again", succeeds &[202];
    Get "nodes/{node}/states", "Show the states of a node" => A::Shape(&small::STATES);
    Put "nodes/{node}/states/power", "Change the power state", succeeds &[202], named &["target", "timeout"];
    Put "nodes/{node}/states/provision", "Change the provision state", succeeds &[202], named &["target", "configdrive", "clean_steps", "deploy_steps", "rescue_password", "disable_ramdisk", "service_steps", "runbook"];
    Put "nodes/{node}/states/raid" since RAID, "Set the RAID configuration to be made", body Body::Whole(&raid::SCHEMA);
    Put "nodes/{node}/states/boot_mode" since SET_BOOT_MODE, "Change the boot mode", succeeds &[202], named &["target"];
    Put "nodes/{node}/states/secure_boot" since SET_BOOT_MODE, "Switch secure boot", succeeds &[202], named &["target"];
    Get "nodes/{node}/states/console", "Show the console" => A::Shape(&small::CONSOLE);
    Put "nodes/{node}/states/console", "Switch the console", succeeds &[202], named &["enabled"];
    Get "nodes/{node}/management/boot_device", "Show the boot device" => A::Shape(&small::BOOT_DEVICE);
    Put "nodes/{node}/management/boot_device", "Set the boot device", named &["boot_device", "persistent"];
    Get "nodes/{node}/management/boot_device/supported", "List supported boot devices" => A::Shape(&small::BOOT_DEVICES);
    Put "nodes/{node}/management/inject_nmi" since INJECT_NMI, "Interrupt the machine";
    Get "nodes/{node}/management/indicators", "List indicators" => A::Shape(&small::INDICATORS);
    Get "nodes/{node}/management/indicators/{indicator}", "Show an indicator" => A::Shape(&small::INDICATOR);
    Put "nodes/{node}/management/indicators/{indicator}", "Switch an indicator", named &["state"];
    Get "nodes/{node}/traits" since TRAITS, "List the traits of a node" => A::Shape(&small::TRAITS);
    Put "nodes/{node}/traits" since TRAITS, "Replace all traits of a node", body Body::Whole(&trait_names::BODY);
    Delete "nodes/{node}/traits" since TRAITS, "Remove all traits of a node";
    Put "nodes/{node}/traits/{trait}" since TRAITS, "Add a trait to a node";
    Delete "nodes/{node}/traits/{trait}" since TRAITS, "Remove a trait from a node";
    Get "nodes/{node}/history" since NODE_HISTORY, "List what happened to a node" => A::Shape(&small::HISTORY), query &["limit", "marker", "sort_key", "sort_dir", "detail"];
    Get "nodes/{node}/history/{event}" since NODE_HISTORY, "Show one thing that happened to a node" => A::Shape(&small::HISTORY_ENTRY);
    Get "nodes/{node}/children" since PARENT_NODE, "List the children of a node" => A::Shape(&small::CHILDREN);
    Get "nodes/{node}/ports", "List the ports of a node" => A::Many("ports", "Port"), query other::PORT_LIST;
    Get "nodes/{node}/ports/detail", "List the ports of a node in full" => A::Many("ports", "Port"), query other::PORT_DETAIL;
    Get "nodes/{node}/portgroups" since PORTGROUP_LINKS, "List the port groups of a node" => A::Many("portgroups", "Portgroup"), query other::PORTGROUP_LIST;
    Get "nodes/{node}/portgroups/detail" since PORTGROUP_LINKS, "List the port groups of a node in full" => A::Many("portgroups", "Portgroup"), query other::PORTGROUP_DETAIL;
    Get "nodes/{node}/volume" since VOLUME, "Show where volumes are" => A::Shape(&small::VOLUME);
    Get "nodes/{node}/volume/connectors" since VOLUME, "List the volume connectors of a node" => A::Many("connectors", "VolumeConnector"), query other::VOLUME_LIST;
    Get "nodes/{node}/volume/targets" since VOLUME, "List the volume targets of a node" => A::Many("targets", "VolumeTarget"), query other::VOLUME_LIST;
    Get "nodes/{node}/bios" since BIOS, "List BIOS settings" => A::Many("bios", "BiosSetting"), query &["detail", "fields"];
    Get "nodes/{node}/bios/{setting}" since BIOS, "Show a BIOS setting" => A::Named("BiosSetting");
    Get "nodes/{node}/firmware" since FIRMWARE, "List firmware" => A::Many("firmware", "FirmwareComponent"), query &["detail", "fields"];
    Get "nodes/{node}/inventory" since NODE_INVENTORY, "Show what inspection found" => A::Shape(&small::INVENTORY);
};
