//! Writing an image whose blocks come from other agents too.
//!
//! The blocks come in any order, so what is compared at the end is not one checksum, but each block
//! with the list of the service, which was made from the image that has the checksum. Only what is
//! on the disk as it is in the image can be shared: raw images from servers that serve ranges. For
//! everything else, and for whatever is odd about the image, there is the usual way, which also
//! finds the words for it.

use super::Job;
use crate::{
    disk::{
        medium::{Disk, Medium, Window},
        unfinished::Unfinished,
    },
    exchange::{
        Exchange, Order,
        fetch::{Piece, Tally, Transfer},
    },
};
use image::{
    Format, ImageError, Packing,
    convert::Options,
    source::{HttpSource, Source as _},
};
use std::{
    io,
    sync::{Arc, atomic::Ordering},
};
use tokio::{sync::mpsc, time::timeout};

/// How many blocks may wait to be written.
const WAITING: usize = 2;

/// How much of an image tells its format.
const PREFIX: usize = 1 << 20;

/// The start of the image, if it can be shared and written to a place of this length.
pub(super) async fn start(
    order: &Order,
    source: &HttpSource,
    options: &Options,
    length: u64,
) -> Result<Option<Vec<u8>>, ImageError> {
    let (list, stat) = (&order.list, source.stat());
    if !stat.ranges || stat.size != Some(list.size()) || list.size() > length {
        return Ok(None);
    }
    let (_, first) = list.range(0);
    let start = source.read(0, first.max(PREFIX)).await?;
    let declared = options.declared.as_deref();
    let found = options.rules.check(&start, &[], declared, source.shown());
    let is_raw =
        found.is_ok_and(|found| matches!(found.format, Format::Raw | Format::Gpt | Format::Iso));
    Ok((is_raw && Packing::of(&start).is_none()).then_some(start))
}

/// Writes the image to a place on a disk.
pub(super) async fn write(
    job: &Job<'_>,
    order: &Order,
    source: &HttpSource,
    start: &[u8],
    disk: Unfinished<Disk>,
    (offset, length): (u64, u64),
) -> Result<Unfinished<Disk>, ImageError> {
    job.progress.phase("writing image");
    let (exchange, introduced) = job.exchanges.begin(order, job.device, offset);
    let (out, pieces) = mpsc::channel(WAITING);
    let progress = job.progress.clone();
    let writing = {
        let exchange = Arc::clone(&exchange);
        let report = move |done, total| progress.bytes(done, Some(total));
        tokio::task::spawn_blocking(move || put(disk, (offset, length), pieces, &exchange, report))
    };
    let tally = Arc::new(Tally::default());
    let limits = *job.exchanges.limits();
    let transfer = Transfer::new(exchange, limits, out, Arc::clone(&tally));
    let running = Box::pin(transfer.run(source, start, introduced));
    let fetched = match job.config.download.max_duration {
        None => running.await,
        Some(most) => timeout(most, running).await.unwrap_or_else(|_| {
            Err(ImageError::Stopped {
                image: source.shown().to_owned(),
            })
        }),
    };
    let written = writing.await.map_err(io::Error::other).flatten();
    let written = written.map_err(|source| ImageError::Write {
        what: "the disk".to_owned(),
        source,
    });
    // A disk that fails ends the transfer, so its error is the one to tell.
    let disk = written.and_then(|disk| fetched.map(|()| disk));
    if disk.is_err() {
        job.exchanges.end();
        return disk;
    }
    tracing::info!(
        "image written: {} MiB came from its source, {} MiB from other agents",
        tally.from_source.load(Ordering::Relaxed) >> 20,
        tally.from_peers.load(Ordering::Relaxed) >> 20
    );
    disk
}

/// Writes pieces until there are no more.
fn put(
    mut disk: Unfinished<Disk>,
    (offset, length): (u64, u64),
    mut pieces: mpsc::Receiver<Piece>,
    exchange: &Exchange,
    report: impl Fn(u64, u64),
) -> io::Result<Unfinished<Disk>> {
    let list = exchange.list();
    let mut done = 0;
    while let Some(piece) = pieces.blocking_recv() {
        let mut window = Window::new(&mut disk, offset, length)?;
        let (block, bytes) = match piece {
            Piece::Block { block, bytes } => {
                Medium::write_at(&mut window, list.range(block).0, &bytes)?;
                (block, bytes)
            }
            Piece::Zeros { block } => {
                let (at, length) = list.range(block);
                Medium::zero(&mut window, at, length as u64)?;
                (block, Vec::new())
            }
        };
        let (_, length) = list.range(block);
        // Everybody knows zeros.
        if !bytes.is_empty() {
            exchange.wrote(block, bytes);
        }
        done += length as u64;
        report(done, list.size());
    }
    disk.sync()?;
    Ok(disk)
}
