//! `corten fleet …`, `corten work` and `corten me`: what the web page shows first, in a terminal.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};
use crate::watch::status::text;

pub(crate) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new("fleet counts", "Count machines by state", Counts::run),
        Leaf::new(
            "fleet map",
            "Show the state of every machine as a letter",
            Map::run,
        ),
        Leaf::new(
            "fleet failures",
            "Show what needs a person, by cause",
            Failures::run,
        ),
        Leaf::new("work", "Show the operations that run", Work::run),
        Leaf::new("me", "Show who you are and what you may do", Me::run),
    ]
}

const LANGUAGE: &str = "\
A query is words that must all fit: state:failed class:gpu -maint:yes age>1h web-04
";

fn list<'a>(answer: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    answer
        .get(key)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

/// What stands for a group without a name.
fn named(group: &Value) -> Value {
    match group.get("name") {
        Some(Value::String(name)) => json!(name),
        _ => json!("(none)"),
    }
}

#[derive(Debug, Args)]
#[command(after_help = LANGUAGE)]
struct Counts {
    /// resource_class, driver, conductor, conductor_group, chassis, shard, owner, lessee, power,
    /// state, trait or extra.KEY
    #[arg(long, value_name = "WHAT", default_value = "resource_class")]
    by: String,
    /// Count only the machines that fit this query
    #[arg(long = "where", value_name = "QUERY")]
    query: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Counts {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["fleet"])?;
        let call = call
            .query("by", &self.by)
            .query_if("q", self.query.as_ref());
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        const LOOKS: [&str; 6] = ["ready", "in_use", "working", "waiting", "held", "failed"];
        let row = |name: Value, counts: &Value| {
            let mut row = vec![name, counts["total"].clone()];
            row.extend(LOOKS.map(|look| counts["looks"][look].clone()));
            row.push(counts["maintenance"].clone());
            row
        };
        let mut rows: Vec<Vec<Value>> = list(&answer, "groups")
            .map(|group| row(named(group), group))
            .collect();
        rows.push(row(json!("all"), &answer));
        let titles = [
            self.by.as_str(),
            "total",
            "ready",
            "in use",
            "working",
            "waiting",
            "held",
            "failed",
            "maintenance",
        ];
        output::print_list(&mut session.console, &self.output, &titles, rows)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
r ready, u in use, w working, q waiting, h held, f failed; in upper case in maintenance. The machines
of a group are in order of name, and a number says how many of the same follow each other.
")]
struct Map {
    /// What machines are grouped by, as for `fleet counts`
    #[arg(long, value_name = "WHAT", default_value = "resource_class")]
    by: String,
    /// Show only the machines that fit this query
    #[arg(long = "where", value_name = "QUERY")]
    query: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Map {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["fleet", "map"])?;
        let call = call
            .query("by", &self.by)
            .query_if("q", self.query.as_ref());
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let rows = list(&answer, "groups")
            .map(|group| vec![named(group), group["total"].clone(), group["cells"].clone()]);
        let titles = [self.by.as_str(), "total", "cells"];
        output::print_list(&mut session.console, &self.output, &titles, rows.collect())
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten fleet failures
  corten node list --where cause:bmc_unreachable      those of one cause
  corten node explain m9                              all about one of them
")]
struct Failures {
    /// Look only at the machines that fit this query
    #[arg(long = "where", value_name = "QUERY")]
    query: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Failures {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["failures"])?;
        let call = call.query_if("q", self.query.as_ref());
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let rows = list(&answer, "causes").map(|cause| {
            let names = list(cause, "nodes").map(|node| match text(node, "name") {
                name if name.is_empty() => text(node, "uuid"),
                name => name,
            });
            let names: Vec<String> = names.collect();
            vec![
                cause["count"].clone(),
                json!(text(cause, "sentence")),
                json!(text(cause, "since")),
                json!(names.join(", ")),
                json!(text(cause, "advice")),
            ]
        });
        let titles = ["count", "cause", "since", "such as", "what to do"];
        output::print_list(&mut session.console, &self.output, &titles, rows.collect())
    }
}

#[derive(Debug, Args)]
struct Work {
    #[command(flatten)]
    output: ListOutput,
}

impl Work {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let answer = session
            .client
            .send(&Call::own(Method::GET, &["work"])?)
            .await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let rows = list(&answer, "operations").map(|one| {
            let name = match text(one, "name") {
                name if name.is_empty() => text(one, "node"),
                name => name,
            };
            let steps = match (one["steps_done"].as_u64(), one["steps_total"].as_u64()) {
                (Some(done), Some(total)) => format!("{done} of {total}"),
                _ => String::new(),
            };
            vec![
                json!(name),
                json!(text(one, "verb")),
                json!(text(one, "provision_state")),
                json!(text(one, "state_since")),
                json!(text(one, "phase")),
                json!(steps),
                json!(text(&one["waiting"], "for")),
            ]
        });
        let titles = [
            "machine",
            "verb",
            "state",
            "since",
            "phase",
            "steps",
            "waits for",
        ];
        output::print_list(&mut session.console, &self.output, &titles, rows.collect())
    }
}

