//! The conductor: takes requests about nodes, holds their leases, and drives their flows.
//!
//! [`Service`] is what the API talks to. A request is validated and written (transition, step
//! list, work and event in one transaction) before it is answered; then a worker carries the work
//! out. Every piece of work is in the node's row, so that a first run, a resume after a crash and
//! a takeover are one code path ([`flow::run`]). Only this crate changes a provision state.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test may wait for its files")
)]

mod abort;
mod agent;
mod alerts;
mod allocation;
mod announced;
mod autodetect;
mod batch;
mod belongings;
mod bmc_password;
mod cleaning_runbook;
mod core;
mod create;
mod deploy_request;
mod enrolment;
mod event_log;
mod findings;
mod flow;
mod hands;
mod images;
mod inband;
mod incarnation;
pub mod inspection;
mod last_error;
mod legacy;
mod lock;
mod look;
mod manage;
mod media;
mod misspelt;
pub mod objects;
mod passes;
mod plan;
mod port;
mod portgroup;
mod power_updates;
mod progress;
mod provision;
mod record;
mod rescue_password;
mod screen;
mod service;
mod settings;
mod steps;
mod task;
mod update;
mod vendor;
mod vif;
mod volume;
mod worker;

pub use alerts::AlertReceiver;
pub use service::Service;
pub use settings::{
    CleaningSource, CollectLogs, Download, ImageSettings, IscsiDeploySettings, LesseeSource,
    NameSettings, RamdiskSettings, ScreenTokens, SensorSettings, Settings,
};

#[cfg(test)]
mod lab;
#[cfg(test)]
mod walk;
