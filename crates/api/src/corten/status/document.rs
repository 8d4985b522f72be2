//! The document, part by part. Every part is there in every answer; what is not known is null.

use super::{ago, rounded};
use serde::Serialize;
use std::{
    collections::{BTreeMap, HashMap},
    time::Duration,
};
use store::{
    Census, Db, Engine,
    overview::{self, Facts},
};
use types::{
    ProvisionState, Timestamp, lease::SIGNED_OFF, member::Member, pass::PassReport,
    provision::StateClass, status::OutageReport, webhook::Webhook,
};

#[derive(Debug, Serialize)]
pub(super) struct Status {
    /// `ok`, `warnings` or `problems`.
    pub(super) verdict: &'static str,
    pub(super) problems: Vec<Problem>,
    pub(super) at: String,
    pub(super) process: Process,
    pub(super) nodes: Option<Nodes>,
    pub(super) conductors: Vec<Conductor>,
    pub(super) ring: Vec<Part>,
    pub(super) leases: Option<Leases>,
    pub(super) database: Database,
    pub(super) webhooks: Option<Webhooks>,
}

impl Status {
    /// What is known before anybody was asked.
    pub(super) fn of(process: Process) -> Self {
        Self {
            verdict: "ok",
            problems: Vec::new(),
            at: Timestamp::now().to_string(),
            process,
            nodes: None,
            conductors: Vec::new(),
            ring: Vec::new(),
            leases: None,
            database: Database::default(),
            webhooks: None,
        }
    }
}

/// How many nodes there are, counted at most every few seconds.
#[derive(Debug, Serialize)]
pub(super) struct Nodes {
    pub(super) count: i64,
    /// Those whose operation ended badly.
    pub(super) failed: i64,
    pub(super) maintenance: i64,
    pub(super) by_state: BTreeMap<String, i64>,
}

impl Nodes {
    pub(super) fn of(census: Census) -> Self {
        let by_state: BTreeMap<String, i64> = census.nodes.into_iter().collect();
        let failed = by_state.iter().filter(|(state, _)| has_failed(state));
        Self {
            count: by_state.values().sum(),
            failed: failed.map(|(_, count)| count).sum(),
            maintenance: census.maintenance,
            by_state,
        }
    }
}

/// Whether nodes in a state wait for somebody to look at them.
pub(super) fn has_failed(state: &str) -> bool {
    state
        .parse::<ProvisionState>()
        .is_ok_and(|state| state == ProvisionState::Error || state.class() == StateClass::Failed)
}

/// Something that somebody should look at.
#[derive(Debug, Serialize)]
pub(super) struct Problem {
    /// `error` or `warning`.
    pub(super) severity: &'static str,
    /// For programs.
    pub(super) code: &'static str,
    pub(super) text: String,
    /// What to do next.
    pub(super) advice: String,
}

