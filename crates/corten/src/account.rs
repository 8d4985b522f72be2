//! `corten user`, `group`, `role` and `token`: in a service, in the database of a configuration, or
//! in a file of users (`auth_strategy = http_basic`).
//!
//! The client's commands do the first. For the second the same commands are answered by the API in
//! this process, on the database itself, so that both do the same.

mod direct;

pub(crate) use direct::add_administrator;

use crate::{
    args::{Account, account::InFile},
    console::{note, print},
    db::DatabaseConfig,
    owner, prompt, serve, settings, sources,
};
use anyhow::{Context, bail};
use api::auth::users::{self, Added};
use config::{Config, choice::AuthStrategy};
use std::{path::Path, process::ExitCode};
use store::SchemaState;

pub(crate) fn run(account: Account, connection: &cli::Global) -> anyhow::Result<ExitCode> {
    if let (Some(in_file), Some(file)) = (&account.in_file, &account.file) {
        return change_file(in_file, file);
    }
    if !account.common.is_given() {
        return match account.client {
            Some(client) => Ok(cli::run(client, connection)),
            None => bail!(
                "name the file of users by --file, or a configuration by --config-file; \
                 `corten user rm` removes a user of a service"
            ),
        };
    }
    let (config, warnings) = sources::load(&account.common)?;
    for warning in warnings {
        note(&format!("warning: {warning}"));
    }
    match (account.in_file, account.client) {
        (Some(in_file), _) if settings::auth_strategy(&config) == AuthStrategy::HttpBasic => {
            change_file(&in_file, &config.default.http_basic_auth_user_file)
        }
        (_, Some(client)) => change_database(client, &config),
        (_, None) => bail!("`corten user rm` removes a user of the database"),
    }
}

fn change_database(client: cli::Command, config: &Config) -> anyhow::Result<ExitCode> {
    if settings::auth_strategy(config) != AuthStrategy::Local {
        note("note: local users count only with [DEFAULT]auth_strategy=local");
    }
    let place = DatabaseConfig::of(config)?;
    owner::write_as_owner(config);
    let db = match place.found()? {
        // Before the first start: a service that nobody can sign in to is of no use.
        SchemaState::Empty => {
            sources::create_data_dir(config)?;
            place.open()?.0
        }
        SchemaState::Version(_) => place.open_existing()?,
    };
    let host = config.default.host.to_string();
    serve::in_runtime(async {
        let direct = direct::direct(db, &host).context("cannot answer on the database itself")?;
        Ok(cli::run_directly(client, direct).await)
    })
}

fn change_file(what: &InFile, file: &Path) -> anyhow::Result<ExitCode> {
    match what {
        InFile::Add(name) => {
            let password = prompt::new_password()?;
            let done = match users::add(file, name, &password)? {
                Added::New => "can log in now",
                Added::Changed => "has a new password now",
            };
            note(&format!("{name} {done}; {}", file.display()));
        }
        InFile::List => {
            for name in users::names(file)? {
                print(&name)?;
            }
        }
        InFile::Delete(name) => {
            users::delete(file, name)?;
            note(&format!("{name} can no longer log in; {}", file.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}
