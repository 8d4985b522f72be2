//! `--wait`: staying until machines have arrived in a state, or clearly will not.
//!
//! It asks the node again and again rather than following events, so that it also works with a
//! service that has no event log.

use std::time::Duration;

use clap::Args;
use serde_json::Value;

use super::about;
use crate::Session;
use crate::client::Call;
use crate::error::Error;

const PAUSE: Duration = Duration::from_secs(2);

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
        session: &Session,
        nodes: &[String],
        state: &str,
    ) -> Result<(), Error> {
        let Some(limit) = self.limit() else {
            return Ok(());
        };
        session.console.note(&format!(
            "waiting for {} to become {state}",
            nodes.join(", ")
        ));
        let everyone = async {
            for node in nodes {
                arrive(session, node, state)
                    .await
                    .map_err(|error| about(error, node))?;
            }
            Ok(())
        };
        let Some(limit) = limit else {
            return everyone.await;
        };
        match tokio::time::timeout(limit, everyone).await {
            Ok(outcome) => outcome,
            Err(_) => Err(Error::failed(format!(
                "not {state} after {} seconds: {}",
                limit.as_secs(),
                nodes.join(", ")
            ))
            .with_hint("the service goes on; `corten node watch` shows how far it is")),
        }
    }
}

async fn arrive(session: &Session, node: &str, state: &str) -> Result<(), Error> {
    loop {
        match look(session, node, state).await? {
            Progress::Arrived => return Ok(()),
            Progress::UnderWay => tokio::time::sleep(PAUSE).await,
            Progress::Failed(sentence) | Progress::Resting(sentence) => {
                return Err(Error::failed(sentence));
            }
        }
    }
}

/// Asks where a node stands.
pub(crate) async fn look(session: &Session, node: &str, state: &str) -> Result<Progress, Error> {
    let fields = ["provision_state", "target_provision_state", "last_error"];
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
    let error = text("last_error")
        .map(|error| format!(": {error}"))
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
    fn an_error_of_before_does_not_stop_a_node_under_way() {
        let node = json!({
            "provision_state": "cleaning",
            "target_provision_state": "available",
            "last_error": "old",
        });
        assert_eq!(progress(&node, "available"), Progress::UnderWay);
    }
}
