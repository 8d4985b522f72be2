//! `--wait`: staying until machines have arrived in a state, or clearly will not.
//!
//! It asks the node again and again rather than following events, so that it also works with a
//! service that has no event log. On a terminal the last line shows what is going on, as that of
//! `watch` does, and the end says how long it took.

use std::time::{Duration, Instant};

use clap::Args;
use reqwest::Method;
use serde_json::Value;

use super::about;
use crate::Session;
use crate::client::Call;
use crate::console::ERASE;
use crate::error::Error;
use crate::watch::status;

const PAUSE: Duration = Duration::from_secs(2);
/// The same while the terminal shows how far things are, which is to move.
const SHORT_PAUSE: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(crate) struct Wait {
    /// Wait until it is done, at most so many seconds if a number is given
    ///
    /// Fails when the machine ends up in another state. Put it behind the names, or give the
    /// number as --wait=600.
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "0")]
    wait: Option<u64>,
}

/// Where a node stands on its way.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    Arrived,
    UnderWay,
    /// It broke off, told in a sentence.
    Failed(String),
    /// Nothing is going on, told in a sentence.
    Resting(String),
}

impl Wait {
    /// Whether to wait, and how long if not for ever.
    pub(crate) fn limit(&self) -> Option<Option<Duration>> {
        let seconds = self.wait?;
        Some((seconds > 0).then(|| Duration::from_secs(seconds)))
    }

    pub(super) async fn run(
        self,
        session: &mut Session,
        nodes: &[String],
        state: &str,
    ) -> Result<(), Error> {
        let is_shown = session.console.width.is_some();
        let end = End {
            is_told: is_shown,
            ..End::of(state)
        };
        self.run_to(session, nodes, end).await
    }

    /// Waits for an end that is told wherever the output goes.
    pub(super) async fn run_to(
        self,
        session: &mut Session,
        nodes: &[String],
        end: End<'_>,
    ) -> Result<(), Error> {
        let state = end.state;
        let Some(limit) = self.limit() else {
            return Ok(());
        };
        session.console.note(&format!(
            "waiting for {} to become {state}",
            nodes.join(", ")
        ));
        let outcome = {
            let everyone = everyone(session, nodes, &end);
            match limit {
                Some(limit) => tokio::time::timeout(limit, everyone).await.ok(),
                None => Some(everyone.await),
            }
        };
        if session.console.width.is_some() {
            // Whatever comes next begins on a line of its own.
            session.console.print(ERASE)?;
        }
        match (outcome, limit.unwrap_or_default()) {
            (Some(outcome), _) => outcome,
            (None, limit) => Err(Error::failed(format!(
                "not {state} after {} seconds: {}",
                limit.as_secs(),
                nodes.join(", ")
            ))
            .with_hint("the service goes on; `corten node watch` shows how far it is")),
        }
    }
}

/// Where a way ends, and what is said there.
#[derive(Debug, Clone, Copy)]
pub(super) struct End<'a> {
    state: &'a str,
    /// The address that the machine has then, if that is known before.
    address: Option<&'a str>,
    is_told: bool,
}

impl<'a> End<'a> {
    pub(super) fn of(state: &'a str) -> Self {
        Self {
            state,
            address: None,
            is_told: true,
        }
    }

    pub(super) fn at(self, address: Option<&'a str>) -> Self {
        Self { address, ..self }
    }
}

async fn everyone(session: &mut Session, nodes: &[String], end: &End<'_>) -> Result<(), Error> {
    let began = Instant::now();
    for node in nodes {
        let arrived = arrive(session, node, end.state).await;
        arrived.map_err(|error| about(error, node))?;
        if end.is_told {
            let took = status::time(began.elapsed().as_secs_f64());
            let address = match end.address {
                Some(known) => Some(known.to_owned()),
                None => address(session, node, end.state).await,
            };
            let line = farewell(node, end.state, address.as_deref(), &took);
            let erase = session.console.width.map_or("", |_| ERASE);
            session.console.line(&format!("{erase}{line}"))?;
        }
    }
    Ok(())
}

