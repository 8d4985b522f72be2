//! What in a status somebody should look at, and what to do about it.
//!
//! An error keeps nodes from being served; a warning is what may become one, or passes by itself.

use super::document::{
    Conductor, Database, Leases, Nodes, Outage, Part, Problem, Status, Webhooks, has_failed,
};
use std::collections::BTreeSet;

/// A pass may begin this late before anybody is told, however short its interval.
const LATE_S: f64 = 10.0;
/// For so long nothing is written about a node that is being worked on only if something is wrong:
/// no step takes so long without a word.
const QUIET_S: f64 = 6.0 * 3600.0;
/// The database usually answers in a thousandth of this.
const SLOW_S: f64 = 0.5;
/// What SQLite has written and not put in its place is a few MB, unless a reader holds on to it.
const LARGE_WAL: i64 = 256 * 1024 * 1024;
/// The sequencer numbers so many events in a moment.
const UNNUMBERED: i64 = 1000;

pub(super) fn verdict(problems: &[Problem]) -> &'static str {
    match problems {
        [] => "ok",
        all if all.iter().any(|one| one.severity == "error") => "problems",
        _ => "warnings",
    }
}

pub(super) fn found(status: &Status) -> Vec<Problem> {
    let mut problems = Vec::new();
    let out = &mut problems;
    if let Some(error) = &status.database.error {
        out.push(Problem {
            severity: "error",
            code: "no_database",
            text: format!(
                "The database {} does not answer: {error}",
                status.database.location
            ),
            advice: "Nothing can be served without it. Look at its server and the way to it, or \
                at the disk; the service goes on by itself when it is back."
                .into(),
        });
        return problems;
    }
    members(&status.conductors, out);
    for part in &status.ring {
        unserved(part, out);
    }
    for conductor in &status.conductors {
        conductor_of_its_own(conductor, out);
    }
    versions(status, out);
    if let Some(leases) = &status.leases {
        reserved(leases, out);
    }
    if let Some(nodes) = &status.nodes {
        failed(nodes, out);
    }
    database(&status.database, out);
    if let Some(webhooks) = &status.webhooks {
        posted(webhooks, out);
    }
    // What is worst comes first, and otherwise all stays in order.
    problems.sort_by_key(|one| one.severity != "error");
    problems
}

fn error(code: &'static str, text: String, advice: &str) -> Problem {
    Problem {
        severity: "error",
        code,
        text,
        advice: advice.to_owned(),
    }
}

fn warning(code: &'static str, text: String, advice: &str) -> Problem {
    Problem {
        severity: "warning",
        ..error(code, text, advice)
    }
}

fn members(conductors: &[Conductor], out: &mut Vec<Problem>) {
    if !conductors.iter().any(|one| one.state == "alive") {
        out.push(error(
            "no_conductor",
            "No conductor is alive.".into(),
            "Start one ('corten conductor', or 'corten serve'). Reading works meanwhile; whatever \
             touches machines is refused.",
        ));
    }
    for one in conductors.iter().filter(|one| one.state == "silent") {
        let text = format!(
            "Conductor {} gave no sign of life for {}; it holds {} nodes.",
            one.host,
            time(one.last_seen_s),
            one.leases
        );
        let advice = "Look at its host and at its log. Others take its nodes over if they serve \
            the same group and hardware; a conductor that never comes back is forgotten after \
            [conductor]conductor_cleanup_timeout.";
        out.push(error("silent_conductor", text, advice));
    }
}

fn unserved(part: &Part, out: &mut Vec<Problem>) {
    if part.nodes == 0 || !part.shares.is_empty() {
        return;
    }
    let group = match part.group.as_str() {
        "" => "outside of any conductor group".to_owned(),
        group => format!("in conductor group '{group}'"),
    };
    out.push(error(
        "unserved_nodes",
        format!(
            "{} nodes of hardware type '{}' {group} belong to no conductor.",
            part.nodes, part.driver
        ),
        "Start a conductor that serves them ([DEFAULT]enabled_hardware_types, \
         [conductor]conductor_group), or change the driver or the conductor_group of the nodes.",
    ));
}

