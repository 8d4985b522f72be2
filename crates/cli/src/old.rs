//! `corten ironic …`: the command line of Ironic until 2019, for the lines of old guides and scripts.
//!
//! Grammar, tables, exit codes and error texts are those of python-ironicclient, from the Liberty
//! release to 2.8.0, its last with this command. Tables of data say what there is ([`commands`],
//! [`fields`], [`global`]); [`parse`] and [`usage`] know argparse, [`python`] and [`pretty`] how
//! values and tables were printed, and [`act`] what is asked of the service. What a command is
//! called today is told once, on the error output. What is different on purpose is listed in
//! `docs/reference/old-command.md`.

mod act;
mod ask;
mod commands;
mod failure;
mod fields;
mod global;
mod grammar;
mod parse;
mod pretty;
mod python;
mod usage;
mod version;

use std::ffi::OsString;
use std::process::ExitCode;

use crate::Session;
use crate::client::Client;
use crate::console::{Console, Notes, printable};
use crate::endpoint::{Global, Surroundings};
use ask::Context;
use failure::Failure;
use global::Globals;
use grammar::{Act, Argument, Command};
use parse::{Given, Misread};

/// The word that leads here.
pub const WORD: &str = "ironic";

/// How this program was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Called {
    /// `corten ironic …`
    Corten,
    /// `ironic …`: the program has that name.
    Ironic,
}

