//! Transactions that lost against others are run again, a bounded number of times.
//!
//! Which errors count is for `StoreError::is_retryable`; here is only for how long, and with which
//! pauses. They grow, and are spread at random: two transactions that met once would otherwise meet
//! again and again.

#[cfg(test)]
mod deadlocks;

use ring::rand::{SecureRandom, SystemRandom};
use std::time::{Duration, Instant};

/// How often a transaction is run at most.
const ATTEMPTS: u32 = 12;
/// Nor is it started again after so long.
const ENOUGH: Duration = Duration::from_secs(30);
/// The longest first pause; it doubles up to the longest of all.
const FIRST: Duration = Duration::from_millis(4);
const LONGEST: Duration = Duration::from_millis(500);

/// What is left of the patience with one transaction.
pub(crate) struct Patience {
    started: Instant,
    attempts: u32,
}

impl Patience {
    /// For a transaction that is about to be run for the first time.
    pub(crate) fn new() -> Self {
        Self {
            started: Instant::now(),
            attempts: 1,
        }
    }

    /// Waits before the next attempt; false when there is none.
    #[allow(
        clippy::disallowed_methods,
        reason = "at most half a second, on a thread whose only business is this transaction"
    )]
    pub(crate) fn wait(&mut self) -> bool {
        if self.attempts >= ATTEMPTS || self.started.elapsed() >= ENOUGH {
            return false;
        }
        std::thread::sleep(longest_pause(self.attempts).mul_f64(dice()));
        self.attempts += 1;
        true
    }
}

fn longest_pause(attempt: u32) -> Duration {
    FIRST.saturating_mul(1 << attempt.min(10)).min(LONGEST)
}

/// A number between 0 and 1.
fn dice() -> f64 {
    let mut bytes = [0; 2];
    match SystemRandom::new().fill(&mut bytes) {
        Ok(()) => f64::from(u16::from_le_bytes(bytes)) / f64::from(u16::MAX),
        // Without randomness everybody waits the same time, which is still better than none.
        Err(_) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_ends() {
        let mut patience = Patience::new();
        assert!(patience.wait());
        patience.attempts = ATTEMPTS;
        assert!(!patience.wait());
        let long_ago = Instant::now().checked_sub(ENOUGH).unwrap();
        let mut patience = Patience {
            started: long_ago,
            attempts: 1,
        };
        assert!(!patience.wait());
    }

    #[test]
    fn pauses_grow_up_to_a_limit_and_are_spread() {
        assert!(longest_pause(1) < longest_pause(2));
        assert_eq!(longest_pause(9), LONGEST);
        assert_eq!(longest_pause(u32::MAX), LONGEST);
        let first = dice();
        assert!((0..64).any(|_| dice() != first));
    }
}
