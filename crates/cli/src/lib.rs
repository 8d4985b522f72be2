//! The commands people type: `corten node list` and its kin.
//!
//! The grammar is that of `baremetal`, the stock client, so that habits and scripts carry over;
//! `corten node watch` is our own. This crate only knows the service's HTTP API. It shares no
//! code with the service, so whatever works here works for every other client as well.
//!
//! Left out so far: the resources beside nodes, ports, chassis, drivers and conductors, and
//! asking Keystone for a token.

mod attribute;
#[cfg(test)]
mod canned;
mod chassis;
mod client;
mod conductor;
mod console;
mod driver;
mod endpoint;
mod error;
mod input;
mod listing;
mod node;
mod output;
mod patch;
mod port;
mod tls;
mod version;
mod watch;

use std::process::ExitCode;

use clap::Subcommand;
use serde_json::Value;

pub use endpoint::Global;
pub use error::EXIT_CODES;

use client::Client;
use console::Console;
use endpoint::{Endpoint, Surroundings};
use error::Error;

// Not documented with `///`, which the command line parser would take for the description of the
// program these are part of.
//
// The client commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Machines: enroll, provision, power, watch
    Node(node::Node),
    /// Network interfaces of machines
    Port(port::Port),
    /// Groups of machines that share a rack or a case
    Chassis(chassis::Chassis),
    /// What the service can drive machines with
    Driver(driver::Driver),
    /// The processes that do the work
    Conductor(conductor::Conductor),
}

/// Runs a command to its end. Starts a runtime of its own, so call it from a plain thread.
pub fn run(command: Command, global: &Global) -> ExitCode {
    let console = Console::standard();
    let notes = console.notes();
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            notes.say(&format!("error: cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let around = Surroundings::real();
    ExitCode::from(runtime.block_on(execute(command, global, &around, console)))
}

/// A command under way: whom it talks to, and where it prints.
pub(crate) struct Session {
    client: Client,
    console: Console,
}

async fn execute(
    command: Command,
    global: &Global,
    around: &Surroundings<'_>,
    console: Console,
) -> u8 {
    let notes = console.notes();
    // Boxed because the futures of all commands together are too large for the stack's liking.
    let outcome = Box::pin(attempt(command, global, around, console)).await;
    match outcome {
        Ok(()) => 0,
        Err(error) => {
            for line in error.lines() {
                notes.say(&console::printable(&line));
            }
            error.exit_code()
        }
    }
}

async fn attempt(
    command: Command,
    global: &Global,
    around: &Surroundings<'_>,
    console: Console,
) -> Result<(), Error> {
    let endpoint = Endpoint::find(global, around)?;
    let client = Client::new(endpoint, global, console.notes())?;
    let session = &mut Session { client, console };
    match command {
        Command::Node(node) => node.run(session).await,
        Command::Port(port) => port.run(session).await,
        Command::Chassis(chassis) => chassis.run(session).await,
        Command::Driver(driver) => driver.run(session).await,
        Command::Conductor(conductor) => conductor.run(session).await,
    }
}

/// What the help of a kind of resource ends with.
fn help_footer() -> String {
    format!("{}\n\n{EXIT_CODES}", endpoint::CONNECTION_HELP)
}

/// An answer as the object it should be, without the members that only lead elsewhere.
fn record(answer: Value, leave_out: &[&str]) -> Result<serde_json::Map<String, Value>, Error> {
    match answer {
        Value::Object(mut record) => {
            record.retain(|key, _| !leave_out.contains(&key.as_str()));
            Ok(record)
        }
        _ => Err(Error::failed(
            "the service answered with something that is no object",
        )),
    }
}

#[cfg(test)]
mod tests;
