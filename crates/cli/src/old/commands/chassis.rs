//! Chassis.

use super::super::fields::{CHASSIS, NODE};
use super::super::grammar::{
    Act, Argument, Command, Detail, Field, Filter, OnFailure, Step, Takes, option, place,
};
use super::{
    ASSOCIATED, ATTRIBUTES, DETAIL, EXTRA, FIELDS, MAINTENANCE, OPERATION, PROVISION_STATE, UUID,
    page,
};

const ID: Argument = place("chassis", "<chassis>", "UUID of the chassis.");

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "chassis-create",
        about: "Create a chassis.",
        today: &["chassis create"],
        arguments: &[&[
            option(
                &["-d", "--description"],
                "description",
                "<description>",
                "What it is.",
            ),
            EXTRA,
            UUID,
        ]],
        act: Act::Create {
            kind: &CHASSIS,
            fields: &[
                Field::Text("description"),
                Field::Pairs("extra"),
                Field::Text("uuid"),
            ],
        },
    },
    Command {
        name: "chassis-delete",
        about: "Delete chassis.",
        today: &["chassis delete"],
        arguments: &[&[ID.takes(Takes::Several)]],
        act: Act::Delete {
            kind: &CHASSIS,
            ids: "chassis",
            on_failure: OnFailure::Stop,
        },
    },
    Command {
        name: "chassis-list",
        about: "List chassis.",
        today: &["chassis list"],
        arguments: &[DETAIL, &page("<chassis>"), FIELDS],
        act: Act::List {
            kind: &CHASSIS,
            path: &[Step::Word("chassis")],
            detail: Detail::Segment,
            filters: &[],
        },
    },
    Command {
        name: "chassis-node-list",
        about: "List the nodes of a chassis.",
        today: &["node list --chassis"],
        arguments: &[
            DETAIL,
            &page("<node>"),
            &[ID],
            FIELDS,
            &[MAINTENANCE, ASSOCIATED, PROVISION_STATE],
        ],
        act: Act::List {
            kind: &NODE,
            path: &[
                Step::Word("chassis"),
                Step::Of("chassis"),
                Step::Word("nodes"),
            ],
            detail: Detail::Segment,
            filters: &[
                Filter::Truth("associated"),
                Filter::Truth("maintenance"),
                Filter::Text("provision_state"),
            ],
        },
    },
    Command {
        name: "chassis-show",
        about: "Show a chassis.",
        today: &["chassis show"],
        arguments: &[&[ID], FIELDS],
        act: Act::Show {
            kind: &CHASSIS,
            id: "chassis",
            by: None,
        },
    },
    Command {
        name: "chassis-update",
        about: "Change a chassis.",
        today: &["chassis set", "chassis unset"],
        arguments: &[&[ID, OPERATION, ATTRIBUTES]],
        act: Act::Update {
            kind: &CHASSIS,
            id: "chassis",
        },
    },
];
