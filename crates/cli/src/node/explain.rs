//! `corten node explain`: why a machine is in its state, what it waits for, and what to do.

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::console::printable;
use crate::error::Error;
use crate::output::{self, LineFormat, LineOutput};
use crate::watch::status::text;

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node explain",
        "Say why a machine is in its state, and what to do",
        Explain::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
The cause, what to do about it, and what speaks for it: the timeline, the boot log, the flight
recorder, the history and the verdicts of the drivers, as far as you may see them.
  corten node explain m9
  corten node explain m9 -f json
")]
struct Explain {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: LineOutput,
}

impl Explain {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["nodes", &self.node, "diagnosis"])?;
        let answer = session.client.send(&call).await;
        let answer = answer.map_err(|error| about(error, &self.node))?;
        match self.output.format {
            LineFormat::Json => output::print_document(&mut session.console, &answer),
            LineFormat::Table => {
                for line in lines(&answer) {
                    session.console.line(&printable(&line))?;
                }
                Ok(())
            }
        }
    }
}

/// What is said, line by line.
fn lines(answer: &Value) -> Vec<String> {
    let (state, since) = (text(answer, "provision_state"), text(answer, "since"));
    let mut lines = vec![format!("{state} since {since}"), text(answer, "meaning")];
    if let Some(maintenance) = answer.get("maintenance").filter(|one| one.is_object()) {
        let reason = text(maintenance, "reason");
        let fault = text(maintenance, "fault");
        let why: Vec<String> = [fault, reason]
            .into_iter()
            .filter(|s| !s.is_empty())
            .collect();
        lines.push(format!("In maintenance: {}", why.join(": ")));
    }
    let locked = text(answer, "locked_by");
    if !locked.is_empty() {
        lines.push(format!("Conductor {locked} works on it."));
    }
    if let Some(waiting) = answer.get("waiting").filter(|one| one.is_object()) {
        let (what, since) = (text(waiting, "for"), text(waiting, "since"));
        let end = text(waiting, "timeout_at");
        let end = match end.is_empty() {
            true => String::new(),
            false => format!(", until {end} at most"),
        };
        lines.push(format!("It waits for {what} since {since}{end}."));
    }
    if let Some(cause) = answer.get("cause").filter(|one| one.is_object()) {
        lines.push(String::new());
        lines.push(format!(
            "Cause: {} ({})",
            text(cause, "sentence"),
            text(cause, "code")
        ));
        let advice = text(cause, "advice");
        if !advice.is_empty() {
            lines.push(format!("What to do: {advice}"));
        }
        let page = text(cause, "docs");
        if !page.is_empty() {
            lines.push(format!("See {page}"));
        }
    }
    let finding = text(answer, "finding");
    if !finding.is_empty() {
        lines.push(String::new());
        lines.push(format!("Last error: {finding}"));
    }
    let list = |key: &str| {
        answer
            .get(key)
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
    };
    for (at, evidence) in list("evidence").enumerate() {
        if at == 0 {
            lines.push(String::new());
        }
        lines.push(format!(
            "{}: {}",
            text(evidence, "kind"),
            text(evidence, "text")
        ));
    }
    let next: Vec<String> = list("next")
        .map(|one| format!("{} ({})", text(one, "target"), text(one, "to")))
        .collect();
    if !next.is_empty() {
        lines.push(String::new());
        lines.push(format!("What can be asked of it now: {}", next.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::json;

    #[test]
    fn a_failure_is_explained_in_lines() {
        let answer = json!({
            "provision_state": "deploy failed", "since": "2026-11-15T03:20:40+00:00",
            "meaning": "The deployment failed.", "maintenance": null, "waiting": null,
            "locked_by": null, "finding": "it \u{1b}[2J broke",
            "cause": {"code": "bmc_unreachable", "sentence": "The BMC does not answer",
                "advice": "Check the address.", "docs": "docs/hardware/redfish.md"},
            "evidence": [{"kind": "timeline", "text": "deploy failed after 3 s", "href": "/x"}],
            "next": [{"verb": "deploy", "target": "active", "to": "deploying"}],
        });
        let (ran, asked) = ran("node explain m1", [Answer::new(200, answer)]);
        assert_eq!(asked[0].line, "GET /corten/v1/nodes/m1/diagnosis");
        for line in [
            "deploy failed since 2026-11-15T03:20:40+00:00\n",
            "\nCause: The BMC does not answer (bmc_unreachable)\n",
            "\nWhat to do: Check the address.\n",
            "\ntimeline: deploy failed after 3 s\n",
            "\nWhat can be asked of it now: active (deploying)\n",
        ] {
            assert!(ran.out.contains(line), "{}", ran.out);
        }
        assert!(!ran.out.contains('\u{1b}'));
    }
}
