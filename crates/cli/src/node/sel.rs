//! `corten node sel`: the system event log of a machine, as its BMC keeps it.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};

pub(super) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "node sel list",
            "Show the system event log of a machine's BMC",
            List::run,
        ),
        Leaf::new(
            "node sel clear",
            "Empty the system event logs of machines' BMCs",
            Clear::run,
        ),
    ]
}

#[derive(Debug, Args)]
#[command(after_help = "\
The oldest entry stands first. Times are those of the BMC's clock. With -f json, all that is known of
each entry, with the bytes of IPMI entries.
  corten node sel list m1
  corten node sel list m1 --severity critical
")]
struct List {
    /// Name or UUID
    node: String,
    /// Only entries that are at least so bad
    #[arg(long, value_parser = ["warning", "critical"])]
    severity: Option<String>,
    #[command(flatten)]
    output: ListOutput,
}

impl List {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["nodes", &self.node, "sel"])?;
        let answer = session.client.send(&call).await;
        let answer = answer.map_err(|error| about(error, &self.node))?;
        let is_set = |key: &str| answer.get(key).and_then(Value::as_bool) == Some(true);
        if is_set("is_cut") {
            let text = "the log has more entries than are shown";
            session.console.note(text);
        }
        if is_set("has_overflown") {
            let text = "the log is full: the BMC drops entries until it is cleared";
            session.console.note(text);
        }
        let all = answer.get("entries").and_then(Value::as_array);
        let least = self.severity.as_deref().map_or(0, rank);
        let entries: Vec<&Value> = all
            .into_iter()
            .flatten()
            .filter(|entry| rank(cell(entry, "severity").as_str()) >= least)
            .collect();
        if self.output.is_json() {
            return output::print_json(&mut session.console, &self.output, &json!(entries));
        }
        let titles = ["ID", "Time", "Severity", "Type", "Sensor", "Event"];
        let keys = ["id", "at", "severity", "sensor_type", "sensor", "text"];
        let rows = entries.into_iter().map(|entry| {
            let cells = keys.map(|key| Value::String(cell(entry, key)));
            cells.to_vec()
        });
        output::print_list(&mut session.console, &self.output, &titles, rows.collect())
    }
}

/// How bad a severity is; what is not known counts as harmless.
fn rank(severity: &str) -> u8 {
    match severity.to_ascii_lowercase().as_str() {
        "critical" => 2,
        "warning" => 1,
        _ => 0,
    }
}

fn cell(entry: &Value, key: &str) -> String {
    let text = entry.get(key).and_then(Value::as_str);
    text.unwrap_or_default().to_owned()
}

#[derive(Debug, Args)]
#[command(after_help = "\
What stood in the log is gone. List it first, with -f json if it is to be kept.
  corten node sel clear m1 m2
")]
struct Clear {
    /// Names or UUIDs
    #[arg(value_name = "NODE", required = true)]
    nodes: Vec<String>,
}

impl Clear {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        for node in &self.nodes {
            let call = Call::own(Method::DELETE, &["nodes", node, "sel"])?;
            let answer = session.client.send(&call).await;
            answer.map_err(|error| about(error, node))?;
            session
                .console
                .line(&format!("The log of {node} is empty"))?;
        }
        Ok(())
    }
}
