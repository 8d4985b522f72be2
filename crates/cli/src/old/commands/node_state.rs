//! Nodes as machines: power, provisioning, boot devices, consoles, vendor methods.

use super::super::grammar::{Act, Argument, Command, Json, Step, Takes, Wrap, flag, option, place};
use super::{METHOD, NODE, pairs};

/// What a node can be asked to become, in the order in which the old client lists it.
const STATES: &[&str] = &[
    "active", "deleted", "rebuild", "inspect", "provide", "manage", "clean", "adopt", "abort",
    "rescue", "unrescue",
];

/// A command about a node whose answer is printed member by member.
const fn record(
    name: &'static str,
    about: &'static str,
    today: &'static [&'static str],
    path: &'static [Step],
) -> Command {
    Command {
        name,
        about,
        today,
        arguments: &[&[NODE]],
        act: Act::Record {
            path,
            title: "Value",
            wrap: Wrap::Default,
            json: Json::Obeyed,
        },
    }
}

const VIF: Argument = place(
    "vif_id",
    "<vif-id>",
    "Name or UUID of the virtual interface.",
);

pub(super) const COMMANDS: &[Command] = &[
    record(
        "node-get-boot-device",
        "Show what a node boots from.",
        &["node boot device show"],
        &[
            Step::Word("nodes"),
            Step::Of("node"),
            Step::Word("management"),
            Step::Word("boot_device"),
        ],
    ),
    record(
        "node-get-console",
        "Show how to reach the console of a node.",
        &["node console show"],
        &[
            Step::Word("nodes"),
            Step::Of("node"),
            Step::Word("states"),
            Step::Word("console"),
        ],
    ),
    Command {
        name: "node-get-supported-boot-devices",
        about: "Show what a node can boot from.",
        today: &["node boot device show --supported"],
        arguments: &[&[NODE]],
        act: Act::SupportedBootDevices,
    },
    Command {
        name: "node-get-vendor-passthru-methods",
        about: "List the vendor methods of a node.",
        today: &["node passthru list"],
        arguments: &[&[NODE]],
        act: Act::Methods {
            path: &[
                Step::Word("nodes"),
                Step::Of("node"),
                Step::Word("vendor_passthru"),
                Step::Word("methods"),
            ],
        },
    },
    Command {
        name: "node-inject-nmi",
        about: "Interrupt a node, so that its system dumps its memory.",
        today: &["node inject nmi"],
        arguments: &[&[NODE]],
        act: Act::InjectNmi,
    },
    Command {
        name: "node-set-boot-device",
        about: "Choose what a node boots from.",
        today: &["node boot device set"],
        arguments: &[&[
            NODE,
            place(
                "device",
                "<boot-device>",
                "pxe, disk, cdrom, bios, safe or wanboot.",
            )
            .one_of(&["pxe", "disk", "cdrom", "bios", "safe", "wanboot"]),
            flag(
                &["--persistent"],
                "persistent",
                "For every boot, and not only for the next.",
            ),
        ]],
        act: Act::SetBootDevice,
    },
    Command {
        name: "node-set-console-mode",
        about: "Start or stop the console of a node.",
        today: &["node console enable", "node console disable"],
        arguments: &[&[NODE, place("enabled", "<enabled>", "true or false.")]],
        act: Act::SetConsole,
    },
    Command {
        name: "node-set-maintenance",
        about: "Keep the service's hands off a node, or let it work again.",
        today: &["node maintenance set", "node maintenance unset"],
        arguments: &[&[
            NODE,
            place(
                "maintenance_mode",
                "<maintenance-mode>",
                "true or false; on or off.",
            ),
            option(
                &["--reason"],
                "reason",
                "<reason>",
                "Why; only with true.",
            ),
        ]],
        act: Act::SetMaintenance,
    },
    Command {
        name: "node-set-power-state",
        about: "Switch a node on or off, or reboot it.",
        today: &["node power on", "node power off", "node reboot"],
        arguments: &[&[
            NODE,
            place("power_state", "<power-state>", "on, off or reboot.")
                .one_of(&["on", "off", "reboot"]),
            flag(
                &["--soft"],
                "soft",
                "Ask its system to do so; only for off and reboot.",
            ),
            option(
                &["--power-timeout"],
                "power_timeout",
                "<power-timeout>",
                "Seconds after which it counts as failed.",
            )
            .integer(),
        ]],
        act: Act::SetPower,
    },
    Command {
        name: "node-set-provision-state",
        about: "Deploy a node, take it back, clean it, and so on.",
        today: &[
            "node deploy",
            "node undeploy",
            "node rebuild",
            "node inspect",
            "node provide",
            "node manage",
            "node clean",
            "node adopt",
            "node abort",
            "node rescue",
            "node unrescue",
        ],
        arguments: &[&[
            NODE,
            place(
                "provision_state",
                "<provision-state>",
                "active, deleted, rebuild, inspect, provide, manage, clean, adopt, abort, rescue or \
                 unrescue.",
            )
            .one_of(STATES),
            option(
                &["--config-drive"],
                "config_drive",
                "<config-drive>",
                "With 'active': a config drive in base64, a file with one, or a folder to make one of.",
            ),
            option(
                &["--clean-steps"],
                "clean_steps",
                "<clean-steps>",
                "With 'clean', which needs it: steps in JSON, a file with them, or - for the input.",
            ),
            option(
                &["--wait"],
                "wait_timeout",
                "WAIT_TIMEOUT",
                "Return when the node is there, or after this many seconds; 0 waits for ever.",
            )
            .integer()
            .takes(Takes::Perhaps),
        ]],
        act: Act::SetProvision,
    },
    Command {
        name: "node-set-target-raid-config",
        about: "Say how the disks of a node are to be joined.",
        today: &["node set --target-raid-config"],
        arguments: &[&[
            NODE,
            place(
                "target_raid_config",
                "<target-raid-config>",
                "JSON, a file with it, or - for the input; {} takes it back.",
            ),
        ]],
        act: Act::SetTargetRaid,
    },
    record(
        "node-show-states",
        "Show the states of a node.",
        &["node show"],
        &[Step::Word("nodes"), Step::Of("node"), Step::Word("states")],
    ),
    Command {
        name: "node-validate",
        about: "Show whether the interfaces of a node have what they need.",
        today: &["node validate"],
        arguments: &[&[NODE]],
        act: Act::Validate,
    },
    Command {
        name: "node-vendor-passthru",
        about: "Call a vendor method of a node.",
        today: &["node passthru call"],
        arguments: &[&[NODE], &METHOD],
        act: Act::Passthru {
            path: &[
                Step::Word("nodes"),
                Step::Of("node"),
                Step::Word("vendor_passthru"),
                Step::Of("method"),
            ],
        },
    },
    Command {
        name: "node-vif-attach",
        about: "Attach a virtual interface to a node.",
        today: &["node vif attach"],
        arguments: &[&[
            NODE,
            VIF,
            pairs(
                &["--vif-info"],
                "vif_info",
                "Something more to send with it, but no id; may be repeated.",
            ),
        ]],
        act: Act::VifAttach,
    },
    Command {
        name: "node-vif-detach",
        about: "Detach a virtual interface from a node.",
        today: &["node vif detach"],
        arguments: &[&[NODE, VIF]],
        act: Act::VifDetach,
    },
    Command {
        name: "node-vif-list",
        about: "List the virtual interfaces of a node.",
        today: &["node vif list"],
        arguments: &[&[NODE]],
        act: Act::VifList,
    },
];
