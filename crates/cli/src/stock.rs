//! Every command of the stock client exists here, with every option, and each takes as many words.
//!
//! The table is made by `tests/clients/stock-commands.py` and is not edited by hand. What is left
//! out on purpose stands in [`ABSENT`] with its reason.

use std::collections::BTreeMap;

use clap::{Arg, Command, Subcommand};

const TABLE: &str = include_str!("stock_commands.tsv");

/// Commands and options that do not exist here: the words of the command, the option (nothing for
/// the command itself), and why.
const ABSENT: &[(&str, &str, &str)] = &[];

/// Commands of our own.
const OURS: &[&str] = &[
    "apply",
    "baseline check",
    "baseline list",
    "baseline rm",
    "baseline set",
    "baseline show",
    "batch abort",
    "batch create",
    "batch list",
    "batch nodes",
    "batch pause",
    "batch resume",
    "batch rm",
    "batch show",
    "batch watch",
    "boot",
    "certificate keys",
    "certificate list",
    "certificate show",
    "certificate verify",
    "events",
    "fleet counts",
    "fleet failures",
    "fleet map",
    "group add",
    "group join",
    "group leave",
    "group list",
    "group rm",
    "group show",
    "image add",
    "image cache",
    "image catalogue",
    "image list",
    "image refresh",
    "image rm",
    "image show",
    "inspection rule operators",
    "inspection rule try",
    "me",
    "network add",
    "network leases",
    "network list",
    "network release",
    "network reservations",
    "network reserve",
    "network rm",
    "network set",
    "network show",
    "node boot-log",
    "node certificate",
    "node console",
    "node enrol",
    "node explain",
    "node hardware",
    "node inventory show",
    "node plan",
    "node recorder export",
    "node recorder show",
    "node report",
    "node rotate-password",
    "node sel clear",
    "node sel list",
    "node sensors",
    "node timeline",
    "node watch",
    "role grant",
    "role list",
    "role revoke",
    "settings",
    "status",
    "step list",
    "token create",
    "token list",
    "token revoke",
    "user add",
    "user changes",
    "user disable",
    "user enable",
    "user list",
    "user passwd",
    "user rm",
    "user show",
    "webhook create",
    "webhook dead-letters",
    "webhook delete",
    "webhook list",
    "webhook replay",
    "webhook set",
    "webhook show",
    "webhook test",
    "work",
];

struct Stock {
    words: &'static str,
    prints: &'static str,
    positionals: Vec<&'static str>,
    /// By name, with how many words each takes.
    options: BTreeMap<&'static str, &'static str>,
}

fn stock() -> Vec<Stock> {
    let lines = TABLE.lines().filter(|line| !line.starts_with('#'));
    let commands = lines.map(|line| {
        let mut cells = line.split('\t');
        let mut cell = || cells.next().unwrap();
        Stock {
            words: cell(),
            prints: cell(),
            positionals: cell().split_whitespace().map(shape).collect(),
            options: cell()
                .split_whitespace()
                .map(|option| (option.split('=').next().unwrap(), shape(option)))
                .collect(),
        }
    });
    commands.collect()
}

fn shape(word: &str) -> &str {
    word.find('=').map_or("", |at| &word[at..])
}

/// How many words an argument of ours takes, in the same signs.
fn our_shape(arg: &Arg) -> &'static str {
    let range = arg.get_num_args().unwrap();
    // Several values in one word, with commas between them, are one word.
    let repeated =
        matches!(arg.get_action(), clap::ArgAction::Append) && arg.get_value_delimiter().is_none();
    match (range.min_values(), range.max_values()) {
        (0, 0) => "",
        (0, 1) => "=?",
        (_, 1) if !repeated => "=",
        _ => "=+",
    }
}

fn tree() -> Command {
    let mut tree = crate::Command::augment_subcommands(Command::new("corten"));
    tree.build();
    tree
}

fn find<'a>(tree: &'a Command, words: &str) -> Option<&'a Command> {
    words
        .split(' ')
        .try_fold(tree, |command, word| command.find_subcommand(word))
}

fn absent(words: &str, option: &str) -> bool {
    ABSENT
        .iter()
        .any(|(command, name, _)| *command == words && (name.is_empty() || *name == option))
}

#[test]
fn every_command_takes_what_the_stock_client_takes() {
    let tree = tree();
    let mut wrong = Vec::new();
    let commands = stock();
    assert!(commands.len() > 100, "the table has been read");
    for stock in &commands {
        let words = stock.words;
        if absent(words, "") {
            continue;
        }
        let Some(command) = find(&tree, words) else {
            wrong.push(format!("{words} is missing"));
            continue;
        };
        let positionals: Vec<&str> = command.get_positionals().map(our_shape).collect();
        if positionals != stock.positionals {
            wrong.push(format!(
                "{words}: {positionals:?} instead of {:?}",
                stock.positionals
            ));
        }
        for (&option, &takes) in &stock.options {
            let ours = command.get_arguments().find(|arg| {
                let long = option.strip_prefix("--");
                let longs = arg.get_long_and_visible_aliases().unwrap_or_default();
                let short = arg.get_short().map(|letter| format!("-{letter}"));
                long.is_some_and(|long| longs.contains(&long)) || short.as_deref() == Some(option)
            });
            match ours {
                None if absent(words, option) => {}
                None => wrong.push(format!("{words} {option} is missing")),
                Some(arg) if our_shape(arg) != takes => {
                    wrong.push(format!(
                        "{words} {option}{} instead of {takes}",
                        our_shape(arg)
                    ));
                }
                Some(_) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_command_prints_in_the_stock_clients_formats() {
    let tree = tree();
    for stock in stock() {
        let Some(command) = find(&tree, stock.words) else {
            continue;
        };
        let format = command
            .get_arguments()
            .find(|arg| arg.get_long() == Some("format"));
        let mut formats: Vec<String> = format
            .into_iter()
            .flat_map(Arg::get_possible_values)
            .map(|value| value.get_name().to_owned())
            .collect();
        formats.sort();
        let expected: &[&str] = match stock.prints {
            "list" => &["csv", "json", "table", "value", "yaml"],
            "show" => &["json", "shell", "table", "value", "yaml"],
            _ => &[],
        };
        assert_eq!(formats, expected, "{}", stock.words);
    }
}

#[test]
fn there_is_nothing_else() {
    let stock = stock();
    let unknown = |words: &str| {
        let known = stock.iter().any(|stock| stock.words == words);
        !known && !OURS.contains(&words)
    };
    let leaves = crate::leaves();
    let more: Vec<&str> = leaves
        .iter()
        .map(|leaf| leaf.words.as_str())
        .filter(|words| unknown(words))
        .collect();
    assert!(more.is_empty(), "{more:?}");
}

#[test]
fn every_group_says_what_it_is_about() {
    fn look(command: &Command, words: &str) {
        for below in command.get_subcommands() {
            let words = format!("{words} {}", below.get_name());
            let about = below.get_about().map(ToString::to_string);
            assert!(about.is_some_and(|about| !about.is_empty()), "{words}");
            look(below, &words);
        }
    }
    look(
        &crate::Command::augment_subcommands(Command::new("corten")),
        "corten",
    );
}
