//! The clock of this host, against what is known without asking the Internet.
//!
//! Certificates, tokens and leases go by it. BMCs that answered by HTTP have told their time; most
//! of them are set by NTP, so the middle of what they say is a second opinion. A clock that is before
//! the day this was written is wrong in any case.

use super::Finding;
use types::time::Timestamp;

const CHECK: &str = "clock";
/// A time before this cannot be.
const EARLIEST: &str = "2026-01-01T00:00:00Z";
/// More than this many seconds apart is worth a note.
const APART: i64 = 60;
const REMEDY: &str = "switch time synchronisation on: timedatectl set-ntp true, or chronyd";

/// `ahead` is by how many seconds each BMC's clock is ahead of ours.
pub(super) fn check(ahead: &[i64]) -> Vec<Finding> {
    vec![verdict(Timestamp::now(), ahead)]
}

fn verdict(now: Timestamp, ahead: &[i64]) -> Finding {
    let earliest = Timestamp::parse(EARLIEST);
    if earliest.is_some_and(|earliest| now.seconds_since(earliest) < 0) {
        return Finding::broken(
            CHECK,
            format!("it says {}, which is past", now.zulu()),
            REMEDY,
        );
    }
    let mut ahead = ahead.to_vec();
    ahead.sort_unstable();
    let Some(middle) = ahead.get(ahead.len() / 2).copied() else {
        return Finding::well(CHECK, format!("{}; nothing to compare it with", now.zulu()));
    };
    match middle.abs() {
        0..=APART => Finding::well(
            CHECK,
            format!("within {} s of {} BMCs", middle.abs().max(1), ahead.len()),
        ),
        apart => Finding::note(
            CHECK,
            format!(
                "{apart} s apart from the middle of {} BMCs; one side is wrong",
                ahead.len()
            ),
        )
        .remedy(REMEDY),
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};

    #[test]
    fn a_clock_is_judged_by_the_middle_of_what_bmcs_say() {
        let now = Timestamp::parse("2026-11-18T12:00:00Z").unwrap();
        assert_eq!(verdict(now, &[]).level, Level::Well);
        // One BMC that never had its clock set counts for nothing among others.
        assert_eq!(verdict(now, &[-1_700_000_000, 1, 0]).level, Level::Well);
        assert_eq!(verdict(now, &[3600, 3601, 0]).level, Level::Note);
        let past = Timestamp::parse("1970-01-01T00:00:10Z").unwrap();
        assert_eq!(verdict(past, &[]).level, Level::Broken);
    }
}