#[derive(Debug, Args)]
struct Me {
    /// Name or UUID of a machine: what you may do with it
    #[arg(long, value_name = "NODE")]
    node: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl Me {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["me"])?;
        let call = call.query_if("node", self.node.as_ref());
        let answer = session.client.send(&call).await?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let joined = |key: &str| {
            let words = list(&answer, key).filter_map(Value::as_str);
            words.collect::<Vec<_>>().join(", ")
        };
        let plain = [
            "mode",
            "user",
            "project",
            "system_scope",
            "version",
            "api_version",
        ];
        let mut rows: Vec<Vec<Value>> = plain
            .iter()
            .map(|key| vec![json!(key), json!(text(&answer, key))])
            .collect();
        rows.push(vec![json!("roles"), json!(joined("roles"))]);
        rows.push(vec![json!("rules"), json!(joined("rules"))]);
        output::print_list(&mut session.console, &self.output, &["what", "value"], rows)
    }
}

#[cfg(test)]
mod tests {
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::json;

    #[test]
    fn counts_maps_and_failures_are_tables() {
        let looks =
            json!({"ready": 1, "in_use": 2, "working": 0, "waiting": 0, "held": 0, "failed": 4});
        let fleet = json!({"total": 7, "looks": looks, "maintenance": 3, "groups": [
            {"name": null, "total": 7, "looks": looks, "maintenance": 3}]});
        let (counted, asked) = ran(
            "fleet counts --where state:failed",
            [Answer::new(200, fleet)],
        );
        assert_eq!(
            asked[0].line,
            "GET /corten/v1/fleet?by=resource_class&q=state%3Afailed"
        );
        assert!(
            counted.out.contains("(none)") && counted.out.contains("in use"),
            "{}",
            counted.out
        );
        let map = json!({"groups": [{"name": "gpu", "total": 3, "cells": "u2f1"}]});
        let (drawn, _) = ran("fleet map", [Answer::new(200, map)]);
        assert!(drawn.out.contains("u2f1"), "{}", drawn.out);
        let failures = json!({"causes": [{"count": 2, "sentence": "broken", "since": "s",
            "advice": "mend", "nodes": [{"uuid": "u", "name": "n1"}]}]});
        let (failed, _) = ran("fleet failures", [Answer::new(200, failures)]);
        assert!(
            failed.out.contains("broken") && failed.out.contains("n1"),
            "{}",
            failed.out
        );
    }

    #[test]
    fn work_and_rules_are_shown() {
        let work = json!({"operations": [{"node": "u", "name": "n1", "verb": "deploy",
            "provision_state": "wait call-back", "state_since": "s", "phase": null,
            "steps_done": 1, "steps_total": 3, "waiting": {"for": "the agent"}}]});
        let (shown, _) = ran("work", [Answer::new(200, work)]);
        assert!(
            shown.out.contains("1 of 3") && shown.out.contains("the agent"),
            "{}",
            shown.out
        );
        let me = json!({"mode": "noauth", "user": null, "roles": ["admin"], "rules": ["a", "b"]});
        let (shown, asked) = ran("me --node n1", [Answer::new(200, me)]);
        assert_eq!(asked[0].line, "GET /corten/v1/me?node=n1");
        assert!(shown.out.contains("a, b"), "{}", shown.out);
    }
}
