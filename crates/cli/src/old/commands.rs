//! Every sub-command of the old client: the 32 of the Liberty release and those that came until its
//! end.
//!
//! The order is the one in which the old client lists them. What a sub-command is called today
//! stands beside it, because that is the hint it prints.

mod chassis;
mod driver;
mod node;
mod node_state;
mod port;
mod volume;

use super::grammar::{Act, Argument, Command, Takes, flag, former, option, place};

/// All of them.
pub(super) fn all() -> Vec<&'static Command> {
    let mut nodes: Vec<&Command> = node::COMMANDS.iter().chain(node_state::COMMANDS).collect();
    nodes.sort_by_key(|command| command.name);
    let mut all: Vec<&Command> = chassis::COMMANDS.iter().collect();
    all.extend(nodes);
    let others = [
        port::COMMANDS,
        driver::COMMANDS,
        FILES,
        volume::COMMANDS,
        ABOUT,
    ];
    all.extend(others.into_iter().flatten());
    all
}

pub(super) fn find(name: &str) -> Option<&'static Command> {
    all().into_iter().find(|command| command.name == name)
}

const FILES: &[Command] = &[Command {
    name: "create",
    about: "Create the chassis, nodes, port groups and ports that files describe.",
    today: &["create"],
    arguments: &[&[place(
        "resource_files",
        "<file>",
        "File that ends in .yaml or .json; several may be named.",
    )
    .takes(Takes::Several)]],
    act: Act::CreateFromFiles,
}];

const ABOUT: &[Command] = &[
    Command {
        name: "bash-completion",
        about: "Print all words that a shell may complete.",
        today: &[],
        arguments: &[],
        act: Act::Completion,
    },
    Command {
        name: "help",
        about: "Print this help, or that of a sub-command.",
        today: &[],
        arguments: &[&[place("command", "<subcommand>", "The sub-command.").takes(Takes::Perhaps)]],
        act: Act::Help,
    },
];

/// All fields, instead of those a list has by itself.
const DETAIL: &[Argument] = &[flag(&["--detail"], "detail", "Show all fields.")];

/// Which fields.
const FIELDS: &[Argument] = &[option(
    &["--fields"],
    "fields",
    "<field>",
    "Ask for these fields only; put what else the command needs before it.",
)
.takes(Takes::Several)];

/// Which part of a list, and in which order.
const fn page(marker: &'static str) -> [Argument; 4] {
    [
        option(
            &["--limit"],
            "limit",
            "<limit>",
            "How many to show at most; 0 shows all. Without it, as many as the service gives at once.",
        )
        .integer(),
        option(
            &["--marker"],
            "marker",
            marker,
            "UUID of the last one already seen; the list goes on after it.",
        ),
        option(
            &["--sort-key"],
            "sort_key",
            "<field>",
            "Field to sort by, by its name or its heading.",
        ),
        option(
            &["--sort-dir"],
            "sort_dir",
            "<direction>",
            "asc, which is the default, or desc.",
        )
        .one_of(&["asc", "desc"]),
    ]
}

const MAINTENANCE: Argument = option(
    &["--maintenance"],
    "maintenance",
    "<boolean>",
    "Only nodes that are in maintenance, or with 'false' those that are not.",
);
const ASSOCIATED: Argument = option(
    &["--associated"],
    "associated",
    "<boolean>",
    "Only nodes with an instance, or with 'false' those without.",
);
const PROVISION_STATE: Argument = option(
    &["--provision-state"],
    "provision_state",
    "<provision-state>",
    "Only nodes in this state.",
);

const NODE: Argument = place("node", "<node>", "Name or UUID of the node.");

const OPERATION: Argument = place(
    "op",
    "<op>",
    "What to do with all attributes that follow: add, replace or remove.",
)
.one_of(&["add", "replace", "remove"]);

const ATTRIBUTES: Argument = place(
    "attributes",
    "<path=value>",
    "Attribute and value, the path alone for 'remove'; 'driver_info/a=1' reaches inside.",
)
.takes(Takes::Several);

const EXTRA: Argument = pairs(
    &["-e", "--extra"],
    "extra",
    "Something to remember with it; may be repeated.",
);
const UUID: Argument = option(
    &["-u", "--uuid"],
    "uuid",
    "<uuid>",
    "UUID, instead of one that the service chooses.",
);

/// An option of `key=value` pairs.
const fn pairs(names: &'static [&'static str], key: &'static str, help: &'static str) -> Argument {
    option(names, key, "<key=value>", help).takes(Takes::Each)
}

/// What a vendor method is called with.
const METHOD: [Argument; 4] = [
    place("method", "<method>", "Method to call."),
    place(
        "arguments",
        "<arg=value>",
        "Argument of the method; several may be given.",
    )
    .takes(Takes::Any),
    option(
        &["--http-method"],
        "http_method",
        "<http-method>",
        "POST, which is the default, PUT, GET, DELETE or PATCH.",
    )
    .one_of(&["POST", "PUT", "GET", "DELETE", "PATCH"]),
    former(&["--http_method"], "http_method", "--http-method"),
];

#[cfg(test)]
mod tests;
