//! Finding out which node this machine is.
//!
//! The service may not know it yet, may have it locked, or may not be up: every failure is retried
//! with exponential backoff, until the timeout.

use crate::{
    chance::between,
    service::{LookupAnswer, Service, ServiceError},
};
use reqwest::StatusCode;
use std::time::Duration;
use tokio::time::{Instant, sleep};

/// The longest pause between two attempts.
const LONGEST: Duration = Duration::from_secs(60);

/// Pause before a retry while the node is locked: the first and later ones.
const LOCKED: [u64; 3] = [5, 10, 30];

/// How a lookup is made.
#[derive(Debug)]
pub(crate) struct Lookup<'a> {
    /// Comma-separated.
    pub(crate) macs: &'a str,
    /// The node, where inspection has told it.
    pub(crate) node: Option<&'a str>,
    pub(crate) timeout: Duration,
    /// The shortest pause between two attempts.
    pub(crate) interval: Duration,
}

impl Lookup<'_> {
    /// Retries until there is an answer or the timeout; then the last error is returned.
    pub(crate) async fn run(&self, service: &Service) -> Result<LookupAnswer, ServiceError> {
        let end = Instant::now() + self.timeout;
        let mut locked = LOCKED.into_iter();
        for attempt in 0.. {
            let failure = match service.lookup(self.macs, self.node).await {
                Ok(found) => return Ok(found),
                Err(failure) => failure,
            };
            tracing::warn!("lookup failed, retrying: {failure}");
            if matches!(&failure, ServiceError::Refused { status, .. } if *status == StatusCode::CONFLICT)
            {
                let seconds = locked.next().unwrap_or(LOCKED[LOCKED.len() - 1]);
                sleep(Duration::from_secs(seconds)).await;
            }
            let pause = self.pause(attempt);
            if Instant::now() + pause >= end {
                return Err(failure);
            }
            sleep(pause).await;
        }
        unreachable!("the attempts are not counted to an end")
    }

    /// A random pause between the shortest one and one that doubles with every attempt (backoff).
    fn pause(&self, attempt: i32) -> Duration {
        let high = 2f64.powi(attempt.min(16)).min(LONGEST.as_secs_f64());
        let low = self.interval.as_secs_f64();
        Duration::from_secs_f64(between(low, high.max(low)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_up_to_a_minute() {
        let lookup = Lookup {
            macs: "",
            node: None,
            timeout: LONGEST,
            interval: Duration::from_secs(1),
        };
        assert_eq!(lookup.pause(0), Duration::from_secs(1));
        for attempt in [3, 100, i32::MAX] {
            let pause = lookup.pause(attempt);
            assert!(
                (Duration::from_secs(1)..=LONGEST).contains(&pause),
                "{pause:?}"
            );
        }
        assert!(lookup.pause(3) <= Duration::from_secs(8));
    }
}
