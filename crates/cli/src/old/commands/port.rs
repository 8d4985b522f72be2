//! Ports and groups of them.

use super::super::fields::{PORT, PORTGROUP};
use super::super::grammar::{
    Act, Argument, Command, Detail, Field, Filter, OnFailure, Step, Takes, flag, option, place,
};
use super::{ATTRIBUTES, DETAIL, EXTRA, FIELDS, OPERATION, UUID, page, pairs};

const ID: Argument = place("port", "<port>", "UUID of the port.");
const GROUP: Argument = place(
    "portgroup",
    "<portgroup>",
    "Name or UUID of the port group.",
);
const BY_ADDRESS: Argument = flag(
    &["--address"],
    "address",
    "The id is a MAC address and not a UUID.",
);

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "port-create",
        about: "Create a port.",
        today: &["port create"],
        arguments: &[&[
            option(
                &["-a", "--address"],
                "address",
                "<address>",
                "MAC address of the port.",
            )
            .required(),
            option(
                &["-n", "--node", "--node_uuid"],
                "node_uuid",
                "<node>",
                "UUID of the node it belongs to.",
            )
            .required(),
            pairs(
                &["-l", "--local-link-connection"],
                "local_link_connection",
                "Where it is plugged in: switch_id, port_id and switch_info; may be repeated.",
            ),
            option(
                &["--portgroup"],
                "portgroup_uuid",
                "<portgroup>",
                "UUID of the group it belongs to.",
            ),
            option(
                &["--pxe-enabled"],
                "pxe_enabled",
                "<boolean>",
                "Whether the node boots from the network by it.",
            ),
            option(
                &["--physical-network"],
                "physical_network",
                "<physical network>",
                "Physical network it is in.",
            ),
            EXTRA,
            UUID,
        ]],
        act: Act::Create {
            kind: &PORT,
            fields: &[
                Field::Text("address"),
                Field::Pairs("extra"),
                Field::Text("node_uuid"),
                Field::Text("uuid"),
                Field::Pairs("local_link_connection"),
                Field::Text("portgroup_uuid"),
                Field::Text("pxe_enabled"),
                Field::Text("physical_network"),
            ],
        },
    },
    Command {
        name: "port-delete",
        about: "Delete ports.",
        today: &["port delete"],
        arguments: &[&[ID.takes(Takes::Several)]],
        act: Act::Delete {
            kind: &PORT,
            ids: "port",
            on_failure: OnFailure::GoOn,
        },
    },
    Command {
        name: "port-list",
        about: "List ports.",
        today: &["port list"],
        arguments: &[
            DETAIL,
            &[option(
                &["--address"],
                "address",
                "<mac-address>",
                "Only the port with this MAC address.",
            )],
            &page("<port>"),
            FIELDS,
        ],
        act: Act::List {
            kind: &PORT,
            path: &[Step::Word("ports")],
            detail: Detail::Segment,
            filters: &[Filter::Text("address")],
        },
    },
    Command {
        name: "port-show",
        about: "Show a port.",
        today: &["port show"],
        arguments: &[
            &[
                place(
                    "port",
                    "<id>",
                    "UUID of the port, or its MAC address with --address.",
                ),
                BY_ADDRESS,
            ],
            FIELDS,
        ],
        act: Act::Show {
            kind: &PORT,
            id: "port",
            by: Some(("address", "address")),
        },
    },
    Command {
        name: "port-update",
        about: "Change a port.",
        today: &["port set", "port unset"],
        arguments: &[&[ID, OPERATION, ATTRIBUTES]],
        act: Act::Update {
            kind: &PORT,
            id: "port",
        },
    },
    Command {
        name: "portgroup-create",
        about: "Create a port group.",
        today: &["port group create"],
        arguments: &[&[
            option(
                &["-a", "--address"],
                "address",
                "<address>",
                "MAC address of the group.",
            ),
            option(
                &["-n", "--node"],
                "node_uuid",
                "<node>",
                "UUID of the node it belongs to.",
            )
            .required(),
            option(&["--name"], "name", "<name>", "Name of the group."),
            EXTRA,
            option(
                &["--standalone-ports-supported"],
                "standalone_ports_supported",
                "<boolean>",
                "Whether its ports may be used one by one.",
            ),
            UUID,
            option(
                &["-m", "--mode"],
                "mode",
                "<mode>",
                "How the ports are bonded, by the names of Linux.",
            ),
            pairs(
                &["-p", "--properties"],
                "properties",
                "A setting of the bond; may be repeated.",
            ),
        ]],
        act: Act::Create {
            kind: &PORTGROUP,
            fields: &[
                Field::Text("address"),
                Field::Pairs("extra"),
                Field::Text("node_uuid"),
                Field::Text("name"),
                Field::Text("uuid"),
                Field::Text("standalone_ports_supported"),
                Field::Text("mode"),
                Field::Pairs("properties"),
            ],
        },
    },
    Command {
        name: "portgroup-delete",
        about: "Delete port groups.",
        today: &["port group delete"],
        arguments: &[&[GROUP.takes(Takes::Several)]],
        act: Act::Delete {
            kind: &PORTGROUP,
            ids: "portgroup",
            on_failure: OnFailure::GoOn,
        },
    },
    Command {
        name: "portgroup-list",
        about: "List port groups.",
        today: &["port group list"],
        arguments: &[
            DETAIL,
            &[
                option(
                    &["-n", "--node"],
                    "node",
                    "<node>",
                    "Only the groups of this node.",
                ),
                option(
                    &["-a", "--address"],
                    "address",
                    "<mac-address>",
                    "Only the group with this MAC address.",
                ),
            ],
            &page("<portgroup>"),
            FIELDS,
        ],
        act: Act::List {
            kind: &PORTGROUP,
            path: &[Step::Word("portgroups")],
            detail: Detail::Segment,
            filters: &[Filter::Text("address"), Filter::Text("node")],
        },
    },
    Command {
        name: "portgroup-port-list",
        about: "List the ports of a port group.",
        today: &["port list --port-group"],
        arguments: &[DETAIL, &page("<port>"), &[GROUP], FIELDS],
        act: Act::List {
            kind: &PORT,
            path: &[
                Step::Word("portgroups"),
                Step::Of("portgroup"),
                Step::Word("ports"),
            ],
            detail: Detail::Segment,
            filters: &[],
        },
    },
    Command {
        name: "portgroup-show",
        about: "Show a port group.",
        today: &["port group show"],
        arguments: &[
            &[
                place(
                    "portgroup",
                    "<id>",
                    "Name or UUID of the port group, or its MAC address with --address.",
                ),
                BY_ADDRESS,
            ],
            FIELDS,
        ],
        act: Act::Show {
            kind: &PORTGROUP,
            id: "portgroup",
            by: Some(("address", "address")),
        },
    },
    Command {
        name: "portgroup-update",
        about: "Change a port group.",
        today: &["port group set", "port group unset"],
        arguments: &[&[GROUP, OPERATION, ATTRIBUTES]],
        act: Act::Update {
            kind: &PORTGROUP,
            id: "portgroup",
        },
    },
];
