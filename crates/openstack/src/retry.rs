//! Which attempts are repeated, how often, and after which pause.
//!
//! Ironic's client library repeats nothing unless an option says so. We repeat a few times by
//! ourselves, but only what can do no harm: requests that never reached the service, reads and
//! other idempotent requests, and whatever the service itself asks to send again (429, or 503 with
//! `Retry-After`). An explicit `status_code_retries` covers every method, as with Ironic.

use std::time::Duration;

/// The first pause; each further one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// Retries without an option.
const DEFAULT_RETRIES: u32 = 2;

/// How often to repeat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RetryPolicy {
    pub(crate) connect: Option<u32>,
    pub(crate) connect_delay: Option<Duration>,
    pub(crate) status: Option<u32>,
    pub(crate) status_delay: Option<Duration>,
    /// Retries for 429 and 503 without an option; more for Glance.
    pub(crate) default_status: u32,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            connect: None,
            connect_delay: None,
            status: None,
            status_delay: None,
            default_status: DEFAULT_RETRIES,
        }
    }
}

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AttemptEnd {
    /// Nothing was sent.
    NotConnected,
    /// No complete answer came.
    Broken,
    /// 429, or any status from 500 on.
    Busy {
        status: u16,
        retry_after: Option<Duration>,
    },
}

/// How many attempts of each kind have failed.
#[derive(Debug, Default)]
pub(crate) struct Failures {
    connect: u32,
    broken: u32,
    status: u32,
}

impl RetryPolicy {
    /// The pause before the next attempt, or nothing when there is none. `chance` is from 0 to 1:
    /// clients that failed together must not come back together.
    pub(crate) fn pause(
        &self,
        failures: &mut Failures,
        end: AttemptEnd,
        is_idempotent: bool,
        chance: f64,
    ) -> Option<Duration> {
        let (count, limit, delay) = match end {
            AttemptEnd::NotConnected => (
                &mut failures.connect,
                self.connect.unwrap_or(DEFAULT_RETRIES),
                self.connect_delay,
            ),
            AttemptEnd::Broken => {
                let limit = if is_idempotent { DEFAULT_RETRIES } else { 0 };
                (&mut failures.broken, limit, None)
            }
            AttemptEnd::Busy {
                status,
                retry_after,
            } => {
                let is_undone = status == 429 || (status == 503 && retry_after.is_some());
                let limit = match (self.status, status) {
                    (Some(limit), 429 | 503) => limit,
                    (None, 429 | 503) if is_undone || is_idempotent => self.default_status,
                    // A proxy did not reach the service, or lost it.
                    (_, 502 | 504) if is_idempotent => DEFAULT_RETRIES,
                    _ => 0,
                };
                (&mut failures.status, limit, self.status_delay)
            }
        };
        if *count >= limit {
            return None;
        }
        *count += 1;
        let pause = delay.unwrap_or_else(|| {
            let doubled = FIRST_PAUSE.saturating_mul(1 << (*count - 1).min(10));
            // From three quarters to five quarters of it.
            doubled.mul_f64(0.75 + chance.clamp(0.0, 1.0) / 2.0)
        });
        let demanded = match end {
            AttemptEnd::Busy { retry_after, .. } => retry_after.unwrap_or_default(),
            _ => Duration::ZERO,
        };
        Some(pause.max(demanded).min(LONGEST_PAUSE))
    }
}

/// A number from 0 to 1.
pub(crate) fn chance() -> f64 {
    let random = getrandom::u32().unwrap_or(u32::MAX / 2);
    f64::from(random) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn busy(status: u16, retry_after: Option<u64>) -> AttemptEnd {
        AttemptEnd::Busy {
            status,
            retry_after: retry_after.map(Duration::from_secs),
        }
    }

    fn pauses(policy: &RetryPolicy, end: AttemptEnd, is_idempotent: bool) -> Vec<u128> {
        let mut failures = Failures::default();
        let pauses =
            std::iter::from_fn(|| policy.pause(&mut failures, end, is_idempotent, 0.5)).take(20);
        pauses.map(|pause| pause.as_millis()).collect()
    }

    #[test]
    fn only_what_cannot_do_harm_is_repeated_by_default() {
        let policy = RetryPolicy::default();
        assert_eq!(
            pauses(&policy, AttemptEnd::NotConnected, false),
            [500, 1000]
        );
        assert_eq!(pauses(&policy, AttemptEnd::Broken, true), [500, 1000]);
        assert_eq!(pauses(&policy, busy(503, None), true), [500, 1000]);
        assert_eq!(pauses(&policy, busy(502, None), true), [500, 1000]);
        assert!(pauses(&policy, busy(500, None), true).is_empty());
        assert!(pauses(&policy, busy(502, None), false).is_empty());
        assert!(pauses(&policy, AttemptEnd::Broken, false).is_empty());
        assert!(pauses(&policy, busy(503, None), false).is_empty());
        assert!(pauses(&policy, busy(500, Some(1)), false).is_empty());
        assert_eq!(pauses(&policy, busy(503, Some(7)), false), [7000, 7000]);
        assert_eq!(pauses(&policy, busy(429, None), false), [500, 1000]);
        assert_eq!(
            pauses(&policy, busy(429, Some(3600)), false),
            [60000, 60000]
        );
    }

    #[test]
    fn options_decide_where_they_are_set() {
        let policy = RetryPolicy {
            connect: Some(0),
            status: Some(3),
            status_delay: Some(Duration::from_secs(2)),
            ..RetryPolicy::default()
        };
        assert!(pauses(&policy, AttemptEnd::NotConnected, true).is_empty());
        assert_eq!(pauses(&policy, busy(503, None), false), [2000, 2000, 2000]);
        let glance = RetryPolicy {
            default_status: 5,
            ..RetryPolicy::default()
        };
        assert_eq!(
            pauses(&glance, busy(503, None), true),
            [500, 1000, 2000, 4000, 8000]
        );
    }
}
