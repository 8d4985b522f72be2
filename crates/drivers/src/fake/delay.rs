//! How long a fake operation takes: `[fake]…_delay`.
//!
//! The option is `a` or `a,b`, in seconds. With two numbers the time lies between them, near `a`
//! more often than near `b` (a triangular distribution with its peak at `a`). Fractions of a second
//! are accepted beyond what Ironic takes. The random numbers only have to differ, so they come
//! from a mixing function of the node and a counter, and a run can be repeated.

use std::{str::FromStr, time::Duration};
use types::NodeId;

/// The longest time accepted; anything above is a slip of the pen.
const MAX_S: f64 = 1e6;

/// How long operations take.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Delay {
    /// The most likely time.
    near_s: f64,
    far_s: f64,
}

/// A text that is no delay.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a delay: expected seconds as 'a' or 'a,b'")]
pub struct InvalidDelay(pub String);

impl FromStr for Delay {
    type Err = InvalidDelay;

    fn from_str(text: &str) -> Result<Self, InvalidDelay> {
        let seconds = |part: &str| {
            let number: f64 = part.trim().parse().ok()?;
            (0.0..=MAX_S).contains(&number).then_some(number)
        };
        let parsed = match text.split_once(',') {
            _ if text.is_empty() => Some((0.0, 0.0)),
            None => seconds(text).map(|s| (s, s)),
            Some((near, far)) => seconds(near).zip(seconds(far)),
        };
        let (near_s, far_s) = parsed.ok_or_else(|| InvalidDelay(text.to_owned()))?;
        Ok(Self { near_s, far_s })
    }
}

impl Delay {
    /// The time that the `count`-th operation takes on this node.
    pub(super) fn sample(&self, node: NodeId, count: u64) -> Duration {
        let (high, low) = node.as_bytes().split_at(8);
        let half = |bytes: &[u8]| bytes.iter().fold(0, |sum, &b| (sum << 8) | u64::from(b));
        let random = unit_interval(half(high) ^ half(low).rotate_left(1) ^ count);
        let time = self.far_s - (self.far_s - self.near_s) * (1.0 - random).sqrt();
        Duration::try_from_secs_f64(time).unwrap_or_default()
    }
}

/// A number from 0 (included) to 1 (excluded) that looks random: the output function of SplitMix64.
fn unit_interval(seed: u64) -> f64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    // The upper 53 bits are what a double holds exactly.
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_number_is_always_taken_as_it_is() {
        let delay: Delay = "3".parse().unwrap();
        let node = NodeId::generate();
        assert!((0..100).all(|count| delay.sample(node, count) == Duration::from_secs(3)));
    }

    #[test]
    fn nothing_and_zero_mean_no_delay() {
        for text in ["", "0", "0,0", " 0 , 0 "] {
            let delay: Delay = text.parse().unwrap();
            assert!(delay.sample(NodeId::generate(), 1).is_zero(), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["x", "-1", "1,", ",", "1,2,3", "nan", "inf", "1e300", "1;2"] {
            assert_eq!(
                text.parse::<Delay>(),
                Err(InvalidDelay(text.into())),
                "{text}"
            );
        }
    }

    #[test]
    fn most_samples_lie_in_the_nearer_half() {
        let delay: Delay = "10,20".parse().unwrap();
        let node: NodeId = "1be26c0b-03f2-4d2e-ae87-c02d7f33c123".parse().unwrap();
        let near = (0..10_000)
            .filter(|&count| delay.sample(node, count) < Duration::from_secs(15))
            .count();
        // The distribution has three quarters of its weight there.
        assert!((7_300..7_700).contains(&near), "{near}");
    }

    proptest! {
        #[test]
        fn a_sample_lies_between_the_numbers(a in 0u32..100_000, b in 0u32..100_000, count: u64) {
            let delay: Delay = format!("{a},{b}").parse().unwrap();
            let time = delay.sample(NodeId::generate(), count).as_secs_f64();
            prop_assert!(time >= f64::from(a.min(b)) - 1e-6);
            prop_assert!(time <= f64::from(a.max(b)) + 1e-6);
        }

        #[test]
        fn no_text_panics(text: String, count: u64) {
            if let Ok(delay) = text.parse::<Delay>() {
                delay.sample(NodeId::generate(), count);
            }
        }
    }
}
