//! Posting events to webhooks.
//!
//! Every process with an API may post; for each webhook one does, the one that holds its lease.
//! It runs beside the API and not in conductors, because it is the API's hosts that other services
//! are on good terms with, while conductors often live in networks of machines alone; and what it
//! needs is the database, which both have.
//!
//! A delivery is one event. It is repeated until the receiver agrees (any 2xx), and only then comes
//! the next one, so that a receiver gets everything, in order, and some of it more than once; the
//! id of a delivery is made from the webhook and the event's cursor, and tells repetitions by. What
//! is refused too often is put aside as a dead letter.

mod courier;
mod post;
mod sender;

pub(crate) use post::{Letter, Outcome, Post, address, authorities};
pub use sender::Sender;

use std::time::Duration;

/// How webhooks are served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookSettings {
    /// How often an event is tried before it is given up.
    pub attempts: i64,
    /// How long to wait after the first failure; after each further one twice as long.
    pub first_delay: Duration,
    pub longest_delay: Duration,
    /// How long a receiver may take to answer. With a third of `ttl` at most, a poster that lost
    /// its lease has no delivery under way when another takes over.
    pub timeout: Duration,
    /// How many deliveries are under way at a time in this process.
    pub deliveries: usize,
    /// A poster that gives no sign of life for so long has lost its leases.
    pub ttl: Duration,
    /// How often is looked for changes that others made.
    pub look: Duration,
    /// Where receivers may be.
    pub outbound: outbound::Policy,
}

impl Default for WebhookSettings {
    fn default() -> Self {
        Self {
            attempts: 12,
            first_delay: Duration::from_secs(1),
            longest_delay: Duration::from_secs(300),
            timeout: Duration::from_secs(10),
            deliveries: 16,
            ttl: Duration::from_secs(30),
            look: Duration::from_secs(2),
            outbound: outbound::Policy::default(),
        }
    }
}

impl WebhookSettings {
    /// How long to wait after so many failures, somewhat more or less: receivers that serve many
    /// are not to be asked by all at once.
    fn delay(&self, failures: i64, random: u64) -> Duration {
        let doublings = u32::try_from(failures.clamp(1, 30) - 1).unwrap_or(0);
        let delay = self.first_delay.saturating_mul(1 << doublings);
        let delay = delay.min(self.longest_delay);
        let half = delay / 2;
        half + half.saturating_mul(u32::try_from(random % 1000).unwrap_or(0)) / 1000
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_to_a_limit_and_differ() {
        let settings = WebhookSettings::default();
        let seconds = |failures, random| settings.delay(failures, random).as_secs_f64();
        assert_eq!(seconds(1, 0), 0.5);
        assert_eq!(seconds(2, 500), 1.5);
        assert_eq!(seconds(12, 0), 150.0);
        assert!(seconds(i64::MAX, 999) < 300.0);
        assert!(seconds(4, 999) > seconds(4, 0));
    }
}
