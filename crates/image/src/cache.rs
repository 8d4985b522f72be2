//! The conductor's cache of images.
//!
//! An image that was fetched once stays in a folder (the "master"), under a name made from its
//! address, and whoever needs it gets a hard link. A copy is used again only while the server still
//! has the same image; it gets its name only when it is complete, checked, converted and on the
//! disk, so a half copy is never found under it. Requests for the same image wait for each other
//! and share one download. Folder names, file names and rules are Ironic's.

pub(crate) mod fetch;
pub(crate) mod master;
pub(crate) mod report;
pub(crate) mod room;

pub use room::Caches;

use crate::{
    ImageError,
    checksum::Checksum,
    inspect::Rules,
    source::{FileRules, Http, Source},
};
use master::Master;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::{sync::Semaphore, task};

/// One of the caches: of images for instances, of kernels and ramdisks, of discs.
#[derive(Debug, Clone)]
pub struct CacheSettings {
    pub folder: PathBuf,
    /// Of all files together, as far as they can be removed.
    pub most_bytes: u64,
    /// How long a file is kept that nobody uses.
    pub ttl: Duration,
    /// Caches with a higher number are emptied first when room is needed.
    pub priority: u32,
    /// Whether formats are checked; `None` for kernels and ramdisks, which have none.
    pub rules: Option<Rules>,
    /// Which packings are undone.
    pub unpack: Unpack,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unpack {
    Nothing,
    /// As Ironic does, with everything it fetches.
    Zstd,
    /// For images of disks, which are not packed themselves.
    Everything,
}

/// What is shared by all caches of a conductor.
#[derive(Debug, Clone)]
pub struct Context {
    pub http: Http,
    pub files: FileRules,
    /// Downloads at the same time (`[DEFAULT]image_download_concurrency`).
    pub downloads: Arc<Semaphore>,
    /// By how much images are assumed to grow (`[DEFAULT]raw_image_growth_factor`).
    pub growth: f64,
}

/// A request for an image: its address, what it must be, and where to put it.
#[derive(Debug, Clone)]
pub struct ImageRequest {
    /// An address: `http`, `https` or `file`; with a `source`, what its copy is named by.
    pub href: String,
    /// Where it is read from, if that is no server or file but a service that whoever asks knows.
    pub source: Option<Arc<dyn Source>>,
    pub destination: PathBuf,
    /// Whether it must be raw.
    pub raw: bool,
    pub declared: Option<String>,
    pub checksum: Option<Checksum>,
}

/// How a request was met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The destination was there already.
    Present,
    /// The copy in the cache was used.
    Hit,
    Downloaded,
}

#[derive(Debug)]
pub struct Cache {
    settings: CacheSettings,
    context: Context,
    /// One lock for each image that is being worked on.
    locks: Mutex<HashMap<String, Weak<tokio::sync::Mutex<()>>>>,
    /// Held while links are made and while files are removed.
    tidy: Arc<Mutex<()>>,
    /// Downloads that run, by the name of the copy.
    running: report::Running,
}

impl Cache {
    /// Opens a cache and removes what an earlier process did not finish. Blocks.
    #[expect(
        clippy::disallowed_methods,
        reason = "only called from threads that may wait"
    )]
    pub fn open(settings: CacheSettings, context: Context) -> Result<Self, ImageError> {
        std::fs::create_dir_all(&settings.folder)
            .map_err(ImageError::write(settings.folder.display()))?;
        master::remove_unfinished(&settings.folder);
        Ok(Self {
            settings,
            context,
            locks: Mutex::default(),
            tidy: Arc::default(),
            running: report::Running::default(),
        })
    }

    pub fn folder(&self) -> &Path {
        &self.settings.folder
    }

    /// Brings an image to where it is wanted, from the cache if it can. `caches` are those that may
    /// be emptied when room is needed.
    pub async fn fetch(
        &self,
        caches: &Caches,
        wanted: &ImageRequest,
    ) -> Result<Outcome, ImageError> {
        let master = Master::of(&self.settings.folder, &wanted.href, wanted.raw);
        let lock = self.lock(&master.name);
        let outcome = {
            let _working = lock.lock().await;
            fetch::fetch(self, caches, wanted, &master).await?
        };
        if outcome == Outcome::Downloaded {
            // The cache has grown.
            caches.clean_up(self, None).await;
        }
        Ok(outcome)
    }

    /// Drops the copies of an image. Links to them are not touched.
    pub async fn forget(&self, href: &str) -> Result<(), ImageError> {
        for raw in [false, true] {
            let master = Master::of(&self.settings.folder, href, raw);
            let lock = self.lock(&master.name);
            let _working = lock.lock().await;
            let tidy = Arc::clone(&self.tidy);
            blocking(move || {
                let _no_links = tidy.lock().unwrap_or_else(PoisonError::into_inner);
                master.remove()
            })
            .await?;
        }
        Ok(())
    }

    fn lock(&self, name: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut locks = self.locks.lock().unwrap_or_else(PoisonError::into_inner);
        locks.retain(|_, lock| lock.strong_count() > 0);
        if let Some(lock) = locks.get(name).and_then(Weak::upgrade) {
            return lock;
        }
        let lock = Arc::new(tokio::sync::Mutex::new(()));
        locks.insert(name.to_owned(), Arc::downgrade(&lock));
        lock
    }
}

/// Runs what blocks on a thread for that.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ImageError> + Send + 'static,
) -> Result<T, ImageError> {
    match task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(ImageError::Setup(format!("a worker ended early: {error}"))),
    }
}

#[cfg(test)]
mod tests;
