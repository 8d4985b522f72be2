//! Sends heartbeats to the service.
//!
//! A heartbeat also makes the service check for changes, so one is sent as soon as a command ends,
//! though not within five seconds of the last one.

use crate::{
    agent::Agent,
    chance::between,
    service::{Heartbeat, Service, ServiceError},
};
use reqwest::StatusCode;
use std::time::Duration;
use tokio::time::{Instant, sleep_until};

/// The shortest time between two heartbeats, and the base of the pause after a failure.
const SHORTEST: Duration = Duration::from_secs(5);

/// How the agent is reached.
#[derive(Debug, Clone)]
pub(crate) struct Advertised {
    pub(crate) url: String,
    /// The self-signed certificate, if that is used.
    pub(crate) certificate: Option<String>,
}

/// Sends heartbeats until the agent stops serving.
pub(crate) async fn run(agent: &Agent, service: &Service, advertised: &Advertised) {
    let stop = agent.stopping();
    loop {
        let interval = beat(agent, service, advertised).await;
        let sent = Instant::now();
        tracing::info!("next heartbeat in {} s", interval.as_secs());
        tokio::select! {
            () = sleep_until(sent + interval) => {}
            () = agent.heartbeat_wanted() => {
                tokio::select! {
                    () = sleep_until(sent + interval.min(SHORTEST)) => {}
                    () = stop.cancelled() => return,
                }
            }
            () = stop.cancelled() => return,
        }
    }
}

/// Sends one and says how long to wait for the next.
async fn beat(agent: &Agent, service: &Service, advertised: &Advertised) -> Duration {
    let token = agent.token();
    let node = agent.node_uuid().unwrap_or_default();
    let heartbeat = Heartbeat {
        node: &node,
        callback_url: &advertised.url,
        token: token.as_ref(),
        certificate: advertised.certificate.as_deref(),
    };
    match service.heartbeat(&heartbeat).await {
        Ok(()) => {
            tracing::debug!("heartbeat accepted");
            let timeout = agent.config().adopted.heartbeat_timeout;
            timeout.mul_f64(between(0.3, 0.6))
        }
        Err(error) => {
            let is_busy = matches!(&error, ServiceError::Refused { status, .. } if *status == StatusCode::CONFLICT);
            if is_busy {
                tracing::info!("heartbeat refused because the node is locked, retrying: {error}");
            } else {
                tracing::warn!("heartbeat failed, retrying: {error}");
            }
            SHORTEST.mul_f64(between(1.0, 2.0))
        }
    }
}
