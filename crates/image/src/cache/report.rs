//! What is in a cache, for people: copies, their age and users, and downloads that run.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use super::{
    Cache, CacheSettings,
    master::{UNFINISHED, shown, source_of},
};
use rustix::fs::statvfs;
use std::{
    collections::HashMap,
    fs::{self, Metadata},
    os::unix::fs::MetadataExt,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, SystemTime, UNIX_EPOCH},
};
use types::{
    Timestamp,
    rpc::holdings::{CacheDownload, CachedCopy, ImageCache},
};

/// How many copies of a cache are shown, and how many entries of its folder are looked at.
const MOST_SHOWN: usize = 200;
const MOST_LOOKED_AT: usize = 20_000;

/// Downloads that run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Running(Arc<Mutex<HashMap<String, Download>>>);

#[derive(Debug, Clone)]
struct Download {
    source: String,
    since: Timestamp,
    total: Option<u64>,
}

/// Ends the entry of a download, however it ended.
pub(super) struct DownloadGuard {
    running: Running,
    name: String,
}

impl Running {
    pub(super) fn begin(&self, name: &str, href: &str, total: Option<u64>) -> DownloadGuard {
        let download = Download {
            source: shown(href),
            since: Timestamp::now(),
            total,
        };
        self.lock().insert(name.to_owned(), download);
        DownloadGuard {
            running: self.clone(),
            name: name.to_owned(),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Download>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for DownloadGuard {
    fn drop(&mut self) {
        self.running.lock().remove(&self.name);
    }
}

impl Cache {
    /// The downloads that run, by the name of the copy.
    pub(crate) fn downloads(&self) -> Vec<(String, CacheDownload)> {
        let running = self.running.lock();
        let all = running.iter().map(|(name, download)| {
            let shown = CacheDownload {
                source: download.source.clone(),
                since: download.since,
                bytes: 0,
                total: download.total,
            };
            (name.clone(), shown)
        });
        all.collect()
    }
}

/// Looks at a cache. Blocks.
pub(crate) fn of(
    purpose: &str,
    settings: &CacheSettings,
    running: Vec<(String, CacheDownload)>,
) -> ImageCache {
    let mut cache = ImageCache {
        purpose: purpose.to_owned(),
        folder: settings.folder.display().to_string(),
        bytes: 0,
        most_bytes: settings.most_bytes,
        ttl_s: settings.ttl.as_secs(),
        free_bytes: free(&settings.folder),
        files: 0,
        copies: Vec::new(),
        downloads: Vec::new(),
    };
    let mut arrived = HashMap::new();
    let entries = fs::read_dir(&settings.folder);
    for entry in entries.into_iter().flatten().flatten().take(MOST_LOOKED_AT) {
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let file = entry.file_name().to_string_lossy().into_owned();
        if metadata.is_dir() {
            if file.starts_with(UNFINISHED) {
                add_parts(&mut arrived, &entry.path());
            }
        } else if metadata.is_file() {
            cache.files += 1;
            cache.bytes += metadata.len();
            cache.copies.push(copy(file, &metadata));
        }
    }
    cache
        .copies
        .sort_by_key(|copy| std::cmp::Reverse(copy.bytes));
    cache.copies.truncate(MOST_SHOWN);
    for copy in &mut cache.copies {
        copy.source = source_of(&settings.folder.join(&copy.file));
    }
    cache.downloads = running
        .into_iter()
        .map(|(name, download)| CacheDownload {
            bytes: arrived.get(&name).copied().unwrap_or(0),
            ..download
        })
        .collect();
    cache.downloads.sort_by_key(|download| download.since);
    cache
}

/// What has arrived of each copy, from the folder in which it is made.
fn add_parts(arrived: &mut HashMap<String, u64>, workshop: &Path) {
    for part in fs::read_dir(workshop).into_iter().flatten().flatten() {
        let name = part.file_name().to_string_lossy().into_owned();
        let name = name.trim_end_matches(".part").trim_end_matches(".unpacked");
        if let Ok(metadata) = part.metadata() {
            *arrived.entry(name.to_owned()).or_default() += metadata.len();
        }
    }
}

fn copy(file: String, metadata: &Metadata) -> CachedCopy {
    let accessed = metadata.accessed().ok().and_then(timestamp);
    // The time of the last link counts as use, as it does when the cache is cleaned.
    let linked = timestamp(UNIX_EPOCH + Duration::from_secs(metadata.ctime().unsigned_abs()));
    CachedCopy {
        file,
        source: None,
        bytes: metadata.len(),
        fetched_at: metadata.created().ok().and_then(timestamp),
        used_at: accessed.max(linked),
        users: metadata.nlink().saturating_sub(1),
    }
}

fn timestamp(time: SystemTime) -> Option<Timestamp> {
    let since = time.duration_since(UNIX_EPOCH).ok()?;
    Some(Timestamp(i64::try_from(since.as_micros()).ok()?))
}

/// What is left on the disk of a folder, which may not be there yet.
fn free(folder: &Path) -> Option<u64> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let stat = statvfs(there).ok()?;
    Some(stat.f_frsize.saturating_mul(stat.f_bavail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::Unpack;

    fn settings(folder: &Path) -> CacheSettings {
        CacheSettings {
            folder: folder.to_owned(),
            most_bytes: 1000,
            ttl: Duration::from_secs(60),
            priority: 1,
            rules: None,
            unpack: Unpack::Nothing,
        }
    }

    #[test]
    fn copies_users_and_downloads_are_told() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("cache");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("small"), [0; 3]).unwrap();
        fs::write(folder.join("large"), [0; 7]).unwrap();
        fs::hard_link(folder.join("large"), dir.path().join("of-a-node")).unwrap();
        let workshop = folder.join(format!("{UNFINISHED}x"));
        fs::create_dir(&workshop).unwrap();
        fs::write(workshop.join("third.converted.part"), [0; 5]).unwrap();
        let running = Running::default();
        let entry = running.begin("third.converted", "http://a:secret@b/c?sig=1", Some(9));
        let download = running.lock().get("third.converted").unwrap().clone();
        assert_eq!(download.source, "http://a:******@b/c");
        let shown = CacheDownload {
            source: download.source,
            since: download.since,
            bytes: 0,
            total: download.total,
        };
        let cache = of(
            "instance",
            &settings(&folder),
            vec![("third.converted".to_owned(), shown)],
        );
        assert_eq!((cache.files, cache.bytes), (2, 10));
        assert_eq!(cache.copies[0].file, "large");
        assert_eq!(cache.copies[0].users, 1);
        assert_eq!(cache.copies[1].users, 0);
        assert!(cache.copies[0].used_at.is_some());
        assert_eq!(cache.downloads[0].bytes, 5);
        assert!(cache.free_bytes.is_some());
        drop(entry);
        assert!(running.lock().is_empty());
    }

    #[test]
    fn a_folder_that_is_not_there_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let cache = of("iso", &settings(&dir.path().join("a/b")), Vec::new());
        assert_eq!((cache.files, cache.bytes), (0, 0));
        assert!(cache.free_bytes.is_some());
    }
}
