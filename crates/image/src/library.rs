//! The bytes of images that the service keeps under names: one file for each content.
//!
//! A file is called by its SHA-256, so that two images of the same content share one, and a file
//! that has such a name is complete: it gets the name when it was received, checked and written to
//! the disk. Until then it is in a folder of its own, which a killed process leaves behind and the
//! next one removes. Unlike the caches nothing here is removed to make room: who keeps the rows
//! says what is not wanted any more.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files are only touched within `blocking`, or by what says that it blocks"
)]

mod found;

pub use found::told;

use crate::{
    ImageError,
    cache::{
        blocking,
        fetch::link_or_copy,
        master::{Workshop, remove_unfinished},
        room::Room,
    },
    checksum::{Algorithm, Checksum, Hasher},
    inspect::Rules,
    source::{FileSource, Source, Stat},
    survey::{Survey, survey},
};
use proto::disk::detect;
use std::{
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};
use tokio::sync::OnceCell;
use types::image::ContentId;

/// After how many bytes it is looked at whether there is room for more.
const LOOK_AT_ROOM: u64 = 16 << 20;

#[derive(Debug, Clone)]
pub struct LibrarySettings {
    pub folder: PathBuf,
    /// The largest image that is kept.
    pub most_bytes: u64,
}

/// The folder.
#[derive(Debug)]
pub struct Library {
    settings: LibrarySettings,
    /// Set when the folder is there and holds nothing unfinished.
    ready: OnceCell<()>,
}

/// How far a reception is, and whether it is still wanted.
#[derive(Debug, Default)]
pub struct Meter {
    done: AtomicU64,
    /// Zero where the source does not say.
    total: AtomicU64,
    stopped: AtomicBool,
}

impl Meter {
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    pub fn total(&self) -> Option<u64> {
        Some(self.total.load(Ordering::Relaxed)).filter(|total| *total > 0)
    }

    pub(crate) fn expect(&self, total: Option<u64>) {
        self.total.store(total.unwrap_or(0), Ordering::Relaxed);
    }

    /// Ends the reception at its next bytes.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }
}

/// A content that is here and checked, but has no name yet. Removed when dropped.
#[derive(Debug)]
pub struct Arrived {
    pub content: ContentId,
    pub size: u64,
    pub survey: Survey,
    path: PathBuf,
    _workshop: Workshop,
}

/// A content on its way here. Removed when dropped.
#[derive(Debug)]
pub struct Part {
    file: File,
    path: PathBuf,
    workshop: Workshop,
    room: Room,
    most_bytes: u64,
    received: u64,
    looks_at: u64,
    sum: Hasher,
    /// What it must hash to by another algorithm, and that in the making.
    other: Option<(Checksum, Hasher)>,
    /// What it must hash to by this one.
    expected: Option<Checksum>,
    shown: String,
}

impl Library {
    pub(crate) fn new(settings: LibrarySettings) -> Self {
        Self {
            settings,
            ready: OnceCell::new(),
        }
    }

    pub(crate) fn settings(&self) -> &LibrarySettings {
        &self.settings
    }

    pub fn folder(&self) -> &Path {
        &self.settings.folder
    }

    pub fn most_bytes(&self) -> u64 {
        self.settings.most_bytes
    }

    /// Where a content is, if it is here.
    pub fn path(&self, content: &ContentId) -> PathBuf {
        self.settings.folder.join(content.as_str())
    }

    pub async fn has(&self, content: &ContentId) -> bool {
        let path = self.path(content);
        blocking(move || Ok(path.is_file())).await.unwrap_or(false)
    }

    /// Makes the folder, and removes what an earlier process did not finish.
    pub(crate) async fn open(&self) -> Result<(), ImageError> {
        let folder = self.settings.folder.clone();
        let opening = || {
            blocking(move || {
                fs::create_dir_all(&folder).map_err(ImageError::write(folder.display()))?;
                remove_unfinished(&folder);
                Ok(())
            })
        };
        self.ready.get_or_try_init(opening).await.map(|_| ())
    }

    /// Every content that is here. What an earlier process did not finish is removed.
    pub async fn contents(&self) -> Result<Vec<ContentId>, ImageError> {
        let folder = self.settings.folder.clone();
        if !self.ready.initialized() {
            let absent = folder.clone();
            if !blocking(move || Ok(absent.is_dir())).await? {
                return Ok(Vec::new());
            }
            self.open().await?;
        }
        blocking(move || {
            let failed = |source| ImageError::Read {
                image: folder.display().to_string(),
                source,
            };
            let entries = fs::read_dir(&folder).map_err(failed)?.flatten();
            let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
            Ok(names.filter_map(|name| name.parse().ok()).collect())
        })
        .await
    }

    /// Gives a content its name. A copy that is here already stays.
    pub async fn keep(&self, arrived: Arrived) -> Result<(), ImageError> {
        let (folder, path) = (self.settings.folder.clone(), self.path(&arrived.content));
        blocking(move || {
            let failed = || ImageError::write(path.display());
            match fs::hard_link(&arrived.path, &path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
                linked => linked.map_err(failed())?,
            }
            let folder = File::open(&folder).and_then(|folder| folder.sync_all());
            folder.map_err(failed())
        })
        .await
    }

