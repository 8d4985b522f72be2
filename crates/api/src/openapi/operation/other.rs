//! Everything but nodes.

use super::{
    Answer as A, Body, FIELDS, FULL_PAGE, JSON, Operation, PAGE, SHOWN, account, care, craft,
    joined, node, operations, page, small,
};
use crate::{
    check::trait_names,
    schema,
    stream::EVENT_STREAM,
    v1::{allocation, chassis, deploy_template, event, runbook, volume},
};

pub(super) const PORT_DETAIL: &[&str] = joined!(
    PAGE,
    &[
        "address",
        "conductor_groups",
        "description_contains",
        "node",
        "node_uuid",
        "portgroup",
        "shard",
    ]
);
pub(super) const PORT_LIST: &[&str] = joined!(PORT_DETAIL, SHOWN);
pub(super) const PORTGROUP_DETAIL: &[&str] =
    joined!(PAGE, &["address", "conductor_groups", "node", "shard"]);
pub(super) const PORTGROUP_LIST: &[&str] = joined!(PORTGROUP_DETAIL, SHOWN);
pub(super) const VOLUME_LIST: &[&str] = joined!(FULL_PAGE, &["node"]);
const PAGE_OF_ALLOCATIONS: &[&str] = joined!(
    PAGE,
    &["fields", "node", "owner", "resource_class", "state"]
);
const PAGE_OF_RUNBOOKS: &[&str] = joined!(FULL_PAGE, &["project"]);
const PAGE_OF_RULES: &[&str] = joined!(FULL_PAGE, &["phase"]);

/// Where a query is not understood.
const WRONG_QUERY: &[(u16, &str, &schema::Schema)] =
    &[(400, "An argument cannot be used.", &page::WRONG_QUERY)];

/// Besides a batch that was made.
const BATCH_OR_NOT: &[(u16, &str, &schema::Schema)] = &[
    (200, "What it would do; nothing happened.", &page::DRY_RUN),
    (400, "An argument cannot be used.", &page::WRONG_QUERY),
];

