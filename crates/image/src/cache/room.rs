//! Room on the disk: what may be removed from the caches, and when.
//!
//! Files that a node still links to stay. Of the others, those that nobody used for long go first,
//! then the least recently used until the cache is as small as it should be. When an image needs
//! room, the caches on that disk are emptied in the order of their priority until there is enough.

#![expect(
    clippy::disallowed_methods,
    reason = "files are only touched within `blocking`"
)]

use super::{Cache, blocking};
use crate::ImageError;
use rustix::fs::statvfs;
use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
    time::{Duration, SystemTime},
};

/// The caches of a conductor.
#[derive(Debug, Default)]
pub struct Caches {
    /// The first to be emptied first.
    caches: Vec<Arc<Cache>>,
    /// How many bytes of a disk are not for images: databases live there too.
    reserve: u64,
    /// For tests: how much room a disk has.
    free: Option<fn(&Path) -> u64>,
}

/// The room for images in a folder.
#[derive(Debug, Clone)]
pub(crate) struct Room {
    pub(crate) folder: PathBuf,
    reserve: u64,
    free: Option<fn(&Path) -> u64>,
}

impl Room {
    /// How many bytes there are. Blocks.
    pub(crate) fn free(&self) -> Result<u64, ImageError> {
        let free = match self.free {
            Some(free) => free(&self.folder),
            None => {
                let stat = statvfs(&self.folder)
                    .map_err(|error| ImageError::write(self.folder.display())(error.into()))?;
                stat.f_frsize.saturating_mul(stat.f_bavail)
            }
        };
        Ok(free.saturating_sub(self.reserve))
    }
}

impl Caches {
    pub fn new(mut caches: Vec<Arc<Cache>>) -> Self {
        caches.sort_by_key(|cache| std::cmp::Reverse(cache.settings.priority));
        Self {
            caches,
            reserve: 0,
            free: None,
        }
    }

    /// Leaves so many bytes of every disk free.
    pub fn leaving(mut self, reserve: u64) -> Self {
        self.reserve = reserve;
        self
    }

    #[cfg(test)]
    pub(super) fn with_free(mut self, free: fn(&Path) -> u64) -> Self {
        self.free = Some(free);
        self
    }

    /// How many bytes there is room for.
    pub(super) async fn free(&self, folder: &Path) -> Result<u64, ImageError> {
        let room = self.room(folder);
        blocking(move || room.free()).await
    }

    /// The room in a folder, for threads that may wait.
    pub(crate) fn room(&self, folder: &Path) -> Room {
        Room {
            folder: folder.to_owned(),
            reserve: self.reserve,
            free: self.free,
        }
    }

    /// Sees to it that there is room for so many bytes.
    pub async fn make_room(&self, folder: &Path, bytes: u64) -> Result<(), ImageError> {
        let mut free = self.free(folder).await?;
        if bytes < free {
            return Ok(());
        }
        let device = device(folder).await?;
        for cache in &self.caches {
            if self::device(cache.folder()).await? != device {
                continue;
            }
            self.clean_up(cache, Some(bytes - free)).await;
            free = self.free(folder).await?;
            if bytes < free {
                return Ok(());
            }
        }
        Err(ImageError::NoSpace {
            path: folder.to_owned(),
            needed: bytes,
            free,
        })
    }

    /// Cleans all caches, as it is done from time to time.
    pub async fn clean_up_all(&self) {
        for cache in &self.caches {
            self.clean_up(cache, None).await;
        }
    }

    /// Cleans a cache; with an amount, only until so many bytes are freed, but beyond its limits.
    pub(super) async fn clean_up(&self, cache: &Cache, amount: Option<u64>) {
        let settings = cache.settings.clone();
        let tidy = cache.tidy.clone();
        let cleaned = blocking(move || {
            let _no_links = tidy.lock().unwrap_or_else(PoisonError::into_inner);
            Ok(clean(
                &settings.folder,
                settings.most_bytes,
                settings.ttl,
                amount,
                now(),
            ))
        });
        match cleaned.await {
            Ok(freed) if freed > 0 => {
                tracing::info!(cache = %cache.folder().display(), bytes = freed, "cleaned the image cache");
            }
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(cache = %cache.folder().display(), %error, "cannot clean the image cache")
            }
        }
    }
}

/// The disk that a folder is on, if it is there.
async fn device(folder: &Path) -> Result<Option<u64>, ImageError> {
    let folder = folder.to_owned();
    blocking(move || Ok(fs::metadata(folder).map(|metadata| metadata.dev()).ok())).await
}

/// Only compared with the times of files.
#[expect(clippy::disallowed_methods, reason = "compared with nothing else")]
fn now() -> SystemTime {
    SystemTime::now()
}

struct Candidate {
    path: PathBuf,
    used: SystemTime,
    bytes: u64,
}

/// Returns how many bytes were freed.
pub(super) fn clean(
    folder: &Path,
    most_bytes: u64,
    ttl: Duration,
    amount: Option<u64>,
    now: SystemTime,
) -> u64 {
    let (mut candidates, mut total) = list(folder);
    candidates.sort_by_key(|candidate| candidate.used);
    let oldest = now.checked_sub(ttl).unwrap_or(SystemTime::UNIX_EPOCH);
    let mut freed = 0;
    let enough = |freed: u64| amount.is_some_and(|amount| freed >= amount);
    let mut kept = Vec::new();
    for candidate in candidates {
        if candidate.used < oldest && !enough(freed) {
            let bytes = remove(&candidate);
            freed += bytes;
            total -= bytes;
        } else {
            kept.push(candidate);
        }
    }
    if enough(freed) {
        return freed;
    }
    for candidate in kept {
        let more_wanted = amount.is_some_and(|amount| freed < amount);
        if total <= most_bytes && !more_wanted {
            break;
        }
        let bytes = remove(&candidate);
        freed += bytes;
        total -= bytes;
    }
    freed
}

fn remove(candidate: &Candidate) -> u64 {
    match fs::remove_file(&candidate.path) {
        Ok(()) => candidate.bytes,
        Err(error) => {
            tracing::warn!(path = %candidate.path.display(), %error, "cannot remove from the image cache");
            0
        }
    }
}

/// The files that nobody links to, and the size of all files.
fn list(folder: &Path) -> (Vec<Candidate>, u64) {
    let mut total = 0;
    let mut candidates = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        if !metadata.is_file() {
            continue;
        }
        total += metadata.len();
        if metadata.nlink() > 1 {
            continue;
        }
        // The time of the last link counts as use, whatever the mount options say of access.
        let linked = Duration::from_secs(u64::try_from(metadata.ctime()).unwrap_or(0));
        let times = [metadata.modified(), metadata.accessed()];
        let used = times
            .into_iter()
            .flatten()
            .chain([SystemTime::UNIX_EPOCH + linked])
            .max()
            .unwrap_or(SystemTime::UNIX_EPOCH);
        candidates.push(Candidate {
            path: entry.path(),
            used,
            bytes: metadata.len(),
        });
    }
    (candidates, total)
}
