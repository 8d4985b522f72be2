//! How many alerts are taken: of one source, and of all together.
//!
//! A source has a bucket of tokens: an alert takes one, and they come back slowly. So has everybody
//! together, because each alert costs a search in the database and sources are easily invented. The
//! sources that are remembered are bounded; a new one is refused while all of them are in use.

use drivers::alert::Mark;
use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    time::Duration,
};
use tokio::time::Instant;

/// How many alerts one source may send at once, and how long until it may send one more.
const SOURCE: Rate = Rate {
    burst: 20,
    refill: Duration::from_secs(3),
};
/// The same for all together.
const ALL: Rate = Rate {
    burst: 200,
    refill: Duration::from_millis(100),
};
/// The same for lines in the log that say that alerts were refused.
const COMPLAINTS: Rate = Rate {
    burst: 5,
    refill: Duration::from_secs(60),
};
/// How many sources are remembered.
const MOST_SOURCES: usize = 4096;
/// How many alerts of a source are remembered, to know those that are sent again.
const MOST_MARKS: usize = 16;

#[derive(Debug, Clone, Copy)]
struct Rate {
    burst: u32,
    refill: Duration,
}

#[derive(Debug)]
struct Bucket {
    rate: Rate,
    tokens: u32,
    /// When the newest token that has come back did.
    since: Instant,
}

impl Bucket {
    fn full(rate: Rate, now: Instant) -> Self {
        Self {
            rate,
            tokens: rate.burst,
            since: now,
        }
    }

    fn fill(&mut self, now: Instant) {
        let waited = now.saturating_duration_since(self.since).as_millis();
        let back = waited / self.rate.refill.as_millis().max(1);
        let back = u32::try_from(back).unwrap_or(u32::MAX);
        self.tokens = self.tokens.saturating_add(back).min(self.rate.burst);
        if self.tokens == self.rate.burst {
            self.since = now;
        } else {
            self.since += self.rate.refill * back;
        }
    }

    fn take(&mut self, now: Instant) -> bool {
        self.fill(now);
        let has = self.tokens > 0;
        self.tokens = self.tokens.saturating_sub(1);
        has
    }

    fn is_full(&mut self, now: Instant) -> bool {
        self.fill(now);
        self.tokens == self.rate.burst
    }
}

#[derive(Debug)]
struct Source {
    bucket: Bucket,
    /// Since the last alert that was taken.
    dropped: u64,
    marks: VecDeque<Mark>,
}

/// What becomes of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    Granted {
        /// How many of the source were refused before it.
        dropped: u64,
    },
    Refused {
        /// Whether the log is to say so: it must not be filled this way either.
        is_told: bool,
    },
}

/// The sources of alerts.
#[derive(Debug)]
pub(super) struct Limits {
    sources: HashMap<IpAddr, Source>,
    all: Bucket,
    complaints: Bucket,
}

impl Limits {
    pub(super) fn new(now: Instant) -> Self {
        Self {
            sources: HashMap::new(),
            all: Bucket::full(ALL, now),
            complaints: Bucket::full(COMPLAINTS, now),
        }
    }

    /// Whether an alert of this source is looked at.
    pub(super) fn admit(&mut self, from: IpAddr, now: Instant) -> Admission {
        if !self.sources.contains_key(&from) && self.sources.len() >= MOST_SOURCES {
            self.sources.retain(|_, source| !source.bucket.is_full(now));
            if self.sources.len() >= MOST_SOURCES {
                let is_told = self.complaints.take(now);
                return Admission::Refused { is_told };
            }
        }
        let source = self.sources.entry(from).or_insert_with(|| Source {
            bucket: Bucket::full(SOURCE, now),
            dropped: 0,
            marks: VecDeque::new(),
        });
        if source.bucket.take(now) && self.all.take(now) {
            let dropped = std::mem::take(&mut source.dropped);
            return Admission::Granted { dropped };
        }
        source.dropped += 1;
        // Once for each row of refusals.
        let is_told = source.dropped == 1 && self.complaints.take(now);
        Admission::Refused { is_told }
    }

    /// Whether the source has sent this alert before; notes it otherwise.
    pub(super) fn is_repeated(&mut self, from: IpAddr, mark: Mark) -> bool {
        let Some(source) = self.sources.get_mut(&from) else {
            return false;
        };
        if source.marks.contains(&mark) {
            return true;
        }
        if source.marks.len() >= MOST_MARKS {
            source.marks.pop_front();
        }
        source.marks.push_back(mark);
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    const GRANTED: Admission = Admission::Granted { dropped: 0 };

    fn source(number: u32) -> IpAddr {
        Ipv4Addr::from(0x0a00_0000 + number).into()
    }

    #[test]
    fn a_source_that_sends_too_many_is_slowed_down_and_no_other() {
        let now = Instant::now();
        let mut limits = Limits::new(now);
        for _ in 0..SOURCE.burst {
            assert_eq!(limits.admit(source(1), now), GRANTED);
        }
        let refused = |is_told| Admission::Refused { is_told };
        assert_eq!(limits.admit(source(1), now), refused(true));
        assert_eq!(limits.admit(source(1), now), refused(false));
        assert_eq!(limits.admit(source(2), now), GRANTED);
        let later = now + SOURCE.refill;
        let granted = limits.admit(source(1), later);
        assert_eq!(granted, Admission::Granted { dropped: 2 });
        assert_eq!(limits.admit(source(1), later), refused(true));
        // Tokens come back at their pace, however often one asks.
        let soon = later + SOURCE.refill / 2;
        assert_eq!(limits.admit(source(1), soon), refused(false));
        let granted = limits.admit(source(1), later + SOURCE.refill);
        assert_eq!(granted, Admission::Granted { dropped: 2 });
    }

    #[test]
    fn invented_sources_are_limited_together_and_forgotten() {
        let now = Instant::now();
        let mut limits = Limits::new(now);
        let (mut granted, mut lines) = (0, 0);
        for number in 0..100_000 {
            match limits.admit(source(number), now) {
                Admission::Granted { .. } => granted += 1,
                Admission::Refused { is_told } => lines += u32::from(is_told),
            }
        }
        assert_eq!((granted, lines), (ALL.burst, COMPLAINTS.burst));
        assert_eq!(limits.sources.len(), MOST_SOURCES);
        let later = now + SOURCE.refill;
        assert_eq!(limits.admit(source(200_000), later), GRANTED);
        assert!(limits.sources.len() < MOST_SOURCES);
    }
}
