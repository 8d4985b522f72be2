//! Random choices that can be repeated: the seed of a failed run is printed and can be given again.

use std::{collections::hash_map::RandomState, hash::BuildHasher};

/// A SplitMix64 generator. Tests need variety, not quality.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Starts from `CORTEN_SEED` or, without it, from a fresh seed; prints which.
    pub(crate) fn new() -> Self {
        let given = std::env::var("CORTEN_SEED").ok();
        let seed = given.map_or_else(
            || RandomState::new().hash_one(0),
            |text| text.parse().expect("CORTEN_SEED is a number"),
        );
        println!("repeat this run with CORTEN_SEED={seed}");
        Self(seed)
    }

    /// Another generator, for a task of its own.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// One of the items, or nothing in a third of the cases.
    pub(crate) fn maybe<T: Clone>(&mut self, items: &[T]) -> Option<T> {
        (!self.chance(33)).then(|| self.pick(items).clone())
    }
}
