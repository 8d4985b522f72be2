//! `node-set-provision-state`: what goes with which state, and waiting for the end.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::{config_drive, document, node_call};
use crate::old::Failure;
use crate::old::ask::Context;
use crate::old::parse::Given;
use crate::old::python;

/// How the old client waits for the end of what it asked for.
struct Wait {
    target: &'static str,
    /// The state in which it has ended well.
    expected: &'static str,
    interval: Duration,
}

const LONG: Duration = Duration::from_secs(10);
const SHORT: Duration = Duration::from_secs(2);

const WAITS: &[Wait] = &{
    const fn wait(target: &'static str, expected: &'static str, interval: Duration) -> Wait {
        Wait {
            target,
            expected,
            interval,
        }
    }
    [
        wait("active", "active", LONG),
        wait("deleted", "available", LONG),
        wait("rebuild", "active", LONG),
        wait("inspect", "manageable", SHORT),
        wait("provide", "available", LONG),
        wait("manage", "manageable", SHORT),
        wait("clean", "manageable", LONG),
        wait("adopt", "active", SHORT),
        wait("rescue", "rescue", LONG),
        wait("unrescue", "active", LONG),
    ]
};

pub(super) async fn run(context: &mut Context, given: &Given) -> Result<(), Failure> {
    let target = given.text("provision_state").unwrap_or_default();
    let filled = |key: &str| given.text(key).filter(|text| !text.is_empty());
    let (drive, steps) = (filled("config_drive"), filled("clean_steps"));
    let wrong = |text: &str| Err(Failure::usage(text));
    if drive.is_some() && target != "active" {
        return wrong("--config-drive is only valid when setting provision state to \"active\"");
    }
    if steps.is_some() && target != "clean" {
        return wrong("--clean-steps is only valid when setting provision state to \"clean\"");
    }
    if steps.is_none() && target == "clean" {
        return wrong("--clean-steps must be specified when setting provision state to \"clean\"");
    }
    let wait = WAITS.iter().find(|wait| wait.target == target);
    let asks_to_wait = given.has("wait_timeout");
    if asks_to_wait && wait.is_none() {
        return Err(Failure::usage(format!(
            "--wait is not supported for provision state '{target}'"
        )));
    }
    let mut body = json!({"target": target});
    if let Some(drive) = drive {
        body["configdrive"] = config_drive::read(drive)?;
    }
    if let Some(steps) = steps {
        body["clean_steps"] = document(steps)?;
    }
    let call = node_call(Method::PUT, given, &["states", "provision"])?.body(body);
    context.ask(&call).await?;
    match wait.filter(|_| asks_to_wait) {
        Some(wait) => wait.run(context, given).await,
        None => Ok(()),
    }
}

impl Wait {
    async fn run(&self, context: &mut Context, given: &Given) -> Result<(), Failure> {
        let node = given.text("node").unwrap_or_default();
        let expected = self.expected;
        let shown = crate::console::printable(node);
        context.print(&format!(
            "Waiting for provision state {expected} on node {shown}\n"
        ))?;
        // A word without seconds, and 0, wait for ever.
        let seconds = given.number("wait_timeout").unwrap_or(0);
        let seconds = u64::try_from(seconds)
            .map_err(|_| Failure::failed("Timeout must be a non-negative number"))?;
        let end = (seconds > 0).then(|| Instant::now() + Duration::from_secs(seconds));
        let call = node_call(Method::GET, given, &[])?;
        loop {
            if let Some(verdict) = self.verdict(node, &context.ask(&call).await?) {
                return verdict;
            }
            tokio::time::sleep(self.interval).await;
            if end.is_some_and(|end| Instant::now() >= end) {
                return Err(Failure::failed(format!(
                    "Node {node} failed to reach state {expected} in {seconds} seconds"
                )));
            }
        }
    }

    /// What a look at the node says; nothing if it is still on its way.
    fn verdict(&self, node: &str, found: &Value) -> Option<Result<(), Failure>> {
        let state = found.get("provision_state").map(python::text);
        let state = state.unwrap_or_default();
        let expected = self.expected;
        if state == expected {
            return Some(Ok(()));
        }
        let failed = |text: String| {
            let text = format!("Node {node} failed to reach state {expected}. {text}");
            Some(Err(Failure::failed(text)))
        };
        if state == "error" || state.ends_with(" failed") {
            let error = found.get("last_error").map(python::text);
            let error = error.unwrap_or_default();
            return failed(format!("It's in state {state}, and has error: {error}"));
        }
        let is_stable = !found
            .get("target_provision_state")
            .is_some_and(python::is_true);
        match is_stable {
            true => failed(format!("It's in unexpected stable state {state}")),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(found: Value, expected: Option<Result<(), &str>>) {
        let wait = WAITS.iter().find(|wait| wait.target == "deleted").unwrap();
        let verdict = wait.verdict("m1", &found);
        let verdict = verdict.map(|verdict| verdict.map_err(|failure| failure.text()));
        assert_eq!(verdict, expected.map(|one| one.map_err(str::to_owned)));
    }

    #[test]
    fn waiting_ends_in_the_state_in_a_failure_or_at_rest() {
        let look = |state: &str, target: Value| json!({"provision_state": state, "target_provision_state": target, "last_error": "no power"});
        check(look("available", json!(null)), Some(Ok(())));
        check(look("deleting", json!("available")), None);
        check(
            look("clean failed", json!("available")),
            Some(Err(
                "Node m1 failed to reach state available. It's in state clean failed, and has error: no power",
            )),
        );
        check(
            look("active", json!(null)),
            Some(Err(
                "Node m1 failed to reach state available. It's in unexpected stable state active",
            )),
        );
    }
}
