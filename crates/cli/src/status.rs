//! `corten status`: how the whole service fares, in one look.
//!
//! The verdict comes first, then what is wrong and what to do about it, then the numbers. What is
//! wrong the service says itself; nothing is judged here, so that every client sees the same.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::console::printable;
use crate::error::Error;
use crate::output::{self, LineFormat, LineOutput};
use crate::watch::status::{text, time};

pub(crate) fn leaf() -> Leaf {
    Leaf::new("status", "Show how the service fares", Status::run)
}

#[derive(Debug, Args)]
#[command(after_help = "\
Who is alive and serves what, what is being worked on, how late periodic passes are, and how the
database is. Passes are those of all conductors together, with the greatest lag; -f json has each.

Examples:
  corten status
  corten status -f json | jq '.problems[].text'

Exit codes:
  0  nothing is wrong, or there are warnings only
  1  there are problems, or the service refused to tell
  2  the command line is wrong
  3  the service cannot be reached
")]
struct Status {
    #[command(flatten)]
    output: LineOutput,
}

impl Status {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["status"])?;
        let answer = session.client.send(&call).await;
        let status = answer.map_err(|error| match error.status() {
            Some(404) => Error::failed("this service does not tell how it fares")
                .with_hint("only Corten does"),
            _ => error,
        })?;
        match self.output.format {
            LineFormat::Json => output::print_document(&mut session.console, &status)?,
            LineFormat::Table => print(session, &status)?,
        }
        match count(&status, "error") {
            0 => Ok(()),
            1 => Err(Error::failed("there is a problem")),
            errors => Err(Error::failed(format!("there are {errors} problems"))),
        }
    }
}

/// How many problems of a severity there are.
fn count(status: &Value, severity: &str) -> usize {
    let problems = list(status, "problems");
    let of_kind = |problem: &&Value| text(problem, "severity") == severity;
    problems.iter().filter(of_kind).count()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value
        .get(key)
        .and_then(Value::as_array)
        .map_or(&[], |list| list.as_slice())
}

fn number(value: &Value, key: &str) -> Option<f64> {
    value.get(key).and_then(Value::as_f64)
}

fn print(session: &mut Session, status: &Value) -> Result<(), Error> {
    let console = &mut session.console;
    console.line(&headline(status))?;
    for problem in list(status, "problems") {
        console.line("")?;
        let (severity, what) = (text(problem, "severity"), text(problem, "text"));
        console.line(&format!("{severity}: {what}"))?;
        console.line(&format!("    {}", text(problem, "advice")))?;
    }
    let tables = [
        (
            CONDUCTORS,
            conductors(status),
            &["Epoch", "Group", "Version", "Up"][..],
        ),
        (RING, ring(status), &["Group"]),
        (PASSES, passes(status), &["Rounds", "Latest at", "Took"]),
    ];
    for (titles, rows, spare) in tables {
        if !rows.is_empty() {
            console.line("")?;
            output::print_fitting_table(console, titles, &rows, spare)?;
        }
    }
    console.line("")?;
    let lines = [
        nodes(status),
        leases(status),
        database(status),
        webhooks(status),
    ];
    for line in lines.into_iter().flatten() {
        console.line(&line)?;
    }
    Ok(())
}

/// `ok: 3 conductors alive, 100000 nodes; corten 1.0.0 (api on host-1)`.
fn headline(status: &Value) -> String {
    let plural = |count: usize, word: &str| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    let verdict = match (count(status, "error"), count(status, "warning")) {
        (0, 0) => "ok".to_owned(),
        (0, warnings) => plural(warnings, "warning"),
        (errors, 0) => plural(errors, "problem"),
        (errors, warnings) => {
            format!(
                "{}, {}",
                plural(errors, "problem"),
                plural(warnings, "warning")
            )
        }
    };
    let process = &status["process"];
    let alive = list(status, "conductors")
        .iter()
        .filter(|one| text(one, "state") == "alive");
    let nodes: u64 = list(status, "ring")
        .iter()
        .filter_map(|part| part.get("nodes")?.as_u64())
        .sum();
    let counted = |key: &str, what: &str| {
        let count = status["nodes"][key].as_u64().filter(|count| *count > 0)?;
        Some(format!("{count} {what}"))
    };
    let odd = [
        counted("failed", "failed"),
        counted("maintenance", "in maintenance"),
    ];
    let odd: Vec<String> = odd.into_iter().flatten().collect();
    let odd = match odd.as_slice() {
        [] => String::new(),
        odd => format!(" ({})", odd.join(", ")),
    };
    format!(
        "{verdict}: {} alive, {nodes} nodes{odd}; corten {} ({} on {})",
        plural(alive.count(), "conductor"),
        text(process, "version"),
        text(process, "role"),
        text(process, "host"),
    )
}

