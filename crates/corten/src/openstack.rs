//! `corten openstack check`: the services of OpenStack as this configuration reaches them.
//!
//! What the configuration needs of them is read first ([`needs`]); then all services are asked at
//! the same time, each within its own deadline ([`ask`]), and what is missing is printed with the
//! command that adds it ([`report`]). Nothing is asked of a running Bare Metal service but whether
//! it answers.

mod advice;
mod ask;
mod needs;
mod report;

use crate::{
    args::{self, Format},
    console::{note, print},
    serve, settings, sources,
};
use ask::Asking;
use needs::Needs;
use report::Report;
use std::{process::ExitCode, time::Duration};

pub(crate) fn run(command: &args::OpenStack) -> anyhow::Result<ExitCode> {
    let args::OpenStack::Check(args) = command;
    let (config, warnings) = sources::load(&args.common)?;
    for warning in warnings {
        note(&format!("warning: {warning}"));
    }
    let asking = Asking {
        services: settings::openstack_with_keystone(&config)?,
        needs: Needs::of(&config),
        patience: Duration::from_secs(args.timeout),
    };
    let report = serve::in_runtime(async { Ok(Report(asking.all().await)) })?;
    print(&match args.format {
        Format::Json => report.json().to_string(),
        Format::Table => report.table(),
    })?;
    Ok(match report.is_complete() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}
