//! The three caches of a conductor, its library of images with names, and what they have in common.
//!
//! Folders are made when something is first put into them: a conductor whose nodes need no image of
//! a kind needs no folder for it either, and one that cannot be made is told to whoever asked for
//! the image, not to whoever started the service.

use crate::{
    Format, ImageError, Packing,
    cache::{self, Cache, CacheSettings, Caches, Context, ImageRequest, Outcome, Unpack, blocking},
    checksum::{Algorithm, Checksum, Hasher},
    inspect::Rules,
    library::{self, Arrived, Library, LibrarySettings, Meter, Part},
    source::{FileRules, FileSource, Http, HttpSettings, Source},
};
use proto::disk::detect;
use std::{
    io::Read,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::Semaphore;
use types::rpc::holdings::ImageCache;

/// What an image is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// A kernel, a ramdisk, or a disc that iPXE starts.
    Boot,
    /// The disk of an instance.
    Instance,
    /// A disc for a virtual drive.
    Iso,
}

impl Purpose {
    fn name(self) -> &'static str {
        match self {
            Self::Boot => "boot",
            Self::Instance => "instance",
            Self::Iso => "iso",
        }
    }
}

/// One folder of copies.
#[derive(Debug, Clone)]
pub struct Shelf {
    pub folder: PathBuf,
    /// Of all files together, as far as they can be removed.
    pub most_bytes: u64,
    /// How long a file is kept that nobody uses.
    pub ttl: Duration,
}

#[derive(Debug, Clone)]
pub struct StoreSettings {
    pub boot: Shelf,
    pub instance: Shelf,
    pub iso: Shelf,
    /// Images that are kept under names.
    pub library: LibrarySettings,
    pub http: HttpSettings,
    pub files: FileRules,
    /// How many bytes of a disk are left for others.
    pub reserve: u64,
    /// Downloads at the same time.
    pub downloads: usize,
    /// By how much images are assumed to grow when they are converted.
    pub growth: f64,
    /// Which images of instances are taken.
    pub rules: Rules,
    /// Whether images of instances are unpacked.
    pub unpack: bool,
}

/// What is known of an image that was not fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probed {
    /// `None` if it is packed.
    pub format: Option<Format>,
    /// Whether it can only be written to a disk once it is here and raw.
    pub needs_conversion: bool,
    /// In bytes, where its server says.
    pub size: Option<u64>,
}

/// The format of a file and its checksum. Blocks.
pub fn examine(
    path: &Path,
    rules: &Rules,
    algorithm: Algorithm,
) -> Result<(Format, String), ImageError> {
    let source = FileSource::open(path)?;
    let size = source.stat().size.unwrap_or(0);
    let prefix = source.read_at(0, detect::PREFIX)?;
    let tail = source.read_at(size.saturating_sub(detect::TAIL as u64), detect::TAIL)?;
    let found = rules.check(&prefix, &tail, None, source.shown())?;
    let mut hasher = Hasher::new(algorithm);
    let mut stream = source.stream()?;
    let mut chunk = vec![0; 1 << 20];
    loop {
        let read = stream
            .read(&mut chunk)
            .map_err(|error| ImageError::from_read(error, source.shown()))?;
        if read == 0 {
            return Ok((found.format, hasher.finish()));
        }
        hasher.update(chunk.get(..read).unwrap_or_default());
    }
}

/// The size of the disk or partition that an image describes; that of its file where the format says
/// nothing else. Blocks.
pub fn virtual_size(source: &dyn Source, rules: &Rules) -> Result<u64, ImageError> {
    let size = source.stat().size.unwrap_or(0);
    let prefix = source.read_at(0, detect::PREFIX)?;
    let tail = source.read_at(size.saturating_sub(detect::TAIL as u64), detect::TAIL)?;
    let found = rules.check(&prefix, &tail, None, source.shown())?;
    Ok(found.virtual_size.unwrap_or(size))
}

/// The caches.
#[derive(Debug)]
pub struct ImageStore {
    context: Context,
    rules: Rules,
    reserve: u64,
    shelves: [(Purpose, CacheSettings); 3],
    library: Library,
    /// Those that are in use, by purpose.
    open: Mutex<Vec<(Purpose, Arc<Cache>)>>,
}

