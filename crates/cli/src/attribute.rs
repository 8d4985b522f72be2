//! The fields a resource takes on `create`, `set` and `unset`, as tables.
//!
//! A node has some forty such fields, and each would otherwise appear in three argument structs,
//! a request body and two patches. Here a row says how a field is spelled on the command line for
//! each verb, and the options, the body and the patches are made from the rows.

use std::collections::BTreeMap;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::input;
use crate::patch::{self, Operation};

/// A field and how each verb takes it.
#[derive(Debug)]
pub(crate) struct Attribute {
    /// Its name in the API.
    field: &'static str,
    /// Its option, without the dashes. A field may have two, for different verbs.
    option: &'static str,
    /// What the help calls its value.
    metavar: &'static str,
    create: Form,
    set: Form,
    unset: Form,
    /// What it is for.
    help: &'static str,
}

/// The shape of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The verb does not take the field.
    Absent,
    /// The verb cannot do without it.
    Required(&'static Form),
    /// A word without an option, which the verb cannot do without.
    Positional,
    /// `--name VALUE`, sent as text.
    Text,
    /// `--type VALUE`, one of these.
    OneOf(&'static [&'static str]),
    /// `--name VALUE`, or the option named here to go back to the default.
    TextOrReset(&'static str),
    /// `--boot-index NUMBER`.
    Number,
    /// `--name true|false`.
    Boolean,
    /// `--public [true|false]`.
    OptionalBoolean,
    /// `--extra key=value`, repeated.
    Pairs,
    /// `--trait NAME`, repeated.
    List,
    /// `--network-data JSON|FILE|-`.
    Json,
    /// `--protected`, and the option that says the opposite if there is one.
    Switch(Option<&'static str>),
    /// `--name` without a value: the field is removed.
    Clear,
    /// `--extra KEY`, repeated: members of the field are removed.
    Keys,
    /// `--is-smartnic` without a value: the field becomes false.
    SwitchOff,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verb {
    Create,
    Set,
    Unset,
}

/// A text that can be given at any time and taken away again.
pub(crate) const fn text(
    field: &'static str,
    option: &'static str,
    metavar: &'static str,
    help: &'static str,
) -> Attribute {
    Attribute {
        field,
        option,
        metavar,
        create: Form::Text,
        set: Form::Text,
        unset: Form::Clear,
        help,
    }
}

/// An object whose members are given one by one.
pub(crate) const fn pairs(
    field: &'static str,
    option: &'static str,
    help: &'static str,
) -> Attribute {
    text(field, option, "KEY=VALUE", help).forms(Form::Pairs, Form::Pairs, Form::Keys)
}

/// What most resources can carry.
pub(crate) const EXTRA: Attribute =
    pairs("extra", "extra", "Anything you want to remember about it");

/// The UUID to create a resource under.
pub(crate) const UUID: Attribute = text("uuid", "uuid", "UUID", "UUID to create it under").forms(
    Form::Text,
    Form::Absent,
    Form::Absent,
);

impl Attribute {
    /// The same with other forms for `create`, `set` and `unset`.
    pub(crate) const fn forms(mut self, create: Form, set: Form, unset: Form) -> Self {
        self.create = create;
        self.set = set;
        self.unset = unset;
        self
    }

    /// The form without whether it is required.
    fn form(&self, verb: Verb) -> Form {
        match self.stated_form(verb) {
            Form::Required(form) => *form,
            Form::Positional => Form::Text,
            form => form,
        }
    }

    fn stated_form(&self, verb: Verb) -> Form {
        match verb {
            Verb::Create => self.create,
            Verb::Set => self.set,
            Verb::Unset => self.unset,
        }
    }

    /// The argument for a verb.
    fn arg(&self, verb: Verb) -> Option<Arg> {
        let words = self.field.replace('_', " ");
        let stated = self.stated_form(verb);
        let positional = stated == Form::Positional;
        let arg = Arg::new(self.option).required(positional || matches!(stated, Form::Required(_)));
        let arg = if positional {
            arg
        } else {
            arg.long(self.option)
        };
        Some(match self.form(verb) {
            Form::Absent | Form::Required(_) | Form::Positional => return None,
            Form::Text | Form::TextOrReset(_) | Form::Json => {
                arg.value_name(self.metavar).help(self.help)
            }
            Form::OneOf(choices) => arg
                .value_name(self.metavar)
                .value_parser(clap::builder::PossibleValuesParser::new(choices))
                .help(self.help),
            // Checked when it is read: a negative number must not be taken for an option.
            Form::Number => arg
                .value_name(self.metavar)
                .allow_negative_numbers(true)
                .help(self.help),
            Form::Boolean => arg.value_name("BOOLEAN").help(self.help),
            Form::OptionalBoolean => arg
                .value_name("BOOLEAN")
                .num_args(0..=1)
                .default_missing_value("true")
                .help(self.help),
            Form::Pairs => arg
                .value_name("KEY=VALUE")
                .action(ArgAction::Append)
                .help(format!("{} (repeat for more)", self.help)),
            Form::List => arg
                .value_name(self.metavar)
                .action(ArgAction::Append)
                .help(format!("{} (repeat for more)", self.help)),
            Form::Keys => arg
                .value_name("KEY")
                .action(ArgAction::Append)
                .help(format!("Unset this key of {words} (repeat for more)")),
            Form::Switch(_) => arg.action(ArgAction::SetTrue).help(self.help),
            Form::Clear | Form::SwitchOff => arg
                .action(ArgAction::SetTrue)
                .help(format!("Unset {words}")),
        })
    }

    /// The argument that says the opposite of a switch, or undoes a choice.
    fn opposite(&self, verb: Verb) -> Option<Arg> {
        let option = opposite(self.form(verb))?;
        let help = if matches!(self.form(verb), Form::TextOrReset(_)) {
            format!("Go back to the default {}", self.field.replace('_', " "))
        } else {
            format!("The opposite of --{}", self.option)
        };
        Some(
            Arg::new(option)
                .long(option)
                .action(ArgAction::SetTrue)
                .conflicts_with(self.option)
                .help(help),
        )
    }
}

fn opposite(form: Form) -> Option<&'static str> {
    match form {
        Form::TextOrReset(reset) => Some(reset),
        Form::Switch(off) => off,
        _ => None,
    }
}

/// What the command line said about the fields of a table.
#[derive(Debug)]
pub(crate) struct Chosen {
    attributes: &'static [Attribute],
    verb: Verb,
    /// By option.
    words: BTreeMap<&'static str, OptionValue>,
}

#[derive(Debug)]
enum OptionValue {
    Given(Vec<String>),
    On,
    Off,
}

impl Chosen {
    /// Adds the options of a verb to a command.
    pub(crate) fn args(attributes: &'static [Attribute], verb: Verb, command: Command) -> Command {
        attributes.iter().fold(command, |command, attribute| {
            command
                .args(attribute.arg(verb))
                .args(attribute.opposite(verb))
        })
    }

    pub(crate) fn read(attributes: &'static [Attribute], verb: Verb, matches: &ArgMatches) -> Self {
        let mut words = BTreeMap::new();
        for attribute in attributes {
            let form = attribute.form(verb);
            let switched = |id: &str| matches!(matches.try_get_one::<bool>(id), Ok(Some(true)));
            let found = match form {
                Form::Absent => None,
                Form::Switch(_) | Form::Clear | Form::SwitchOff => {
                    switched(attribute.option).then_some(OptionValue::On)
                }
                _ => matches
                    .get_many::<String>(attribute.option)
                    .map(|values| OptionValue::Given(values.cloned().collect())),
            };
            let undone = opposite(form).is_some_and(switched);
            if let Some(found) = found.or(undone.then_some(OptionValue::Off)) {
                words.insert(attribute.option, found);
            }
        }
        Self {
            attributes,
            verb,
            words,
        }
    }

    /// The body to create a resource with.
    pub(crate) fn body(&self) -> Result<Map<String, Value>, Error> {
        let mut body = Map::new();
        for (attribute, words) in self.given() {
            if let Some(value) = whole_value(attribute, self.verb, words)? {
                body.insert(attribute.field.to_owned(), value);
            }
        }
        Ok(body)
    }

    /// The patch to change a resource with.
    pub(crate) fn patch(&self) -> Result<Vec<Operation>, Error> {
        let mut patch = Vec::new();
        for (attribute, words) in self.given() {
            let field = attribute.field;
            match (attribute.form(self.verb), words) {
                (Form::Clear, _) | (Form::TextOrReset(_), OptionValue::Off) => {
                    patch.push(patch::remove(field));
                }
                (Form::SwitchOff, _) => patch.push(patch::add(field, Value::Bool(false))),
                (Form::Keys, OptionValue::Given(keys)) => {
                    patch.extend(
                        keys.iter()
                            .map(|key| patch::remove(&format!("{field}/{key}"))),
                    );
                }
                (Form::Pairs, OptionValue::Given(pairs)) => {
                    for word in pairs {
                        let (key, value) = patch::pair(word)?;
                        patch.push(patch::add(&format!("{field}/{key}"), value));
                    }
                }
                _ => {
                    if let Some(value) = whole_value(attribute, self.verb, words)? {
                        patch.push(patch::add(field, value));
                    }
                }
            }
        }
        Ok(patch)
    }

    /// The text given for an option.
    pub(crate) fn text(&self, option: &str) -> Option<&str> {
        match self.words.get(option)? {
            OptionValue::Given(words) => words.first().map(String::as_str),
            OptionValue::On | OptionValue::Off => None,
        }
    }

    fn given(&self) -> impl Iterator<Item = (&'static Attribute, &OptionValue)> {
        let words = |attribute: &'static Attribute| {
            self.words
                .get(attribute.option)
                .map(|words| (attribute, words))
        };
        self.attributes.iter().filter_map(words)
    }
}

