//! `corten doctor`: whether this host can serve a configuration, and if not, what to do about it.
//!
//! Each check is a function that returns findings; none changes anything, and none depends on
//! another having passed. A finding is well, a note, or broken; what is broken comes with a remedy.

#![expect(
    clippy::disallowed_methods,
    reason = "a command of its own, which serves nothing"
)]

mod bmcs;
mod capabilities;
mod clock;
mod database;
mod disk;
mod files;
pub(crate) mod foreign_dhcp;
mod holder;
mod networks;
mod ports;
mod report;
mod unit;

use crate::{
    args::{self, Format},
    console::print,
    db::DatabaseConfig,
    serve::{self, Plan, Role},
    settings, sources,
};
use ::boot::{Settings, dhcp4, dhcp6};
use config::Config;
use report::Report;
use std::{
    collections::BTreeSet,
    net::{Ipv4Addr, SocketAddrV4},
    process::ExitCode,
    time::Duration,
};
use types::site_network::SiteNetwork;
use unit::Unit;

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Well,
    Note,
    Broken,
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    check: &'static str,
    level: Level,
    what: String,
    remedy: Option<String>,
}

impl Finding {
    fn well(check: &'static str, what: impl Into<String>) -> Self {
        Self {
            check,
            level: Level::Well,
            what: what.into(),
            remedy: None,
        }
    }

    fn note(check: &'static str, what: impl Into<String>) -> Self {
        Self {
            level: Level::Note,
            ..Self::well(check, what)
        }
    }

    fn broken(check: &'static str, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            level: Level::Broken,
            ..Self::well(check, what).remedy(remedy)
        }
    }

    fn remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }
}

pub(crate) fn run(args: &args::Doctor) -> anyhow::Result<ExitCode> {
    let report = Report(all(args));
    print(&match args.format {
        Format::Table => report.table(),
        Format::Json => report.json().to_string(),
    })?;
    Ok(match report.is_sound() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

const CONFIGURATION: &str = "configuration";

fn all(args: &args::Doctor) -> Vec<Finding> {
    let config = match sources::load(&args.common) {
        Ok((config, warnings)) => {
            let mut findings: Vec<Finding> = warnings
                .iter()
                .map(|warning| Finding::note(CONFIGURATION, warning.to_string()))
                .collect();
            findings.push(configuration(args, &config));
            findings.extend(of(args, &config));
            return findings;
        }
        Err(error) => error,
    };
    let remedy = "correct the option or the file that is named; `corten init` writes a new file";
    vec![Finding::broken(
        CONFIGURATION,
        types::error::chain(&config),
        remedy,
    )]
}

fn configuration(args: &args::Doctor, config: &Config) -> Finding {
    let checked = serve::in_runtime(async {
        let plan = Plan::new(config, Role::All)?;
        plan.check_hardware()
    });
    match checked {
        Ok(()) => {
            let files = args.common.config_file.len();
            Finding::well(
                CONFIGURATION,
                match files {
                    0 => "no file; what is served is for this host only".to_owned(),
                    _ => "it can be served".to_owned(),
                },
            )
        }
        Err(error) => Finding::broken(
            CONFIGURATION,
            format!("{error:#}"),
            "the service does not start before this is put right",
        ),
    }
}

fn of(args: &args::Doctor, config: &Config) -> Vec<Finding> {
    // What is wrong with the boot services is told by the check of the configuration.
    let mut boot = settings::boot(config).ok().flatten();
    let unit = Unit::serving(&args.common.config_file);
    let (mut of_database, place) = database::check(config);
    let plans = match (&place, boot.as_mut()) {
        (Some(place), Some(boot)) => networks_of(place, config, boot),
        _ => Vec::new(),
    };
    let dhcp = boot.as_ref().and_then(|boot| boot.dhcp4.as_ref());
    let served = dhcp.map_or_else(Vec::new, |dhcp| networks::served(dhcp, &plans));
    let mut findings = ports::check(config, boot.as_ref(), unit.as_ref());
    findings.extend(capabilities::check(config, boot.as_ref(), unit.as_ref()));
    findings.extend(networks::check(config, &served));
    if let Some(dhcp) = dhcp {
        findings.extend(others(args, dhcp.role, &served));
    }
    findings.extend(files::check(config, boot.as_ref()));
    findings.extend(disk::check(config));
    findings.append(&mut of_database);
    let (of_bmcs, clocks) = match place {
        Some(place) if args.bmcs > 0 => bmcs::check(config, &place, args.bmcs),
        _ => (Vec::new(), Vec::new()),
    };
    findings.extend(clock::check(&clocks));
    findings.extend(of_bmcs);
    findings
}

/// The networks of the database that this host serves, for which it listens as for those of the
/// configuration.
fn networks_of(place: &DatabaseConfig, config: &Config, boot: &mut Settings) -> Vec<SiteNetwork> {
    let (Some(v4), Some(v6)) = (&mut boot.dhcp4, &mut boot.dhcp6) else {
        // A proxy serves those of the configuration only.
        return Vec::new();
    };
    let plans = database::networks(place, &config.default.host);
    let (has_v4, has_v6) = plans.iter().fold((false, false), |(v4, v6), network| {
        let is_v4 = network.plan.prefix.address().is_ipv4();
        (v4 || is_v4, v6 || !is_v4)
    });
    if has_v4 && v4.listeners.is_empty() {
        v4.listeners.push(dhcp4::Listener {
            interface: None,
            address: SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, v4.server_port),
        });
    }
    if has_v6 && v6.listeners.is_empty() {
        v6.listeners.push(dhcp6::Listener {
            interface: None,
            address: dhcp6::wire::any(547),
        });
    }
    plans
}

/// Asks each interface behind which we serve for servers besides ours.
fn others(args: &args::Doctor, role: dhcp4::Role, served: &[networks::Served]) -> Vec<Finding> {
    if args.dhcp_wait == 0 {
        return Vec::new();
    }
    let interfaces = crate::host::interfaces();
    let names: BTreeSet<&String> = served
        .iter()
        .filter_map(|served| served.subnet.interface.as_ref())
        .collect();
    let asked = names
        .into_iter()
        .filter_map(|name| interfaces.iter().find(|it| it.name == *name));
    let wait = Duration::from_secs(args.dhcp_wait);
    asked
        .map(|interface| foreign_dhcp::check(interface, role, wait))
        .collect()
}