impl ImageStore {
    pub fn new(settings: StoreSettings) -> Result<Self, ImageError> {
        let context = Context {
            http: Http::new(settings.http)?,
            files: settings.files,
            downloads: Arc::new(Semaphore::new(settings.downloads.max(1))),
            growth: settings.growth,
        };
        let unpack = if settings.unpack {
            Unpack::Everything
        } else {
            Unpack::Nothing
        };
        let cache = |shelf: Shelf, priority, rules, unpack| CacheSettings {
            folder: shelf.folder,
            most_bytes: shelf.most_bytes,
            ttl: shelf.ttl,
            priority,
            rules,
            unpack,
        };
        let rules = Some(settings.rules.clone());
        Ok(Self {
            context,
            rules: settings.rules,
            reserve: settings.reserve,
            library: Library::new(settings.library),
            shelves: [
                (Purpose::Iso, cache(settings.iso, 75, None, Unpack::Nothing)),
                (
                    Purpose::Instance,
                    cache(settings.instance, 50, rules, unpack),
                ),
                (
                    Purpose::Boot,
                    // A ramdisk is packed for the kernel, which unpacks it.
                    cache(settings.boot, 25, None, Unpack::Nothing),
                ),
            ],
            open: Mutex::default(),
        })
    }

    /// Brings an image to where it is wanted, from its cache if it can.
    pub async fn fetch(
        &self,
        purpose: Purpose,
        wanted: &ImageRequest,
    ) -> Result<Outcome, ImageError> {
        let cache = self.cache(purpose).await?;
        cache.fetch(&self.caches(), wanted).await
    }

    /// Drops the cached copies of an image; what was brought somewhere stays there.
    pub async fn forget(&self, purpose: Purpose, href: &str) -> Result<(), ImageError> {
        let cache = self.cache(purpose).await?;
        cache.forget(href).await
    }

    /// What an image on a web server is, from its first and last bytes.
    pub async fn probe(&self, href: &str, declared: Option<&str>) -> Result<Probed, ImageError> {
        let source = self.context.http.open(href).await?;
        let (rules, declared) = (self.rules.clone(), declared.map(str::to_owned));
        blocking(move || {
            let stat = source.stat();
            let mut prefix = Vec::new();
            let stream = source.stream()?;
            stream
                .take(detect::PREFIX as u64)
                .read_to_end(&mut prefix)
                .map_err(|error| ImageError::from_read(error, source.shown()))?;
            let packing = Packing::of(&prefix);
            if packing.is_some() {
                // What is in it is seen when it is unpacked.
                return Ok(Probed {
                    format: None,
                    needs_conversion: false,
                    size: stat.size,
                });
            }
            let tail = match stat.size {
                Some(size) if stat.ranges => {
                    let offset = size.saturating_sub(detect::TAIL as u64);
                    source.read_at(offset, detect::TAIL)?
                }
                _ => Vec::new(),
            };
            let found = rules.check(&prefix, &tail, declared.as_deref(), source.shown())?;
            Ok(Probed {
                format: Some(found.format),
                needs_conversion: found.format == Format::Qcow2 && !stat.ranges,
                size: stat.size,
            })
        })
        .await
    }

    /// The images that are kept under names.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// What an address that a user named leads to.
    pub async fn open(&self, href: &str) -> Result<Arc<dyn Source>, ImageError> {
        if href.starts_with("file:") {
            let (rules, href) = (self.context.files.clone(), href.to_owned());
            let opening = move || {
                let source = FileSource::open(&rules.path(&href)?)?;
                Ok(Arc::new(source) as Arc<dyn Source>)
            };
            return blocking(opening).await;
        }
        Ok(Arc::new(self.context.http.open(href).await?))
    }

    /// Begins an image of the library of so many bytes, if that is known.
    pub async fn begin_part(
        &self,
        size: Option<u64>,
        checksum: Option<Checksum>,
        shown: &str,
    ) -> Result<Part, ImageError> {
        let limit = self.library.most_bytes();
        if size.is_some_and(|size| size > limit) {
            let image = shown.to_owned();
            return Err(ImageError::TooLarge { image, limit });
        }
        self.library.open().await?;
        let caches = self.caches();
        let settings = self.library.settings().clone();
        caches
            .make_room(&settings.folder, size.unwrap_or(0))
            .await?;
        let (room, shown) = (caches.room(&settings.folder), shown.to_owned());
        blocking(move || Part::begin(&settings, room, checksum, shown)).await
    }

    /// Fetches an image for the library.
    pub async fn receive(
        &self,
        source: Arc<dyn Source>,
        checksum: Option<Checksum>,
        meter: Arc<Meter>,
    ) -> Result<Arrived, ImageError> {
        let _slot = self.context.downloads.acquire().await;
        let (size, shown) = (source.stat().size, source.shown().to_owned());
        meter.expect(size);
        let part = self.begin_part(size, checksum, &shown).await?;
        let rules = self.rules.clone();
        blocking(move || library::receive(part, source.as_ref(), &rules, &meter)).await
    }

    /// Makes room in the caches as their limits ask for.
    pub async fn clean_up(&self) {
        self.caches().clean_up_all().await;
    }

    /// What is in the caches, and what is on its way into them.
    pub async fn caches_report(&self) -> Vec<ImageCache> {
        let mut all = Vec::new();
        for (purpose, settings) in &self.shelves {
            let running = self.opened(*purpose);
            let running = running.map_or_else(Vec::new, |cache| cache.downloads());
            let (settings, name) = (settings.clone(), purpose.name());
            let reported =
                tokio::task::spawn_blocking(move || cache::report::of(name, &settings, running));
            all.extend(reported.await);
        }
        all
    }

