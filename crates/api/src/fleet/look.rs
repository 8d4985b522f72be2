//! What a provision state means in an overview of a fleet: six classes of thirty states.

use types::{ProvisionState, provision::StateClass};

types::wire_enum! {
    /// A class of states.
    pub enum Look {
        /// Nothing is done with it, and something may be.
        Ready = "ready",
        InUse = "in_use",
        /// A conductor works on it.
        Working = "working",
        /// It is waited for.
        Waiting = "waiting",
        /// It waits until a user lets it go on.
        Held = "held",
        Failed = "failed",
    }
}

impl Look {
    pub(crate) fn of(state: ProvisionState) -> Self {
        match (state, state.class()) {
            (ProvisionState::Error, _) | (_, StateClass::Failed) => Self::Failed,
            (ProvisionState::Active | ProvisionState::Rescue, _) => Self::InUse,
            (_, StateClass::Stable) => Self::Ready,
            (_, StateClass::Transient) => Self::Working,
            (_, StateClass::Waiting) => Self::Waiting,
            (_, StateClass::Hold) => Self::Held,
        }
    }

    /// How it is drawn in a map; in upper case for a node in maintenance.
    pub(crate) fn letter(self, is_in_maintenance: bool) -> char {
        let letter = match self {
            Self::Ready => 'r',
            Self::InUse => 'u',
            Self::Working => 'w',
            Self::Waiting => 'q',
            Self::Held => 'h',
            Self::Failed => 'f',
        };
        match is_in_maintenance {
            true => letter.to_ascii_uppercase(),
            false => letter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_state_has_a_look_and_every_look_a_letter_of_its_own() {
        let looks: BTreeSet<Look> = ProvisionState::ALL.iter().map(|s| Look::of(*s)).collect();
        assert_eq!(looks.len(), Look::ALL.len());
        let letters: BTreeSet<char> = [false, true]
            .into_iter()
            .flat_map(|on| Look::ALL.iter().map(move |look| look.letter(on)))
            .collect();
        assert_eq!(letters.len(), 2 * Look::ALL.len());
        assert_eq!(Look::of(ProvisionState::Error), Look::Failed);
    }
}
