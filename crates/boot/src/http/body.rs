//! The bytes of an answer, and the eye on whether they move.

#![expect(clippy::disallowed_types, reason = "read in spawn_blocking")]

use crate::log::{BootLog, Event, Protocol, Role};
use axum::body::Body;
use bytes::Bytes;
use futures_util::stream;
use std::{
    fs::File,
    io,
    net::IpAddr,
    os::unix::fs::FileExt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// As much is read at a time.
const CHUNK: u64 = 128 * 1024;

/// Counts what moves on a connection.
#[derive(Debug, Clone, Default)]
pub(super) struct Watch(Arc<AtomicU64>);

impl Watch {
    pub(super) fn moved(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns when nothing moved for a while.
    pub(super) async fn stalled(&self, patience: Duration) {
        let mut before = self.0.load(Ordering::Relaxed);
        loop {
            tokio::time::sleep(patience).await;
            let now = self.0.load(Ordering::Relaxed);
            if now == before {
                return;
            }
            before = now;
        }
    }
}

/// Whom a file goes to, for the log.
#[derive(Debug)]
pub(super) struct Delivery {
    pub(super) log: Arc<BootLog>,
    pub(super) peer: IpAddr,
    pub(super) role: Role,
    pub(super) path: String,
}

/// A file on its way; when it goes out of scope the log learns how far it came.
#[derive(Debug)]
struct Sending {
    file: Arc<File>,
    offset: u64,
    left: u64,
    sent: u64,
    delivery: Delivery,
    watch: Watch,
}

impl Drop for Sending {
    fn drop(&mut self) {
        let Delivery {
            log,
            peer,
            role,
            path,
        } = &self.delivery;
        let (protocol, role, path, bytes) = (Protocol::Http, *role, path.clone(), self.sent);
        let event = if self.left == 0 {
            Event::Sent {
                protocol,
                role,
                path,
                bytes,
                resent: 0,
            }
        } else {
            let why = "the connection ended".to_owned();
            Event::Aborted {
                protocol,
                role,
                path,
                bytes,
                why,
            }
        };
        log.note_address(*peer, event);
    }
}

/// A part of a file.
pub(super) fn stream(
    file: File,
    start: u64,
    length: u64,
    delivery: Delivery,
    watch: Watch,
) -> Body {
    let sending = Sending {
        file: Arc::new(file),
        offset: start,
        left: length,
        sent: 0,
        delivery,
        watch,
    };
    let chunks = stream::try_unfold(sending, |mut sending| async move {
        sending.watch.moved();
        if sending.left == 0 {
            return Ok(None);
        }
        let chunk = read(
            sending.file.clone(),
            sending.offset,
            sending.left.min(CHUNK),
        )
        .await?;
        let count = chunk.len() as u64;
        sending.offset += count;
        sending.left -= count;
        sending.sent += count;
        Ok::<_, io::Error>(Some((chunk, sending)))
    });
    Body::from_stream(chunks)
}

async fn read(file: Arc<File>, offset: u64, count: u64) -> io::Result<Bytes> {
    let reading = tokio::task::spawn_blocking(move || {
        let mut chunk = vec![0; usize::try_from(count).map_err(io::Error::other)?];
        // A file that became shorter ends the connection: the client sees that something is missing.
        file.read_exact_at(&mut chunk, offset)?;
        Ok(Bytes::from(chunk))
    });
    reading.await?
}
