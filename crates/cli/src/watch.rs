//! `corten node watch`: what happens to machines, as it happens.
//!
//! Follows the service's event log by cursor, so that an event is printed the moment it is committed
//! and none is lost when the connection breaks or the service restarts. Of a single machine the
//! timeline is read as well, for what is no event: bytes, and waits of the conductor itself.

mod clock;
mod line;
mod log;
pub(crate) mod status;

use std::time::Duration;

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use crate::Session;
use crate::client::Call;
use crate::console::ERASE;
use crate::error::Error;
use crate::node::{self, Progress};
use crate::output::{LineFormat, LineOutput};

pub(crate) use clock::Clock;
pub(crate) use line::Lines;
pub(crate) use log::{EventFilter, Log};

/// How long a request may wait at the service for something to happen.
pub(crate) const PATIENCE_SECONDS: u32 = 30;
/// The same while the status of an operation is shown, which is to move.
const SHORT_PATIENCE_SECONDS: u32 = 1;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  corten node watch                              everything, from now on
  corten node watch m1 --until-state active      until m1 is deployed, or has failed
  corten node watch --after 0                    all that is still remembered, and then on
  corten node watch -f json | jq .text

Ends with Ctrl-C, which is no failure.
")]
pub(crate) struct Watch {
    /// Names or UUIDs; all machines if none is given
    #[arg(value_name = "NODE")]
    nodes: Vec<String>,
    /// End when all the machines named have been in this provision state; fail when one fails
    #[arg(long, value_name = "STATE", requires = "nodes")]
    until_state: Option<String>,
    /// Give up after so many seconds; with --until-state that is a failure
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    timeout: Option<u64>,
    /// Begin after this cursor, such as the last one seen, and not at this moment
    #[arg(long, value_name = "CURSOR")]
    after: Option<u64>,
    #[command(flatten)]
    output: LineOutput,
}

/// A machine being watched.
#[derive(Debug, Clone)]
pub(crate) struct Watched {
    uuid: String,
    /// As it was called on the command line.
    name: String,
}

impl Watch {
    pub(crate) async fn run(self, session: &mut Session) -> Result<(), Error> {
        let limit = self.timeout.map(Duration::from_secs);
        let mut waiting = Vec::new();
        let outcome = {
            let follow = self.follow(session, &mut waiting);
            let limited = async {
                match limit {
                    Some(limit) => tokio::time::timeout(limit, follow).await.ok(),
                    None => Some(follow.await),
                }
            };
            tokio::select! {
                outcome = limited => Some(outcome),
                _ = tokio::signal::ctrl_c() => None,
            }
        };
        if session.console.width.is_some() {
            // Whatever comes next begins on a line of its own.
            session.console.print(ERASE)?;
        }
        let Some(outcome) = outcome else {
            return Ok(());
        };
        match (outcome, &self.until_state) {
            (Some(outcome), _) => outcome,
            (None, None) => Ok(()),
            (None, Some(state)) => {
                let names: Vec<&str> = waiting.iter().map(|node| node.name.as_str()).collect();
                let seconds = self.timeout.unwrap_or_default();
                Err(Error::failed(format!(
                    "not {state} after {seconds} seconds: {}",
                    names.join(", ")
                )))
            }
        }
    }

    /// Prints events until there is nothing left to wait for. `waiting` is kept up to date for
    /// whoever runs out of patience.
    async fn follow(&self, session: &mut Session, waiting: &mut Vec<Watched>) -> Result<(), Error> {
        let watched = resolve(session, &self.nodes).await?;
        // The cursor is taken before the states are looked at, so that a change in between is
        // seen by one or the other.
        let mut log = Log::open(session, self.after, wanted(&watched)).await?;
        let mut lines = Lines::new(session.console.colour, &watched);
        let mut status = Status::new(&watched, self.output.format);
        if let Some(state) = &self.until_state {
            waiting.clone_from(&watched);
            look_at_all(session, waiting, state).await?;
            if waiting.is_empty() {
                return Ok(());
            }
        }
        loop {
            let patience = status.show(session, &mut lines).await?;
            for event in log.next(session, patience).await? {
                let about = event
                    .get("node")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                if !watched.is_empty() && !watched.iter().any(|node| node.uuid == about) {
                    continue;
                }
                match self.output.format {
                    LineFormat::Table => {
                        status.make_room(session, &event)?;
                        session.console.line(&lines.line(&event))?;
                    }
                    LineFormat::Json => session.console.line(&event.to_string())?,
                }
                let Some(state) = &self.until_state else {
                    continue;
                };
                if entered(&event).is_some_and(|entered| entered == state) {
                    waiting.retain(|node| node.uuid != about);
                } else if let Some(node) = waiting.iter().find(|node| node.uuid == about).cloned()
                    && arrived(session, &node, state).await?
                {
                    waiting.retain(|node| node.uuid != about);
                }
                if waiting.is_empty() {
                    return Ok(());
                }
            }
        }
    }
}

