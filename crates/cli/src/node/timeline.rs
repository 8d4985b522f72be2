//! `corten node timeline`: what was done to a machine, how long it took, and what it waits for.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};
use crate::watch::Clock;
use crate::watch::status::{text, time, written};

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node timeline",
        "Show what is being done to a machine, step by step",
        Timeline::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
The newest operation is shown, or as many as --operations says: its phases and steps with their
times, what it waits for, how far it is, and why it failed. The last lines are for people; -f json
has all of it.
  corten node timeline m1
  corten node timeline m1 --operations 5 -f json
")]
struct Timeline {
    /// Name or UUID
    node: String,
    /// How many operations to show, the newest last
    #[arg(long, value_name = "NUMBER", default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=20))]
    operations: u8,
    #[command(flatten)]
    output: ListOutput,
}

impl Timeline {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["nodes", &self.node, "timeline"])?;
        let call = call.query("limit", self.operations);
        let answer = session.client.send(&call).await;
        let answer = answer.map_err(|error| about(error, &self.node))?;
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &answer);
        }
        let flows = answer.get("flows").and_then(Value::as_array);
        let flows: Vec<&Value> = flows.into_iter().flatten().rev().collect();
        let clock = Clock::local();
        let rows = flows.iter().flat_map(|flow| rows(flow, &clock)).collect();
        let titles = ["Operation", "What", "State", "Started", "Took"];
        output::print_list(&mut session.console, &self.output, &titles, rows)?;
        if self.output.is_table() {
            for line in flows
                .last()
                .map(|flow| remarks(flow, &clock))
                .unwrap_or_default()
            {
                session.console.line(&line)?;
            }
        }
        Ok(())
    }
}

/// A row for each phase and each step, in the order in which they began.
fn rows(flow: &Value, clock: &Clock) -> Vec<Vec<Value>> {
    let list = |key: &str| {
        let list = flow.get(key).and_then(Value::as_array);
        list.cloned().unwrap_or_default()
    };
    let mut all: Vec<(bool, Value)> = Vec::new();
    all.extend(list("phases").into_iter().map(|phase| (true, phase)));
    all.extend(list("steps").into_iter().map(|step| (false, step)));
    // What has not begun comes last. Times of one form sort as texts do.
    all.sort_by_key(|(_, item)| {
        let start = text(item, "started_at");
        (start.is_empty(), start)
    });
    let verb = text(flow, "verb");
    let row = |(is_phase, item): (bool, Value)| {
        let state = match (is_phase, text(&item, "by").as_str()) {
            (true, "agent") => "phase of the agent".to_owned(),
            (true, _) => "phase".to_owned(),
            (false, _) => text(&item, "state"),
        };
        let (started, took) = match item.get("duration").and_then(Value::as_f64) {
            Some(took) => (clock.show(&text(&item, "started_at")), time(took)),
            None => (String::new(), String::new()),
        };
        [verb.clone(), text(&item, "name"), state, started, took]
            .map(Value::from)
            .to_vec()
    };
    all.into_iter().map(row).collect()
}

