//! `corten completion`: what a shell can offer for the word that is being typed.
//!
//! The scripts for the shells are a few lines each and know nothing of the commands: they ask this
//! program, which walks the same description that the command line is parsed with. So completion
//! cannot differ from what is accepted. Names of nodes and their like are asked from the service,
//! for at most a second; a service that is away offers nothing.

use crate::{
    args::{Program, Shell},
    console::print,
};
use clap::{Arg, ArgAction, Command, FromArgMatches};
use std::{process::ExitCode, time::Duration};

/// Timeout for asking the service: a user who presses Tab does not wait longer.
const PATIENCE: Duration = Duration::from_secs(1);
/// The exit status by which a script learns that a file name is wanted.
const FILES: u8 = 3;

pub(crate) fn script(shell: Shell) -> anyhow::Result<ExitCode> {
    let script = match shell {
        Shell::Bash => include_str!("completion/corten.bash"),
        Shell::Zsh => include_str!("completion/corten.zsh"),
        Shell::Fish => include_str!("completion/corten.fish"),
    };
    print(script.trim_end())?;
    Ok(ExitCode::SUCCESS)
}

/// Prints the completions of the last word, one per line.
pub(crate) fn complete(words: &[String]) -> anyhow::Result<ExitCode> {
    let mut program = Program::described();
    program.build();
    let typed = words.last().map_or("", String::as_str);
    let offered = match wanted(&program, words) {
        Completion::Words(words) => words,
        Completion::Files => return Ok(ExitCode::from(FILES)),
        Completion::Names(kind) => cli::names(kind, &connection(words), PATIENCE),
    };
    for word in offered.iter().filter(|word| word.starts_with(typed)) {
        print(word)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The connection options on an unfinished command line.
fn connection(words: &[String]) -> cli::Global {
    let line = std::iter::once("corten").chain(words.iter().map(String::as_str));
    let matches = Program::described()
        .ignore_errors(true)
        .try_get_matches_from(line);
    let read = matches.and_then(|matches| cli::Global::from_arg_matches(&matches));
    read.unwrap_or_default()
}

/// What can be completed at a position.
#[derive(Debug, PartialEq, Eq)]
enum Completion {
    Words(Vec<String>),
    Files,
    /// Names that the service knows.
    Names(cli::Names),
}

/// What the last word can be.
fn wanted(program: &Command, words: &[String]) -> Completion {
    let (typed, before) = match words.split_last() {
        Some((typed, before)) => (typed.as_str(), before),
        None => ("", &[][..]),
    };
    let mut command = program;
    let mut places = 0;
    // The option that the next word is the value of.
    let mut open: Option<&Arg> = None;
    for word in before {
        if open.take().is_some() {
            continue;
        }
        if word.starts_with('-') {
            open = option(command, word).filter(|_| !word.contains('='));
        } else if let Some(below) = command.find_subcommand(word) {
            (command, places) = (below, 0);
        } else {
            places += 1;
        }
    }
    if let Some(option) = open {
        return values(option);
    }
    if typed.starts_with('-') {
        return Completion::Words(options(command, typed));
    }
    let below = command.get_subcommands().filter(|one| !one.is_hide_set());
    let mut words: Vec<String> = below.map(|one| one.get_name().to_owned()).collect();
    let positionals: Vec<&Arg> = command.get_positionals().collect();
    let last = positionals.last().filter(|last| takes_many(last));
    let place = positionals.get(places).or(last);
    match place.map(|place| values(place)) {
        Some(Completion::Words(values)) => {
            words.extend(values);
            Completion::Words(words)
        }
        Some(other) if words.is_empty() => other,
        _ => Completion::Words(words),
    }
}

/// The option of this name, if it takes a value.
fn option<'a>(command: &'a Command, word: &str) -> Option<&'a Arg> {
    let long = word.strip_prefix("--");
    let short = word.strip_prefix('-').and_then(|rest| rest.chars().next());
    let is_meant = |arg: &&Arg| match long {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short() == short && word.len() == 2,
    };
    let found = command.get_arguments().find(is_meant)?;
    matches!(found.get_action(), ArgAction::Set | ArgAction::Append).then_some(found)
}

/// The options of a command. Those of the connection are many and known by their prefix.
fn options(command: &Command, typed: &str) -> Vec<String> {
    let all = command.get_arguments();
    let shown = all.filter(|arg| !arg.is_hide_set() || typed.starts_with("--os-"));
    let longs = shown.filter_map(Arg::get_long);
    longs.map(|long| format!("--{long}")).collect()
}

fn takes_many(arg: &Arg) -> bool {
    matches!(arg.get_action(), ArgAction::Append)
        || arg
            .get_num_args()
            .is_some_and(|count| count.max_values() > 1)
}

/// What an argument can be.
fn values(arg: &Arg) -> Completion {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let shown = possible.iter().filter(|value| !value.is_hide_set());
        return Completion::Words(shown.map(|value| value.get_name().to_owned()).collect());
    }
    let names = arg.get_value_names().unwrap_or_default();
    let name = names.first().map_or("", |name| name.as_str());
    match name {
        "FILE" | "DIR" | "PATH" | "DRIVE" | "STEPS" => Completion::Files,
        _ => cli::Names::of(name).map_or_else(|| Completion::Words(Vec::new()), Completion::Names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: &str) -> Completion {
        let mut program = Program::described();
        program.build();
        let words: Vec<String> = line.split(' ').skip(1).map(str::to_owned).collect();
        wanted(&program, &words)
    }

    #[track_caller]
    fn offers(line: &str, expected: &[&str]) {
        let Completion::Words(words) = at(line) else {
            panic!("{line}: no words")
        };
        for word in expected {
            assert!(
                words.iter().any(|offered| offered == word),
                "{line}: {words:?}"
            );
        }
    }

    #[test]
    fn commands_options_and_values_are_offered() {
        offers("corten ", &["node", "serve", "completion"]);
        offers("corten node ", &["list", "deploy", "power"]);
        offers("corten node power ", &["on", "off"]);
        offers("corten node list --", &["--limit", "--format"]);
        offers("corten node list -f ", &["json", "csv"]);
        offers("corten --os-cloud x node power ", &["on", "off"]);
        offers("corten node list --os-", &["--os-endpoint", "--os-cloud"]);
        offers("corten node boot device set m1 ", &["pxe", "uefihttp"]);
        offers("corten completion ", &["bash", "zsh", "fish"]);
        let Completion::Words(words) = at("corten ") else {
            panic!("no words")
        };
        assert!(!words.iter().any(|word| word == "__complete"), "{words:?}");
    }

    #[test]
    fn names_are_asked_for_where_they_belong() {
        for line in [
            "corten node show ",
            "corten node deploy m1 ",
            "corten node power on m1 m",
            "corten port list --node ",
            "corten node watch ",
        ] {
            assert_eq!(at(line), Completion::Names(cli::Names::Nodes), "{line}");
        }
        assert_eq!(
            at("corten node create --driver "),
            Completion::Names(cli::Names::Drivers)
        );
        assert_eq!(at("corten serve --config-file "), Completion::Files);
    }
}
