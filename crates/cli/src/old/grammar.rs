//! What a sub-command of the old client is made of, as data.
//!
//! The tables in [`super::commands`] are values of these types; parsing, usage, help and completion
//! read them and know no sub-command by name. The order of arguments is the one in which the old
//! client lists them in its usage line.

use super::fields::OldResource;

/// A sub-command.
pub(super) struct Command {
    pub(super) name: &'static str,
    pub(super) about: &'static str,
    /// The words after `corten` of the commands that do the same today.
    pub(super) today: &'static [&'static str],
    /// Groups, because many commands share some.
    pub(super) arguments: &'static [&'static [Argument]],
    pub(super) act: Act,
}

impl Command {
    pub(super) fn arguments(&self) -> impl Iterator<Item = &'static Argument> + use<> {
        self.arguments.iter().copied().flatten()
    }
}

/// What a sub-command asks the service for, and what it prints of the answer.
pub(super) enum Act {
    /// Many things of a kind, in a table with a column for each field.
    List {
        kind: &'static OldResource,
        path: &'static [Step],
        /// How to ask for all fields.
        detail: Detail,
        filters: &'static [Filter],
    },
    /// One thing, in a table with a line for each field.
    Show {
        kind: &'static OldResource,
        id: &'static str,
        /// A flag that makes the id one of another sort, and the filter that then finds the thing.
        by: Option<(&'static str, &'static str)>,
    },
    /// Makes a thing from the options that are fields of it.
    Create {
        kind: &'static OldResource,
        fields: &'static [Field],
    },
    Update {
        kind: &'static OldResource,
        id: &'static str,
    },
    Delete {
        kind: &'static OldResource,
        ids: &'static str,
        /// Whether the others are still deleted after one that cannot be.
        on_failure: OnFailure,
    },
    /// A document, with a line for each of its members.
    Record {
        path: &'static [Step],
        /// The title of the second column.
        title: &'static str,
        wrap: Wrap,
        json: Json,
    },
    Methods {
        path: &'static [Step],
    },
    Passthru {
        path: &'static [Step],
    },
    Drivers,
    Validate,
    SupportedBootDevices,
    SetBootDevice,
    SetConsole,
    SetMaintenance,
    SetPower,
    SetProvision,
    SetTargetRaid,
    InjectNmi,
    VifList,
    VifAttach,
    VifDetach,
    CreateFromFiles,
    Help,
    Completion,
    Version,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnFailure {
    GoOn,
    Stop,
}

/// Where the value of a line is wrapped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wrap {
    /// As everywhere.
    Default,
    /// Where an option says.
    Asked,
}

/// Whether `--json` changes what a command prints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Json {
    Obeyed,
    Ignored,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// By a segment at the end of the path.
    Segment,
    /// By a query.
    Query,
}

/// A segment of a path.
#[derive(Clone, Copy)]
pub(super) enum Step {
    Word(&'static str),
    /// The value of an argument.
    Of(&'static str),
}

/// A filter of a list: the option that asks for it has its name.
#[derive(Clone, Copy)]
pub(super) enum Filter {
    Text(&'static str),
    Truth(&'static str),
}

/// A field of a thing to be made: the option that sets it has its name.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Text(&'static str),
    /// Made of `key=value` pairs.
    Pairs(&'static str),
}

impl Field {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text(name) | Self::Pairs(name) => name,
        }
    }
}

/// An option, if it has names, or else an argument with a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Argument {
    pub(super) names: &'static [&'static str],
    /// What its value is called in this program, and in requests.
    pub(super) key: &'static str,
    pub(super) metavar: &'static str,
    pub(super) help: &'static str,
    pub(super) takes: Takes,
    pub(super) required: bool,
    pub(super) choices: &'static [&'static str],
    pub(super) integer: bool,
    /// A spelling that is only kept for old scripts, and the one to use.
    pub(super) instead: Option<&'static str>,
}

/// How many words belong to an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    One,
    /// One, and the option may be repeated.
    Each,
    /// One or none.
    Perhaps,
    Any,
    Several,
}

/// An argument with a place.
pub(super) const fn place(
    key: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Argument {
    Argument {
        names: &[],
        key,
        metavar,
        help,
        takes: Takes::One,
        required: true,
        choices: &[],
        integer: false,
        instead: None,
    }
}

/// An option with a value.
pub(super) const fn option(
    names: &'static [&'static str],
    key: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Argument {
    Argument {
        names,
        required: false,
        ..place(key, metavar, help)
    }
}

/// An option without one.
pub(super) const fn flag(
    names: &'static [&'static str],
    key: &'static str,
    help: &'static str,
) -> Argument {
    option(names, key, "", help).takes(Takes::Nothing)
}

/// Another spelling of an option, which no help mentions.
pub(super) const fn former(
    names: &'static [&'static str],
    key: &'static str,
    instead: &'static str,
) -> Argument {
    Argument {
        instead: Some(instead),
        ..option(names, key, "", "")
    }
}

impl Argument {
    pub(super) const fn takes(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }

    pub(super) const fn required(self) -> Self {
        Self {
            required: true,
            ..self
        }
    }

    pub(super) const fn integer(self) -> Self {
        Self {
            integer: true,
            ..self
        }
    }

    pub(super) const fn one_of(self, choices: &'static [&'static str]) -> Self {
        Self { choices, ..self }
    }

    pub(super) fn is_option(&self) -> bool {
        !self.names.is_empty()
    }

    /// How errors name it.
    pub(super) fn label(&self) -> String {
        match self.is_option() {
            true => self.names.join("/"),
            false => self.metavar.to_owned(),
        }
    }
}