/// `web-1 is active at 10.0.0.17 in 2 min 25 s`.
fn farewell(node: &str, state: &str, address: Option<&str>, took: &str) -> String {
    let at = address.map(|address| format!(" at {address}"));
    let line = format!("{node} is {state}{} in {took}", at.unwrap_or_default());
    match (state, address) {
        ("rescue", Some(address)) => {
            format!("{line}\nlog in with the rescue password: ssh rescue@{address}")
        }
        ("rescue", None) => format!(
            "{line}\nlog in as user rescue with the rescue password, by ssh or on its console \
             (corten node console {node})"
        ),
        _ => line,
    }
}

/// Where a machine can be reached that runs something now, as far as the service knows.
async fn address(session: &Session, node: &str, state: &str) -> Option<String> {
    // In other states nothing runs on it.
    if !matches!(state, "active" | "rescue") {
        return None;
    }
    let call = Call::own(Method::GET, &["nodes", node, "addresses"]).ok()?;
    let answer = session.client.send_once(&call).await.ok()?;
    let known = answer.get("addresses")?.as_array()?;
    let text = status::text(known.first()?, "address");
    (!text.is_empty()).then_some(text)
}

async fn arrive(session: &mut Session, node: &str, state: &str) -> Result<(), Error> {
    let mut width = session.console.width;
    loop {
        match look(session, node, state).await? {
            Progress::Arrived => return Ok(()),
            Progress::UnderWay => match width {
                Some(columns) => {
                    if !show(session, node, columns).await? {
                        width = None;
                    }
                    tokio::time::sleep(SHORT_PAUSE).await;
                }
                None => tokio::time::sleep(PAUSE).await,
            },
            Progress::Failed(sentence) | Progress::Resting(sentence) => {
                return Err(Error::failed(sentence));
            }
        }
    }
}

/// Shows what the operation of a node does this moment. False if the service cannot tell.
async fn show(session: &mut Session, node: &str, width: usize) -> Result<bool, Error> {
    let call = Call::own(Method::GET, &["nodes", node, "timeline"])?;
    let timeline = match session.client.send_once(&call).await {
        Ok(timeline) => timeline,
        // It restarts, perhaps; the next look at the node tells.
        Err(error) => return Ok(error.status().is_none_or(|status| status >= 500)),
    };
    let room = width.saturating_sub(node.chars().count() + 2);
    let line = status::line(&timeline, room).unwrap_or_default();
    session.console.print(&format!("{ERASE}{node}  {line}"))?;
    Ok(true)
}

/// Asks where a node stands.
pub(crate) async fn look(session: &Session, node: &str, state: &str) -> Result<Progress, Error> {
    let fields = [
        "uuid",
        "name",
        "provision_state",
        "target_provision_state",
        "last_error",
    ];
    let answer = session
        .client
        .send(&Call::get(&["nodes", node])?.fields(&fields))
        .await?;
    Ok(progress(&answer, state))
}