fn conductor_of_its_own(one: &Conductor, out: &mut Vec<Problem>) {
    let host = &one.host;
    if let Some(reason) = &one.error {
        out.push(error(
            "mute_conductor",
            format!(
                "Conductor {host} is {} and does not answer: {reason}",
                one.state
            ),
            "Requests for its nodes fail. See that its port for calls ([json_rpc]port) can be \
             reached from here and that all share one cluster secret; then look at its log.",
        ));
    }
    if one.may_act == Some(false) && one.state == "alive" {
        out.push(error(
            "fenced_conductor",
            format!("Conductor {host} calls no hardware: it could not sign in time that it lives."),
            "See that it reaches the database. It registers anew by itself when it can write.",
        ));
    }
    if let (Some(busy), Some(workers)) = (one.workers_busy, one.workers)
        && workers > 0
        && busy >= workers
    {
        out.push(warning(
            "busy_workers",
            format!("All {workers} workers of conductor {host} are at work."),
            "Requests are refused with 503 for as long. Add conductors, or raise \
             [conductor]workers_pool_size.",
        ));
    }
    for outage in &one.outages {
        away(host, outage, out);
    }
    for pass in &one.passes {
        if pass.lag_s > pass.interval_s.max(LATE_S) {
            out.push(warning(
                "late_pass",
                format!(
                    "Pass {} of conductor {host} is {} late; it is meant to run every {}.",
                    pass.name,
                    time(pass.lag_s),
                    time(pass.interval_s)
                ),
                "A round takes longer than its interval, or waits for hardware that does not \
                 answer. Look at the conductor's log; add conductors, or lengthen the interval.",
            ));
        }
    }
}

fn away(host: &str, outage: &Outage, out: &mut Vec<Problem>) {
    let waiting = match (outage.waiting, outage.waiting_for.as_slice()) {
        (0, _) | (_, []) => String::new(),
        (count, named) => format!(" {count} calls wait for it: {}.", named.join(", ")),
    };
    out.push(error(
        "service_away",
        format!(
            "{} does not answer conductor {host} since {}, last tried {} ago: {}.{waiting}",
            outage.service,
            outage.since,
            time(outage.last_s),
            outage.error
        ),
        "What needs it fails or waits, and says so on the node. 'corten openstack check' with the \
         configuration of the conductor says what is wrong; the next call that is answered ends \
         this message.",
    ));
}

fn versions(status: &Status, out: &mut Vec<Problem>) {
    let others = status.conductors.iter();
    let mut versions: BTreeSet<&str> = others.filter_map(|one| one.version.as_deref()).collect();
    versions.insert(status.process.version);
    if versions.len() > 1 {
        let versions: Vec<&str> = versions.into_iter().collect();
        out.push(warning(
            "mixed_versions",
            format!(
                "Programs of several versions are at work: {}.",
                versions.join(", ")
            ),
            "During an upgrade that is as it should be; finish it.",
        ));
    }
}

fn reserved(leases: &Leases, out: &mut Vec<Problem>) {
    if leases.orphaned > 0 {
        out.push(warning(
            "orphaned_leases",
            format!(
                "{} nodes are reserved by processes that have ended.",
                leases.orphaned
            ),
            "Their owner takes them up within [conductor]heartbeat_interval and the time in which \
             a silent conductor counts as dead. If they stay, look at its log.",
        ));
    }
    if let Some(lease) = &leases.quietest
        && lease.quiet_s > QUIET_S
    {
        let name = lease.name.as_ref().unwrap_or(&lease.node);
        out.push(warning(
            "quiet_lease",
            format!(
                "Node {name} ({}) is reserved by conductor {}, and nothing was written about it \
                 for {}.",
                lease.provision_state,
                lease.conductor,
                time(lease.quiet_s)
            ),
            &format!("'corten node timeline {name}' says what it waits for."),
        ));
    }
}

fn failed(nodes: &Nodes, out: &mut Vec<Problem>) {
    if nodes.failed == 0 {
        return;
    }
    let states = nodes.by_state.iter().filter(|(state, _)| has_failed(state));
    let states: Vec<String> = states
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    let text = match nodes.failed {
        1 => format!("A node has failed: {}.", states.join(", ")),
        count => format!("{count} nodes have failed: {}.", states.join(", ")),
    };
    let advice = "'corten node list --provision-state STATE' says which, 'corten node timeline \
        NODE' why.";
    out.push(warning("failed_nodes", text, advice));
}

