//! The fields a resource takes on `create`, `set` and `unset`, as tables.
//!
//! A node has some forty such fields, and each would otherwise appear in three argument structs,
//! a request body and two patches. Here a row says how a field is spelled on the command line for
//! each verb, and the options, the body and the patches are made from the rows.

use std::collections::BTreeMap;
use std::marker::PhantomData;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

use crate::error::Error;
use crate::input;
use crate::patch::{self, Operation};

/// A field and how each verb takes it.
#[derive(Debug)]
pub(crate) struct Attribute {
    /// Its name in the API.
    pub(crate) field: &'static str,
    /// Its option, without the dashes.
    pub(crate) option: &'static str,
    /// What the help calls its value.
    pub(crate) metavar: &'static str,
    pub(crate) create: Form,
    pub(crate) set: Form,
    pub(crate) unset: Form,
    /// What it is for.
    pub(crate) help: &'static str,
}

/// The shape of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The verb does not take the field.
    Absent,
    /// `--name VALUE`, sent as text.
    Text,
    /// `--name VALUE`, or the option named here to go back to the default.
    TextOrReset(&'static str),
    /// `--name true|false`.
    Boolean,
    /// `--extra key=value`, repeated.
    Pairs,
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

/// Which table and which verb an argument struct is about.
pub(crate) trait Table {
    const ATTRIBUTES: &'static [Attribute];
    const VERB: Verb;
}

/// What the command line said about the fields of a table.
#[derive(Debug)]
pub(crate) struct Chosen<T> {
    words: BTreeMap<&'static str, Words>,
    table: PhantomData<T>,
}

#[derive(Debug)]
enum Words {
    Given(Vec<String>),
    On,
    Off,
}

impl Attribute {
    fn form(&self, verb: Verb) -> Form {
        match verb {
            Verb::Create => self.create,
            Verb::Set => self.set,
            Verb::Unset => self.unset,
        }
    }
}

impl<T: Table> Chosen<T> {
    /// The body to create a resource with.
    pub(crate) fn body(&self) -> Result<Map<String, Value>, Error> {
        let mut body = Map::new();
        for (attribute, words) in self.given() {
            if let Some(value) = whole_value(attribute, T::VERB, words)? {
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
            match (attribute.form(T::VERB), words) {
                (Form::Clear, _) | (Form::TextOrReset(_), Words::Off) => {
                    patch.push(patch::remove(field));
                }
                (Form::SwitchOff, _) => patch.push(patch::add(field, Value::Bool(false))),
                (Form::Keys, Words::Given(keys)) => {
                    patch.extend(
                        keys.iter()
                            .map(|key| patch::remove(&format!("{field}/{key}"))),
                    );
                }
                (Form::Pairs, Words::Given(pairs)) => {
                    for word in pairs {
                        let (key, value) = patch::pair(word)?;
                        patch.push(patch::add(&format!("{field}/{key}"), value));
                    }
                }
                _ => {
                    if let Some(value) = whole_value(attribute, T::VERB, words)? {
                        patch.push(patch::add(field, value));
                    }
                }
            }
        }
        Ok(patch)
    }

    /// The text given for a field.
    pub(crate) fn text(&self, field: &str) -> Option<&str> {
        match self.words.get(field)? {
            Words::Given(words) => words.first().map(String::as_str),
            Words::On | Words::Off => None,
        }
    }

    fn given(&self) -> impl Iterator<Item = (&'static Attribute, &Words)> {
        let words = |attribute: &'static Attribute| {
            self.words
                .get(attribute.field)
                .map(|words| (attribute, words))
        };
        T::ATTRIBUTES.iter().filter_map(words)
    }
}

/// The value a field is given as a whole.
fn whole_value(attribute: &Attribute, verb: Verb, words: &Words) -> Result<Option<Value>, Error> {
    let words = match words {
        Words::On => return Ok(Some(Value::Bool(true))),
        Words::Off => return Ok(Some(Value::Bool(false))),
        Words::Given(words) => words,
    };
    let form = attribute.form(verb);
    if form == Form::Pairs {
        return Ok(Some(Value::Object(patch::object(words)?)));
    }
    let Some(word) = words.first() else {
        return Ok(None);
    };
    Ok(Some(match form {
        Form::Json => input::json(word, &attribute.field.replace('_', " "))?,
        Form::Boolean => Value::Bool(boolean(attribute.option, word)?),
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

/// The option that says the opposite of a switch, or undoes a choice. It also serves as its own
/// id: options have dashes, and fields have none.
fn opposite(form: Form) -> Option<&'static str> {
    match form {
        Form::TextOrReset(reset) => Some(reset),
        Form::Switch(off) => off,
        _ => None,
    }
}

impl<T: Table> clap::Args for Chosen<T> {
    fn augment_args(command: Command) -> Command {
        let mut command = command;
        for attribute in T::ATTRIBUTES {
            let form = attribute.form(T::VERB);
            let words = attribute.field.replace('_', " ");
            let arg = Arg::new(attribute.field).long(attribute.option);
            let arg = match form {
                Form::Absent => continue,
                Form::Text | Form::TextOrReset(_) | Form::Json => {
                    arg.value_name(attribute.metavar).help(attribute.help)
                }
                Form::Boolean => arg.value_name("BOOLEAN").help(attribute.help),
                Form::Pairs => arg
                    .value_name("KEY=VALUE")
                    .action(ArgAction::Append)
                    .help(format!("{} (repeat for more)", attribute.help)),
                Form::Keys => arg
                    .value_name("KEY")
                    .action(ArgAction::Append)
                    .help(format!("Unset this key of {words} (repeat for more)")),
                Form::Switch(_) => arg.action(ArgAction::SetTrue).help(attribute.help),
                Form::Clear | Form::SwitchOff => arg
                    .action(ArgAction::SetTrue)
                    .help(format!("Unset {words}")),
            };
            command = command.arg(arg);
            if let Some(option) = opposite(form) {
                let help = if matches!(form, Form::TextOrReset(_)) {
                    format!("Go back to the default {words}")
                } else {
                    format!("The opposite of --{}", attribute.option)
                };
                command = command.arg(
                    Arg::new(option)
                        .long(option)
                        .action(ArgAction::SetTrue)
                        .conflicts_with(attribute.field)
                        .help(help),
                );
            }
        }
        command
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<T: Table> clap::FromArgMatches for Chosen<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut words = BTreeMap::new();
        for attribute in T::ATTRIBUTES {
            let form = attribute.form(T::VERB);
            let switched = |id: &str| matches!(matches.try_get_one::<bool>(id), Ok(Some(true)));
            let found = match form {
                Form::Absent => None,
                Form::Switch(_) | Form::Clear | Form::SwitchOff => {
                    switched(attribute.field).then_some(Words::On)
                }
                _ => matches
                    .get_many::<String>(attribute.field)
                    .map(|values| Words::Given(values.cloned().collect())),
            };
            let undone = opposite(form).is_some_and(switched);
            if let Some(found) = found.or(undone.then_some(Words::Off)) {
                words.insert(attribute.field, found);
            }
        }
        Ok(Self {
            words,
            table: PhantomData,
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Args, FromArgMatches};
    use serde_json::json;

    const TABLE: &[Attribute] = &[
        Attribute {
            field: "name",
            option: "name",
            metavar: "NAME",
            create: Form::Text,
            set: Form::Text,
            unset: Form::Clear,
            help: "Name",
        },
        Attribute {
            field: "bios_interface",
            option: "bios-interface",
            metavar: "NAME",
            create: Form::Text,
            set: Form::TextOrReset("reset-bios-interface"),
            unset: Form::Clear,
            help: "BIOS",
        },
        Attribute {
            field: "properties",
            option: "property",
            metavar: "",
            create: Form::Pairs,
            set: Form::Pairs,
            unset: Form::Keys,
            help: "Properties",
        },
        Attribute {
            field: "automated_clean",
            option: "automated-clean",
            metavar: "",
            create: Form::Switch(Some("no-automated-clean")),
            set: Form::Switch(Some("no-automated-clean")),
            unset: Form::Clear,
            help: "Clean",
        },
        Attribute {
            field: "pxe_enabled",
            option: "pxe-enabled",
            metavar: "",
            create: Form::Boolean,
            set: Form::Switch(Some("pxe-disabled")),
            unset: Form::SwitchOff,
            help: "PXE",
        },
        Attribute {
            field: "network_data",
            option: "network-data",
            metavar: "JSON",
            create: Form::Json,
            set: Form::Json,
            unset: Form::Clear,
            help: "Network",
        },
    ];

    macro_rules! table {
        ($name:ident, $verb:ident) => {
            #[derive(Debug)]
            struct $name;
            impl Table for $name {
                const ATTRIBUTES: &'static [Attribute] = TABLE;
                const VERB: Verb = Verb::$verb;
            }
        };
    }
    table!(Creating, Create);
    table!(Setting, Set);
    table!(Unsetting, Unset);

    fn parse<T: Table>(line: &str) -> Result<Chosen<T>, clap::Error> {
        let command = Chosen::<T>::augment_args(Command::new("test"));
        let words = std::iter::once("test").chain(line.split_whitespace());
        Chosen::from_arg_matches(&command.try_get_matches_from(words)?)
    }

    #[test]
    fn a_body_holds_what_was_given_and_nothing_else() {
        let line = "--name 123 --property cpus=4 --property arch=arm64 --no-automated-clean \
                    --pxe-enabled no --network-data {\"links\":[]}";
        let body = parse::<Creating>(line).unwrap().body().unwrap();
        assert_eq!(
            Value::Object(body),
            json!({
                "name": "123",
                "properties": {"cpus": 4, "arch": "arm64"},
                "automated_clean": false,
                "pxe_enabled": false,
                "network_data": {"links": []},
            })
        );
        assert!(parse::<Creating>("").unwrap().body().unwrap().is_empty());
    }

    #[test]
    fn setting_adds_and_resetting_removes() {
        let line = "--name a --reset-bios-interface --property x/y=1 --property z={} \
                    --pxe-disabled --automated-clean";
        let patch = parse::<Setting>(line).unwrap().patch().unwrap();
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
        let patch = parse::<Unsetting>(line).unwrap().patch().unwrap();
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
        assert!(parse::<Setting>("--pxe-enabled --pxe-disabled").is_err());
        assert!(parse::<Setting>("--bios-interface x --reset-bios-interface").is_err());
        assert!(parse::<Unsetting>("--reset-bios-interface").is_err());
    }

    #[test]
    fn malformed_values_are_usage_errors() {
        let wrong = ["--pxe-enabled maybe", "--property cpus", "--network-data {"];
        for line in wrong {
            let error = parse::<Creating>(line).unwrap().body().unwrap_err();
            assert_eq!(error.exit_code(), 2, "{line}");
        }
    }
}
