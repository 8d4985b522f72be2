//! The `corten` program: wiring and commands; `main.rs` only starts it.
//!
//! Roles, what options mean for each part, and wiring: this crate knows every part of the service and decides nothing
//! that a part could decide itself.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test may wait for its files")
)]

pub mod args;
mod completion;
mod console;
mod db;
mod demo;
mod health;
mod inventory;
mod listen;
mod logging;
mod manual;
mod memory;
mod metrics;
mod notifications;
mod notify;
mod policy;
mod serve;
pub mod settings;
mod show;
mod signals;
mod sim;
pub mod sources;
mod user;

use args::{Command, Program};
use ramdisk::Ramdisk;
use serve::Role;
use std::process::ExitCode;

/// Does what the command line says, to its end.
pub fn run() -> ExitCode {
    let program = Program::from_process();
    let outcome = match program.command {
        Command::Client(command) => return cli::run(command, &program.connection),
        Command::Serve(args) => serve::run(&args, Role::All),
        Command::Api(args) => serve::run(&args, Role::Api),
        Command::Conductor(args) => serve::run(&args, Role::Conductor),
        Command::Demo(args) => demo::run(&args),
        Command::Sim(args) => sim::run(&args),
        Command::Db(command) => db::run(&command),
        Command::Healthcheck(args) => health::run(&args),
        Command::Config(args::Config::Show(args)) => show::run(&args),
        Command::Policy(command) => policy::run(&command),
        Command::User(command) => user::run(&command),
        Command::Completion { shell } => completion::script(shell),
        Command::Manual { folder } => manual::write(&folder),
        Command::Complete { words } => completion::complete(&words),
        Command::Ramdisk(Ramdisk::Build(args)) => {
            ramdisk::build(&args, console::note).map(|()| ExitCode::SUCCESS)
        }
    };
    outcome.unwrap_or_else(|error| {
        console::note(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}
