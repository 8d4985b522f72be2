//! The database: whether it is there, of the right version, and has its keys.

use super::Finding;
use crate::{db::DatabaseConfig, serve, settings};
use config::Config;
use store::{SCHEMA_AHEAD, SchemaState, schema_version};
use types::site_network::SiteNetwork;

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

/// The networks of the database that this host may serve; none if they cannot be read, which is told
/// elsewhere.
pub(super) fn networks(place: &DatabaseConfig, host: &str) -> Vec<SiteNetwork> {
    let read = serve::in_runtime(async {
        let db = place.open_existing()?;
        Ok(store::site_network::list(&db).await?)
    });
    let interfaces = crate::host::interfaces();
    let is_ours = |network: &SiteNetwork| {
        let plan = &network.plan;
        let has_interface = |name: &str| interfaces.iter().any(|it| it.name == name);
        match plan.conductor.as_deref() {
            Some(only) => only == host,
            // One that another host serves has its interface there.
            None => {
                plan.interface.as_deref().is_none_or(has_interface) || network.served_by.is_none()
            }
        }
    };
    read.unwrap_or_default()
        .into_iter()
        .filter(is_ours)
        .collect()
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
