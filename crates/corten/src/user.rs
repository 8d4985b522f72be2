//! `corten user`: the names and passwords of `auth_strategy = http_basic`.
//!
//! A password is typed twice at a terminal, or is the first line of the standard input; it is never
//! an argument, which every user of the machine could read in the list of processes.

use crate::{
    args::{User, UserFile},
    console::{note, print},
    prompt, sources,
};
use api::auth::users::{self, Added};
use std::{path::PathBuf, process::ExitCode};

pub(crate) fn run(command: &User) -> anyhow::Result<ExitCode> {
    match command {
        User::Add { name, file } => {
            let file = path(file)?;
            let password = prompt::new_password()?;
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
