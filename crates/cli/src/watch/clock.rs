//! Times of events in the local time of whoever watches.
//!
//! The zone is read from where the system keeps it; one that cannot be read is UTC, which is what
//! a machine without a zone means.

use jiff::Timestamp;
use jiff::tz::TimeZone;

/// Turns the service's times into local ones.
#[derive(Debug)]
pub(crate) struct Clock(TimeZone);

impl Clock {
    pub(crate) fn local() -> Self {
        let zone = match std::env::var("TZ") {
            Ok(name) if !name.is_empty() => named(name.trim_start_matches(':')),
            _ => read("/etc/localtime"),
        };
        Self(zone.unwrap_or(TimeZone::UTC))
    }

    /// A local time; what is no time is passed on as it is.
    pub(crate) fn show(&self, at: &str) -> String {
        match at.parse::<Timestamp>() {
            Ok(at) => at
                .to_zoned(self.0.clone())
                .strftime("%Y-%m-%d %H:%M:%S")
                .to_string(),
            Err(_) => at.to_owned(),
        }
    }
}

/// A zone by the name, path or rule that `TZ` may hold.
fn named(name: &str) -> Option<TimeZone> {
    let path = if name.starts_with('/') {
        name.to_owned()
    } else {
        format!("/usr/share/zoneinfo/{name}")
    };
    read(&path).or_else(|| TimeZone::posix(name).ok())
}

fn read(path: &str) -> Option<TimeZone> {
    TimeZone::tzif("local", &std::fs::read(path).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_shown_in_the_zone() {
        let clock = Clock(named("CET-1CEST,M3.5.0,M10.5.0/3").unwrap());
        assert_eq!(
            clock.show("2026-11-15T03:20:21.882155+00:00"),
            "2026-11-15 04:20:21"
        );
        assert_eq!(clock.show("2026-07-15T23:30:00Z"), "2026-07-16 01:30:00");
    }

    #[test]
    fn what_is_no_time_stays() {
        assert_eq!(Clock(TimeZone::UTC).show("yesterday"), "yesterday");
        assert!(named("No/Such/Zone").is_none());
    }
}
