//! How often passwords may be guessed.
//!
//! Two buckets judge an attempt: one of the address together with the user, and one of the address
//! alone. Neither is of the user alone, so that guesses from elsewhere never lock anybody out. An
//! address from which a user has signed in lately is judged by the first bucket only: others behind
//! the same proxy do not lock it out either. An attempt is taken from the buckets before the
//! password is verified, and given back if it was right, so that many at once count as many.

use std::{
    collections::HashMap,
    hash::Hash,
    time::{Duration, Instant},
};

/// How many addresses, and how many pairs of an address and a user, are remembered.
const MOST: usize = 16_384;
/// How long an address stays known to be a user's.
const KNOWN_FOR: Duration = Duration::from_secs(24 * 3600);

/// How many attempts at once, and after how long one more.
struct Rate {
    most: f64,
    each: Duration,
}

const OF_PAIR: Rate = Rate {
    most: 5.0,
    each: Duration::from_secs(10),
};
const OF_ADDRESS: Rate = Rate {
    most: 20.0,
    each: Duration::from_secs(3),
};

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Bucket {
    fn full(rate: &Rate, now: Instant) -> Self {
        Self {
            left: rate.most,
            at: now,
        }
    }

    /// How many attempts are left by now.
    fn refilled(self, rate: &Rate, now: Instant) -> Self {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        let left = (self.left + passed / rate.each.as_secs_f64()).min(rate.most);
        Self { left, at: now }
    }
}

type Pair = (String, String);

/// The attempts of late.
#[derive(Debug, Default)]
pub(super) struct Attempts {
    pairs: HashMap<Pair, Bucket>,
    addresses: HashMap<String, Bucket>,
    /// Who signed in from where, and when for the last time.
    known: HashMap<Pair, Instant>,
}

impl Attempts {
    /// Whether an attempt may be made; otherwise after how many seconds.
    pub(super) fn check(&self, address: &str, user: &str, now: Instant) -> Result<(), u64> {
        let pair = (address.to_owned(), user.to_owned());
        is_left(self.pairs.get(&pair), &OF_PAIR, now)?;
        if self.is_known(&pair, now) {
            return Ok(());
        }
        is_left(self.addresses.get(address), &OF_ADDRESS, now)
    }

    /// Makes an attempt.
    pub(super) fn take(&mut self, address: &str, user: &str, now: Instant) -> Result<(), u64> {
        self.check(address, user, now)?;
        let pair = (address.to_owned(), user.to_owned());
        let is_known = self.is_known(&pair, now);
        add(&mut self.pairs, pair, &OF_PAIR, -1.0, now);
        if !is_known {
            add(
                &mut self.addresses,
                address.to_owned(),
                &OF_ADDRESS,
                -1.0,
                now,
            );
        }
        Ok(())
    }

    /// The attempt was none: the password was right.
    pub(super) fn give_back(&mut self, address: &str, user: &str, now: Instant) {
        let pair = (address.to_owned(), user.to_owned());
        if !self.is_known(&pair, now) {
            add(
                &mut self.addresses,
                address.to_owned(),
                &OF_ADDRESS,
                1.0,
                now,
            );
        }
        add(&mut self.pairs, pair.clone(), &OF_PAIR, 1.0, now);
        if self.known.len() >= MOST {
            self.known
                .retain(|_, at| now.saturating_duration_since(*at) < KNOWN_FOR);
        }
        if self.known.len() < MOST {
            self.known.insert(pair, now);
        }
    }

    fn is_known(&self, pair: &Pair, now: Instant) -> bool {
        self.known
            .get(pair)
            .is_some_and(|at| now.saturating_duration_since(*at) < KNOWN_FOR)
    }
}

/// What an address asks for without credentials, at most as often as it may guess passwords.
#[derive(Debug, Default)]
pub(crate) struct Visits(HashMap<String, Bucket>);

impl Visits {
    /// Counts a visit; otherwise after how many seconds there may be one.
    pub(crate) fn take(&mut self, address: &str, now: Instant) -> Result<(), u64> {
        is_left(self.0.get(address), &OF_ADDRESS, now)?;
        add(&mut self.0, address.to_owned(), &OF_ADDRESS, -1.0, now);
        Ok(())
    }
}

