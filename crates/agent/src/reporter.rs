//! Posting how far the command under way is.
//!
//! Each new phase is posted at once; bytes at most once a second. Nobody depends on these posts, so
//! one that fails is forgotten. Only Corten has a place for them.

use crate::{agent::Agent, progress::Report, service::Service};
use reqwest::Method;
use serde_json::json;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The shortest time between two posts of one phase.
const PAUSE: Duration = Duration::from_secs(1);

/// Posts until the last reporter is dropped.
pub(crate) async fn run(agent: &Agent, service: &Service) {
    let mut reports = agent.progress().watch();
    let mut last: Option<(Report, Instant)> = None;
    while reports.changed().await.is_ok() {
        let mut report = reports.borrow_and_update().clone();
        if let Some((old, at)) = &last
            && is_same_phase(old, &report)
        {
            tokio::select! {
                () = sleep_until(*at + PAUSE) => {}
                _ = reports.wait_for(|new| !is_same_phase(old, new)) => {}
            }
            report = reports.borrow_and_update().clone();
        }
        if report.phase.is_empty() {
            continue;
        }
        let now = Instant::now();
        let rate = match &last {
            Some((old, at)) if is_same_phase(old, &report) => {
                per_second(report.bytes.saturating_sub(old.bytes), now - *at)
            }
            _ => 0,
        };
        post(agent, service, &report, rate).await;
        last = Some((report, now));
    }
}

fn is_same_phase(old: &Report, new: &Report) -> bool {
    (&old.command, &old.phase) == (&new.command, &new.phase)
}

fn per_second(bytes: u64, time: Duration) -> u64 {
    let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
    bytes.saturating_mul(1000) / millis
}

async fn post(agent: &Agent, service: &Service, report: &Report, rate: u64) {
    let (Some(node), Some(token)) = (agent.node_uuid(), agent.token()) else {
        return;
    };
    let body = json!({
        "phase": report.phase,
        "bytes": report.bytes,
        "total": report.total,
        "rate": rate,
        "command": report.command,
    });
    let path = format!("/corten/v1/agent/progress/{node}");
    let sent = service.send(Method::POST, &path, |request| {
        request
            .header("x-corten-agent-token", token.reveal())
            .json(&body)
    });
    match sent.await {
        Ok(answer) if answer.status().is_success() => {}
        Ok(answer) => tracing::debug!("progress report refused: {}", answer.status()),
        Err(error) => tracing::debug!("progress report failed: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_per_second() {
        assert_eq!(per_second(500, Duration::from_millis(500)), 1000);
        assert_eq!(per_second(5, Duration::ZERO), 5000);
        assert_eq!(per_second(0, PAUSE), 0);
    }
}