const CONDUCTORS: &[&str] = &[
    "Conductor",
    "Group",
    "State",
    "Seen",
    "Epoch",
    "Version",
    "Up",
    "Nodes",
    "Leases",
    "Workers",
];

fn conductors(status: &Value) -> Vec<Vec<Value>> {
    let row = |one: &Value| {
        let since = |key: &str| number(one, key).map(time).unwrap_or_default();
        let workers = match (number(one, "workers_busy"), number(one, "workers")) {
            (Some(busy), Some(all)) => format!("{busy:.0} of {all:.0}"),
            _ => String::new(),
        };
        let state = match one.get("error").is_some_and(Value::is_string) {
            true => format!("{}, mute", text(one, "state")),
            false => text(one, "state"),
        };
        vec![
            json!(text(one, "host")),
            json!(text(one, "group")),
            json!(state),
            json!(format!("{} ago", since("last_seen_s"))),
            one["epoch"].clone(),
            json!(text(one, "version")),
            json!(since("uptime_s")),
            one["nodes"].clone(),
            one["leases"].clone(),
            json!(workers),
        ]
    };
    list(status, "conductors").iter().map(row).collect()
}

const RING: &[&str] = &["Hardware type", "Group", "Nodes", "Shared by"];

fn ring(status: &Value) -> Vec<Vec<Value>> {
    let row = |part: &Value| {
        let shares = list(part, "shares").iter().map(|share| {
            let percent = number(share, "share").unwrap_or(0.0) * 100.0;
            format!("{} {percent:.0} %", text(share, "host"))
        });
        let shares: Vec<String> = shares.collect();
        let shares = match shares.as_slice() {
            [] => "nobody".to_owned(),
            shares => shares.join(", "),
        };
        vec![
            json!(text(part, "driver")),
            json!(text(part, "group")),
            part["nodes"].clone(),
            json!(shares),
        ]
    };
    list(status, "ring").iter().map(row).collect()
}

const PASSES: &[&str] = &[
    "Pass",
    "Every",
    "Lag",
    "Latest at",
    "Rounds",
    "Took",
    "Visited",
    "Failed",
];