/// What the operation of the one machine that is watched does this moment.
struct Status {
    node: Option<Watched>,
    said: status::ReportedStatus,
    /// Whether a terminal shows it, on a line that is not ended.
    shown: bool,
}

impl Status {
    fn new(watched: &[Watched], format: LineFormat) -> Self {
        let node = match watched {
            [only] if format == LineFormat::Table => Some(only.clone()),
            _ => None,
        };
        Self {
            node,
            said: status::ReportedStatus::default(),
            shown: false,
        }
    }

    /// Shows it, and answers for how long to wait for the next event.
    async fn show(&mut self, session: &mut Session, lines: &mut Lines) -> Result<u32, Error> {
        let Some(node) = &self.node else {
            return Ok(PATIENCE_SECONDS);
        };
        let call = Call::own(Method::GET, &["nodes", &node.uuid, "timeline"])?;
        let timeline = match session.client.send_once(&call).await {
            Ok(timeline) => timeline,
            // It restarts; the event log says so.
            Err(error) if error.is_unreachable() || error.status().is_some_and(|s| s >= 500) => {
                return Ok(PATIENCE_SECONDS);
            }
            // It has none: then there are only events.
            Err(_) => {
                self.node = None;
                return Ok(PATIENCE_SECONDS);
            }
        };
        match session.console.width {
            Some(width) => {
                let line = status::line(&timeline, width);
                if line.is_some() || self.shown {
                    let text = line.as_deref().unwrap_or_default();
                    session.console.print(&format!("{ERASE}{text}"))?;
                }
                self.shown = line.is_some();
            }
            None => {
                if let Some(news) = self.said.news(&timeline) {
                    session
                        .console
                        .line(&lines.remark(timeline.get("at"), &node.name, &news))?;
                }
            }
        }
        Ok(match status::running(&timeline) {
            Some(_) => SHORT_PATIENCE_SECONDS,
            None => PATIENCE_SECONDS,
        })
    }

    /// Takes the status away from where an event is to be printed.
    fn make_room(&mut self, session: &mut Session, event: &Value) -> Result<(), Error> {
        self.said.heard(event);
        if std::mem::take(&mut self.shown) {
            session.console.print(ERASE)?;
        }
        Ok(())
    }
}

/// The UUIDs behind names: events are told apart by them.
async fn resolve(session: &Session, names: &[String]) -> Result<Vec<Watched>, Error> {
    let mut watched = Vec::new();
    for name in names {
        let call = Call::get(&["nodes", name])?.fields(&["uuid"]);
        let answer = session.client.send(&call).await;
        let answer = answer.map_err(|error| error.about(format!("node {name}")))?;
        let uuid = answer.get("uuid").and_then(Value::as_str);
        let uuid = uuid.ok_or_else(|| Error::failed("the service sent a node without a UUID"))?;
        watched.push(Watched {
            uuid: uuid.to_owned(),
            name: name.clone(),
        });
    }
    Ok(watched)
}

async fn look_at_all(
    session: &Session,
    waiting: &mut Vec<Watched>,
    state: &str,
) -> Result<(), Error> {
    for node in std::mem::take(waiting) {
        if !arrived(session, &node, state).await? {
            waiting.push(node);
        }
    }
    Ok(())
}

/// Whether a node is in the state now. One that failed on its way will not get there by itself.
async fn arrived(session: &Session, node: &Watched, state: &str) -> Result<bool, Error> {
    let named = |error: Error| error.about(format!("node {}", node.name));
    match node::look(session, &node.uuid, state)
        .await
        .map_err(named)?
    {
        Progress::Arrived => Ok(true),
        Progress::Failed(sentence) => Err(named(Error::failed(sentence))),
        Progress::UnderWay | Progress::Resting(_) => Ok(false),
    }
}

/// The provision state an event tells of, which the node may have left again meanwhile.
fn entered(event: &Value) -> Option<&str> {
    let is_move = event.get("kind").and_then(Value::as_str) == Some("provision");
    event
        .pointer("/data/to")
        .and_then(Value::as_str)
        .filter(|_| is_move)
}

/// One machine is asked for; several are picked out of the whole log.
fn wanted(watched: &[Watched]) -> EventFilter {
    let node = match watched {
        [only] => Some(only.uuid.clone()),
        _ => None,
    };
    EventFilter {
        node,
        ..EventFilter::default()
    }
}

#[cfg(test)]
mod tests;
