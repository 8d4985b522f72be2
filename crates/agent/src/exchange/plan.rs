//! Which block is fetched next, and from whom.
//!
//! Each block that no agent has is one agent's to fetch from the source: that of highest score among
//! the agents that know one another, where a score mixes an address with the number of the block. So
//! agents that started together divide the image without a word, and go on so when one comes or goes.
//! What a peer has is fetched from it, what the fewest have first. Where peers bring nothing any more, the
//! source is asked for what is missing, whose share that may be.

use super::bits::Bits;
use std::{
    collections::{BTreeMap, hash_map::DefaultHasher},
    hash::{Hash as _, Hasher as _},
};

/// A peer, by the order in which they became known.
pub(super) type PeerNumber = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BlockState {
    Missing,
    /// On its way from the source.
    FromSource,
    /// On its way from a peer.
    FromPeer(PeerNumber),
    Here,
}

#[derive(Debug)]
struct PeerBlocks {
    seed: u64,
    has: Bits,
}

#[derive(Debug)]
pub(super) struct Plan {
    states: Vec<BlockState>,
    /// How many are not here.
    left: usize,
    /// The peers that answer.
    peers: BTreeMap<PeerNumber, PeerBlocks>,
    seed: u64,
    /// Where the search for a block from the source goes on.
    next: usize,
    /// Where the search for a block from a peer begins: agents that have the same choice should not
    /// choose the same.
    first: usize,
}

impl Plan {
    /// `own` is the address of this agent. One that is alone reads the source from its start; others
    /// begin at places of their own.
    pub(super) fn new(count: usize, own: &str, is_alone: bool) -> Self {
        let seed = seed(own);
        let place = usize::try_from(seed % count.max(1) as u64).unwrap_or_default();
        Self {
            states: vec![BlockState::Missing; count],
            left: count,
            peers: BTreeMap::new(),
            seed,
            next: if is_alone { 0 } else { place },
            first: place,
        }
    }

    pub(super) fn is_complete(&self) -> bool {
        self.left == 0
    }

    /// A peer says what it has.
    pub(super) fn saw(&mut self, peer: PeerNumber, address: &str, has: Bits) {
        let seed = seed(address);
        self.peers.insert(peer, PeerBlocks { seed, has });
    }

    /// A peer does not count any more; what it was to bring is missing again.
    pub(super) fn lost(&mut self, peer: PeerNumber) {
        self.peers.remove(&peer);
        for state in &mut self.states {
            if *state == BlockState::FromPeer(peer) {
                *state = BlockState::Missing;
            }
        }
    }

    /// A peer does not have a block that it was asked for.
    pub(super) fn lacks(&mut self, peer: PeerNumber, block: usize) {
        if let Some(peer) = self.peers.get_mut(&peer) {
            peer.has.clear(block);
        }
        if let Some(state) = self.states.get_mut(block)
            && *state == BlockState::FromPeer(peer)
        {
            *state = BlockState::Missing;
        }
    }

    /// A block has come and is right. Whether it is the first time.
    pub(super) fn arrived(&mut self, block: usize) -> bool {
        match self.states.get_mut(block) {
            None | Some(BlockState::Here) => false,
            Some(state) => {
                *state = BlockState::Here;
                self.left -= 1;
                true
            }
        }
    }

    /// The next block to fetch from the source. If peers have stalled, also one that is theirs to
    /// bring.
    pub(super) fn for_source(&mut self, have_stalled: bool) -> Option<usize> {
        let is_missing = |block: &usize| self.states[*block] == BlockState::Missing;
        let mine = self
            .starting_at(self.next)
            .find(|block| is_missing(block) && self.is_mine(*block));
        let block = mine.or_else(|| {
            let on_its_way = |block: &usize| matches!(self.states[*block], BlockState::FromPeer(_));
            let missing = || self.starting_at(self.next).find(is_missing);
            let waited_for = || self.starting_at(self.next).find(on_its_way);
            have_stalled
                .then(|| missing().or_else(waited_for))
                .flatten()
        })?;
        self.states[block] = BlockState::FromSource;
        self.next = (block + 1) % self.states.len();
        Some(block)
    }