pub(super) static OPERATIONS: &[Operation] = operations! {
    Get "", "Show the versions there are" => A::Shape(&small::ROOT), public true;
    Get "v1", "Show the resources there are" => A::Shape(&small::V1), public true;
    // Ports.
    Get "ports", "List ports" => A::Many("ports", "Port"), query PORT_LIST;
    Get "ports/detail", "List ports with all fields" => A::Many("ports", "Port"), query PORT_DETAIL;
    Post "ports", "Add a port" => A::One("Port"), body Body::Whole(&schema::port::PORT);
    Get "ports/{port}", "Show a port" => A::One("Port"), query FIELDS;
    Patch "ports/{port}", "Change a port" => A::One("Port");
    Delete "ports/{port}", "Remove a port";
    // Port groups.
    Get "portgroups" since PORTGROUPS, "List port groups" => A::Many("portgroups", "Portgroup"), query PORTGROUP_LIST;
    Get "portgroups/detail" since PORTGROUPS, "List port groups in full" => A::Many("portgroups", "Portgroup"), query PORTGROUP_DETAIL;
    Post "portgroups" since PORTGROUPS, "Add a port group" => A::One("Portgroup"), body Body::Whole(&schema::portgroup::PORTGROUP);
    Get "portgroups/{portgroup}" since PORTGROUPS, "Show a port group" => A::One("Portgroup"), query FIELDS;
    Patch "portgroups/{portgroup}" since PORTGROUPS, "Change a port group" => A::One("Portgroup");
    Delete "portgroups/{portgroup}" since PORTGROUPS, "Remove a port group";
    Get "portgroups/{portgroup}/ports" since PORTGROUP_LINKS, "List the ports of a group" => A::Many("ports", "Port"), query PORT_LIST;
    Get "portgroups/{portgroup}/ports/detail" since PORTGROUP_LINKS, "List the ports of a group in full" => A::Many("ports", "Port"), query PORT_DETAIL;
    // Chassis.
    Get "chassis", "List chassis" => A::Many("chassis", "Chassis"), query FULL_PAGE;
    Get "chassis/detail", "List chassis with all fields" => A::Many("chassis", "Chassis"), query PAGE;
    Post "chassis", "Add a chassis" => A::One("Chassis"), body Body::Whole(&chassis::SCHEMA);
    Get "chassis/{chassis}", "Show a chassis" => A::One("Chassis"), query FIELDS;
    Patch "chassis/{chassis}", "Change a chassis" => A::One("Chassis");
    Delete "chassis/{chassis}", "Remove a chassis";
    Get "chassis/{chassis}/nodes", "List the nodes of a chassis" => A::Many("nodes", "Node"), query node::LIST;
    Get "chassis/{chassis}/nodes/detail", "List the nodes of a chassis in full" => A::Many("nodes", "Node"), query node::DETAIL;
    // Drivers and conductors.
    Get "drivers", "List drivers" => A::Many("drivers", "Driver"), query &["type", "detail", "fields"];
    Get "drivers/{driver}", "Show a driver" => A::One("Driver"), query FIELDS;
    Get "drivers/{driver}/properties", "Show what driver_info may hold" => A::Shape(&small::ANY_OBJECT);
    Get "drivers/{driver}/raid/logical_disk_properties" since RAID, "Show what a logical disk may be asked for" => A::Shape(&small::ANY_OBJECT);
    Get "drivers/{driver}/vendor_passthru/methods", "List the methods of a driver" => A::Shape(&small::ANY_OBJECT);
    Get "drivers/{driver}/vendor_passthru/{method}", "Call a method of a driver" => A::Free, succeeds &[200, 202];
    Post "drivers/{driver}/vendor_passthru/{method}", "Call a method of a driver" => A::Free, body Body::Free, succeeds &[200, 202];
    Put "drivers/{driver}/vendor_passthru/{method}", "Call a method of a driver" => A::Free, body Body::Free, succeeds &[200, 202];
    Patch "drivers/{driver}/vendor_passthru/{method}", "Call a method of a driver" => A::Free, body Body::Free, succeeds &[200, 202];
    Delete "drivers/{driver}/vendor_passthru/{method}", "Call a method of a driver" => A::Free, body Body::Free, succeeds &[200, 202];
    Get "conductors" since CONDUCTORS, "List conductors" => A::Many("conductors", "Conductor"), query FULL_PAGE;
    Get "conductors/{conductor}" since CONDUCTORS, "Show a conductor" => A::One("Conductor"), query FIELDS;
    // Volumes.
    Get "volume" since VOLUME, "Show where volumes are" => A::Shape(&small::VOLUME);
    Get "volume/connectors" since VOLUME, "List volume connectors" => A::Many("connectors", "VolumeConnector"), query VOLUME_LIST;
    Post "volume/connectors" since VOLUME, "Add a volume connector" => A::One("VolumeConnector"), body Body::Whole(&volume::connector::SCHEMA);
    Get "volume/connectors/{connector}" since VOLUME, "Show a volume connector" => A::One("VolumeConnector"), query FIELDS;
    Patch "volume/connectors/{connector}" since VOLUME, "Change a volume connector" => A::One("VolumeConnector");
    Delete "volume/connectors/{connector}" since VOLUME, "Remove a volume connector";
    Get "volume/targets" since VOLUME, "List volume targets" => A::Many("targets", "VolumeTarget"), query VOLUME_LIST;
    Post "volume/targets" since VOLUME, "Add a volume target" => A::One("VolumeTarget"), body Body::Whole(&volume::target::SCHEMA);
    Get "volume/targets/{target}" since VOLUME, "Show a volume target" => A::One("VolumeTarget"), query FIELDS;
    Patch "volume/targets/{target}" since VOLUME, "Change a volume target" => A::One("VolumeTarget");
    Delete "volume/targets/{target}" since VOLUME, "Remove a volume target";
    // Deploy templates, runbooks and inspection rules.
    Get "deploy_templates" since DEPLOY_TEMPLATES, "List deploy templates" => A::Many("deploy_templates", "DeployTemplate"), query FULL_PAGE;
    Post "deploy_templates" since DEPLOY_TEMPLATES, "Add a deploy template" => A::One("DeployTemplate"), body Body::Whole(&deploy_template::SCHEMA);
    Get "deploy_templates/{template}" since DEPLOY_TEMPLATES, "Show a deploy template" => A::One("DeployTemplate"), query FIELDS;
    Patch "deploy_templates/{template}" since DEPLOY_TEMPLATES, "Change a deploy template" => A::One("DeployTemplate");
    Delete "deploy_templates/{template}" since DEPLOY_TEMPLATES, "Remove a deploy template";
    Get "runbooks" since RUNBOOKS, "List runbooks" => A::Many("runbooks", "Runbook"), query PAGE_OF_RUNBOOKS;
    Post "runbooks" since RUNBOOKS, "Add a runbook" => A::One("Runbook"), body Body::Whole(&runbook::SCHEMA);
    Get "runbooks/{runbook}" since RUNBOOKS, "Show a runbook" => A::One("Runbook"), query FIELDS;
    Patch "runbooks/{runbook}" since RUNBOOKS, "Change a runbook" => A::One("Runbook");
    Delete "runbooks/{runbook}" since RUNBOOKS, "Remove a runbook";
    Get "runbooks/{runbook}/traits" since RUNBOOK_TRAITS, "List the traits of a runbook" => A::Shape(&small::TRAITS);
    Put "runbooks/{runbook}/traits" since RUNBOOK_TRAITS, "Replace all traits of a runbook", body Body::Whole(&trait_names::BODY);
    Delete "runbooks/{runbook}/traits" since RUNBOOK_TRAITS, "Remove all traits of a runbook";
    Put "runbooks/{runbook}/traits/{trait}" since RUNBOOK_TRAITS, "Add a trait to a runbook";
    Delete "runbooks/{runbook}/traits/{trait}" since RUNBOOK_TRAITS, "Remove a trait from a runbook";
    Get "inspection_rules" since INSPECTION_RULES, "List inspection rules" => A::Many("inspection_rules", "InspectionRule"), query PAGE_OF_RULES;
    Post "inspection_rules" since INSPECTION_RULES, "Add an inspection rule" => A::One("InspectionRule"), body Body::Whole(&schema::inspection_rule::RULE);
    Get "inspection_rules/{rule}" since INSPECTION_RULES, "Show an inspection rule" => A::One("InspectionRule"), query FIELDS;
    Patch "inspection_rules/{rule}" since INSPECTION_RULES, "Change an inspection rule" => A::One("InspectionRule");
    Delete "inspection_rules/{rule}" since INSPECTION_RULES, "Remove an inspection rule";
    // Allocations.
    Get "allocations" since ALLOCATIONS, "List allocations" => A::Many("allocations", "Allocation"), query PAGE_OF_ALLOCATIONS;
    Post "allocations" since ALLOCATIONS, "Ask for a node" => A::One("Allocation"), body Body::Whole(&allocation::SCHEMA);
    Get "allocations/{allocation}" since ALLOCATIONS, "Show an allocation" => A::One("Allocation"), query FIELDS;
    Patch "allocations/{allocation}" since ALLOCATION_UPDATE, "Change an allocation" => A::One("Allocation");
    Delete "allocations/{allocation}" since ALLOCATIONS, "Give a node back";
    // The rest.
    Post "events" since EVENTS, "Report what happened elsewhere", body Body::Whole(&event::BODY), succeeds &[204];
    Get "shards" since SHARD, "List shards" => A::Shape(&small::SHARDS);
    Get "lookup" since RAMDISK_ENDPOINTS, "Find the node that a ramdisk runs on" => A::Shape(&small::LOOKUP), query &["addresses", "node_uuid"], public true;
    Post "heartbeat/{node}" since RAMDISK_ENDPOINTS, "Report that a ramdisk is there", named &["callback_url", "agent_version", "agent_token", "agent_verify_ca", "agent_status", "agent_status_message"], succeeds &[202], public true;
    Post "continue_inspection", "Report what a ramdisk found" => A::Shape(&small::ANY_OBJECT), body Body::Whole(&schema::inspection::DATA), query &["node_uuid"], succeeds &[202], public true;
    Get "corten/v1/events", "Follow what happens" => A::Shape(&small::EVENTS), query &["after", "limit", "wait", "node", "kind", "project"], special &[(410, "Too late.", &small::EVENTS_GONE)], media &[JSON, EVENT_STREAM];
    Get "corten/v1/metrics", "Show what Prometheus reads" => A::Free, media &["text/plain"];
    Get "corten/v1/status", "Show how the service fares" => A::Shape(&small::STATUS);
    Get "corten/v1/webhooks", "List the addresses that events are posted to" => A::Shape(&small::WEBHOOKS);
    Post "corten/v1/webhooks", "Have events posted to an address" => A::Shape(&small::WEBHOOK), body Body::Whole(&schema::webhook::WEBHOOK);
    Get "corten/v1/webhooks/{webhook}", "Show a webhook and how far it is" => A::Shape(&small::WEBHOOK);
    Patch "corten/v1/webhooks/{webhook}", "Change a webhook" => A::Shape(&small::WEBHOOK), body Body::Whole(&schema::webhook::CHANGES);
    Delete "corten/v1/webhooks/{webhook}", "Delete a webhook";
    Post "corten/v1/webhooks/{webhook}/test", "Post something that is no event, at once" => A::Shape(&small::WEBHOOK_TEST), succeeds &[200];
    Get "corten/v1/webhooks/{webhook}/dead-letters", "List what could not be delivered" => A::Shape(&small::DEAD_LETTERS), query &["after", "limit"];
    Post "corten/v1/webhooks/{webhook}/replay", "Deliver again", body Body::Whole(&schema::webhook::REPLAY), succeeds &[202], special &[(410, "The log does not reach back so far.", &small::FAULT)];
    Get "corten/v1/batches", "List the batches" => A::Shape(&page::BATCHES);
    Post "corten/v1/batches", "Do something with many nodes in waves, or show what that would do" => A::Shape(&page::BATCH), query &["dry_run"], body Body::Whole(&schema::batch::BATCH), special BATCH_OR_NOT;
    Get "corten/v1/batches/{batch}", "Show a batch and how far it is" => A::Shape(&page::BATCH);
    Delete "corten/v1/batches/{batch}", "Remove a batch that has ended";
    Get "corten/v1/batches/{batch}/nodes", "List the nodes of a batch and how each of them fares" => A::Shape(&page::BATCH_NODES), query &["state", "after", "limit"];
    Post "corten/v1/batches/{batch}/pause", "Begin with no more nodes until it is resumed", succeeds &[202];
    Post "corten/v1/batches/{batch}/resume", "Go on, also after failures", succeeds &[202];
    Post "corten/v1/batches/{batch}/abort", "Begin with no more nodes", succeeds &[202];
    Get "corten/v1/users", "List the local users" => A::Shape(&account::USERS);
    Post "corten/v1/users", "Add a local user" => A::Shape(&account::USER), body Body::Whole(&schema::account::USER);
    Get "corten/v1/users/{user}", "Show a local user with its groups and roles" => A::Shape(&account::USER_WITH_ROLES);
    Patch "corten/v1/users/{user}", "Change, enable or disable a local user" => A::Shape(&account::USER), body Body::Whole(&schema::account::USER_CHANGES);
    Delete "corten/v1/users/{user}", "Remove a local user with its roles and tokens";
    Put "corten/v1/users/{user}/password", "Give a local user another password", body Body::Whole(&schema::account::PASSWORD), succeeds &[204];
    Get "corten/v1/groups", "List the groups of local users" => A::Shape(&account::GROUPS);
    Post "corten/v1/groups", "Add a group" => A::Shape(&account::GROUP), body Body::Whole(&schema::account::GROUP);
    Get "corten/v1/groups/{group}", "Show a group, its members and its roles" => A::Shape(&account::GROUP_WITH_ROLES);
    Delete "corten/v1/groups/{group}", "Remove a group with its roles";
    Put "corten/v1/groups/{group}/members/{user}", "Put a user into a group", succeeds &[204];
    Delete "corten/v1/groups/{group}/members/{user}", "Take a user out of a group";
    Get "corten/v1/roles", "List who has which role where" => A::Shape(&account::ROLES);
    Put "corten/v1/roles", "Give a user or a group a role", body Body::Whole(&schema::account::ROLE), succeeds &[204];
    Delete "corten/v1/roles", "Take a role from a user or a group", query &["user", "group", "role", "project", "system"];
    Get "corten/v1/tokens", "List one's own tokens, or those of another user" => A::Shape(&account::TOKENS), query &["user", "all"];
    Post "corten/v1/tokens", "Make a token; its secret is shown once" => A::Shape(&account::NEW_TOKEN), body Body::Whole(&schema::account::TOKEN);
    Delete "corten/v1/tokens/{token}", "Revoke a token";
    Get "corten/v1/account-changes", "List what was done to users, groups, roles and tokens" => A::Shape(&account::CHANGES), query &["before", "limit"];
    Get "corten/v1/images", "List the images that are kept under names" => A::Shape(&small::IMAGES);
    Post "corten/v1/images", "Keep an image under a name: fetch it, or begin to send it" => A::Shape(&small::IMAGE), body Body::Whole(&schema::image::IMAGE);
    Get "corten/v1/images/{image}", "Show an image, the conductors that have it and the nodes that use it" => A::Shape(&small::IMAGE_WITH_COPIES);
    Delete "corten/v1/images/{image}", "Remove an image", query &["force"];
    Put "corten/v1/images/{image}/content", "Send a part of an image" => A::Shape(&small::IMAGE_PART), body Body::Whole(&schema::image::PART), succeeds &[200];
    Post "corten/v1/images/{image}/refresh", "Fetch an image again", succeeds &[202];
    Get "corten/v1/networks", "List the networks that the DHCP server gives addresses in" => A::Shape(&small::NETWORKS);
    Post "corten/v1/networks", "Have the DHCP server give addresses in a network" => A::Shape(&small::NETWORK), body Body::Whole(&schema::network::NETWORK);
    Get "corten/v1/networks/{network}", "Show a network" => A::Shape(&small::NETWORK);
    Patch "corten/v1/networks/{network}", "Change a network" => A::Shape(&small::NETWORK), body Body::Whole(&schema::network::CHANGES);
    Delete "corten/v1/networks/{network}", "Remove a network", query &["force"];
    Get "corten/v1/networks/{network}/reservations", "List the addresses that are kept for certain machines" => A::Shape(&small::RESERVATIONS), query &["limit", "marker"];
    Post "corten/v1/networks/{network}/reservations", "Keep an address for a machine" => A::Shape(&small::RESERVATION), body Body::Whole(&schema::network::RESERVATION);
    Delete "corten/v1/networks/{network}/reservations/{address}", "Keep an address for a machine no longer";
    Get "corten/v1/networks/{network}/leases", "List the leases of a network" => A::Shape(&small::LEASES), query &["limit", "marker"];
    Get "corten/v1/leases", "List the leases of all networks" => A::Shape(&small::LEASES), query &["limit", "marker"];
    Get "corten/v1/nodes/{node}/addresses", "Show where the machine can be reached" => A::Shape(&small::ADDRESSES);
    Get "corten/v1/nodes", "Search nodes" => A::Shape(&page::NODES), query &["q", "sort", "fields", "limit", "offset"], special WRONG_QUERY;
    Get "corten/v1/fleet", "Count nodes" => A::Shape(&page::FLEET), query &["by", "q"], special WRONG_QUERY;
    Get "corten/v1/fleet/map", "Show the state of every node as one letter" => A::Shape(&page::MAP_OF_FLEET), query &["by", "q"], special WRONG_QUERY;
    Get "corten/v1/failures", "Show what needs a person, by cause" => A::Shape(&page::FAILURES), query &["q"], special WRONG_QUERY;
    Get "corten/v1/me", "Show who is asking and what they may do" => A::Shape(&page::ME), query &["node"];
    Get "corten/v1/session", "Show what has to be shown to sign in" => A::Shape(&page::SESSION), public true;
    Post "corten/v1/session", "Sign in to the web page", body Body::Whole(&schema::session::SIGN_IN), succeeds &[204], public true;
    Delete "corten/v1/session", "Sign out", public true;
    Get "corten/v1/work", "Show the operations that run" => A::Shape(&page::WORK);
    Get "corten/v1/steps", "List the steps that can be asked for" => A::Shape(&craft::STEPS), query &["driver"];
    Get "corten/v1/inspection_rules/operators", "List what inspection rules can say" => A::Shape(&craft::OPERATORS);
    Post "corten/v1/inspection_rules/try", "Show what inspection rules would do to a node; nothing happens" => A::Shape(&craft::TRIAL), body Body::Whole(&schema::inspection_rule::TRIAL), succeeds &[200];
    Get "corten/v1/config", "Show the configuration, and where each value is from" => A::Shape(&craft::CONFIG);
    Get "corten/v1/shadow", "Show how answers compare with those of the Ironic whose copy this is" => A::Shape(&craft::SHADOW);
    Get "corten/v1/image-caches", "Show what conductors have in their caches of images" => A::Shape(&craft::IMAGE_CACHES), query &["conductor"];
    Get "corten/v1/boot", "Show what the boot services serve" => A::Shape(&craft::BOOT), query &["conductor", "q", "limit", "offset"];
    Get "corten/v1/nodes/{node}/diagnosis", "Show why a node is in its state, and what to do" => A::Shape(&page::DIAGNOSIS);
    Post "corten/v1/nodes/{node}/plan", "Show what a change of state would do; nothing happens" => A::Shape(&page::PLAN), named &["target", "configdrive", "clean_steps", "deploy_steps", "rescue_password", "disable_ramdisk", "service_steps", "runbook"], succeeds &[200];
    Post "corten/v1/nodes/{node}/bmc-password", "Replace the password of the machine's BMC account by a random one, which no answer contains", named &["length"], succeeds &[204];
    Get "corten/v1/nodes/{node}/boot-log", "Show how the machine boots" => A::Shape(&small::BOOT_LOG);
    Get "corten/v1/nodes/{node}/console", "Join the serial console by WebSocket", query &["mode", "take_over"], succeeds &[101], special &[(426, "Not a WebSocket.", &small::FAULT)];
    Get "corten/v1/nodes/{node}/screen", "See the screen by WebSocket, with the token of the graphical console", query &["token"], succeeds &[101], special &[(426, "Not a WebSocket.", &small::FAULT)], public true;
    Get "corten/v1/nodes/{node}/recorder", "Show what was said to the BMC" => A::Shape(&small::RECORDING);
    Get "corten/v1/nodes/{node}/sel", "Show the system event log of the machine's BMC" => A::Shape(&small::SEL);
    Delete "corten/v1/nodes/{node}/sel", "Empty the system event log of the machine's BMC";
    Get "corten/v1/nodes/{node}/sensors", "Read the sensors" => A::Shape(&small::SENSORS);
    Get "corten/v1/nodes/{node}/timeline", "Show what was done to the machine, and what is being waited for" => A::Shape(&small::TIMELINE), query &["limit"];
    Get "corten/v1/nodes/{node}/reports", "Show what burn-in tests of the machine showed" => A::Shape(&care::REPORTS), query &["before", "limit"];
    Get "corten/v1/nodes/{node}/certificates", "List how disks of the machine were erased, in signed documents, newest first" => A::Shape(&care::CERTIFICATES), query &["before", "limit"];
    Get "corten/v1/baselines", "List what firmware and BIOS settings machines are to have, by resource class" => A::Shape(&care::BASELINES);
    Get "corten/v1/baselines/{resource_class}", "Show the baseline of a resource class" => A::Shape(&care::BASELINE);
    Put "corten/v1/baselines/{resource_class}", "Store the baseline of a resource class, in place of the one that it may have" => A::Shape(&care::BASELINE), body Body::Whole(&schema::baseline::BASELINE), succeeds &[200];
    Delete "corten/v1/baselines/{resource_class}", "Remove the baseline of a resource class";
    Get "corten/v1/baselines/{resource_class}/report", "Compare what is stored of the machines of a resource class with its baseline" => A::Shape(&care::BASELINE_REPORT), query &["limit", "marker"];
    Get "corten/v1/certificates", "List the erase certificates of all machines, also of those that are gone" => A::Shape(&care::CERTIFICATES), query &["before", "limit", "node"];
    Get "corten/v1/certificates/{certificate}", "Show an erase certificate" => A::Shape(&care::CERTIFICATE);
    Get "corten/v1/certificate-keys", "Show the public keys that signatures of certificates are checked with" => A::Shape(&care::CERTIFICATE_KEYS);
    Post "corten/v1/agent/progress/{node}", "Tell how far an agent is", body Body::Whole(&schema::progress::PROGRESS), succeeds &[202], public true;
    Get "corten/v1/openapi.json", "Show this document" => A::Shape(&small::ANY_OBJECT), public true;
};
