//! `corten node recorder`: what was said between the service and a machine's BMC.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

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

pub(super) fn leaves() -> Vec<Leaf> {
    vec![
        Leaf::new(
            "node recorder show",
            "Show what was said to a machine's BMC lately",
            Show::run,
        ),
        Leaf::new(
            "node recorder export",
            "Write what was said to a machine's BMC to a file that can be replayed",
            Export::run,
        ),
    ]
}

#[derive(Debug, Args)]
#[command(after_help = "\
Each line is an exchange: when it happened last, how long it took, how often it happened just so
(and since when), what for, and what was asked and answered.
  corten node recorder show m1
  corten node recorder show m1 --last 20 --long
")]
struct Show {
    /// Name or UUID
    node: String,
    /// Only so many, the last ones
    #[arg(long, value_name = "NUMBER")]
    last: Option<usize>,
    /// Show questions and answers as they were, too
    #[arg(long)]
    long: bool,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let (header, exchanges) = fetch(session, &self.node).await?;
        let dropped = header.get("dropped").and_then(Value::as_u64).unwrap_or(0);
        if dropped > 0 {
            let text = format!("{dropped} older exchanges are not kept any more");
            session.console.note(&text);
        }
        if exchanges.is_empty() {
            session.console.note("nothing was said yet");
        }
        let clock = Clock::local();
        let skipped = exchanges.len() - self.last.unwrap_or(usize::MAX).min(exchanges.len());
        for exchange in exchanges.iter().skip(skipped) {
            session.console.line(&line(exchange, &clock))?;
            if self.long {
                for part in ["question", "answer"] {
                    if let Some(value) = exchange.get(part) {
                        session.console.line(&format!("    {part}: {value}"))?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn line(exchange: &Value, clock: &Clock) -> String {
    let text = |key: &str| {
        exchange
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let number = |key: &str| exchange.get(key).and_then(Value::as_u64).unwrap_or(0);
    let when = clock.show(text("last"));
    let took = number("took_ms");
    let often = match number("count") {
        0 | 1 => String::new(),
        count => format!(" ({count} times since {})", clock.show(text("first"))),
    };
    let line = format!(
        "{when}  {took:>5} ms  {}  [{}]  {}{often}",
        text("peer"),
        text("operation"),
        text("summary")
    );
    printable(&line).replace('\n', " ")
}

#[derive(Debug, Args)]
struct Export {
    /// Name or UUID
    node: String,
    /// File to write to, which must not exist; standard output if not given
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

impl Export {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let (header, exchanges) = fetch(session, &self.node).await?;
        let mut text = format!("{header}\n");
        for exchange in &exchanges {
            text.push_str(&format!("{exchange}\n"));
        }
        let Some(path) = self.file else {
            return session.console.print(&text);
        };
        // Others need not read what a BMC says about itself.
        let opened = std::fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path);
        let written = opened.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| Error::failed(format!("cannot write {}: {error}", path.display())))
    }
}

/// The header of a recording, and its exchanges.
async fn fetch(session: &Session, node: &str) -> Result<(Value, Vec<Value>), Error> {
    let call = Call::own(Method::GET, &["nodes", node, "recorder"])?;
    let answer = session.client.send(&call).await;
    let mut answer = answer.map_err(|error| about(error, node))?;
    let mut take = |key: &str| answer.get_mut(key).map(Value::take);
    match (take("recording"), take("exchanges")) {
        (Some(header @ Value::Object(_)), Some(Value::Array(exchanges))) => Ok((header, exchanges)),
        _ => Err(Error::failed("the service sent no recording")),
    }
}
