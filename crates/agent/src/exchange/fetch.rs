//! Bringing an image here, from its source and from peers at the same time.

use super::{
    Exchange, Limits, PeerAddress, locked,
    peer::{Peer, PeerFailure},
    plan::{PeerNumber, Plan},
};
use image::{ImageError, blocks::BlockList, checksum::Algorithm, source::HttpSource};
use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
    time::{Instant, sleep, sleep_until},
};

/// How many blocks are asked of the source at a time.
const FROM_SOURCE: usize = 2;

/// How many blocks, and how many bytes, are asked of all peers at a time; they are in memory.
const FROM_PEERS: usize = 8;
const BYTES_FROM_PEERS: usize = 16 << 20;

/// How often in a row a peer may not answer before it is given up.
const FAILURES: u32 = 3;

/// Something for the disk.
#[derive(Debug)]
pub(crate) enum Piece {
    Block {
        block: usize,
        bytes: Vec<u8>,
    },
    /// A block of zeros, which is not fetched.
    Zeros {
        block: usize,
    },
}

/// How many bytes came from where.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) from_source: AtomicU64,
    pub(crate) from_peers: AtomicU64,
}

/// What is needed to bring an image here.
#[derive(Debug)]
pub(crate) struct Transfer {
    exchange: Arc<Exchange>,
    limits: Limits,
    plan: Mutex<Plan>,
    /// Counts whatever may give somebody something to do.
    changes: watch::Sender<u64>,
    out: mpsc::Sender<Piece>,
    room: Semaphore,
    /// When something came from a peer last.
    gained: Mutex<Instant>,
    /// How long the source takes for a block.
    source_time: Mutex<Option<Duration>>,
    tally: Arc<Tally>,
}

impl Transfer {
    /// Pieces go to `out` in any order, each block once.
    pub(crate) fn new(
        exchange: Arc<Exchange>,
        limits: Limits,
        out: mpsc::Sender<Piece>,
        tally: Arc<Tally>,
    ) -> Self {
        let order = &exchange.order;
        let is_alone = order.peers.is_empty();
        let plan = Plan::new(order.list.count(), &order.own.url, is_alone);
        let room = BYTES_FROM_PEERS / usize::try_from(order.list.block_size()).unwrap_or(1).max(1);
        Self {
            plan: Mutex::new(plan),
            exchange,
            limits,
            changes: watch::Sender::new(0),
            out,
            room: Semaphore::new(room.clamp(1, FROM_PEERS)),
            gained: Mutex::new(Instant::now()),
            source_time: Mutex::new(None),
            tally,
        }
    }

    fn list(&self) -> &BlockList {
        &self.exchange.order.list
    }

    /// Brings all blocks. `start` are bytes of the source from its beginning, which were looked at
    /// already. Dropping the future ends everything.
    pub(crate) async fn run(
        self,
        source: &HttpSource,
        start: &[u8],
        mut introduced: mpsc::Receiver<PeerAddress>,
    ) -> Result<(), ImageError> {
        let transfer = Arc::new(self);
        let zeros = transfer.skip_zeros();
        transfer.begin(start).await?;
        let mut peers = JoinSet::new();
        let mut number = 0;
        let named = transfer.exchange.order.peers.clone();
        let mut meet = |peers: &mut JoinSet<()>, address: PeerAddress| {
            peers.spawn(follow(Arc::clone(&transfer), number, address));
            number += 1;
        };
        for address in named {
            meet(&mut peers, address);
        }
        let welcoming = async {
            while let Some(address) = introduced.recv().await {
                meet(&mut peers, address);
            }
            std::future::pending().await
        };
        let fetching = async {
            let fetchers = (0..FROM_SOURCE).map(|_| transfer.fetch(source));
            let fetchers = futures_util::future::try_join_all(fetchers);
            tokio::try_join!(fetchers, transfer.send_zeros(&zeros)).map(drop)
        };
        tokio::select! {
            fetched = fetching => fetched,
            never = welcoming => never,
        }
    }

    /// The blocks that are zeros, which are not fetched.
    fn skip_zeros(&self) -> Vec<usize> {
        let mut plan = locked(&self.plan);
        let zeros = (0..self.list().count()).filter(|block| self.list().is_zero(*block));
        zeros.filter(|block| plan.arrived(*block)).collect()
    }

    async fn send_zeros(&self, zeros: &[usize]) -> Result<(), ImageError> {
        for block in zeros {
            self.send(Piece::Zeros { block: *block }).await?;
        }
        Ok(())
    }

    /// Takes the whole blocks of the start of the image.
    async fn begin(&self, start: &[u8]) -> Result<(), ImageError> {
        let length = usize::try_from(self.list().block_size()).unwrap_or(usize::MAX);
        for (block, bytes) in start.chunks(length).enumerate() {
            if self.list().is_block(block, bytes) {
                let tally = &self.tally.from_source;
                self.take(block, bytes.to_vec(), tally).await?;
            }
        }
        Ok(())
    }

