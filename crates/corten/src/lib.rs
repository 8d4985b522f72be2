//! The `corten` program: wiring and commands; `main.rs` only starts it.
//!
//! Roles, what options mean for each part, and wiring: this crate knows every part of the service and decides nothing
//! that a part could decide itself.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test may wait for its files")
)]

mod account;
pub mod args;
mod askpass;
mod completion;
mod console;
mod db;
mod demo;
mod discover;
mod doctor;
mod driver_test;
mod health;
mod host;
mod init;
mod inspect;
mod inventory;
mod listen;
mod logging;
mod manual;
mod memory;
mod metrics;
mod migrate;
mod names;
mod notifications;
mod notify;
mod openstack;
mod owner;
mod policy;
mod prompt;
mod serve;
pub mod settings;
mod shadow;
mod show;
mod signals;
mod sim;
pub mod sources;
mod upgrade_check;

use args::{Command, Image, Program};
use cli::old::{self, Called};
use names::Meant;
use ramdisk::Ramdisk;
use serve::Role;
use std::{ffi::OsString, path::Path, process::ExitCode, time::Duration};

/// Does what the command line says, to its end.
pub fn run() -> ExitCode {
    if let Some(code) = askpass::answer() {
        return code;
    }
    let program = match names::meant(std::env::args_os()) {
        None => match old_client(std::env::args_os()) {
            Some((words, called)) => return old::run(words, called),
            None => Program::from_process(),
        },
        Some(Meant::Words(words)) => Program::from_words(words),
        Some(Meant::NothingToDo) => return ExitCode::SUCCESS,
        Some(Meant::UpgradeCheck(words)) => return ended(upgrade_check::run(words)),
        Some(Meant::Refused(reason)) => return ended(Err(anyhow::anyhow!(reason))),
    };
    let outcome = match program.command {
        Command::Client(command) => return cli::run(command, &program.connection),
        Command::Init(args) => init::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Discover(args) => discover::run(&args, &program.connection),
        Command::Serve(args) => serve::run(&args, Role::All),
        Command::Api(args) => serve::run(&args, Role::Api),
        Command::Conductor(args) => serve::run(&args, Role::Conductor),
        Command::Demo(args) => demo::run(&args),
        Command::Sim(args) => sim::run(&args),
        Command::Db(command) => db::run(&command),
        Command::Export(args) => migrate::export(&args),
        Command::Import(args) => migrate::import(&args),
        Command::Migrate(command) => migrate::run(&command),
        Command::Shadow(args) => shadow::run(&args),
        Command::Healthcheck(args) => health::run(&args),
        Command::Config(args::Config::Show(args)) => show::run(&args),
        Command::Policy(command) => policy::run(&command),
        Command::OpenStack(command) => openstack::run(&command),
        Command::Account(command) => account::run(*command, &program.connection),
        Command::Ironic { .. } => Err(anyhow::anyhow!(
            "`ironic` must be the first word after `corten`; its options stand after it"
        )),
        Command::Completion { shell } => completion::script(shell),
        Command::Manual { folder } => manual::write(&folder),
        Command::Complete { words } => completion::complete(&words),
        Command::Driver(args::Driver::Test(args)) => driver_test::run(&args),
        Command::LaunchDriver {
            parent,
            memory,
            program,
        } => {
            let launch = drivers::external::Launch {
                parent,
                memory,
                program,
            };
            Err(anyhow::Error::from(launch.become_program()))
        }
        Command::WatchPlaybook {
            patience,
            program,
            arguments,
        } => {
            let watch = drivers::ansible::Watch {
                patience: Duration::from_millis(patience),
                program,
                arguments,
            };
            let ended = watch.run().map(ExitCode::from);
            ended.map_err(|error| {
                let program = watch.program.display();
                anyhow::Error::from(error).context(format!("cannot run {program}"))
            })
        }
        Command::Image(Image::Inspect(args)) => inspect::run(&args),
        Command::Image(Image::Build(args)) => {
            ramdisk::build_image(&args, console::note).map(|()| ExitCode::SUCCESS)
        }
        Command::Ramdisk(Ramdisk::Build(args)) => {
            ramdisk::build(&args, console::note).map(|()| ExitCode::SUCCESS)
        }
    };
    ended(outcome)
}

fn ended(outcome: anyhow::Result<ExitCode>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        console::note(&format!("error: {error:#}"));
        ExitCode::FAILURE
    })
}

/// The words for the old client, if it is meant: by the program's name, or by its first word.
fn old_client(mut words: impl Iterator<Item = OsString>) -> Option<(Vec<OsString>, Called)> {
    let program = words.next()?;
    if Path::new(&program).file_name()? == old::WORD {
        return Some((words.collect(), Called::Ironic));
    }
    (words.next()? == old::WORD).then(|| (words.collect(), Called::Corten))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_client_is_found_by_its_name_and_by_its_word() {
        let found = |line: &str| {
            let words = line.split(' ').map(OsString::from);
            old_client(words).map(|(words, called)| (words.len(), called))
        };
        assert_eq!(
            found("/usr/bin/ironic node-list"),
            Some((1, Called::Ironic))
        );
        assert_eq!(found("ironic"), Some((0, Called::Ironic)));
        assert_eq!(
            found("corten ironic node-show m1"),
            Some((2, Called::Corten))
        );
        assert_eq!(found("corten node list"), None);
        assert_eq!(found("corten node show ironic"), None);
        assert_eq!(found("corten"), None);
    }
}
