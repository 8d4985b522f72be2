//! `corten user`: the names and passwords of `auth_strategy = http_basic`.
//!
//! A password is typed twice at a terminal, or is the first line of the standard input; it is never
//! an argument, which every user of the machine could read in the list of processes.

use crate::{
    args::{User, UserFile},
    console::{note, print},
    sources,
};
use anyhow::{Context, bail};
use api::auth::users::{self, Added};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::PathBuf,
    process::ExitCode,
};

pub(crate) fn run(command: &User) -> anyhow::Result<ExitCode> {
    match command {
        User::Add { name, file } => {
            let file = path(file)?;
            let password = password()?;
            let done = match users::add(&file, name, &password)? {
                Added::New => "can log in now",
                Added::Changed => "has a new password now",
            };
            note(&format!("{name} {done}; {}", file.display()));
        }
        User::List { file } => {
            for name in users::names(&path(file)?)? {
                print(&name)?;
            }
        }
        User::Delete { name, file } => {
            let file = path(file)?;
            users::delete(&file, name)?;
            note(&format!("{name} can no longer log in; {}", file.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The file named, or else that of the configuration.
fn path(args: &UserFile) -> anyhow::Result<PathBuf> {
    if let Some(file) = &args.file {
        return Ok(file.clone());
    }
    let (config, _) = sources::load(&args.common)?;
    Ok(config.default.http_basic_auth_user_file.to_path_buf())
}

fn password() -> anyhow::Result<String> {
    if !io::stdin().is_terminal() {
        return line().context("cannot read the password");
    }
    let first = typed("Password: ")?;
    if typed("The same again: ")? != first {
        bail!("the two passwords differ");
    }
    Ok(first)
}

/// A line from a terminal that does not show it.
fn typed(prompt: &str) -> anyhow::Result<String> {
    write!(io::stderr(), "{prompt}").context("cannot write to the terminal")?;
    let stdin = io::stdin();
    let before = tcgetattr(&stdin).context("cannot turn off the echo of the terminal")?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent)
        .context("cannot turn off the echo of the terminal")?;
    let read = line();
    let _ = tcsetattr(&stdin, OptionalActions::Flush, &before);
    note("");
    read.context("cannot read the password")
}

/// A line of the standard input, without its end.
fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    let length = line.trim_end_matches(['\n', '\r']).len();
    line.truncate(length);
    Ok(line)
}
