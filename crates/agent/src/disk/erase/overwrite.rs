//! Erasing by writing over everything: passes of random bytes, then one of zeros.

use super::failed;
use crate::{
    AgentError,
    disk::medium::{Disk, Medium},
    progress::Progress,
    safety::Permit,
};
use std::{
    io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

const CHUNK: usize = 4 << 20;

pub(super) async fn erase(
    _permit: &Permit,
    path: &Path,
    passes: u64,
    zeroize: bool,
    progress: &Progress,
) -> Result<(), AgentError> {
    struct Stop(Arc<AtomicBool>);
    impl Drop for Stop {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let stop = Stop(Arc::default());
    let stopped = Arc::clone(&stop.0);
    let (own, progress) = (path.to_owned(), progress.clone());
    let work = tokio::task::spawn_blocking(move || {
        let mut disk = Disk::open(&own)?;
        let total = disk.size().saturating_mul(passes + u64::from(zeroize));
        let mut done = 0;
        let mut tick = |written: u64| {
            done += written;
            progress.bytes(done, Some(total));
            if stopped.load(Ordering::Relaxed) {
                return Err(io::Error::from(io::ErrorKind::Interrupted));
            }
            Ok(())
        };
        for _ in 0..passes {
            let mut noise = Noise::seeded()?;
            pass(&mut disk, |chunk| noise.fill(chunk), &mut tick)?;
        }
        if zeroize {
            pass(&mut disk, |chunk| chunk.fill(0), &mut tick)?;
        }
        Ok(())
    });
    let done: io::Result<()> = work
        .await
        .unwrap_or_else(|error| Err(io::Error::other(error)));
    done.map_err(|error| {
        failed(format!(
            "Unable to erase block device {}: {error}",
            path.display()
        ))
    })
}

fn pass(
    disk: &mut Disk,
    mut fill: impl FnMut(&mut [u8]),
    tick: &mut dyn FnMut(u64) -> io::Result<()>,
) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    let mut at = 0;
    while at < disk.size() {
        let length = usize::try_from(disk.size() - at)
            .unwrap_or(CHUNK)
            .min(CHUNK);
        fill(&mut chunk[..length]);
        disk.write_at(at, &chunk[..length])?;
        at += length as u64;
        tick(length as u64)?;
    }
    disk.sync()
}

/// Bytes that look random and cost little: what was there is gone whatever they are, but they must
/// not be guessed by a disk that compresses.
struct Noise([u64; 4]);

impl Noise {
    fn seeded() -> io::Result<Self> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(io::Error::other)?;
        let mut state = [0; 4];
        for (word, bytes) in state.iter_mut().zip(seed.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().map_err(io::Error::other)?) | 1;
        }
        Ok(Self(state))
    }

    /// The generator known as xoshiro256++.
    fn next(&mut self) -> u64 {
        let [a, b, c, d] = self.0;
        let out = a.wrapping_add(d).rotate_left(23).wrapping_add(a);
        let (c, d) = (c ^ a, d ^ b);
        self.0 = [a ^ d, b ^ c, c ^ (b << 17), d.rotate_left(45)];
        out
    }

    fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            let word = self.next().to_le_bytes();
            chunk.copy_from_slice(&word[..chunk.len()]);
        }
    }
}