    pub async fn remove(&self, content: &ContentId) -> Result<(), ImageError> {
        let path = self.path(content);
        blocking(move || match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ImageError::write(path.display())(error))
            }
            _ => Ok(()),
        })
        .await
    }

    /// Gives a content another name, on another disk by copying it. What has that name goes.
    pub async fn link(&self, content: &ContentId, to: &Path) -> Result<(), ImageError> {
        let (from, to) = (self.path(content), to.to_owned());
        blocking(move || {
            match fs::remove_file(&to) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(ImageError::write(to.display())(error));
                }
                _ => {}
            }
            link_or_copy(&from, &to)
        })
        .await
    }

    /// A content as a source whose tag is its sum: a cache that converted it once need not do so
    /// again.
    pub async fn source(&self, content: &ContentId) -> Result<Arc<dyn Source>, ImageError> {
        let (path, tag) = (self.path(content), content.as_str().to_owned());
        blocking(move || {
            let file = FileSource::open(&path)?;
            let stat = Stat {
                etag: Some(tag),
                no_store: false,
                ..file.stat().clone()
            };
            Ok(Arc::new(Kept { file, stat }) as Arc<dyn Source>)
        })
        .await
    }
}

impl Part {
    /// Begins a content. Blocks.
    pub(crate) fn begin(
        settings: &LibrarySettings,
        room: Room,
        expected: Option<Checksum>,
        shown: String,
    ) -> Result<Self, ImageError> {
        let failed = || ImageError::write(settings.folder.display());
        let workshop = Workshop::new(&settings.folder).map_err(failed())?;
        let path = workshop.path("image");
        let file = File::create_new(&path).map_err(failed())?;
        let is_sha256 = |sum: &Checksum| sum.algorithm == Algorithm::Sha256;
        let other = expected.clone().filter(|sum| !is_sha256(sum));
        Ok(Self {
            file,
            path,
            workshop,
            room,
            most_bytes: settings.most_bytes,
            received: 0,
            looks_at: 0,
            sum: Hasher::new(Algorithm::Sha256),
            other: other.map(|sum| {
                let hasher = Hasher::new(sum.algorithm);
                (sum, hasher)
            }),
            expected: expected.filter(is_sha256),
            shown,
        })
    }

    pub fn received(&self) -> u64 {
        self.received
    }

    /// Adds bytes. Blocks.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), ImageError> {
        let after = self.received.saturating_add(bytes.len() as u64);
        if after > self.most_bytes {
            return Err(ImageError::TooLarge {
                image: self.shown.clone(),
                limit: self.most_bytes,
            });
        }
        if self.received >= self.looks_at {
            self.looks_at = self.received + LOOK_AT_ROOM;
            if self.room.free()? == 0 {
                return Err(ImageError::NoSpace {
                    path: self.room.folder.clone(),
                    needed: after,
                    free: 0,
                });
            }
        }
        let failed = ImageError::write(self.path.display());
        self.file.write_all(bytes).map_err(failed)?;
        self.sum.update(bytes);
        if let Some((_, hasher)) = &mut self.other {
            hasher.update(bytes);
        }
        self.received = after;
        Ok(())
    }

    /// Checks what came: its sum, and whether it is something that may be deployed. Blocks.
    pub fn finish(self, rules: &Rules) -> Result<Arrived, ImageError> {
        let sum = self.sum.finish();
        if let Some(expected) = &self.expected {
            expected.check(&sum, &self.shown)?;
        }
        if let Some((expected, hasher)) = self.other {
            expected.check(&hasher.finish(), &self.shown)?;
        }
        let failed = ImageError::write(self.path.display());
        self.file.sync_all().map_err(failed)?;
        let source = FileSource::open(&self.path)?;
        let survey = survey(&source)?;
        if survey.packing.is_none() {
            let prefix = source.read_at(0, detect::PREFIX)?;
            let end = self.received.saturating_sub(detect::TAIL as u64);
            let tail = source.read_at(end, detect::TAIL)?;
            rules.check(&prefix, &tail, None, &self.shown)?;
        }
        if !survey.is_deployable() {
            return Err(ImageError::Unsupported {
                image: self.shown,
                what: "a kernel, ramdisk or boot loader".to_owned(),
            });
        }
        let content = sum.parse().map_err(|_| ImageError::BadChecksum {
            text: sum.clone(),
            reason: "it is no SHA-256",
        })?;
        Ok(Arrived {
            content,
            size: self.received,
            survey,
            path: self.path,
            _workshop: self.workshop,
        })
    }
}

/// Reads a source to its end. Blocks.
pub(crate) fn receive(
    mut part: Part,
    source: &dyn Source,
    rules: &Rules,
    meter: &Meter,
) -> Result<Arrived, ImageError> {
    let mut stream = source.stream()?;
    let mut chunk = vec![0; 1 << 20];
    loop {
        if meter.stopped.load(Ordering::Relaxed) {
            let image = source.shown().to_owned();
            return Err(ImageError::Stopped { image });
        }
        let read = stream
            .read(&mut chunk)
            .map_err(|error| ImageError::from_read(error, source.shown()))?;
        if read == 0 {
            break;
        }
        part.write(chunk.get(..read).unwrap_or_default())?;
        meter.done.store(part.received(), Ordering::Relaxed);
    }
    match source.stat().size {
        Some(expected) if expected != part.received() => Err(ImageError::Short {
            image: source.shown().to_owned(),
            expected,
            got: part.received(),
        }),
        _ => part.finish(rules),
    }
}

/// A file of the library.
#[derive(Debug)]
struct Kept {
    file: FileSource,
    stat: Stat,
}

impl Source for Kept {
    fn shown(&self) -> &str {
        self.file.shown()
    }

    fn stat(&self) -> &Stat {
        &self.stat
    }

    fn stream(&self) -> Result<Box<dyn Read + Send>, ImageError> {
        self.file.stream()
    }

    fn read_at(&self, offset: u64, length: usize) -> Result<Vec<u8>, ImageError> {
        self.file.read_at(offset, length)
    }
}

#[cfg(test)]
mod tests;