/// Runs a command of the old client to its end. Starts a runtime of its own, so call it from a plain
/// thread.
pub fn run(words: impl IntoIterator<Item = OsString>, called: Called) -> ExitCode {
    let console = Console::standard();
    let notes = console.notes();
    let words: Result<Vec<String>, OsString> =
        words.into_iter().map(OsString::into_string).collect();
    let words = match words {
        Ok(words) => words,
        Err(word) => {
            notes.say(&format!("{} is not in UTF-8", word.display()));
            return ExitCode::from(USAGE);
        }
    };
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            notes.say(&format!("cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let around = Surroundings::real();
    let work = execute(&words, called, &around, console);
    ExitCode::from(runtime.block_on(async {
        tokio::select! {
            code = work => code,
            _ = tokio::signal::ctrl_c() => {
                notes.say("... terminating ironic client");
                INTERRUPTED
            }
        }
    }))
}

/// Says whether words are a command of the old client, for the tests of the documentation.
pub fn check(words: &[String]) -> Result<(), String> {
    match read(words) {
        Ok(_) => Ok(()),
        Err(Stop::Help(_)) => Ok(()),
        Err(Stop::Nothing) => Err("there is no sub-command".to_owned()),
        Err(Stop::Program(text) | Stop::Command(_, text)) => Err(text),
    }
}

/// The exit status of a command that was interrupted.
const INTERRUPTED: u8 = 130;
/// The exit status of a command line that is wrong.
const USAGE: u8 = 2;

/// What is said to those who start `ironic` and name no sub-command.
const RESERVED: &str = "\
`ironic` without a sub-command is reserved: in newer releases of Ironic it is a service, the API and
the conductor in one process, and this program does not run that under this name.
  corten serve          runs the service
  ironic help           lists the sub-commands of the old client";

/// A command line that has been read.
struct Line {
    globals: Given,
    command: &'static Command,
    given: Given,
}

/// Why there is nothing to run.
enum Stop {
    Help(Option<&'static Command>),
    /// No sub-command, and no options that are enough.
    Nothing,
    /// The options before the sub-command are wrong, or no argument of it takes a word.
    Program(String),
    /// The words of a sub-command are wrong.
    Command(&'static Command, String),
}

fn read(words: &[String]) -> Result<Line, Stop> {
    let options: Vec<&Argument> = global::OPTIONS.iter().collect();
    let head = parse::leading(&options, words).map_err(|error| match error {
        Misread::Help => Stop::Help(None),
        Misread::Wrong(text) => Stop::Program(text),
    })?;
    let globals = head.given;
    let Some((name, rest)) = head.rest.split_first() else {
        return match globals.has("version") {
            true => Ok(Line {
                globals,
                command: &VERSION,
                given: Given::default(),
            }),
            false => Err(Stop::Nothing),
        };
    };
    let command = commands::find(name).ok_or_else(|| {
        let names: Vec<&str> = commands::all().iter().map(|command| command.name).collect();
        let choice = parse::invalid_choice(name, &names);
        Stop::Program(format!("argument <subcommand>: {choice}"))
    })?;
    let arguments: Vec<&Argument> = command.arguments().collect();
    let tail = parse::whole(&arguments, rest).map_err(|error| match error {
        Misread::Help => Stop::Help(Some(command)),
        Misread::Wrong(text) => Stop::Command(command, text),
    })?;
    if !tail.rest.is_empty() {
        let unknown = tail.rest.join(" ");
        return Err(Stop::Program(format!("unrecognized arguments: {unknown}")));
    }
    Ok(Line {
        globals,
        command,
        given: tail.given,
    })
}

/// What `--version` is.
const VERSION: Command = Command {
    name: "--version",
    about: "",
    today: &[],
    arguments: &[],
    act: Act::Version,
};

async fn execute(
    words: &[String],
    called: Called,
    around: &Surroundings<'_>,
    mut console: Console,
) -> u8 {
    let notes = console.notes();
    let width = width(around, &console);
    let line = match read(words) {
        Ok(line) => line,
        Err(stop) => return stopped(stop, called, width, &mut console),
    };
    hint(&line, &notes);
    let (command, ended) = (line.command, attempt(&line, around, width, console).await);
    match ended {
        Ok(()) => 0,
        Err(failure) => say(&failure, command, width, &notes),
    }
}

/// Columns for usage and help.
fn width(around: &Surroundings<'_>, console: &Console) -> usize {
    let asked = (around.variable)("COLUMNS").and_then(|text| text.parse::<usize>().ok());
    let columns = asked.filter(|columns| *columns > 0).or(console.width);
    columns.unwrap_or(80).saturating_sub(2).max(40)
}

fn stopped(stop: Stop, called: Called, width: usize, console: &mut Console) -> u8 {
    let notes = console.notes();
    match stop {
        Stop::Nothing if called == Called::Ironic => {
            notes.say(RESERVED);
            USAGE
        }
        Stop::Nothing | Stop::Help(None) => shown(console.print(&usage::program_help(width))),
        Stop::Help(Some(command)) => shown(console.print(&usage::command_help(command, width))),
        Stop::Program(text) => say(&Failure::Program(text), &VERSION, width, &notes),
        Stop::Command(command, text) => say(&Failure::Usage(text), command, width, &notes),
    }
}

fn shown(printed: Result<(), crate::error::Error>) -> u8 {
    printed.err().map_or(0, |error| error.exit_code())
}

/// Tells what the command is called today, and which spellings are old.
fn hint(line: &Line, notes: &Notes) {
    if !line.command.today.is_empty() {
        notes.say(&format!(
            "hint: `ironic {}` is an old name; today: {}",
            line.command.name,
            usage::today(line.command)
        ));
    }
    let mut told: Vec<&str> = Vec::new();
    for (old, new) in line.globals.former.iter().chain(&line.given.former) {
        if !told.contains(&old.as_str()) {
            notes.say(&format!("hint: {old} is an old spelling of {new}"));
            told.push(old);
        }
    }
}

fn say(failure: &Failure, command: &Command, width: usize, notes: &Notes) -> u8 {
    let text = printable(&failure.text());
    match failure {
        Failure::Program(_) => {
            notes.say(&format!(
                "{}ironic: error: {text}",
                usage::of_program(width)
            ));
            USAGE
        }
        Failure::Usage(_) => {
            let usage = usage::of_command(command, width);
            notes.say(&format!("{usage}ironic {}: error: {text}", command.name));
            USAGE
        }
        Failure::Other(error) if error.exit_code() == 0 => 0,
        _ => {
            notes.say(&text);
            1
        }
    }
}

async fn attempt(
    line: &Line,
    around: &Surroundings<'_>,
    width: usize,
    mut console: Console,
) -> Result<(), Failure> {
    let globals = Globals::new(&line.globals, around);
    let wish = globals.version()?;
    match line.command.act {
        Act::Version => {
            let version = format!("{}\n", env!("CARGO_PKG_VERSION"));
            return Ok(console.print(&version)?);
        }
        Act::Completion => return Ok(console.print(&usage::completion())?),
        Act::Help => return help(line.given.text("command"), width, &mut console),
        _ => {}
    }
    let mut endpoint = globals.endpoint()?;
    endpoint.version = Some(wish.version());
    let retries = globals.retries()?;
    let global = Global::with_retries(retries.most, retries.interval);
    let client = Client::new(endpoint, &global, console.notes()).await?;
    let session = Session { client, console };
    let mut context = Context::new(session, wish, retries, &globals);
    Box::pin(act::run(&mut context, line.command, &line.given)).await
}

fn help(name: Option<&str>, width: usize, console: &mut Console) -> Result<(), Failure> {
    let text = match name {
        None => usage::program_help(width),
        Some(name) => match commands::find(name) {
            Some(command) => usage::command_help(command, width),
            None => {
                let text = format!("'{name}' is not a valid subcommand");
                return Err(Failure::failed(text));
            }
        },
    };
    Ok(console.print(&text)?)
}

#[cfg(test)]
mod tests;
