//! Drivers.

use super::super::fields::DRIVER;
use super::super::grammar::{Act, Argument, Command, Json, Step, Wrap, option, place};
use super::{DETAIL, METHOD};

const NAME: Argument = place("driver_name", "<driver>", "Name of the driver.");
const WRAP: Argument = option(
    &["--wrap"],
    "wrap",
    "<integer>",
    "Wrap descriptions at this width; 0, the default, does not.",
)
.integer();

pub(super) const COMMANDS: &[Command] = &[
    Command {
        name: "driver-get-vendor-passthru-methods",
        about: "List the vendor methods of a driver.",
        today: &["driver passthru list"],
        arguments: &[&[NAME]],
        act: Act::Methods {
            path: &[
                Step::Word("drivers"),
                Step::Of("driver_name"),
                Step::Word("vendor_passthru"),
                Step::Word("methods"),
            ],
        },
    },
    Command {
        name: "driver-list",
        about: "List the drivers that are enabled.",
        today: &["driver list"],
        arguments: &[
            &[option(
                &["-t", "--type"],
                "type",
                "<type>",
                "Only classic drivers, or only dynamic ones.",
            )
            .one_of(&["classic", "dynamic"])],
            DETAIL,
        ],
        act: Act::Drivers,
    },
    Command {
        name: "driver-properties",
        about: "List what a driver can be told of a node.",
        today: &["driver property list"],
        arguments: &[&[NAME, WRAP]],
        act: Act::Record {
            path: &[
                Step::Word("drivers"),
                Step::Of("driver_name"),
                Step::Word("properties"),
            ],
            title: "Description",
            wrap: Wrap::Asked,
            json: Json::Obeyed,
        },
    },
    Command {
        name: "driver-raid-logical-disk-properties",
        about: "List what a driver can be told of a RAID volume.",
        today: &["driver raid property list"],
        arguments: &[&[NAME, WRAP]],
        act: Act::Record {
            path: &[
                Step::Word("drivers"),
                Step::Of("driver_name"),
                Step::Word("raid"),
                Step::Word("logical_disk_properties"),
            ],
            title: "Description",
            wrap: Wrap::Asked,
            json: Json::Ignored,
        },
    },
    Command {
        name: "driver-show",
        about: "Show a driver.",
        today: &["driver show"],
        arguments: &[&[NAME]],
        act: Act::Show {
            kind: &DRIVER,
            id: "driver_name",
            by: None,
        },
    },
    Command {
        name: "driver-vendor-passthru",
        about: "Call a vendor method of a driver.",
        today: &["driver passthru call"],
        arguments: &[&[NAME], &METHOD],
        act: Act::Passthru {
            path: &[
                Step::Word("drivers"),
                Step::Of("driver_name"),
                Step::Word("vendor_passthru"),
                Step::Of("method"),
            ],
        },
    },
];
