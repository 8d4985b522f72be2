//! Volume connectors and volume targets.

use super::super::fields::{CONNECTOR, TARGET};
use super::super::grammar::{
    Act, Argument, Command, Detail, Field, Filter, OnFailure, Step, Takes, option, place,
};
use super::{ATTRIBUTES, DETAIL, EXTRA, FIELDS, OPERATION, UUID, page, pairs};

const CONNECTOR_ID: Argument = place(
    "volume_connector",
    "<volume connector>",
    "UUID of the volume connector.",
);
const TARGET_ID: Argument = place(
    "volume_target",
    "<volume target>",
    "UUID of the volume target.",
);
const OWNER: Argument = option(
    &["-n", "--node"],
    "node_uuid",
    "<node>",
    "UUID of the node it belongs to.",
)
.required();
const OF_NODE: &[Argument] = &[option(
    &["-n", "--node"],
    "node",
    "<node>",
    "Only those of this node.",
)];

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "volume-connector-create",
        about: "Create a volume connector.",
        today: &["volume connector create"],
        arguments: &[&[
            EXTRA,
            OWNER,
            option(
                &["-t", "--type"],
                "type",
                "<type>",
                "iqn, ip, mac, wwnn or wwpn.",
            )
            .required()
            .one_of(&["iqn", "ip", "mac", "wwnn", "wwpn"]),
            option(
                &["-i", "--connector_id"],
                "connector_id",
                "<connector id>",
                "The node's name or address of that type.",
            )
            .required(),
            UUID,
        ]],
        act: Act::Create {
            kind: &CONNECTOR,
            fields: &[
                Field::Pairs("extra"),
                Field::Text("type"),
                Field::Text("connector_id"),
                Field::Text("node_uuid"),
                Field::Text("uuid"),
            ],
        },
    },
    Command {
        name: "volume-connector-delete",
        about: "Delete volume connectors.",
        today: &["volume connector delete"],
        arguments: &[&[CONNECTOR_ID.takes(Takes::Several)]],
        act: Act::Delete {
            kind: &CONNECTOR,
            ids: "volume_connector",
            on_failure: OnFailure::GoOn,
        },
    },
    Command {
        name: "volume-connector-list",
        about: "List volume connectors.",
        today: &["volume connector list"],
        arguments: &[DETAIL, OF_NODE, &page("<volume connector>"), FIELDS],
        act: Act::List {
            kind: &CONNECTOR,
            path: &[Step::Word("volume"), Step::Word("connectors")],
            detail: Detail::Query,
            filters: &[Filter::Text("node")],
        },
    },
    Command {
        name: "volume-connector-show",
        about: "Show a volume connector.",
        today: &["volume connector show"],
        arguments: &[
            &[place(
                "volume_connector",
                "<id>",
                "UUID of the volume connector.",
            )],
            FIELDS,
        ],
        act: Act::Show {
            kind: &CONNECTOR,
            id: "volume_connector",
            by: None,
        },
    },
    Command {
        name: "volume-connector-update",
        about: "Change a volume connector.",
        today: &["volume connector set", "volume connector unset"],
        arguments: &[&[CONNECTOR_ID, OPERATION, ATTRIBUTES]],
        act: Act::Update {
            kind: &CONNECTOR,
            id: "volume_connector",
        },
    },
    Command {
        name: "volume-target-create",
        about: "Create a volume target.",
        today: &["volume target create"],
        arguments: &[&[
            EXTRA,
            OWNER,
            option(
                &["-t", "--type"],
                "volume_type",
                "<volume type>",
                "How it is reached, such as iscsi or fibre_channel.",
            )
            .required(),
            pairs(
                &["-p", "--properties"],
                "properties",
                "Something needed to reach it; may be repeated.",
            ),
            option(
                &["-b", "--boot-index"],
                "boot_index",
                "<boot index>",
                "0 for the volume to boot from.",
            )
            .required(),
            option(
                &["-i", "--volume_id"],
                "volume_id",
                "<volume id>",
                "ID of the volume.",
            )
            .required(),
            UUID,
        ]],
        act: Act::Create {
            kind: &TARGET,
            fields: &[
                Field::Pairs("extra"),
                Field::Text("volume_type"),
                Field::Pairs("properties"),
                Field::Text("boot_index"),
                Field::Text("node_uuid"),
                Field::Text("volume_id"),
                Field::Text("uuid"),
            ],
        },
    },
    Command {
        name: "volume-target-delete",
        about: "Delete volume targets.",
        today: &["volume target delete"],
        arguments: &[&[TARGET_ID.takes(Takes::Several)]],
        act: Act::Delete {
            kind: &TARGET,
            ids: "volume_target",
            on_failure: OnFailure::GoOn,
        },
    },
    Command {
        name: "volume-target-list",
        about: "List volume targets.",
        today: &["volume target list"],
        arguments: &[DETAIL, OF_NODE, &page("<volume target>"), FIELDS],
        act: Act::List {
            kind: &TARGET,
            path: &[Step::Word("volume"), Step::Word("targets")],
            detail: Detail::Query,
            filters: &[Filter::Text("node")],
        },
    },
    Command {
        name: "volume-target-show",
        about: "Show a volume target.",
        today: &["volume target show"],
        arguments: &[
            &[place("volume_target", "<id>", "UUID of the volume target.")],
            FIELDS,
        ],
        act: Act::Show {
            kind: &TARGET,
            id: "volume_target",
            by: None,
        },
    },
    Command {
        name: "volume-target-update",
        about: "Change a volume target.",
        today: &["volume target set", "volume target unset"],
        arguments: &[&[TARGET_ID, OPERATION, ATTRIBUTES]],
        act: Act::Update {
            kind: &TARGET,
            id: "volume_target",
        },
    },
];
