//! Bytes on their way from a task of the runtime to a thread that blocks.
//!
//! The task reads from the network, and the thread writes the image; a few parts may wait between
//! them, so the one waits for the other and neither waits for long.

use crate::ImageError;
use bytes::Bytes;
use std::{
    io::{self, Read},
    ops::ControlFlow,
};
use tokio::{runtime::Handle, sync::mpsc};

/// Parts on their way from the network to the writer.
const WAITING: usize = 16;

type Part = Result<Bytes, ImageError>;

/// The task's end.
#[derive(Debug)]
pub struct Parts(mpsc::Sender<Part>);

impl Parts {
    /// Hands a part over. Breaks when the reader is gone and nobody needs the rest.
    pub async fn send(&self, part: Bytes) -> ControlFlow<()> {
        match self.0.send(Ok(part)).await {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// What `produce` sends, as a reader for a thread that may block. An error of `produce` travels
/// inside [`io::Error`].
pub fn reader<F>(runtime: &Handle, produce: impl FnOnce(Parts) -> F + Send + 'static) -> PipedReader
where
    F: Future<Output = Result<(), ImageError>> + Send + 'static,
{
    let (parts, waiting) = mpsc::channel(WAITING);
    let failing = parts.clone();
    // Ends with the image, with an error, or when the reader is gone and nothing can be sent.
    runtime.spawn(async move {
        if let Err(error) = produce(Parts(parts)).await {
            let _ = failing.send(Err(error)).await;
        }
    });
    PipedReader {
        waiting,
        current: Bytes::new(),
    }
}

/// The thread's end.
#[derive(Debug)]
pub struct PipedReader {
    waiting: mpsc::Receiver<Part>,
    current: Bytes,
}

impl Read for PipedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.current.is_empty() {
            match self.waiting.blocking_recv() {
                None => return Ok(0),
                Some(part) => self.current = part.map_err(io::Error::other)?,
            }
        }
        let count = self.current.len().min(buffer.len());
        let part = self.current.split_to(count);
        if let Some(room) = buffer.get_mut(..count) {
            room.copy_from_slice(&part);
        }
        Ok(count)
    }
}
