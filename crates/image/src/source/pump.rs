//! A download that goes on after its connection broke.
//!
//! A task of the runtime reads from the network and hands the bytes over to the thread that writes
//! the image, a few at a time: the one waits for the other, and neither waits for long. After a cut
//! the rest is asked for, on the condition that the image is still the same.

use super::{
    http::Origin,
    piped::{self, Parts, PipedReader},
};
use crate::ImageError;
use std::{sync::Arc, time::Duration};
use tokio::{runtime::Handle, time::Instant};

/// A server that breaks the connection more often has a problem that patience does not solve.
const MOST_CUTS: u32 = 1000;
/// In bytes a second, after some minutes: whoever is slower would keep others' images waiting.
const SLOWEST_RATE: u64 = 32 << 10;
const GRACE: Duration = Duration::from_secs(600);

fn is_too_slow(received: u64, after: Duration) -> bool {
    after > GRACE.saturating_add(Duration::from_secs(received / SLOWEST_RATE))
}

pub(super) fn start(origin: Arc<Origin>, runtime: &Handle) -> PipedReader {
    piped::reader(runtime, async move |parts| {
        let mut pump = Pump {
            origin,
            began: Instant::now(),
            at: 0,
            parts,
        };
        pump.run().await
    })
}

struct Pump {
    origin: Arc<Origin>,
    began: Instant,
    at: u64,
    parts: Parts,
}

/// How one answer of the server ended.
enum End {
    Complete,
    ReaderGone,
}

impl Pump {
    async fn run(&mut self) -> Result<(), ImageError> {
        let settings = self.origin.settings().clone();
        let (mut failures, mut cuts) = (0, 0);
        loop {
            let before = self.at;
            let error = match self.answer().await {
                Ok(End::Complete | End::ReaderGone) => return Ok(()),
                Err(error) if error.is_transient() => error,
                Err(error) => return Err(error),
            };
            failures = if self.at > before { 0 } else { failures + 1 };
            cuts += 1;
            if failures > settings.retries || cuts > MOST_CUTS {
                return Err(error);
            }
            tracing::info!(image = self.origin.shown, at = self.at, %error, "the download broke off");
            if failures > 0 {
                tokio::time::sleep(settings.retry_pause).await;
            }
        }
    }

    async fn answer(&mut self) -> Result<End, ImageError> {
        let size = self.origin.stat.size;
        if size == Some(self.at) {
            return Ok(End::Complete);
        }
        let (mut response, mut skip) = self.origin.from(self.at).await?;
        while let Some(mut chunk) = self.origin.chunk(&mut response).await? {
            let skipped = chunk.len().min(usize::try_from(skip).unwrap_or(usize::MAX));
            skip -= skipped as u64;
            let _ = chunk.split_to(skipped);
            if chunk.is_empty() {
                continue;
            }
            let end = self.at + chunk.len() as u64;
            self.origin.check_size(end)?;
            if size.is_some_and(|size| end > size) {
                return Err(self.origin.changed("it is longer than announced"));
            }
            self.at = end;
            let took = self.began.elapsed();
            if is_too_slow(end, took) {
                return Err(ImageError::Slow {
                    image: self.origin.shown.clone(),
                    got: end,
                    seconds: took.as_secs(),
                });
            }
            if self.parts.send(chunk).await.is_break() {
                return Ok(End::ReaderGone);
            }
        }
        match size {
            Some(expected) if self.at < expected => Err(ImageError::Short {
                image: self.origin.shown.clone(),
                expected,
                got: self.at,
            }),
            _ => Ok(End::Complete),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_sends_a_byte_now_and_then_is_given_up() {
        let hour = Duration::from_secs(3600);
        assert!(is_too_slow(60, hour));
        assert!(!is_too_slow(60, GRACE), "it may begin slowly");
        // 64 KiB a second is slow, but an image arrives.
        assert!(!is_too_slow(3600 * (64 << 10), hour));
    }
}