fn is_left(bucket: Option<&Bucket>, rate: &Rate, now: Instant) -> Result<(), u64> {
    let Some(bucket) = bucket.map(|bucket| bucket.refilled(rate, now)) else {
        return Ok(());
    };
    if bucket.left >= 1.0 {
        return Ok(());
    }
    let missing = Duration::try_from_secs_f64((1.0 - bucket.left) * rate.each.as_secs_f64());
    Err(missing.unwrap_or(rate.each).as_secs() + 1)
}

/// Changes a bucket. With too many of them those that are full again are forgotten; if none is, all
/// are: whoever has so many addresses is not held up by this.
fn add<K: Eq + Hash>(
    buckets: &mut HashMap<K, Bucket>,
    key: K,
    rate: &Rate,
    change: f64,
    now: Instant,
) {
    if buckets.len() >= MOST && !buckets.contains_key(&key) {
        buckets.retain(|_, bucket| bucket.refilled(rate, now).left < rate.most);
        if buckets.len() >= MOST {
            buckets.clear();
        }
    }
    let bucket = buckets
        .entry(key)
        .or_insert_with(|| Bucket::full(rate, now));
    let refilled = bucket.refilled(rate, now);
    *bucket = Bucket {
        left: (refilled.left + change).clamp(0.0, rate.most),
        at: now,
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_few_and_others_are_not_held_up() {
        let (mut attempts, start) = (Attempts::default(), Instant::now());
        for _ in 0..5 {
            attempts.take("6.6.6.6", "ada", start).unwrap();
        }
        assert_eq!(attempts.take("6.6.6.6", "ada", start), Err(11));
        assert_eq!(attempts.check("6.6.6.6", "ada", start), Err(11));
        // Neither the owner from elsewhere nor others from there.
        attempts.take("10.0.0.1", "ada", start).unwrap();
        attempts.take("6.6.6.6", "bob", start).unwrap();
        let later = start + Duration::from_secs(10);
        attempts.take("6.6.6.6", "ada", later).unwrap();
        assert!(attempts.take("6.6.6.6", "ada", later).is_err());
    }

    #[test]
    fn an_address_that_tries_many_users_is_held_up() {
        let (mut attempts, now) = (Attempts::default(), Instant::now());
        attempts.take("6.6.6.6", "ada", now).unwrap();
        attempts.give_back("6.6.6.6", "ada", now);
        for n in 0..20 {
            attempts.take("6.6.6.6", &format!("u{n}"), now).unwrap();
        }
        assert_eq!(attempts.take("6.6.6.6", "u20", now), Err(4));
        // Who was right from there before is not.
        attempts.take("6.6.6.6", "ada", now).unwrap();
        attempts.take("10.0.0.1", "u20", now).unwrap();
    }

    #[test]
    fn visits_of_an_address_are_few_and_others_are_not_held_up() {
        let (mut visits, start) = (Visits::default(), Instant::now());
        for _ in 0..20 {
            visits.take("6.6.6.6", start).unwrap();
        }
        assert_eq!(visits.take("6.6.6.6", start), Err(4));
        visits.take("10.0.0.1", start).unwrap();
        let later = start + Duration::from_secs(3);
        visits.take("6.6.6.6", later).unwrap();
        assert!(visits.take("6.6.6.6", later).is_err());
    }

    #[test]
    fn right_passwords_cost_nothing() {
        let (mut attempts, now) = (Attempts::default(), Instant::now());
        for _ in 0..100 {
            attempts.take("10.0.0.1", "ada", now).unwrap();
            attempts.give_back("10.0.0.1", "ada", now);
        }
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (mut attempts, now) = (Attempts::default(), Instant::now());
        for n in 0..2 * MOST {
            attempts.take(&format!("a{n}"), "ada", now).unwrap();
            attempts.give_back(&format!("a{n}"), "ada", now);
        }
        assert!(attempts.pairs.len() <= MOST);
        assert!(attempts.addresses.len() <= MOST);
        assert!(attempts.known.len() <= MOST);
    }
}
