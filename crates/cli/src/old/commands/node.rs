//! Nodes as records: making, listing, showing, changing them.
//!
//! With [`super::node_state`] these are all commands of nodes. The two lists are merged by name in
//! the help, as everything of nodes was.

use super::super::fields::NODE as KIND;
use super::super::fields::PORT;
use super::super::grammar::{
    Act, Argument, Command, Detail, Field, Filter, OnFailure, Step, Takes, flag, former, option,
    place,
};
use super::{
    ASSOCIATED, ATTRIBUTES, DETAIL, EXTRA, FIELDS, MAINTENANCE, NODE, OPERATION, PROVISION_STATE,
    page, pairs,
};

/// An interface of the driver, chosen for one node.
const fn interface(
    names: &'static [&'static str],
    key: &'static str,
    metavar: &'static str,
) -> Argument {
    option(
        names,
        key,
        metavar,
        "Interface of the node's hardware type to use instead of its default.",
    )
}

const CREATE: &[Argument] = &[
    option(
        &["-c", "--chassis"],
        "chassis_uuid",
        "<chassis>",
        "UUID of the chassis it is in.",
    ),
    former(&["--chassis_uuid"], "chassis_uuid", "--chassis"),
    option(
        &["-d", "--driver"],
        "driver",
        "<driver>",
        "Driver that the node is managed by.",
    )
    .required(),
    pairs(
        &["-i", "--driver-info"],
        "driver_info",
        "Something the driver needs, such as the address of the BMC; may be repeated.",
    ),
    former(&["--driver_info"], "driver_info", "--driver-info").takes(Takes::Each),
    pairs(
        &["-p", "--properties"],
        "properties",
        "Something about the machine, such as its memory, which schedulers look at; may be repeated.",
    ),
    EXTRA,
    option(
        &["-u", "--uuid"],
        "uuid",
        "<uuid>",
        "UUID, instead of one that the service chooses.",
    ),
    option(
        &["-n", "--name"],
        "name",
        "<name>",
        "Name, unlike all others.",
    ),
    interface(&["--boot-interface"], "boot_interface", "<boot-interface>"),
    interface(
        &["--console-interface"],
        "console_interface",
        "<console-interface>",
    ),
    interface(
        &["--deploy-interface"],
        "deploy_interface",
        "<deploy-interface>",
    ),
    interface(
        &["--inspect-interface"],
        "inspect_interface",
        "<inspect-interface>",
    ),
    interface(
        &["--management-interface"],
        "management_interface",
        "<management-interface>",
    ),
    interface(
        &["--network-interface"],
        "network_interface",
        "<network_interface>",
    ),
    interface(
        &["--power-interface"],
        "power_interface",
        "<power-interface>",
    ),
    interface(&["--raid-interface"], "raid_interface", "<raid-interface>"),
    interface(
        &["--storage-interface"],
        "storage_interface",
        "<storage-interface>",
    ),
    interface(
        &["--vendor-interface"],
        "vendor_interface",
        "<vendor-interface>",
    ),
    option(
        &["--resource-class"],
        "resource_class",
        "<resource_class>",
        "Class by which schedulers choose nodes.",
    ),
];

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "node-create",
        about: "Enroll a node.",
        today: &["node create"],
        arguments: &[CREATE],
        act: Act::Create {
            kind: &KIND,
            fields: &[
                Field::Text("chassis_uuid"),
                Field::Text("driver"),
                Field::Pairs("driver_info"),
                Field::Pairs("properties"),
                Field::Pairs("extra"),
                Field::Text("uuid"),
                Field::Text("name"),
                Field::Text("boot_interface"),
                Field::Text("console_interface"),
                Field::Text("deploy_interface"),
                Field::Text("inspect_interface"),
                Field::Text("management_interface"),
                Field::Text("network_interface"),
                Field::Text("power_interface"),
                Field::Text("raid_interface"),
                Field::Text("storage_interface"),
                Field::Text("vendor_interface"),
                Field::Text("resource_class"),
            ],
        },
    },
    Command {
        name: "node-delete",
        about: "Remove nodes from the service; says which could not be removed.",
        today: &["node delete"],
        arguments: &[&[NODE.takes(Takes::Several)]],
        act: Act::Delete {
            kind: &KIND,
            ids: "node",
            on_failure: OnFailure::GoOn,
        },
    },
    Command {
        name: "node-list",
        about: "List nodes.",
        today: &["node list"],
        arguments: &[
            &page("<node>"),
            &[
                MAINTENANCE,
                ASSOCIATED,
                PROVISION_STATE,
                option(
                    &["--driver"],
                    "driver",
                    "<driver>",
                    "Only nodes with this driver.",
                ),
            ],
            DETAIL,
            FIELDS,
            &[option(
                &["--resource-class"],
                "resource_class",
                "<resource class>",
                "Only nodes of this class.",
            )],
        ],
        act: Act::List {
            kind: &KIND,
            path: &[Step::Word("nodes")],
            detail: Detail::Segment,
            filters: &[
                Filter::Truth("associated"),
                Filter::Truth("maintenance"),
                Filter::Text("provision_state"),
                Filter::Text("driver"),
                Filter::Text("resource_class"),
            ],
        },
    },
    Command {
        name: "node-port-list",
        about: "List the ports of a node.",
        today: &["port list --node"],
        arguments: &[DETAIL, &page("<port>"), &[NODE], FIELDS],
        act: Act::List {
            kind: &PORT,
            path: &[Step::Word("nodes"), Step::Of("node"), Step::Word("ports")],
            detail: Detail::Segment,
            filters: &[],
        },
    },
    Command {
        name: "node-show",
        about: "Show a node.",
        today: &["node show"],
        arguments: &[
            &[
                place(
                    "node",
                    "<id>",
                    "Name or UUID of the node; UUID of its instance with --instance.",
                ),
                flag(
                    &["--instance"],
                    "instance_uuid",
                    "The id is that of an instance.",
                ),
            ],
            FIELDS,
        ],
        act: Act::Show {
            kind: &KIND,
            id: "node",
            by: Some(("instance_uuid", "instance_uuid")),
        },
    },
    Command {
        name: "node-update",
        about: "Change a node.",
        today: &["node set", "node unset"],
        arguments: &[&[NODE, OPERATION, ATTRIBUTES]],
        act: Act::Update {
            kind: &KIND,
            id: "node",
        },
    },
];