/// A row for each pass, with all conductors taken together: the greatest lag and the longest
/// round, and the sum of what was visited.
fn passes(status: &Value) -> Vec<Vec<Value>> {
    let mut names: Vec<String> = Vec::new();
    let all: Vec<(String, &Value)> = list(status, "conductors")
        .iter()
        .flat_map(|one| {
            let host = text(one, "host");
            let passes = list(one, "passes").iter();
            passes.map(move |pass| (host.clone(), pass))
        })
        .collect();
    for (_, pass) in &all {
        let name = text(pass, "name");
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let row = |name: String| {
        let of_name = || all.iter().filter(|(_, pass)| text(pass, "name") == name);
        let greatest = |key: &str| {
            let values = of_name().filter_map(|(host, pass)| Some((number(pass, key)?, host)));
            values.max_by(|left, right| left.0.total_cmp(&right.0))
        };
        let sum = |key: &str| {
            let values = of_name().filter_map(|(_, pass)| pass.get(key)?.as_u64());
            json!(values.sum::<u64>())
        };
        let shown = |key: &str| greatest(key).map_or_else(String::new, |(value, _)| brief(value));
        let latest = greatest("lag_s").map_or("", |(_, host)| host.as_str());
        vec![
            json!(name),
            json!(shown("interval_s")),
            json!(shown("lag_s")),
            json!(latest),
            sum("rounds"),
            json!(shown("last_duration_s")),
            sum("last_visited"),
            sum("last_failed"),
        ]
    };
    names.into_iter().map(row).collect()
}

/// A time that may be far below a second.
fn brief(seconds: f64) -> String {
    match seconds {
        s if s < 0.0005 => "0 s".to_owned(),
        s if s < 1.0 => format!("{:.0} ms", s * 1000.0),
        s => time(s),
    }
}

/// `nodes: 90 active, 8 available, 2 deploy failed; 1 in maintenance`.
fn nodes(status: &Value) -> Option<String> {
    let nodes = status.get("nodes").filter(|nodes| nodes.is_object())?;
    let states = nodes.get("by_state").and_then(Value::as_object)?;
    let states: Vec<String> = states
        .iter()
        .map(|(state, count)| format!("{count} {}", printable(state)))
        .collect();
    if states.is_empty() {
        return None;
    }
    let mut line = format!("nodes: {}", states.join(", "));
    if let Some(count) = nodes["maintenance"].as_u64().filter(|count| *count > 0) {
        line += &format!("; {count} in maintenance");
    }
    Some(line)
}

fn leases(status: &Value) -> Option<String> {
    let leases = status.get("leases").filter(|leases| leases.is_object())?;
    let count = number(leases, "count").unwrap_or(0.0);
    let mut line = format!("leases: {count:.0} nodes are being worked on");
    let quietest = &leases["quietest"];
    if quietest.is_object() {
        let name = match text(quietest, "name") {
            name if name.is_empty() => text(quietest, "node"),
            name => name,
        };
        line += &format!(
            "; quietest is {name} ({}) at {}, not written for {}",
            text(quietest, "provision_state"),
            text(quietest, "conductor"),
            time(number(quietest, "quiet_s").unwrap_or(0.0)),
        );
    }
    Some(line)
}

fn database(status: &Value) -> Option<String> {
    let database = status.get("database").filter(|one| one.is_object())?;
    let mut parts = vec![format!(
        "database: {} {}",
        text(database, "engine"),
        text(database, "location")
    )];
    if database.get("error").is_some_and(Value::is_string) {
        parts.push(text(database, "error"));
    }
    if let Some(latency) = number(database, "latency_s") {
        parts.push(format!("answers in {:.1} ms", latency * 1000.0));
    }
    if let Some(schema) = number(database, "schema") {
        parts.push(format!("schema {schema:.0}"));
    }
    let megabytes = |key: &str| number(database, key).map(|bytes| bytes / 1e6);
    match (megabytes("size_bytes"), megabytes("wal_bytes")) {
        (Some(size), Some(wal)) => parts.push(format!("{size:.1} MB and {wal:.1} MB of WAL")),
        (Some(size), None) => parts.push(format!("{size:.1} MB")),
        _ => {}
    }
    let event = |key: &str| number(&database[key], "cursor");
    if let (Some(oldest), Some(newest)) = (event("oldest_event"), event("newest_event")) {
        let since = text(&database["oldest_event"], "at");
        let since = crate::watch::Clock::local().show(&since);
        parts.push(format!("events {oldest:.0} to {newest:.0} since {since}"));
    }
    Some(parts.join(", "))
}

fn webhooks(status: &Value) -> Option<String> {
    let webhooks = status.get("webhooks").filter(|one| one.is_object())?;
    let of = |key: &str| number(webhooks, key).unwrap_or(0.0);
    (of("count") > 0.0).then(|| {
        format!(
            "webhooks: {:.0}, {:.0} failing, {:.0} disabled, {:.0} dead letters",
            of("count"),
            of("failing"),
            of("disabled"),
            of("dead_letters")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::Answer;
    use crate::tests::ran;

    fn pass(lag: f64, visited: u64) -> Value {
        json!({"name": "power_sync", "interval_s": 120.0, "lag_s": lag, "is_running": false,
            "rounds": 2, "last_began": null, "last_duration_s": 0.25, "last_visited": visited,
            "last_failed": 0})
    }

    fn conductor(host: &str, lag: f64, visited: u64) -> Value {
        json!({"host": host, "group": "", "drivers": ["ipmi"], "state": "alive",
            "last_seen_s": 3.2, "epoch": 4, "nodes": 50, "leases": 1, "version": "1.0.0",
            "uptime_s": 7300.0, "may_act": true, "workers_busy": 3, "workers": 300,
            "passes": [pass(lag, visited)], "error": null})
    }

    fn answer(problems: Value) -> Value {
        json!({"verdict": "?", "problems": problems, "at": "2026-11-15T20:00:00+00:00",
            "process": {"host": "api-1", "role": "api", "version": "1.0.0"},
            "nodes": {"count": 105, "failed": 2, "maintenance": 1,
                "by_state": {"active": 103, "deploy failed": 2}},
            "conductors": [conductor("c1", 0.1, 40), conductor("c2", 61.0, 60)],
            "ring": [
                {"group": "", "driver": "ipmi", "nodes": 100, "shares": [
                    {"host": "c1", "share": 0.52}, {"host": "c2", "share": 0.48}]},
                {"group": "east", "driver": "ipmi", "nodes": 5, "shares": []},
            ],
            "leases": {"count": 2, "orphaned": 0, "quietest": {"node": "u-1", "name": null,
                "conductor": "c1", "provision_state": "deploying", "quiet_s": 75.0}},
            "database": {"engine": "sqlite", "location": "/d/corten.db", "error": null,
                "latency_s": 0.0021, "schema": 7, "program_schema": 7, "size_bytes": 12_300_000,
                "wal_bytes": 4_000_000, "unnumbered_events": 0,
                "oldest_event": {"cursor": 1, "at": "2026-11-01T00:00:00+00:00"},
                "newest_event": {"cursor": 99, "at": "2026-11-15T20:00:00+00:00"}},
            "webhooks": {"count": 0, "disabled": 0, "failing": 0, "dead_letters": 0}})
    }

    #[test]
    fn a_healthy_service_is_ok() {
        let (ran, asked) = ran("status", [Answer::new(200, answer(json!([])))]);
        assert_eq!(asked[0].line, "GET /corten/v1/status");
        assert_eq!((ran.code, ran.notes.as_str()), (0, ""));
        let out = &ran.out;
        assert!(
            out.starts_with(
                "ok: 2 conductors alive, 105 nodes (2 failed, 1 in maintenance); corten 1.0.0 \
                 (api on api-1)\n"
            ),
            "{out}"
        );
        let row = |words: &[&str]| {
            let has = |line: &str| words.iter().all(|word| line.contains(word));
            assert!(out.lines().any(has), "{words:?}: {out}");
        };
        row(&["c1", "alive", "3 s ago", "2 h 1 min", "3 of 300"]);
        row(&["ipmi", "100", "c1 52 %, c2 48 %"]);
        row(&["east", "nobody"]);
        row(&[
            "power_sync",
            "2 min 0 s",
            "1 min 1 s",
            "c2",
            "250 ms",
            "100",
        ]);
        row(&["nodes: 103 active, 2 deploy failed; 1 in maintenance"]);
        row(&["leases: 2 nodes", "u-1 (deploying) at c1", "1 min 15 s"]);
        row(&[
            "sqlite /d/corten.db",
            "2.1 ms",
            "schema 7",
            "12.3 MB and 4.0 MB of WAL",
        ]);
        assert!(!out.contains("webhooks"), "{out}");
    }

    #[test]
    fn problems_come_first_and_fail() {
        let one = |severity: &str, text: &str| json!({"severity": severity, "code": "x", "text": text, "advice": "Do this."});
        let problems = json!([
            one("error", "It is \u{1b}[2Jbroken."),
            one("warning", "Hm.")
        ]);
        let (failed, _) = ran("status", [Answer::new(200, answer(problems.clone()))]);
        assert_eq!(failed.code, 1);
        assert_eq!(failed.notes, "error: there is a problem\n");
        let head: Vec<&str> = failed.out.lines().take(7).collect();
        assert!(head[0].starts_with("1 problem, 1 warning: "), "{head:?}");
        assert!(head[2].starts_with("error: It is ") && head[2].ends_with("broken."));
        assert_eq!(head[3], "    Do this.");
        assert_eq!(head[5], "warning: Hm.");
        assert!(!failed.out.contains('\u{1b}'));

        let (json, _) = ran(
            "status -f json",
            [Answer::new(200, answer(problems.clone()))],
        );
        assert_eq!(json.code, 1);
        let printed: Value = serde_json::from_str(&json.out).unwrap();
        assert_eq!(printed["problems"], problems);

        let warned = answer(json!([one("warning", "Hm.")]));
        let (warned, _) = ran("status", [Answer::new(200, warned)]);
        assert_eq!(warned.code, 0);
        assert!(warned.out.starts_with("1 warning: "), "{}", warned.out);
    }

    #[test]
    fn without_the_database_little_is_known() {
        let problem = json!([{"severity": "error", "code": "no_database", "text": "Away.",
            "advice": "Look."}]);
        let mut away = answer(problem);
        for key in ["conductors", "ring"] {
            away[key] = json!([]);
        }
        for key in ["leases", "webhooks"] {
            away[key] = json!(null);
        }
        away["database"] = json!({"engine": "sqlite", "location": "/d", "error": "disk full"});
        let (ran, _) = ran("status", [Answer::new(200, away)]);
        assert_eq!(ran.code, 1);
        assert!(
            ran.out.contains("database: sqlite /d, disk full"),
            "{}",
            ran.out
        );
    }

    #[test]
    fn another_service_is_told_apart() {
        let (ran, _) = ran("status", [Answer::fault(404, "Not found")]);
        assert_eq!(ran.code, 1);
        assert!(ran.notes.contains("only Corten does"), "{}", ran.notes);
    }
}
