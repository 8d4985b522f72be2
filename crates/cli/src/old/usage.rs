//! Usage lines and help, laid out as the old client laid them out.
//!
//! The texts are our own; the form is kept because people look for options where they were.

use super::commands;
use super::global;
use super::grammar::{Argument, Command, Takes};
use super::python;

/// The column at which explanations begin.
const MIDDLE: usize = 24;
/// Longer names are on a line of their own.
const LONGEST: usize = MIDDLE - 2;

/// The usage of the program itself.
pub(super) fn of_program(width: usize) -> String {
    let mut parts: Vec<String> = global::OPTIONS.iter().flat_map(parts).collect();
    let places = vec!["<subcommand>".to_owned(), "...".to_owned()];
    layout("ironic", &mut parts, places, width)
}

/// The usage of a sub-command.
pub(super) fn of_command(command: &Command, width: usize) -> String {
    let of = |wanted: bool| {
        let arguments = command.arguments();
        let chosen = arguments.filter(move |one| one.is_option() == wanted);
        chosen.flat_map(parts).collect::<Vec<String>>()
    };
    let program = format!("ironic {}", command.name);
    layout(&program, &mut of(true), of(false), width)
}

/// An argument in the pieces that a line may not break.
fn parts(argument: &Argument) -> Vec<String> {
    if argument.instead.is_some() {
        return Vec::new();
    }
    let metavar = argument.metavar;
    let values = match argument.takes {
        Takes::Nothing => String::new(),
        Takes::One | Takes::Each => metavar.to_owned(),
        Takes::Perhaps => format!("[{metavar}]"),
        Takes::Any => format!("[{metavar} ...]"),
        Takes::Several => format!("{metavar} [{metavar} ...]"),
    };
    let text = match argument.names.first() {
        Some(name) => format!("{name} {values}").trim_end().to_owned(),
        None => values,
    };
    if argument.is_option() && !argument.required {
        return vec![format!("[{text}]")];
    }
    match text.split_once('[') {
        Some((words, bracket)) => words
            .split_whitespace()
            .map(str::to_owned)
            .chain(std::iter::once(format!("[{bracket}")))
            .collect(),
        None => text.split_whitespace().map(str::to_owned).collect(),
    }
}

fn layout(program: &str, options: &mut Vec<String>, places: Vec<String>, width: usize) -> String {
    let usage = "usage: ";
    let all = options.iter().chain(&places);
    let length: usize = all.map(|part| part.chars().count() + 1).sum();
    if usage.len() + program.len() + length <= width {
        options.extend(places);
        let parts = options.iter().map(|part| format!(" {part}"));
        return format!("{usage}{program}{}\n", parts.collect::<String>());
    }
    let indent = usage.len() + program.len() + 1;
    let mut lines: Vec<String> = Vec::new();
    for group in [std::mem::take(options), places] {
        let mut line = String::new();
        for part in group {
            let taken = indent + line.chars().count();
            if !line.is_empty() && taken + 1 + part.chars().count() > width {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&part);
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    let lines = lines.join(&format!("\n{}", " ".repeat(indent)));
    format!("{usage}{program} {lines}\n")
}

/// The help of the program.
pub(super) fn program_help(width: usize) -> String {
    let mut text = of_program(width);
    text += "\nThe command line of Ironic until 2019, for lines of old guides and scripts.\n";
    text += "\nPositional arguments:\n  <subcommand>\n";
    for command in commands::all() {
        item(4, command.name, command.about, width, &mut text);
    }
    text += "\nOptions:\n";
    for argument in global::OPTIONS {
        describe(argument, width, &mut text);
    }
    text + "\n`ironic help SUBCOMMAND` tells more, and what a sub-command is called today.\n"
}

/// The help of a sub-command.
pub(super) fn command_help(command: &Command, width: usize) -> String {
    let mut text = of_command(command, width);
    text += &format!("\n{}\n", python::fill(command.about, width));
    let section = |title: &str, belongs: &dyn Fn(&Argument) -> bool| {
        let mut section = String::new();
        for argument in command.arguments().filter(|one| belongs(one)) {
            describe(argument, width, &mut section);
        }
        match section.is_empty() {
            true => section,
            false => format!("\n{title}:\n{section}"),
        }
    };
    text += &section("Positional arguments", &|one| !one.is_option());
    text += &section("Options", &|one| one.is_option() && !one.required);
    text += &section("Required arguments", &|one| one.is_option() && one.required);
    if !command.today.is_empty() {
        let today = format!("Today: {}", today(command));
        text += &format!("\n{}\n", python::fill(&today, width));
    }
    text
}

/// The commands that do the same today.
pub(super) fn today(command: &Command) -> String {
    let names: Vec<String> = command
        .today
        .iter()
        .map(|words| format!("corten {words}"))
        .collect();
    names.join(", ")
}

fn describe(argument: &Argument, width: usize, text: &mut String) {
    if argument.instead.is_some() {
        return;
    }
    let values = match argument.takes {
        Takes::Nothing => String::new(),
        Takes::Perhaps if argument.is_option() => format!(" [{}]", argument.metavar),
        Takes::Several if argument.is_option() => format!(" {0} [{0} ...]", argument.metavar),
        _ => format!(" {}", argument.metavar),
    };
    let names: Vec<String> = argument
        .names
        .iter()
        .map(|name| format!("{name}{values}"))
        .collect();
    let names = match argument.is_option() {
        true => names.join(", "),
        false => argument.metavar.to_owned(),
    };
    item(2, &names, argument.help, width, text);
}

/// A name and what it is, the second in a column of its own.
fn item(indent: usize, name: &str, about: &str, width: usize, text: &mut String) {
    let margin = " ".repeat(indent);
    let about = python::fill(about, width.saturating_sub(MIDDLE).max(20));
    let about = about.replace('\n', &format!("\n{}", " ".repeat(MIDDLE)));
    let name = format!("{margin}{name}");
    if name.chars().count() > LONGEST {
        text.push_str(&format!("{name}\n{}{about}\n", " ".repeat(MIDDLE)));
    } else {
        text.push_str(&format!("{name:MIDDLE$}{about}\n"));
    }
}

/// All words a shell may complete.
pub(super) fn completion() -> String {
    let mut words: Vec<&str> = vec!["-h", "--help"];
    for command in commands::all() {
        words.extend((command.name != "bash-completion").then_some(command.name));
        for argument in command.arguments() {
            words.extend(argument.names);
        }
    }
    words.sort_unstable();
    words.dedup();
    words.join(" ") + "\n"
}

#[cfg(test)]
mod tests;