    /// The next block to fetch from a peer: one that few others have.
    pub(super) fn next_of_peer(&mut self, peer: PeerNumber) -> Option<usize> {
        let has = &self.peers.get(&peer)?.has;
        let copies = |block: usize| self.peers.values().filter(|p| p.has.has(block)).count();
        let block = self
            .starting_at(self.first)
            .filter(|block| self.states[*block] == BlockState::Missing && has.has(*block))
            .min_by_key(|block| copies(*block))?;
        self.states[block] = BlockState::FromPeer(peer);
        Some(block)
    }

    /// All blocks, from one on.
    fn starting_at(&self, start: usize) -> impl Iterator<Item = usize> + use<> {
        let count = self.states.len();
        (start..count).chain(0..start.min(count))
    }

    /// Whether this agent is to fetch a block from the source: no agent has it, and no agent's score is
    /// higher.
    fn is_mine(&self, block: usize) -> bool {
        let own = score(self.seed, block);
        self.peers
            .values()
            .all(|peer| !peer.has.has(block) && score(peer.seed, block) <= own)
    }
}

/// The same for an address in every agent of one version; others only divide less well.
fn seed(address: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    address.hash(&mut hasher);
    hasher.finish()
}

/// The finalizer of SplitMix64: it is asked for millions of times.
fn score(seed: u64, block: usize) -> u64 {
    let mut mixed = seed ^ (block as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: usize = 64;

    fn bits(blocks: impl IntoIterator<Item = usize>) -> Bits {
        let mut bits = Bits::none(COUNT);
        blocks.into_iter().for_each(|block| bits.set(block));
        bits
    }

    #[test]
    fn one_that_is_alone_reads_from_start_to_end() {
        let mut plan = Plan::new(COUNT, "a", true);
        let blocks: Vec<usize> = std::iter::from_fn(|| plan.for_source(false)).collect();
        assert!(blocks.iter().copied().eq(0..COUNT));
        for block in blocks {
            assert!(plan.arrived(block) && !plan.arrived(block));
        }
        assert!(plan.is_complete() && !plan.arrived(COUNT));
    }

    #[test]
    fn those_that_know_one_another_divide_the_image() {
        let names = ["a", "b", "c", "d"];
        let mut taken = Vec::new();
        for name in names {
            let mut plan = Plan::new(COUNT, name, false);
            let others = names.iter().filter(|other| **other != name);
            for (number, other) in others.enumerate() {
                plan.saw(number, other, bits([]));
            }
            let mine: Vec<usize> = std::iter::from_fn(|| plan.for_source(false)).collect();
            assert!(!mine.is_empty() && mine.len() < COUNT);
            taken.extend(mine);
        }
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..COUNT));
    }

    #[test]
    fn what_few_have_comes_first() {
        let mut plan = Plan::new(COUNT, "a", false);
        plan.saw(0, "b", bits([1, 2, 3]));
        plan.saw(1, "c", bits([1, 3]));
        assert_eq!(plan.next_of_peer(0), Some(2));
        assert_eq!(plan.next_of_peer(7), None);
        let second = plan.next_of_peer(1).unwrap();
        plan.lacks(1, second);
        assert_ne!(plan.next_of_peer(1), Some(second));
        // What another has does not come from the source.
        let from_source: Vec<usize> = std::iter::from_fn(|| plan.for_source(false)).collect();
        assert!(from_source.iter().all(|block| !(1..=3).contains(block)));
    }

    #[test]
    fn what_a_peer_does_not_bring_comes_from_the_source() {
        let mut plan = Plan::new(COUNT, "a", false);
        plan.saw(0, "b", bits(0..COUNT));
        assert_eq!(plan.for_source(false), None);
        let asked = plan.next_of_peer(0).unwrap();
        // Everything else first, and what is on its way last.
        let all: Vec<usize> = std::iter::from_fn(|| plan.for_source(true)).collect();
        assert_eq!((all.len(), all.last()), (COUNT, Some(&asked)));
        let mut plan = Plan::new(COUNT, "a", false);
        plan.saw(0, "b", bits(0..COUNT));
        plan.next_of_peer(0).unwrap();
        plan.lost(0);
        let all = std::iter::from_fn(|| plan.for_source(false));
        assert_eq!(all.count(), COUNT);
    }
}