/// Who answers.
#[derive(Debug, Serialize)]
pub(super) struct Process {
    pub(super) host: String,
    pub(super) role: String,
    pub(super) version: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Conductor {
    pub(super) host: String,
    pub(super) group: String,
    pub(super) drivers: Vec<String>,
    /// `alive`, `leaving`, `silent` or `stopped`.
    pub(super) state: &'static str,
    pub(super) last_seen_s: f64,
    pub(super) epoch: i64,
    /// About how many belong to it.
    pub(super) nodes: i64,
    /// How many it works on.
    pub(super) leases: i64,
    pub(super) version: Option<String>,
    pub(super) uptime_s: Option<f64>,
    pub(super) may_act: Option<bool>,
    pub(super) workers_busy: Option<u64>,
    pub(super) workers: Option<u64>,
    pub(super) passes: Vec<Pass>,
    pub(super) outages: Vec<Outage>,
    /// Why it says nothing of itself.
    pub(super) error: Option<String>,
}

impl Conductor {
    pub(super) fn of(member: &Member, state: &'static str, now: Timestamp) -> Self {
        let seen = member.updated_at.unwrap_or(member.created_at);
        Self {
            host: member.hostname.clone(),
            group: member.conductor_group.clone(),
            drivers: member.drivers.clone(),
            state,
            last_seen_s: ago(seen, now),
            epoch: member.epoch,
            nodes: 0,
            leases: 0,
            version: None,
            uptime_s: None,
            may_act: None,
            workers_busy: None,
            workers: None,
            passes: Vec::new(),
            outages: Vec::new(),
            error: None,
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Pass {
    pub(super) name: String,
    pub(super) interval_s: f64,
    pub(super) lag_s: f64,
    pub(super) is_running: bool,
    pub(super) rounds: u64,
    pub(super) last_began: Option<String>,
    pub(super) last_duration_s: f64,
    pub(super) last_visited: u64,
    pub(super) last_failed: u64,
}

impl From<PassReport> for Pass {
    fn from(report: PassReport) -> Self {
        Self {
            name: report.name,
            interval_s: rounded(report.interval_s),
            lag_s: rounded(report.lag_s),
            is_running: report.is_running,
            rounds: report.rounds,
            last_began: report.last_began.map(|at| at.to_string()),
            last_duration_s: rounded(report.last_duration_s),
            last_visited: report.last_visited,
            last_failed: report.last_failed,
        }
    }
}

/// A service of OpenStack that did not answer when the conductor called it last.
#[derive(Debug, Serialize)]
pub(super) struct Outage {
    pub(super) service: String,
    pub(super) since: String,
    pub(super) since_s: f64,
    pub(super) last_s: f64,
    pub(super) error: String,
    pub(super) waiting: u64,
    pub(super) waiting_for: Vec<String>,
}

impl From<OutageReport> for Outage {
    fn from(report: OutageReport) -> Self {
        let now = Timestamp::now();
        Self {
            since: report.since.to_string(),
            since_s: ago(report.since, now),
            last_s: ago(report.last, now),
            service: report.service,
            error: report.error,
            waiting: report.waiting,
            waiting_for: report.waiting_for,
        }
    }
}

/// The nodes of one hardware type in one group, and who shares them.
#[derive(Debug, Serialize)]
pub(super) struct Part {
    pub(super) group: String,
    pub(super) driver: String,
    pub(super) nodes: i64,
    pub(super) shares: Vec<Share>,
}

#[derive(Debug, Serialize)]
pub(super) struct Share {
    pub(super) host: String,
    pub(super) share: f64,
}

impl From<(String, f64)> for Share {
    fn from((host, share): (String, f64)) -> Self {
        let share = (share * 10_000.0).round() / 10_000.0;
        Self { host, share }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Leases {
    pub(super) count: i64,
    /// Those of processes that have ended.
    pub(super) orphaned: i64,
    pub(super) quietest: Option<QuietLease>,
}

/// The lease whose node was not written for the longest time.
#[derive(Debug, Serialize)]
pub(super) struct QuietLease {
    pub(super) node: String,
    pub(super) name: Option<String>,
    pub(super) conductor: String,
    pub(super) provision_state: String,
    pub(super) quiet_s: f64,
}

impl Leases {
    pub(super) fn of(found: &overview::Leases, members: &[Member], now: Timestamp) -> Self {
        let epochs: HashMap<&str, i64> = members
            .iter()
            .filter(|member| member.counter != SIGNED_OFF)
            .map(|member| (member.hostname.as_str(), member.epoch))
            .collect();
        let is_orphaned =
            |holder: &types::lease::Holder| epochs.get(holder.host.as_str()) != Some(&holder.epoch);
        let orphaned = found.holders.iter().filter(|(by, _)| is_orphaned(by));
        Self {
            count: found.holders.iter().map(|(_, count)| count).sum(),
            orphaned: orphaned.map(|(_, count)| count).sum(),
            quietest: found.quietest.as_ref().map(|lease| QuietLease {
                node: lease.node.to_string(),
                name: lease.name.clone(),
                conductor: lease.host.clone(),
                provision_state: lease.provision_state.clone(),
                quiet_s: ago(lease.since, now),
            }),
        }
    }
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Database {
    pub(super) engine: &'static str,
    /// Without its password.
    pub(super) location: String,
    /// Why it does not answer.
    pub(super) error: Option<String>,
    pub(super) latency_s: Option<f64>,
    pub(super) schema: Option<i64>,
    /// What this program was made for.
    pub(super) program_schema: i64,
    pub(super) size_bytes: Option<i64>,
    pub(super) wal_bytes: Option<i64>,
    pub(super) oldest_event: Option<Event>,
    pub(super) newest_event: Option<Event>,
    /// Events that have no cursor yet.
    pub(super) unnumbered_events: Option<i64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Event {
    pub(super) cursor: i64,
    pub(super) at: String,
}

impl From<(i64, Timestamp)> for Event {
    fn from((cursor, at): (i64, Timestamp)) -> Self {
        Self {
            cursor,
            at: at.to_string(),
        }
    }
}

impl Database {
    pub(super) fn of(db: &Db, facts: &Facts, latency: Duration) -> Self {
        Self {
            latency_s: Some((latency.as_secs_f64() * 1e6).round() / 1e6),
            schema: Some(facts.schema),
            size_bytes: facts.size,
            wal_bytes: facts.wal,
            oldest_event: facts.oldest.map(Into::into),
            newest_event: facts.newest.map(Into::into),
            unnumbered_events: Some(facts.unnumbered),
            ..Self::named(db)
        }
    }

    pub(super) fn away(db: &Db, error: String) -> Self {
        Self {
            error: Some(error),
            ..Self::named(db)
        }
    }

    fn named(db: &Db) -> Self {
        Self {
            engine: match db.engine() {
                Engine::Sqlite => "sqlite",
                Engine::Postgres => "postgresql",
                Engine::MariaDb => "mariadb",
            },
            location: db.location().public(),
            program_schema: store::SCHEMA_VERSION,
            ..Self::default()
        }
    }
}

#[derive(Debug, Serialize)]
pub(super) struct Webhooks {
    pub(super) count: usize,
    /// Those that were disabled by themselves.
    pub(super) disabled: usize,
    /// Those whose next event was posted in vain.
    pub(super) failing: usize,
    pub(super) dead_letters: i64,
}

impl Webhooks {
    pub(super) fn of(rows: &[Webhook], dead_letters: i64) -> Self {
        let disabled = rows.iter().filter(|row| row.disabled_reason.is_some());
        let failing = rows
            .iter()
            .filter(|row| row.enabled && row.delivery.failures > 0);
        Self {
            count: rows.len(),
            disabled: disabled.count(),
            failing: failing.count(),
            dead_letters,
        }
    }
}