/// What cannot be put into rows.
fn remarks(flow: &Value, clock: &Clock) -> Vec<String> {
    let number = |pointer: &str| flow.pointer(pointer).and_then(Value::as_f64).unwrap_or(0.0);
    let by = match flow.pointer("/requested_by/user").and_then(Value::as_str) {
        Some(_) => format!(", asked for by {}", text(&flow["requested_by"], "user")),
        None => String::new(),
    };
    let state = match (text(flow, "state").as_str(), text(flow, "result")) {
        ("running", _) => "goes on".to_owned(),
        (state, result) => format!("{state}, now {result}"),
    };
    let mut lines = vec![format!(
        "{} from {}{by}: {state}, {}",
        text(flow, "verb"),
        clock.show(&text(flow, "started_at")),
        time(number("/duration")),
    )];
    if flow.get("address").is_some_and(Value::is_string) {
        lines.push(format!("log in as 'rescue' at {}", text(flow, "address")));
    }
    if flow.get("waiting").is_some_and(Value::is_object) {
        let wait = text(&flow["waiting"], "for");
        lines.push(format!(
            "waiting for {wait}, {}",
            time(number("/waiting/duration"))
        ));
    }
    if let Some(progress) = flow.get("progress").filter(|p| p.is_object()) {
        lines.push(written(progress));
    }
    let warnings = flow.get("warnings").and_then(Value::as_array);
    for warning in warnings.into_iter().flatten() {
        lines.push(format!(
            "warning: {}",
            text(&json!({"text": warning}), "text")
        ));
    }
    if flow.get("error").is_some_and(Value::is_string) {
        lines.push(format!("error: {}", text(flow, "error")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::Answer;
    use crate::tests::ran;

    fn answer() -> Value {
        json!({"node_uuid": "u-1", "flows": [{
            "verb": "deploy", "state": "running", "duration": 75.4, "result": null,
            "started_at": "2026-11-15T03:20:00+00:00", "requested_by": {"user": "ops"},
            "phases": [
                {"name": "preparing", "by": "conductor",
                 "started_at": "2026-11-15T03:20:00+00:00", "duration": 2.0},
                {"name": "writing image", "by": "agent",
                 "started_at": "2026-11-15T03:20:40+00:00", "duration": 30.0},
            ],
            "steps": [
                {"name": "deploy.deploy", "state": "done",
                 "started_at": "2026-11-15T03:20:02+00:00", "duration": 30.0},
                {"name": "deploy.boot_instance", "state": "pending"},
            ],
            "waiting": {"for": "agent command write_image", "duration": 31.0},
            "progress": {"phase": "writing image", "bytes": 5_000_000, "total": 10_000_000,
                "rate": 1_000_000, "eta": 5},
            "warnings": ["slow \u{1b}[2J"], "error": null,
        }]})
    }

    #[test]
    fn the_newest_operation_is_a_table_with_remarks() {
        let (ran, asked) = ran("node timeline m1", [Answer::new(200, answer())]);
        assert_eq!(asked[0].line, "GET /corten/v1/nodes/m1/timeline?limit=1");
        assert_eq!((ran.code, ran.notes.as_str()), (0, ""));
        let lines: Vec<&str> = ran
            .out
            .lines()
            .filter(|line| line.starts_with('|'))
            .collect();
        assert!(
            lines[1].contains("preparing") && lines[1].contains("2 s"),
            "{}",
            ran.out
        );
        assert!(
            lines[2].contains("deploy.deploy") && lines[2].contains("done"),
            "{}",
            ran.out
        );
        assert!(lines[3].contains("phase of the agent"), "{}", ran.out);
        assert!(lines[4].contains("boot_instance") && lines[4].contains("pending"));
        assert!(
            ran.out.contains("asked for by ops: goes on, 1 min 15 s\n"),
            "{}",
            ran.out
        );
        assert!(
            ran.out
                .contains("\nwaiting for agent command write_image, 31 s\n")
        );
        assert!(
            ran.out
                .contains("writing image: 50 %, 5.0 of 10.0 MB, 1.0 MB/s, 5 s left\n")
        );
        assert!(!ran.out.contains('\u{1b}'));
    }

    #[test]
    fn programs_get_the_whole_document() {
        let line = "node timeline m1 --operations 3 -f json";
        let (ran, asked) = ran(line, [Answer::new(200, answer())]);
        assert!(asked[0].line.ends_with("?limit=3"));
        assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), answer());
    }

    #[test]
    fn a_machine_without_a_past_has_an_empty_table() {
        let empty = json!({"flows": []});
        let (ran, _) = ran("node timeline m1", [Answer::new(200, empty)]);
        assert_eq!((ran.code, ran.out.trim()), (0, ""));
    }
}