    async fn send(&self, piece: Piece) -> Result<(), ImageError> {
        self.out.send(piece).await.map_err(|_| ImageError::Stopped {
            image: "the image".to_owned(),
        })
    }

    fn changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    /// Takes a block that is right.
    async fn take(
        &self,
        block: usize,
        bytes: Vec<u8>,
        tally: &AtomicU64,
    ) -> Result<(), ImageError> {
        tally.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let is_new = locked(&self.plan).arrived(block);
        if is_new {
            self.send(Piece::Block { block, bytes }).await?;
        }
        self.changed();
        Ok(())
    }

    /// Takes blocks from the source until all are here.
    async fn fetch(&self, source: &HttpSource) -> Result<(), ImageError> {
        let mut changes = self.changes.subscribe();
        loop {
            changes.borrow_and_update();
            let stalls = self.stalls();
            let have_stalled = Instant::now() >= stalls;
            let block = {
                let mut plan = locked(&self.plan);
                if plan.is_complete() {
                    return Ok(());
                }
                plan.for_source(have_stalled)
            };
            let Some(block) = block else {
                tokio::select! {
                    _ = changes.changed() => {}
                    () = sleep_until(stalls), if !have_stalled => {}
                }
                continue;
            };
            let began = Instant::now();
            let bytes = self.read(source, block).await?;
            *locked(&self.source_time) = Some(began.elapsed());
            self.take(block, bytes, &self.tally.from_source).await?;
        }
    }

    /// The deadline for peers; each block that arrives extends it.
    fn stalls(&self) -> Instant {
        let (least, most) = self.limits.patience;
        let usual = locked(&self.source_time).map_or(most, |time| time * 2);
        *locked(&self.gained) + usual.clamp(least, most)
    }

    async fn read(&self, source: &HttpSource, block: usize) -> Result<Vec<u8>, ImageError> {
        let (offset, length) = self.list().range(block);
        for _ in 0..2 {
            let bytes = source.read(offset, length).await?;
            if self.list().is_block(block, &bytes) {
                return Ok(bytes);
            }
        }
        Err(ImageError::Checksum {
            image: image::source::Source::shown(source).to_owned(),
            algorithm: Algorithm::Sha256,
            expected: format!("that of block {block} in the list of the service"),
            found: "another one".to_owned(),
        })
    }

    /// Takes blocks from a peer as long as it has any that are missing. Whether there were any.
    async fn take_from(&self, peer: &Peer, number: PeerNumber) -> Result<bool, PeerFailure> {
        let mut took = false;
        loop {
            // The semaphore is never closed.
            let _room = self.room.acquire().await;
            let Some(block) = locked(&self.plan).next_of_peer(number) else {
                return Ok(took);
            };
            match peer.block(block).await {
                Ok(bytes) if self.list().is_block(block, &bytes) => {
                    *locked(&self.gained) = Instant::now();
                    took = true;
                    let taken = self.take(block, bytes, &self.tally.from_peers).await;
                    // The writer has ended.
                    taken.map_err(|error| PeerFailure::Broken(error.to_string()))?;
                }
                Ok(_) => {
                    let why = format!("block {block} is not what it should be");
                    return Err(PeerFailure::Broken(why));
                }
                Err(PeerFailure::NotNow) => {
                    locked(&self.plan).lacks(number, block);
                    self.changed();
                    return Ok(took);
                }
                Err(error) => return Err(error),
            }
        }
    }
}

/// Has to do with a peer until it fails.
async fn follow(transfer: Arc<Transfer>, number: PeerNumber, address: PeerAddress) {
    let (order, limits) = (&transfer.exchange.order, &transfer.limits);
    let peer = match Peer::new(&address, order, limits.slow) {
        Ok(peer) => peer,
        Err(why) => return tracing::warn!("no blocks of the image from another agent: {why}"),
    };
    let mut failures = 0;
    loop {
        let took = match peer.blocks().await {
            Ok(has) => {
                failures = 0;
                locked(&transfer.plan).saw(number, &address.url, has);
                transfer.changed();
                transfer.take_from(&peer, number).await
            }
            // It may be about to begin, or have no room for one more just now.
            Err(PeerFailure::Unknown | PeerFailure::NotNow) => {
                give_up(&transfer, number);
                Ok(false)
            }
            Err(PeerFailure::Broken(why)) if failures + 1 < FAILURES => {
                failures += 1;
                tracing::debug!("{} does not answer: {why}", address.url);
                give_up(&transfer, number);
                Ok(false)
            }
            Err(error) => Err(error),
        };
        match took {
            Ok(true) => {}
            Ok(false) => sleep(limits.pause).await,
            Err(error) => {
                give_up(&transfer, number);
                let why = match error {
                    PeerFailure::Broken(why) => why,
                    PeerFailure::Unknown | PeerFailure::NotNow => "it has the image no more".into(),
                };
                return tracing::warn!("no more blocks of the image from {}: {why}", address.url);
            }
        }
    }
}

/// What a peer was to bring is somebody else's to bring now.
fn give_up(transfer: &Transfer, number: PeerNumber) {
    locked(&transfer.plan).lost(number);
    transfer.changed();
}
