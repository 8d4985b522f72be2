//! Whether a disk was erased, by reading places of it before and afterwards.
//!
//! A disk that erases itself says that it did, and some say so wrongly. So random places, and both
//! ends, are read before: afterwards each must read as a fill pattern, or at least as something else.
//! What a disk shows after it threw its key away is not known beforehand, hence "something else".

use super::failed;
use crate::{
    AgentError,
    disk::{
        medium::{Disk, Medium},
        sys,
    },
};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::task::spawn_blocking;
use types::erasure::Sampling;

/// How many places are read. If a twentieth of a disk was left out, one of them shows it with a
/// probability of 96 %.
const SAMPLES: usize = 64;
const BYTES: usize = 4096;
/// The longest period of a fill pattern: vendors choose theirs for an enhanced secure erase.
const PERIOD: usize = 16;

/// What a disk must show after it was erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expectation {
    Zeros,
    /// A fill pattern, or other bytes than before.
    Otherwise,
}

/// Places of a disk, and what was there; nothing where it could not be read.
#[derive(Debug, Clone)]
pub(super) struct Samples {
    path: PathBuf,
    places: Arc<Vec<(u64, Option<Vec<u8>>)>>,
}

impl Samples {
    /// Reads places of a disk. One that cannot be read at all has none.
    pub(super) async fn take(path: &Path) -> Self {
        let path = path.to_owned();
        let own = path.clone();
        let taken = spawn_blocking(move || {
            let disk = Disk::open_to_read(&own)?;
            let places = places(disk.size())?;
            let read = places
                .into_iter()
                .map(|place| (place, sample(&disk, place)));
            Ok::<_, io::Error>(read.collect())
        });
        let places = match taken.await {
            Ok(Ok(places)) => places,
            Ok(Err(error)) => {
                tracing::warn!(device = %path.display(), %error, "cannot read the device before it is erased");
                Vec::new()
            }
            Err(_) => Vec::new(),
        };
        Self {
            path,
            places: Arc::new(places),
        }
    }

    /// Reads the same places again; an error if some of them still have what was there.
    pub(super) async fn compare(&self, expected: Expectation) -> Result<Sampling, AgentError> {
        let path = self.path.display();
        let own = self.clone();
        let found = spawn_blocking(move || own.read_again(expected)).await;
        let found = found.unwrap_or_else(|error| Err(io::Error::other(error)));
        let found = found.map_err(|error| {
            failed(format!(
                "cannot read device {path} to verify that it is erased: {error}"
            ))
        })?;
        if found.remaining > 0 {
            return Err(failed(format!(
                "device {path} is not erased: {} of {} samples still read as before, or not as \
                 zeros",
                found.remaining, found.samples
            )));
        }
        Ok(found)
    }

    fn read_again(&self, expected: Expectation) -> io::Result<Sampling> {
        let disk = Disk::open_to_read(&self.path)?;
        if sys::is_device(disk.file()) {
            // The disk is asked, and not the kernel, which has read these places before.
            sys::drop_cache(disk.file())?;
        }
        let mut found = Sampling {
            samples: self.places.len() as u64,
            bytes_each: BYTES as u64,
            ..Sampling::default()
        };
        for (place, before) in self.places.iter() {
            let counter = match (sample(&disk, *place), before, expected) {
                (None, _, _) => &mut found.undecided,
                (Some(now), _, Expectation::Zeros) => match now.iter().all(|byte| *byte == 0) {
                    true => &mut found.blank,
                    false => &mut found.remaining,
                },
                (Some(now), _, _) if is_pattern(&now) => &mut found.blank,
                (Some(_), None, _) => &mut found.undecided,
                (Some(now), Some(before), _) if now == *before => &mut found.remaining,
                (Some(_), Some(_), _) => &mut found.changed,
            };
            *counter += 1;
        }
        Ok(found)
    }
}

