//! `corten node boot-log`: what a machine asked for while it booted, and what that means.

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::console::printable;
use crate::error::Error;
use crate::watch::Clock;

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node boot-log",
        "Show how a machine boots from the network, and why it does not",
        BootLog::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each line is something that a machine asked for or was given: when, by which port, and how often.
The last lines say what that means and what to look at.
  corten node boot-log m1
  corten node boot-log m1 --json
")]
struct BootLog {
    /// Name or UUID
    node: String,
    /// Print the whole document
    #[arg(long)]
    json: bool,
}

impl BootLog {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let call = Call::own(Method::GET, &["nodes", &self.node, "boot-log"])?;
        let answer = session.client.send(&call).await;
        let answer = answer.map_err(|error| about(error, &self.node))?;
        if self.json {
            return session.console.line(&answer.to_string());
        }
        let clock = Clock::local();
        let events = answer.get("events").and_then(Value::as_array);
        for event in events.into_iter().flatten() {
            session.console.line(&line(event, &clock))?;
        }
        let told = |key: &str| text(answer.get("diagnosis").unwrap_or(&Value::Null), key);
        for sentence in [told("finding"), told("advice")] {
            session.console.line(&sentence)?;
        }
        Ok(())
    }
}

fn line(event: &Value, clock: &Clock) -> String {
    let often = match event.get("times").and_then(Value::as_u64).unwrap_or(1) {
        0 | 1 => String::new(),
        times => format!(
            " ({times} times until {})",
            clock.show(&text(event, "last"))
        ),
    };
    let when = clock.show(&text(event, "at"));
    format!(
        "{when}  {}  {}{often}",
        text(event, "port"),
        text(event, "text")
    )
}

/// A text of the service on one line: paths in it come from machines.
fn text(value: &Value, key: &str) -> String {
    let text = value.get(key).and_then(Value::as_str).unwrap_or_default();
    printable(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_event_is_a_line() {
        let event = json!({
            "at": "2026-01-02T03:04:05.000000Z", "last": "2026-01-02T03:04:09.000000Z",
            "times": 3, "port": "52:54:00:01:02:03", "text": "asks for a\u{1b}[2J",
        });
        let line = line(&event, &Clock::local());
        assert!(line.contains("  52:54:00:01:02:03  asks for a"), "{line}");
        assert!(
            line.contains("(3 times until ") && !line.contains('\u{1b}'),
            "{line}"
        );
    }
}