/// The value a field is given as a whole.
fn whole_value(
    attribute: &Attribute,
    verb: Verb,
    words: &OptionValue,
) -> Result<Option<Value>, Error> {
    let words = match words {
        OptionValue::On => return Ok(Some(Value::Bool(true))),
        OptionValue::Off => return Ok(Some(Value::Bool(false))),
        OptionValue::Given(words) => words,
    };
    let form = attribute.form(verb);
    if form == Form::Pairs {
        return Ok(Some(Value::Object(patch::object(words)?)));
    }
    if form == Form::List {
        return Ok(Some(words.as_slice().into()));
    }
    let Some(word) = words.first() else {
        return Ok(None);
    };
    Ok(Some(match form {
        Form::Json => input::json(word, &attribute.field.replace('_', " "))?,
        Form::Boolean | Form::OptionalBoolean => Value::Bool(boolean(attribute.option, word)?),
        Form::Number => Value::from(word.parse::<u32>().map_err(|_| {
            Error::usage(format!(
                "--{} is a number from 0 on, not '{word}'",
                attribute.option
            ))
        })?),
        _ => Value::String(word.clone()),
    }))
}

/// Truth as people write it; the service accepts the same words.
fn boolean(option: &str, word: &str) -> Result<bool, Error> {
    match word.to_lowercase().as_str() {
        "true" | "t" | "yes" | "y" | "on" | "1" => Ok(true),
        "false" | "f" | "no" | "n" | "off" | "0" => Ok(false),
        _ => Err(Error::usage(format!(
            "--{option} is true or false, not '{word}'"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const TABLE: &[Attribute] = &[
        text("name", "name", "NAME", "Name"),
        text("bios_interface", "bios-interface", "NAME", "BIOS").forms(
            Form::Text,
            Form::TextOrReset("reset-bios-interface"),
            Form::Clear,
        ),
        pairs("properties", "property", "Properties"),
        text("automated_clean", "automated-clean", "", "Clean").forms(
            Form::Switch(Some("no-automated-clean")),
            Form::Switch(Some("no-automated-clean")),
            Form::Clear,
        ),
        text("pxe_enabled", "pxe-enabled", "", "PXE").forms(
            Form::Boolean,
            Form::Switch(Some("pxe-disabled")),
            Form::SwitchOff,
        ),
        text("network_data", "network-data", "JSON", "Network").forms(
            Form::Json,
            Form::Json,
            Form::Clear,
        ),
        text("boot_index", "boot-index", "N", "Index").forms(
            Form::Number,
            Form::Number,
            Form::Absent,
        ),
        text("traits", "trait", "TRAIT", "Traits").forms(Form::List, Form::Absent, Form::Absent),
        text("public", "public", "", "Public").forms(
            Form::OptionalBoolean,
            Form::OptionalBoolean,
            Form::Clear,
        ),
    ];

    fn parse(verb: Verb, line: &str) -> Result<Chosen, clap::Error> {
        let command = Chosen::args(TABLE, verb, Command::new("test"));
        let words = std::iter::once("test").chain(line.split_whitespace());
        Ok(Chosen::read(
            TABLE,
            verb,
            &command.try_get_matches_from(words)?,
        ))
    }

    #[test]
    fn a_body_holds_what_was_given_and_nothing_else() {
        let line = "--name 123 --property cpus=4 --property arch=arm64 --no-automated-clean \
                    --pxe-enabled no --network-data {\"links\":[]} --boot-index 2 --trait A \
                    --trait B --public";
        let body = parse(Verb::Create, line).unwrap().body().unwrap();
        assert_eq!(
            Value::Object(body),
            json!({
                "name": "123",
                "properties": {"cpus": 4, "arch": "arm64"},
                "automated_clean": false,
                "pxe_enabled": false,
                "network_data": {"links": []},
                "boot_index": 2,
                "traits": ["A", "B"],
                "public": true,
            })
        );
        assert!(parse(Verb::Create, "").unwrap().body().unwrap().is_empty());
    }

    #[test]
    fn setting_adds_and_resetting_removes() {
        let line = "--name a --reset-bios-interface --property x/y=1 --property z={} \
                    --pxe-disabled --automated-clean";
        let patch = parse(Verb::Set, line).unwrap().patch().unwrap();
        assert_eq!(
            Value::Array(patch),
            json!([
                {"op": "add", "path": "/name", "value": "a"},
                {"op": "remove", "path": "/bios_interface"},
                {"op": "add", "path": "/properties/x/y", "value": 1},
                {"op": "add", "path": "/properties/z", "value": {}},
                {"op": "add", "path": "/automated_clean", "value": true},
                {"op": "add", "path": "/pxe_enabled", "value": false},
            ])
        );
    }

    #[test]
    fn unsetting_removes_fields_and_members() {
        let line = "--name --property a --property b/c --automated-clean --pxe-enabled";
        let patch = parse(Verb::Unset, line).unwrap().patch().unwrap();
        assert_eq!(
            Value::Array(patch),
            json!([
                {"op": "remove", "path": "/name"},
                {"op": "remove", "path": "/properties/a"},
                {"op": "remove", "path": "/properties/b/c"},
                {"op": "remove", "path": "/automated_clean"},
                {"op": "add", "path": "/pxe_enabled", "value": false},
            ])
        );
    }

    #[test]
    fn opposites_exclude_each_other() {
        assert!(parse(Verb::Set, "--pxe-enabled --pxe-disabled").is_err());
        assert!(parse(Verb::Set, "--bios-interface x --reset-bios-interface").is_err());
        assert!(parse(Verb::Unset, "--reset-bios-interface").is_err());
    }

    #[test]
    fn malformed_values_are_usage_errors() {
        let wrong = [
            "--pxe-enabled maybe",
            "--property cpus",
            "--network-data {",
            "--boot-index -1",
            "--public perhaps",
        ];
        for line in wrong {
            let error = parse(Verb::Create, line).unwrap().body().unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