fn sample(disk: &Disk, place: u64) -> Option<Vec<u8>> {
    let mut bytes = vec![0; BYTES];
    disk.read_at(place, &mut bytes).ok()?;
    Some(bytes)
}

/// The first and the last place, and random ones, each once.
fn places(size: u64) -> io::Result<Vec<u64>> {
    let count = size / BYTES as u64;
    let Some(last) = count.checked_sub(1) else {
        return Ok(Vec::new());
    };
    let mut places = vec![0, last * BYTES as u64];
    let mut bytes = [0; 8 * (SAMPLES - 2)];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    let random = bytes.chunks_exact(8).map(|chunk| {
        let number = chunk
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        number % count * BYTES as u64
    });
    places.extend(random);
    places.sort_unstable();
    places.dedup();
    Ok(places)
}

/// Whether the bytes repeat after a few.
fn is_pattern(bytes: &[u8]) -> bool {
    let (head, tail) = (bytes, bytes.get(PERIOD..).unwrap_or_default());
    head.iter().zip(tail).all(|(one, other)| one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A disk of bytes that do not repeat.
    fn used() -> (tempfile::NamedTempFile, Vec<u8>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        let bytes: Vec<u8> = (0..1_u32 << 18).flat_map(u32::to_le_bytes).collect();
        fs::write(file.path(), &bytes).unwrap();
        (file, bytes)
    }

    #[tokio::test]
    async fn what_is_still_there_is_found() {
        let (file, mut bytes) = used();
        let samples = Samples::take(file.path()).await;
        let error = samples.compare(Expectation::Otherwise).await.unwrap_err();
        assert!(error.details.contains("is not erased"), "{error}");
        // Everything but the last place.
        let (head, _) = bytes.split_at_mut((1 << 20) - BYTES);
        head.fill(0);
        fs::write(file.path(), &bytes).unwrap();
        let error = samples.compare(Expectation::Otherwise).await.unwrap_err();
        assert!(error.details.contains("1 of "), "{error}");
    }

    #[tokio::test]
    async fn patterns_and_other_bytes_count_as_erased_but_not_as_zeros() {
        let (file, bytes) = used();
        let samples = Samples::take(file.path()).await;
        let other: Vec<u8> = bytes.iter().map(|byte| byte ^ 0x5a).collect();
        fs::write(file.path(), other).unwrap();
        let found = samples.compare(Expectation::Otherwise).await.unwrap();
        assert_eq!((found.changed, found.remaining), (found.samples, 0));
        assert!(samples.compare(Expectation::Zeros).await.is_err());
        fs::write(file.path(), [0xde_u8, 0xad].repeat(1 << 19)).unwrap();
        let found = samples.compare(Expectation::Otherwise).await.unwrap();
        assert_eq!((found.blank, found.undecided), (found.samples, 0));
        fs::write(file.path(), vec![0; 1 << 20]).unwrap();
        let found = samples.compare(Expectation::Zeros).await.unwrap();
        assert!(found.samples > 32 && found.blank == found.samples);
    }

    #[tokio::test]
    async fn a_disk_that_shrank_decides_nothing() {
        let (file, _) = used();
        let samples = Samples::take(file.path()).await;
        fs::write(file.path(), [0; BYTES]).unwrap();
        let found = samples.compare(Expectation::Zeros).await.unwrap();
        assert_eq!((found.blank, found.undecided), (1, found.samples - 1));
        fs::remove_file(file.path()).unwrap();
        assert!(samples.compare(Expectation::Zeros).await.is_err());
    }

    #[test]
    fn places_are_within_the_disk() {
        assert!(places(100).unwrap().is_empty());
        assert_eq!(places(BYTES as u64 + 1).unwrap(), [0]);
        let found = places(1 << 40).unwrap();
        assert_eq!(
            (found[0], *found.last().unwrap()),
            (0, (1 << 40) - BYTES as u64)
        );
        assert!(found.len() > SAMPLES / 2);
    }
}