fn progress(node: &Value, wanted: &str) -> Progress {
    let text = |key: &str| {
        node.get(key)
            .and_then(Value::as_str)
            .filter(|text| !text.is_empty())
    };
    let state = text("provision_state").unwrap_or("unknown");
    if state == wanted {
        return Progress::Arrived;
    }
    // Errors of the service name the node by its UUID, which nobody knows by heart.
    let named = |error: &str| match (text("uuid"), text("name")) {
        (Some(uuid), Some(name)) => error.replace(uuid, name),
        _ => error.to_owned(),
    };
    let error = text("last_error")
        .map(|error| format!(": {}", named(error)))
        .unwrap_or_default();
    if state == "error" || state.ends_with(" failed") {
        return Progress::Failed(format!(
            "ended up in state '{state}' instead of '{wanted}'{error}"
        ));
    }
    if text("target_provision_state").is_none() {
        return Progress::Resting(format!(
            "stays in state '{state}' instead of '{wanted}'{error}"
        ));
    }
    Progress::UnderWay
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::Answer;
    use serde_json::json;

    #[test]
    fn progress_is_told_from_state_and_target() {
        let at = |state: &str, target: Option<&str>, error: Option<&str>| {
            let node = json!({
                "provision_state": state,
                "target_provision_state": target,
                "last_error": error,
            });
            progress(&node, "active")
        };
        assert_eq!(at("active", None, None), Progress::Arrived);
        assert_eq!(at("deploying", Some("active"), None), Progress::UnderWay);
        assert_eq!(
            at("deploy failed", Some("active"), Some("no image")),
            Progress::Failed(
                "ended up in state 'deploy failed' instead of 'active': no image".into()
            )
        );
        assert_eq!(
            at("available", None, None),
            Progress::Resting("stays in state 'available' instead of 'active'".into())
        );
    }

    #[test]
    fn a_terminal_sees_what_goes_on_and_how_long_it_took() {
        let mut looks = 0;
        let (ran, _) = crate::tests::ran_on_terminal(80, "node deploy m1 --wait", move |asked| {
            if asked.line.ends_with("/timeline") {
                return Answer::new(
                    200,
                    json!({"flows": [{"verb": "deploy", "state": "running", "duration": 3.0,
                        "phases": [{"name": "preparing"}]}]}),
                );
            }
            if asked.line.starts_with("PUT") {
                return Answer::new(202, "");
            }
            looks += 1;
            let (state, target) = match looks {
                1 => ("deploying", json!("active")),
                _ => ("active", Value::Null),
            };
            Answer::new(
                200,
                json!({"provision_state": state, "target_provision_state": target}),
            )
        });
        assert_eq!(ran.code, 0, "{}", ran.notes);
        assert!(
            ran.out.contains("\r\u{1b}[Km1  deploy 3 s  preparing"),
            "{:?}",
            ran.out
        );
        let last = ran.out.rsplit("m1 is active in ").next().unwrap();
        assert!(
            last.starts_with(|first: char| first.is_ascii_digit()),
            "{:?}",
            ran.out
        );
    }

    #[test]
    fn the_end_says_where_to_log_in() {
        let said = |state, address| farewell("web-1", state, address, "2 min 25 s");
        let address = Some("10.0.0.17");
        assert_eq!(
            said("active", address),
            "web-1 is active at 10.0.0.17 in 2 min 25 s"
        );
        assert_eq!(said("active", None), "web-1 is active in 2 min 25 s");
        assert_eq!(
            said("rescue", address),
            "web-1 is rescue at 10.0.0.17 in 2 min 25 s\n\
             log in with the rescue password: ssh rescue@10.0.0.17"
        );
        assert!(said("rescue", None).ends_with("(corten node console web-1)"));
    }

    #[test]
    fn the_address_is_that_which_the_service_knows() {
        let (ran, asked) = crate::tests::ran(
            "node rescue m1 --rescue-password p --wait",
            [
                Answer::new(202, ""),
                Answer::new(200, json!({"provision_state": "rescue"})),
                Answer::new(200, json!({"addresses": [{"address": "10.0.0.9"}]})),
            ],
        );
        assert_eq!(ran.code, 0, "{}", ran.notes);
        assert_eq!(
            asked.last().unwrap().line,
            "GET /corten/v1/nodes/m1/addresses"
        );
        assert!(ran.out.contains("ssh rescue@10.0.0.9"), "{}", ran.out);
    }

    #[test]
    fn a_node_is_called_by_its_name_in_its_error() {
        let node = json!({
            "uuid": "72827b4f-0000-4000-8000-000000000000",
            "name": "m1",
            "provision_state": "deploy failed",
            "last_error": "Error while deploying node 72827b4f-0000-4000-8000-000000000000: no",
        });
        assert_eq!(
            progress(&node, "active"),
            Progress::Failed(
                "ended up in state 'deploy failed' instead of 'active': Error while deploying \
                 node m1: no"
                    .into()
            )
        );
    }

    #[test]
    fn an_error_of_before_does_not_stop_a_node_under_way() {
        let node = json!({
            "provision_state": "cleaning",
            "target_provision_state": "available",
            "last_error": "old",
        });
        assert_eq!(progress(&node, "available"), Progress::UnderWay);
    }
}
