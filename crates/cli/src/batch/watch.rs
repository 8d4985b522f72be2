//! `corten batch watch`: what happens to a batch, until it has ended.

use std::time::Duration;

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::output::{LineFormat, LineOutput};
use crate::watch::{EventFilter, Lines, Log, PATIENCE_SECONDS};

#[derive(Debug, Args)]
#[command(after_help = "\
Ends when the batch is done or aborted, and fails if a machine has failed. A batch that stops after
failures is waited for: somebody may have it go on. Ctrl-C ends this command, not the batch.
")]
pub(super) struct Watch {
    /// UUID
    batch: String,
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Begin after this cursor, such as the last one seen, and not at this moment
    #[arg(long, value_name = "CURSOR")]
    after: Option<u64>,
    #[command(flatten)]
    output: LineOutput,
}

impl Watch {
    pub(super) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let limit = self.timeout.map_or(Duration::MAX, Duration::from_secs);
        tokio::select! {
            outcome = tokio::time::timeout(limit, self.follow(session)) => {
                outcome.unwrap_or_else(|_| Err(Error::failed("the batch has not ended yet")))
            }
            _ = tokio::signal::ctrl_c() => Ok(()),
        }
    }

    async fn follow(&self, session: &mut Session) -> Result<(), Error> {
        let shown = self.look(session).await?;
        // The service reads it before the batch, so that a change in between is not missed.
        let cursor = shown.get("cursor").and_then(Value::as_u64);
        let uuid = shown
            .get("uuid")
            .and_then(Value::as_str)
            .unwrap_or_default();
        let wanted = EventFilter {
            kinds: vec!["batch".to_owned()],
            ..EventFilter::default()
        };
        let mut log = Log::open(session, self.after.or(cursor), wanted).await?;
        let mut lines = Lines::new(session.console.colour, &[]);
        let mut is_over = ended(&shown);
        loop {
            if is_over && self.after.is_none() {
                return self.end(session).await;
            }
            let patience = match is_over {
                true => 0,
                false => PATIENCE_SECONDS,
            };
            let events = log.next(session, patience).await?;
            if is_over && events.is_empty() {
                return self.end(session).await;
            }
            let is_quiet = events.is_empty();
            for event in events {
                if event.pointer("/data/batch").and_then(Value::as_str) != Some(uuid) {
                    continue;
                }
                match self.output.format {
                    LineFormat::Table => session.console.line(&lines.line(&event))?,
                    LineFormat::Json => session.console.line(&event.to_string())?,
                }
                let state = event.pointer("/data/state").and_then(Value::as_str);
                if matches!(state, Some("done" | "aborted")) {
                    return self.end(session).await;
                }
            }
            // The log may have been cut off before the end was read.
            if is_quiet {
                is_over = ended(&self.look(session).await?);
            }
        }
    }

    async fn look(&self, session: &Session) -> Result<Value, Error> {
        let call = Call::own(Method::GET, &["batches", &self.batch])?;
        session.client.send(&call).await
    }

    /// Tells how it ended.
    async fn end(&self, session: &mut Session) -> Result<(), Error> {
        let shown = self.look(session).await?;
        let count = |key: &str| {
            let pointer = format!("/counts/{key}");
            shown.pointer(&pointer).and_then(Value::as_u64).unwrap_or(0)
        };
        let state = shown.get("state").and_then(Value::as_str).unwrap_or("gone");
        let (done, failed, skipped) = (count("done"), count("failed"), count("skipped"));
        let text = format!("{state}: {done} done, {failed} failed, {skipped} skipped");
        if failed > 0 {
            return Err(Error::failed(text)
                .with_hint(format!("corten batch nodes {} --state failed", self.batch)));
        }
        if self.output.format == LineFormat::Table {
            session.console.line(&text)?;
        }
        Ok(())
    }
}

fn ended(batch: &Value) -> bool {
    let state = batch.get("state").and_then(Value::as_str);
    matches!(state, Some("done" | "aborted"))
}
