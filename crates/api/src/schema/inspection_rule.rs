//! The shape of an inspection rule in a body, and the arguments that its operators take.

use super::{Schema, Type};

/// An operator: its name, the arguments it needs in the order in which a list gives them, and those
/// it also takes.
pub(crate) type Operator = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// What a rule can do, in the order in which a refusal lists it.
pub(crate) const ACTIONS: &[Operator] = &[
    ("fail", &["msg"], &[]),
    ("log", &["msg"], &["level"]),
    ("set-attribute", &["path", "value"], &[]),
    ("extend-attribute", &["path", "value"], &["unique"]),
    ("del-attribute", &["path"], &[]),
    ("set-capability", &["name", "value"], &[]),
    ("unset-capability", &["name"], &[]),
    ("add-trait", &["name"], &[]),
    ("remove-trait", &["name"], &[]),
    ("set-plugin-data", &["path", "value"], &[]),
    ("extend-plugin-data", &["path", "value"], &["unique"]),
    ("unset-plugin-data", &["path"], &[]),
    ("set-port-attribute", &["port_id", "path", "value"], &[]),
    (
        "extend-port-attribute",
        &["port_id", "path", "value"],
        &["unique"],
    ),
    ("del-port-attribute", &["port_id", "path"], &[]),
    (
        "api-call",
        &["url"],
        &["headers", "proxies", "timeout", "retries", "backoff_factor"],
    ),
];

/// What a rule can ask; each also with `!` before it.
pub(crate) const CONDITIONS: &[Operator] = &[
    ("eq", &["values"], &["force_strings"]),
    ("lt", &["values"], &["force_strings"]),
    ("gt", &["values"], &["force_strings"]),
    ("is-empty", &["value"], &[]),
    ("in-net", &["address", "subnet"], &[]),
    ("matches", &["value", "regex"], &[]),
    ("contains", &["value", "regex"], &[]),
    ("one-of", &["value"], &["values"]),
    ("is-none", &["value"], &[]),
    ("is-true", &["value"], &[]),
    ("is-false", &["value"], &[]),
];

const ACTION_NAMES: &[&str] = &[
    "fail",
    "log",
    "set-attribute",
    "extend-attribute",
    "del-attribute",
    "set-capability",
    "unset-capability",
    "add-trait",
    "remove-trait",
    "set-plugin-data",
    "extend-plugin-data",
    "unset-plugin-data",
    "set-port-attribute",
    "extend-port-attribute",
    "del-port-attribute",
    "api-call",
];

const CONDITION_NAMES: &[&str] = &[
    "eq",
    "lt",
    "gt",
    "is-empty",
    "in-net",
    "matches",
    "contains",
    "one-of",
    "is-none",
    "is-true",
    "is-false",
    "!eq",
    "!lt",
    "!gt",
    "!is-empty",
    "!in-net",
    "!matches",
    "!contains",
    "!one-of",
    "!is-none",
    "!is-true",
    "!is-false",
];

const ARGS: Schema = Schema::of(&[Type::Array, Type::Object]);

const fn named(options: &'static [&'static str]) -> Schema {
    Schema {
        options,
        ..Schema::ANY
    }
}

const ACTION: Schema = Schema {
    types: &[Type::Object],
    properties: &[("op", named(ACTION_NAMES)), ("args", ARGS), ("loop", ARGS)],
    required: &["op", "args"],
    ..Schema::ANY
};

const CONDITION: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        ("op", named(CONDITION_NAMES)),
        ("args", ARGS),
        ("loop", ARGS),
        ("multiple", named(&["any", "all", "first", "last"])),
    ],
    required: &["op", "args"],
    ..Schema::ANY
};

/// Everything that a client may say about a rule.
pub(crate) const RULE: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "actions",
            Schema {
                types: &[Type::Array],
                items: Some(&ACTION),
                min_items: 1,
                ..Schema::ANY
            },
        ),
        (
            "conditions",
            Schema {
                types: &[Type::Array],
                items: Some(&CONDITION),
                ..Schema::ANY
            },
        ),
        (
            "description",
            Schema {
                types: &[Type::String, Type::Null],
                max_length: 255,
                ..Schema::ANY
            },
        ),
        ("phase", Schema::of(&[Type::String, Type::Null])),
        (
            "priority",
            Schema {
                types: &[Type::Integer],
                minimum: Some(0),
                ..Schema::ANY
            },
        ),
        ("sensitive", Schema::of(&[Type::Boolean, Type::Null])),
        ("uuid", Schema::of(&[Type::String, Type::Null])),
    ],
    required: &["actions"],
    closed: true,
    ..Schema::ANY
};

/// Which rule is tried on which node: a draft, a stored one, or all.
pub(crate) const TRIAL: Schema = Schema {
    types: &[Type::Object],
    properties: &[
        (
            "node",
            Schema {
                min_length: 1,
                max_length: 255,
                ..Schema::of(&[Type::String])
            },
        ),
        ("rule", RULE),
        (
            "uuid",
            Schema {
                min_length: 1,
                max_length: 255,
                ..Schema::of(&[Type::String])
            },
        ),
    ],
    required: &["node"],
    closed: true,
    ..Schema::ANY
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_arguments() {
        let actions: Vec<&str> = ACTIONS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(actions, ACTION_NAMES);
        let plain = CONDITIONS.iter().map(|(name, ..)| (*name).to_owned());
        let inverted = CONDITIONS.iter().map(|(name, ..)| format!("!{name}"));
        let conditions: Vec<String> = plain.chain(inverted).collect();
        assert_eq!(conditions, CONDITION_NAMES);
    }
}