fn database(database: &Database, out: &mut Vec<Problem>) {
    if let Some(latency) = database.latency_s.filter(|latency| *latency > SLOW_S) {
        out.push(warning(
            "slow_database",
            format!("The database took {latency:.1} s for an answer."),
            "Look at its load and at its disk. Conductors that cannot write in time stop working.",
        ));
    }
    if let Some(schema) = database.schema
        && schema != database.program_schema
    {
        out.push(warning(
            "other_schema",
            format!(
                "The database has schema version {schema}, this program is made for {}.",
                database.program_schema
            ),
            "During an upgrade that is as it should be; finish it with 'corten db upgrade'.",
        ));
    }
    if let Some(wal) = database.wal_bytes.filter(|wal| *wal > LARGE_WAL) {
        out.push(warning(
            "large_wal",
            format!("{} MB wait beside the database file.", wal / 1_000_000),
            "Something has been reading the database for long, such as a backup. It shrinks when \
             that has ended.",
        ));
    }
    if let Some(count) = database.unnumbered_events.filter(|n| *n > UNNUMBERED) {
        out.push(warning(
            "unnumbered_events",
            format!("{count} events wait for their place in the log."),
            "Readers see them late. Look for 'event sequencer' in the logs.",
        ));
    }
}

fn posted(webhooks: &Webhooks, out: &mut Vec<Problem>) {
    let advice = "'corten webhook list' and 'corten webhook show' say which and why.";
    if webhooks.disabled > 0 {
        let text = format!(
            "{} webhooks were disabled by themselves.",
            webhooks.disabled
        );
        out.push(warning("disabled_webhooks", text, advice));
    }
    if webhooks.failing > 0 {
        let text = format!("{} webhooks are not answered by 2xx.", webhooks.failing);
        out.push(warning("failing_webhooks", text, advice));
    }
    if webhooks.dead_letters > 0 {
        let text = format!("{} events could not be delivered.", webhooks.dead_letters);
        let advice = "'corten webhook dead-letters' shows them, 'corten webhook replay' delivers \
            them again.";
        out.push(warning("dead_letters", text, advice));
    }
}

/// A time as people say it.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s if s < 172_800.0 => format!("{:.0} h", s / 3600.0),
        s => format!("{:.0} days", s / 86_400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corten::status::document::{Process, QuietLease};

    fn status() -> Status {
        Status::of(Process {
            host: "h".into(),
            role: "serve".into(),
            version: "1.0.0",
        })
    }

    fn codes(status: &Status) -> Vec<&'static str> {
        found(status).iter().map(|one| one.code).collect()
    }

    #[test]
    fn without_a_database_there_is_one_problem() {
        let mut status = status();
        status.database.error = Some("it is gone".into());
        let problems = found(&status);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].code, "no_database");
        assert_eq!(verdict(&problems), "problems");
    }

    #[test]
    fn the_database_and_webhooks_are_looked_at() {
        let mut status = status();
        status.database = Database {
            latency_s: Some(3.0),
            schema: Some(6),
            program_schema: 7,
            wal_bytes: Some(LARGE_WAL + 1),
            unnumbered_events: Some(UNNUMBERED + 1),
            ..Database::default()
        };
        status.webhooks = Some(Webhooks {
            count: 3,
            disabled: 1,
            failing: 1,
            dead_letters: 9,
        });
        status.leases = Some(Leases {
            count: 1,
            orphaned: 0,
            quietest: Some(QuietLease {
                node: "u".into(),
                name: Some("m1".into()),
                conductor: "c".into(),
                provision_state: "deploying".into(),
                quiet_s: QUIET_S + 1.0,
            }),
        });
        assert_eq!(
            codes(&status),
            [
                "no_conductor",
                "quiet_lease",
                "slow_database",
                "other_schema",
                "large_wal",
                "unnumbered_events",
                "disabled_webhooks",
                "failing_webhooks",
                "dead_letters",
            ]
        );
    }

    #[test]
    fn warnings_alone_are_no_problems() {
        let one = warning("x", "x".into(), "y");
        assert_eq!(verdict(&[one]), "warnings");
        assert_eq!(verdict(&[]), "ok");
    }
}
