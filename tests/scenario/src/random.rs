//! Random choices that can be repeated: the seed of a failed run is printed and can be given again.

use std::{collections::hash_map::RandomState, hash::BuildHasher, time::Duration};

/// A SplitMix64 generator. Tests need variety, not quality.
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// Starts from a seed that somebody else prints.
    pub fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Starts from `CORTEN_SEED` or, without it, from a fresh seed; prints which.
    #[expect(
        clippy::new_without_default,
        clippy::expect_used,
        clippy::print_stdout,
        reason = "for tests: a wrong seed ends them, and a default would hide that this prints"
    )]
    pub fn new() -> Self {
        let given = std::env::var("CORTEN_SEED").ok();
        let seed = given.map_or_else(
            || RandomState::new().hash_one(0),
            |text| text.parse().expect("CORTEN_SEED is a number"),
        );
        println!("repeat this run with CORTEN_SEED={seed}");
        Self(seed)
    }

    /// Another generator, for a task of its own.
    pub fn fork(&mut self) -> Self {
        Self(self.number())
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`, which is not zero.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end as u64).unwrap_or_default()
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the items, or nothing in a third of the cases.
    pub fn maybe<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        (!self.chance(33)).then(|| self.pick(items).clone())
    }

    /// A time between two numbers of milliseconds.
    pub fn between(&mut self, least_ms: u64, most_ms: u64) -> Duration {
        Duration::from_millis(least_ms + self.number() % (most_ms - least_ms + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_everything() {
        let numbers = |seed| {
            let mut random = Random::seeded(seed);
            let mut other = random.fork();
            [random.number(), other.number(), random.number()]
        };
        assert_eq!(numbers(7), numbers(7));
        assert_ne!(numbers(7), numbers(8));
    }

    #[test]
    fn times_lie_between_their_ends() {
        let mut random = Random::seeded(1);
        for _ in 0..1000 {
            let time = random.between(5, 9).as_millis();
            assert!((5..=9).contains(&time));
        }
    }
}
