//! The database: whether it is there, of the right version, and has its keys.

use super::Finding;
use crate::{db::DatabaseConfig, settings};
use config::Config;
use store::{SCHEMA_AHEAD, SchemaState, schema_version};

const CHECK: &str = "database";

/// What is found, and the database if its nodes can be read.
pub(super) fn check(config: &Config) -> (Vec<Finding>, Option<DatabaseConfig>) {
    let place = match DatabaseConfig::of(config) {
        Ok(place) => place,
        Err(error) => {
            let remedy = "correct [database]connection";
            let finding = Finding::broken(CHECK, types::error::chain(&error), remedy);
            return (vec![finding], None);
        }
    };
    let found = match place.found() {
        Ok(found) => found,
        Err(error) => {
            let remedy = "start its server, or correct [database]connection";
            return (
                vec![Finding::broken(CHECK, format!("{error:#}"), remedy)],
                None,
            );
        }
    };
    let mut findings = vec![version(&place, found)];
    let keys = settings::key_file(config);
    if found != SchemaState::Empty && !keys.exists() {
        findings.push(Finding::broken(
            CHECK,
            format!("the keys of its secrets are missing: {}", keys.display()),
            "restore the file from a backup, or copy it from another host of this service",
        ));
        return (findings, None);
    }
    let is_served = matches!(found, SchemaState::Version(version) if version == schema_version());
    (findings, is_served.then_some(place))
}

fn version(place: &DatabaseConfig, found: SchemaState) -> Finding {
    let mine = schema_version();
    match found {
        SchemaState::Empty => Finding::well(CHECK, format!("{place}: made at the first start")),
        SchemaState::Version(version) if version == mine => {
            Finding::well(CHECK, format!("{place}: schema version {version}"))
        }
        SchemaState::Version(version) if version > mine + SCHEMA_AHEAD => Finding::broken(
            CHECK,
            format!(
                "{place}: schema version {version} is too new for this program, which is made for {mine}"
            ),
            "install the program of the other hosts here as well",
        ),
        SchemaState::Version(version) if version > mine => Finding::note(
            CHECK,
            format!(
                "{place}: schema version {version}; this program is made for {mine} and serves it"
            ),
        ),
        SchemaState::Version(version) => Finding::note(
            CHECK,
            format!("{place}: schema version {version}; this program needs {mine}"),
        )
        .remedy("corten db upgrade (an embedded database is upgraded by the next start)"),
    }
}
