//! What the keeper of a machine knows about it.

use types::NodeId;

/// Whether something is so, as far as answers tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Certainty {
    Yes,
    No,
    /// The answer that would tell was lost.
    Maybe,
}

/// One machine's account.
#[derive(Debug)]
pub(crate) struct Ledger {
    pub(crate) id: NodeId,
    pub(crate) exists: Certainty,
    /// A deletion had no answer: it may still be carried out, also after the machine was seen again.
    pub(crate) is_doomed: bool,
    last_value: u64,
    /// The last value of `extra.n` that was accepted.
    pub(crate) accepted_value: Option<u64>,
    /// Values of requests whose outcome is unknown.
    pub(crate) unknown_values: Vec<u64>,
}

impl Ledger {
    pub(crate) fn new() -> Self {
        Self {
            id: NodeId::generate(),
            exists: Certainty::Maybe,
            is_doomed: false,
            last_value: 0,
            accepted_value: None,
            unknown_values: Vec::new(),
        }
    }

    /// A value that was never used.
    pub(crate) fn next_value(&mut self) -> u64 {
        self.last_value += 1;
        self.last_value
    }

    /// Whether `extra.n` may be this at the end. A request whose answer was lost may have been
    /// carried out at any time since, also after later ones.
    pub(crate) fn allows(&self, value: Option<u64>) -> bool {
        value == self.accepted_value || value.is_some_and(|v| self.unknown_values.contains(&v))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_accepted_value_stays_unless_a_lost_one_came_through() {
        let mut ledger = Ledger::new();
        assert!(ledger.allows(None));
        let values: Vec<u64> = (0..3).map(|_| ledger.next_value()).collect();
        ledger.accepted_value = Some(values[1]);
        assert!(ledger.allows(Some(values[1])));
        assert!(!ledger.allows(None));
        assert!(!ledger.allows(Some(values[0])));
        ledger.unknown_values.push(values[2]);
        assert!(ledger.allows(Some(values[2])));
        assert!(!ledger.allows(Some(values[0])));
    }
}
