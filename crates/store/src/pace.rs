//! How many rows are asked for at a time where rows may be large.

use std::collections::HashMap;

/// As many rows of each kind as a page of so many bytes held lately. What a server sends beyond that
/// would come for nothing, and again with the next page.
#[derive(Debug, Default)]
pub(crate) struct Pace<K>(HashMap<K, usize>);

/// Nothing is known about the rows of a table yet.
const FIRST: usize = 16;

impl<K: std::hash::Hash + Eq> Pace<K> {
    /// How many rows to ask for next, `most` at most.
    pub(crate) fn rows(&self, of: &K, most: usize) -> usize {
        self.0.get(of).copied().unwrap_or(FIRST).min(most)
    }

    /// Notes what came of `asked` rows: a page that `taken` of them filled, or all there are.
    pub(crate) fn note(&mut self, of: K, asked: usize, taken: usize, is_full: bool) {
        // Each number is a statement of its own: few different ones.
        let next = match is_full {
            true => taken.next_power_of_two(),
            false => asked.saturating_mul(2),
        };
        self.0.insert(of, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_rows_are_asked_for_where_they_are_large_and_many_where_they_are_small() {
        let mut pace = Pace::default();
        let mut asked = Vec::new();
        // Small rows, then five that fill a page, then small ones again.
        for (taken, is_full) in [(16, false), (32, false), (5, true), (8, false), (1, true)] {
            let rows = pace.rows(&"nodes", 50);
            asked.push(rows);
            pace.note("nodes", rows, taken, is_full);
        }
        asked.push(pace.rows(&"nodes", 50));
        assert_eq!(asked, [16, 32, 50, 8, 16, 1]);
        assert_eq!(pace.rows(&"ports", 10), 10);
    }
}
