//! `corten node report`: what burn-in tests of a machine showed.

use clap::Args;
use reqwest::Method;
use serde_json::{Value, json};

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};
use crate::watch::status::{text, time};

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node report",
        "Show what burn-in tests of a machine showed",
        Report::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line for each figure of the last report of each test, or of all reports with --history.
  corten node report m1
  corten node report m1 --history -f json
")]
struct Report {
    /// Name or UUID
    node: String,
    /// All reports that are kept, newest first
    #[arg(long)]
    history: bool,
    #[command(flatten)]
    output: ListOutput,
}

impl Report {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let (reports, verdict) = match self.history {
            false => {
                let answer = page(session, &self.node, None).await?;
                (list(&answer, "last"), text(&answer, "verdict"))
            }
            true => (history(session, &self.node).await?, String::new()),
        };
        let columns = [
            "Test", "Verdict", "Ended at", "Took", "Figure", "Value", "Unit",
        ];
        let rows = reports.iter().flat_map(lines).collect();
        output::print_list(&mut session.console, &self.output, &columns, rows)?;
        match verdict.as_str() {
            "" if !self.history => session.console.note("no test was run"),
            "" => {}
            verdict => session
                .console
                .note(&format!("node {}: {verdict}", self.node)),
        }
        Ok(())
    }
}

async fn page(session: &Session, node: &str, before: Option<u64>) -> Result<Value, Error> {
    let call = Call::own(Method::GET, &["nodes", node, "reports"])?;
    let call = call.query("limit", PAGE).query_if("before", before);
    let answer = session.client.send(&call).await;
    answer.map_err(|error| about(error, node))
}

const PAGE: usize = 100;

/// All reports of a node.
async fn history(session: &Session, node: &str) -> Result<Vec<Value>, Error> {
    let mut all = Vec::new();
    let mut before = None;
    loop {
        let answer = page(session, node, before).await?;
        let found = list(&answer, "history");
        let is_full = found.len() == PAGE;
        before = found.last().and_then(|last| last.get("number")?.as_u64());
        all.extend(found);
        if !is_full || before.is_none() {
            return Ok(all);
        }
    }
}

fn list(answer: &Value, key: &str) -> Vec<Value> {
    let list = answer.get(key).and_then(Value::as_array);
    list.cloned().unwrap_or_default()
}

/// A line for each figure of a report; one for its error, or for a report that has neither.
fn lines(report: &Value) -> Vec<Vec<Value>> {
    let took = report.get("seconds").and_then(Value::as_f64);
    let head = || {
        vec![
            json!(text(report, "test")),
            json!(text(report, "verdict")),
            json!(text(report, "ended_at")),
            json!(took.map(time)),
        ]
    };
    let mut rows: Vec<Vec<Value>> = list(report, "figures")
        .iter()
        .map(|figure| {
            let part = |key: &str| figure.get(key).cloned().unwrap_or_default();
            let mut row = head();
            row.extend([part("name"), part("value"), part("unit")]);
            row
        })
        .collect();
    if rows.is_empty() {
        let mut row = head();
        let error = report.get("error").cloned().unwrap_or_default();
        row.extend([error, Value::Null, Value::Null]);
        rows.push(row);
    }
    rows
}

#[cfg(test)]
mod tests {
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::{Value, json};

    fn report(test: &str, verdict: &str, figures: Value, error: Value) -> Value {
        json!({"number": 3, "uuid": "r", "test": test, "verdict": verdict, "ended_at": "now",
            "seconds": 90, "figures": figures, "error": error})
    }

    #[test]
    fn each_figure_has_a_line_and_the_machine_a_verdict() {
        let figures = json!([
            {"name": "/dev/sda read", "value": 1000, "unit": "B/s"},
            {"name": "/dev/sda errors", "value": 0, "unit": "errors"},
        ]);
        let answer = json!({"verdict": "failed", "history": [], "last": [
            report("burnin_cpu", "failed", json!([]), json!("it got too hot")),
            report("burnin_disk", "passed", figures, Value::Null),
        ]});
        let (shown, asked) = ran("node report m1 -f json", [Answer::new(200, answer)]);
        assert_eq!(asked[0].line, "GET /corten/v1/nodes/m1/reports?limit=100");
        assert_eq!(shown.code, 0, "{}", shown.notes);
        let rows: Value = serde_json::from_str(&shown.out).unwrap();
        assert_eq!(rows.as_array().unwrap().len(), 3);
        assert_eq!(rows[0]["Figure"], "it got too hot");
        assert_eq!(
            (&rows[1]["Figure"], &rows[1]["Value"], &rows[1]["Unit"]),
            (&json!("/dev/sda read"), &json!(1000), &json!("B/s"))
        );
        assert!(shown.notes.contains("node m1: failed"), "{}", shown.notes);
    }

    #[test]
    fn history_comes_in_pages() {
        let one = report("burnin_cpu", "passed", json!([]), Value::Null);
        let full = json!({"history": vec![one.clone(); 100], "last": []});
        let rest = json!({"history": [one], "last": []});
        let answers = [Answer::new(200, full), Answer::new(200, rest)];
        let (shown, asked) = ran("node report m1 --history -f value", answers);
        assert_eq!(shown.out.lines().count(), 101);
        assert_eq!(
            asked[1].line,
            "GET /corten/v1/nodes/m1/reports?limit=100&before=3"
        );
    }
}