    pub fn http(&self) -> &Http {
        &self.context.http
    }

    pub fn files(&self) -> &FileRules {
        &self.context.files
    }

    /// Which images of instances are taken.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    async fn cache(&self, purpose: Purpose) -> Result<Arc<Cache>, ImageError> {
        if let Some(cache) = self.opened(purpose) {
            return Ok(cache);
        }
        let shelf = self.shelves.iter().find(|(of, _)| *of == purpose);
        let Some((_, settings)) = shelf.cloned() else {
            return Err(ImageError::Setup("there is no such cache".to_owned()));
        };
        let context = self.context.clone();
        let cache = Arc::new(blocking(move || Cache::open(settings, context)).await?);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have been faster; locks of images are only good within one cache.
        if let Some((_, cache)) = open.iter().find(|(of, _)| *of == purpose) {
            return Ok(Arc::clone(cache));
        }
        open.push((purpose, Arc::clone(&cache)));
        Ok(cache)
    }

    fn opened(&self, purpose: Purpose) -> Option<Arc<Cache>> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let found = open.iter().find(|(of, _)| *of == purpose);
        found.map(|(_, cache)| Arc::clone(cache))
    }

    fn caches(&self) -> Caches {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let caches = open.iter().map(|(_, cache)| Arc::clone(cache)).collect();
        Caches::new(caches).leaving(self.reserve)
    }
}

/// The address of what is named by an address or by an absolute path.
///
/// Ids of Glance are told apart from what is simply wrong, because both look like a word.
pub fn address(href: &str) -> Result<String, ImageError> {
    let refuse = |reason: &str| {
        Err(ImageError::Address {
            image: crate::source::shown(href),
            reason: reason.to_owned(),
        })
    };
    if href.starts_with('/') {
        return Ok(format!("file://{href}"));
    }
    let scheme = href.split_once("://").map(|(scheme, _)| scheme);
    match scheme.map(str::to_ascii_lowercase).as_deref() {
        Some("http" | "https" | "file") => Ok(href.to_owned()),
        Some("glance") => refuse("images of Glance are not served by this build"),
        Some("oci") => refuse("container registries are not served by this build"),
        Some(_) => refuse("only http, https and file are served"),
        None if uuid::Uuid::parse_str(href).is_ok() => {
            refuse("it is an id of Glance, whose images are not served by this build")
        }
        None => refuse("it is neither a URL nor an absolute path"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn store(dir: &std::path::Path) -> ImageStore {
        let shelf = |name: &str| Shelf {
            folder: dir.join(name),
            most_bytes: 1 << 20,
            ttl: Duration::from_secs(60),
        };
        ImageStore::new(StoreSettings {
            boot: shelf("boot"),
            instance: shelf("instance"),
            iso: shelf("iso"),
            library: LibrarySettings {
                folder: dir.join("library"),
                most_bytes: 1 << 20,
            },
            http: HttpSettings::default(),
            files: FileRules {
                allowed: vec![dir.to_owned()],
                ..FileRules::default()
            },
            reserve: 0,
            downloads: 1,
            growth: 2.0,
            rules: Rules::default(),
            unpack: true,
        })
        .unwrap()
    }

    #[tokio::test]
    async fn folders_are_made_when_they_are_needed() {
        let dir = tempfile::tempdir().unwrap();
        let store = store(dir.path());
        fs::write(dir.path().join("kernel"), "k").unwrap();
        assert!(!dir.path().join("boot").exists());
        let wanted = ImageRequest {
            href: address(dir.path().join("kernel").to_str().unwrap()).unwrap(),
            source: None,
            destination: dir.path().join("there"),
            raw: false,
            declared: None,
            checksum: None,
        };
        store.fetch(Purpose::Boot, &wanted).await.unwrap();
        assert_eq!(fs::read(&wanted.destination).unwrap(), b"k");
        assert!(dir.path().join("boot").exists() && !dir.path().join("iso").exists());
        store.clean_up().await;
        // The file is where it is wanted, whatever becomes of the copy.
        assert!(wanted.destination.exists());
    }

    #[test]
    fn what_cannot_be_fetched_is_refused_by_its_kind() {
        let refused = |href: &str| address(href).unwrap_err().to_string();
        assert_eq!(address("/a/b").unwrap(), "file:///a/b");
        assert_eq!(address("https://h/x").unwrap(), "https://h/x");
        assert!(refused("0b1b8a5e-7d7b-4c3e-8a7e-2f1f4d1f0a11").contains("Glance"));
        assert!(refused("ftp://h/x").contains("only http, https and file"));
        assert!(refused("kernel").contains("neither a URL"));
    }
}
