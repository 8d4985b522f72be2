//! Images that agents get from one another as well as from their source.
//!
//! Where the service wants that, it says with the image what each of its blocks must hash to, where
//! other agents are that write the same image now, and a token that all of them have. Each agent
//! takes its share of the blocks from the source, gets the others from its peers while they come to
//! have them, and serves what it has written. Every block is compared with the list before it is
//! written, and again before it is served, so a peer can lie and a disk can change.
//!
//! A peer never decides whether or when an image is complete: one that fails, lies or is slow is
//! left alone, and what it was to bring comes from the source ([`fetch`]). Only the agent that is
//! asked answers ([`serve`]): there is no connection to anybody whom the service did not name, or who
//! does not have the token.

mod bits;
pub(crate) mod fetch;
mod order;
mod peer;
mod plan;
mod serve;
#[cfg(test)]
mod tests;

pub(crate) use order::{Order, PeerAddress};
pub(crate) use serve::router;

use crate::disk::medium::{Disk, Medium as _};
use bits::Bits;
use image::{blocks::BlockList, disk::unfinished::EDGE};
use std::{
    collections::{BTreeMap, HashSet},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::sync::{Semaphore, mpsc};

/// How many other agents one has to do with.
pub(crate) const MOST_PEERS: usize = 24;

/// How many blocks are read for peers at a time; further requests wait, and are told to come back
/// after a while.
const READS: usize = 4;

/// How often the whole image is given away at most.
const MOST_COPIES: u64 = 32;

/// How long an image is served at most, from when its writing began.
const LONGEST: Duration = Duration::from_secs(2 * 3600);

/// How patient an agent is with its peers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How long a peer may take to answer what it has, and to send a block.
    pub(crate) slow: Duration,
    /// The pause before a peer that has nothing new is asked again.
    pub(crate) pause: Duration,
    /// How long nothing may come from any peer before the source is asked for what peers were to
    /// bring: twice as long as the source takes for a block, and within these bounds.
    pub(crate) patience: (Duration, Duration),
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            slow: Duration::from_secs(3),
            pause: Duration::from_millis(100),
            patience: (Duration::from_millis(300), Duration::from_secs(1)),
        }
    }
}

/// The image that this agent shares with others, if it shares one. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Exchanges {
    current: Arc<Mutex<Option<Arc<Exchange>>>>,
    limits: Limits,
}

impl Exchanges {
    #[cfg(test)]
    pub(crate) fn with(limits: Limits) -> Self {
        Self {
            limits,
            ..Self::default()
        }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Begins to share an image that is about to be written to a place on a disk. The receiver gets
    /// peers that introduce themselves.
    pub(crate) fn begin(
        &self,
        order: &Order,
        device: &Path,
        offset: u64,
    ) -> (Arc<Exchange>, mpsc::Receiver<PeerAddress>) {
        let (newcomers, introduced) = mpsc::channel(MOST_PEERS);
        let own = &order.own;
        let known = order.peers.iter().chain([own]).map(|peer| peer.url.clone());
        let exchange = Arc::new(Exchange {
            id: order.list.id(),
            order: order.clone(),
            device: device.to_owned(),
            offset,
            here: Mutex::new(Bits::none(order.list.count())),
            kept: Mutex::default(),
            known: Mutex::new(known.collect()),
            newcomers,
            reads: Semaphore::new(READS),
            given: AtomicU64::new(0),
            began: Instant::now(),
        });
        *locked(&self.current) = Some(Arc::clone(&exchange));
        (exchange, introduced)
    }

    /// Serves nothing any more: the disk is about to change, or was not written.
    pub(crate) fn end(&self) {
        *locked(&self.current) = None;
    }

    fn current(&self) -> Option<Arc<Exchange>> {
        locked(&self.current).clone()
    }
}

/// An image that is shared: what of it is on the disk, and who takes part.
#[derive(Debug)]
pub(crate) struct Exchange {
    id: String,
    order: Order,
    device: PathBuf,
    /// Where on the disk the image begins.
    offset: u64,
    /// The blocks that peers may have.
    here: Mutex<Bits>,
    /// Blocks whose place on the disk is cleared while the image is written, and may be changed
    /// afterwards: those at its start, where partition tables are.
    kept: Mutex<BTreeMap<usize, Vec<u8>>>,
    /// The addresses of peers that were named or introduced themselves, also of those that turned
    /// out bad.
    known: Mutex<HashSet<String>>,
    newcomers: mpsc::Sender<PeerAddress>,
    reads: Semaphore,
    /// How many bytes were given away.
    given: AtomicU64,
    began: Instant,
}

impl Exchange {
    pub(crate) fn list(&self) -> &BlockList {
        &self.order.list
    }

    /// Notes that a block is on the disk.
    pub(crate) fn wrote(&self, block: usize, bytes: Vec<u8>) {
        let (offset, _) = self.order.list.range(block);
        if offset < EDGE {
            locked(&self.kept).insert(block, bytes);
        }
        locked(&self.here).set(block);
    }

    /// The bytes of a block, if they are still what they should be. Blocks.
    fn read(&self, block: usize) -> io::Result<Option<Vec<u8>>> {
        if !locked(&self.here).has(block) {
            return Ok(None);
        }
        if let Some(kept) = locked(&self.kept).get(&block) {
            return Ok(Some(kept.clone()));
        }
        let (offset, length) = self.order.list.range(block);
        let mut bytes = vec![0; length];
        Disk::open_to_read(&self.device)?.read_at(self.offset + offset, &mut bytes)?;
        if self.order.list.is_block(block, &bytes) {
            return Ok(Some(bytes));
        }
        // Partitions were added, or a filesystem was grown: the image is not to blame.
        locked(&self.here).clear(block);
        Ok(None)
    }

    /// Whether a peer that calls may take part: it is known, or there is room for it.
    fn admit(&self, peer: PeerAddress) -> bool {
        let mut known = locked(&self.known);
        if known.contains(&peer.url) {
            return true;
        }
        if known.len() >= MOST_PEERS {
            return false;
        }
        known.insert(peer.url.clone());
        // The receiver is dropped once the image is complete.
        let _ = self.newcomers.try_send(peer);
        true
    }

    /// Whether more may be given away; counts these bytes if so.
    fn may_give(&self, bytes: usize) -> bool {
        let most = self.order.list.size().saturating_mul(MOST_COPIES);
        let bytes = bytes as u64;
        let given = self.given.fetch_add(bytes, Ordering::Relaxed);
        given.saturating_add(bytes) <= most && self.began.elapsed() < LONGEST
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
