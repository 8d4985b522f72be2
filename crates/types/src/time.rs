//! Instants, as the database keeps them (microseconds since 1970) and as the wire shows them.
//!
//! This is the only place that reads the wall clock. Durations that decide anything are measured
//! on the monotonic clock instead: wall clocks jump.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Microseconds since the Unix epoch, UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The wall clock now.
    #[allow(
        clippy::disallowed_methods,
        reason = "the one place that reads the wall clock"
    )]
    pub fn now() -> Self {
        Self(jiff::Timestamp::now().as_microsecond())
    }

    /// Reads a time with an offset, as RFC 3339 writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let at: jiff::Timestamp = text.parse().ok()?;
        Some(Self(at.as_microsecond()))
    }

    /// Reads the form inside `driver_internal_info`, with or without a zone.
    pub fn from_naive(text: &str) -> Option<Self> {
        Self::parse(&format!("{text}Z")).or_else(|| Self::parse(text))
    }

    /// Seconds from `earlier` to `self`; negative when the clock went backwards meanwhile.
    pub fn seconds_since(self, earlier: Timestamp) -> i64 {
        (self.0 - earlier.0) / 1_000_000
    }

    /// This instant moved by a number of seconds.
    pub fn plus_seconds(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds.saturating_mul(1_000_000)))
    }

    /// The form inside `driver_internal_info`: no zone, microseconds always written.
    pub fn naive(self) -> String {
        format!("{}.{:06}", self.civil(), self.0.rem_euclid(1_000_000))
    }

    /// The form inside notifications: to the second, zone `Z`.
    pub fn zulu(self) -> String {
        format!("{}Z", self.civil())
    }

    /// Date and time of day in UTC, to the second.
    fn civil(self) -> impl fmt::Display {
        let seconds = self.0.div_euclid(1_000_000);
        // Out-of-range values can only come from a damaged row; show the epoch rather than fail a
        // whole list for it.
        let at = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let at = jiff::tz::Offset::UTC.to_datetime(at);
        fmt::from_fn(move |f| {
            let (year, month, day) = (at.year(), at.month(), at.day());
            let (hour, minute, second) = (at.hour(), at.minute(), at.second());
            write!(
                f,
                "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
            )
        })
    }
}

/// ISO 8601 as the API shows it: microseconds only when they are not zero, offset `+00:00`.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let civil = self.civil();
        match self.0.rem_euclid(1_000_000) {
            0 => write!(f, "{civil}+00:00"),
            micros => write!(f, "{civil}.{micros:06}+00:00"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_offset() {
        let expected = Some(Timestamp(1_767_225_600_000_000));
        for text in ["2026-01-01T00:00:00.000000Z", "2026-01-01T01:00:00+01:00"] {
            assert_eq!(Timestamp::parse(text), expected, "{text}");
        }
        for text in ["", "soon", "2026-01-01", "2026-01-01T00:00:00"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_wire_form_drops_zero_microseconds() {
        assert_eq!(
            Timestamp(1_767_225_600_000_000).to_string(),
            "2026-01-01T00:00:00+00:00"
        );
        assert_eq!(
            Timestamp(1_767_225_600_358_678).to_string(),
            "2026-01-01T00:00:00.358678+00:00"
        );
        assert_eq!(
            Timestamp(1_767_225_600_000_000).naive(),
            "2026-01-01T00:00:00.000000"
        );
        assert_eq!(
            Timestamp(-1).to_string(),
            "1969-12-31T23:59:59.999999+00:00"
        );
    }
}
