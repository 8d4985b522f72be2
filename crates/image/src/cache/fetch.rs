//! One image on its way into the cache: fetch, check, unpack, convert, link.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files are only touched within `blocking`"
)]

use super::{
    Cache, Caches, ImageRequest, Outcome, Unpack, blocking,
    master::{Master, Workshop, is_link_to},
    room::Room,
};
use crate::{
    Format, ImageError, Packing,
    convert::{self, Options},
    inspect::Rules,
    sink::{DiskSink, Sink},
    source::{FileSource, Source, Stat},
};
use proto::disk::detect;
use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
};

/// After how many bytes it is looked at whether there is room for more.
const LOOK_AT_ROOM: u64 = 16 << 20;

pub(super) async fn fetch(
    cache: &Cache,
    caches: &Caches,
    wanted: &ImageRequest,
    master: &Master,
) -> Result<Outcome, ImageError> {
    let source = open(cache, wanted).await?;
    let stat = source.stat().clone();
    let (copy, now, asked) = (master.clone(), stat.clone(), wanted.clone());
    let (fresh, present) = blocking(move || {
        let fresh = copy.is_fresh(&now, asked.checksum.as_ref());
        let present = fresh && is_link_to(&asked.destination, &copy.path);
        if !present {
            remove(&asked.destination)?;
        }
        if !fresh {
            remove(&copy.path)?;
        }
        Ok((fresh, present))
    })
    .await?;
    if present {
        return Ok(Outcome::Present);
    }
    if fresh {
        let (master, destination) = (master.path.clone(), wanted.destination.clone());
        let tidy = cache.tidy.clone();
        blocking(move || {
            let _no_cleaning = tidy.lock().unwrap_or_else(PoisonError::into_inner);
            link_or_copy(&master, &destination)
        })
        .await?;
        return Ok(Outcome::Hit);
    }
    download(cache, caches, wanted, master, source, stat).await?;
    Ok(Outcome::Downloaded)
}

async fn open(cache: &Cache, wanted: &ImageRequest) -> Result<Arc<dyn Source>, ImageError> {
    if let Some(source) = &wanted.source {
        return Ok(Arc::clone(source));
    }
    if wanted.href.starts_with("file:") {
        let (rules, href) = (cache.context.files.clone(), wanted.href.clone());
        return blocking(move || {
            Ok(Arc::new(FileSource::open(&rules.path(&href)?)?) as Arc<dyn Source>)
        })
        .await;
    }
    Ok(Arc::new(cache.context.http.open(&wanted.href).await?))
}

fn remove(path: &Path) -> Result<(), ImageError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(ImageError::write(path.display())(error))
        }
        _ => Ok(()),
    }
}

pub(crate) fn link_or_copy(from: &Path, to: &Path) -> Result<(), ImageError> {
    if let Err(error) = fs::hard_link(from, to) {
        tracing::debug!(from = %from.display(), to = %to.display(), %error, "copying instead of linking");
        fs::copy(from, to).map_err(ImageError::write(to.display()))?;
    }
    Ok(())
}

async fn download(
    cache: &Cache,
    caches: &Caches,
    wanted: &ImageRequest,
    master: &Master,
    source: Arc<dyn Source>,
    stat: Stat,
) -> Result<(), ImageError> {
    let _running = cache.running.begin(&master.name, &wanted.href, stat.size);
    let _slot = cache.context.downloads.acquire().await;
    caches
        .make_room(&cache.settings.folder, stat.size.unwrap_or(0))
        .await?;
    // A small file may unpack to anything, and a full disk would be everybody's problem.
    let free = caches.free(&cache.settings.folder).await?;
    let job = Job {
        room: caches.room(&cache.settings.folder),
        folder: cache.settings.folder.clone(),
        most_unpacked: free.saturating_sub(stat.size.unwrap_or(0)) / 16 * 15,
        rules: cache.settings.rules.clone(),
        unpack: cache.settings.unpack,
        local: wanted.href.starts_with("file:"),
        wanted: wanted.clone(),
        name: master.name.clone(),
    };
    let shown = source.shown().to_owned();
    let (job, workshop, part) = blocking(move || job.download(source.as_ref())).await?;
    let (job, workshop, ready) = match job.conversion(&part, &shown)? {
        None => (job, workshop, part),
        Some(plan) => {
            let estimate = plan.estimate(cache.context.growth);
            if caches
                .make_room(&cache.settings.folder, plan.virtual_size)
                .await
                .is_err()
            {
                caches.make_room(&cache.settings.folder, estimate).await?;
            }
            blocking(move || {
                let raw = job.convert(&workshop, &part, &shown)?;
                Ok((job, workshop, raw))
            })
            .await?
        }
    };
    let master = (!stat.no_store).then(|| master.path.clone());
    blocking(move || job.publish(workshop, &ready, &stat, master.as_deref())).await
}

/// What a worker needs to know.
struct Job {
    room: Room,
    folder: PathBuf,
    most_unpacked: u64,
    rules: Option<Rules>,
    unpack: Unpack,
    /// A file of this machine is linked, not copied.
    local: bool,
    wanted: ImageRequest,
    name: String,
}

struct Conversion {
    virtual_size: u64,
    actual_size: u64,
}

impl Conversion {
    /// What it will take if images grow by this factor. Only a guess, hence the float.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss
    )]
    fn estimate(&self, growth: f64) -> u64 {
        ((self.actual_size as f64 * growth) as u64).min(self.virtual_size)
    }
}

impl Job {
    fn download(self, source: &dyn Source) -> Result<(Self, Workshop, PathBuf), ImageError> {
        let workshop =
            Workshop::new(&self.folder).map_err(ImageError::write(self.folder.display()))?;
        let part = workshop.path(&format!("{}.part", self.name));
        let linked = self.local
            && fs::canonicalize(source.shown())
                .is_ok_and(|real| fs::hard_link(real, &part).is_ok());
        self.copy(source, (!linked).then_some(part.as_path()))?;
        let part = self.unpacked(&workshop, part)?;
        Ok((self, workshop, part))
    }

    /// Reads the source to its end and compares the checksum; writes it to a file if one is given.
    fn copy(&self, source: &dyn Source, to: Option<&Path>) -> Result<(), ImageError> {
        if to.is_none() && self.wanted.checksum.is_none() {
            return Ok(());
        }
        let mut sink: Box<dyn Sink> = match to {
            None => Box::new(Nowhere),
            Some(path) => {
                let failed = || ImageError::write(path.display());
                let file = File::create_new(path).map_err(failed())?;
                Box::new(DiskSink::of(file).map_err(failed())?)
            }
        };
        // Not everybody says how much will come, and others fill the disk at the same time.
        let (mut copied, mut looks_at) = (0, 0);
        let copying = convert::copy(
            source,
            sink.as_mut(),
            self.wanted.checksum.as_ref(),
            &mut |progress| {
                copied = progress.done;
                if to.is_none() || copied < looks_at {
                    return ControlFlow::Continue(());
                }
                looks_at = copied + LOOK_AT_ROOM;
                match self.room.free() {
                    Ok(0) => ControlFlow::Break(()),
                    _ => ControlFlow::Continue(()),
                }
            },
        );
        copying.map_err(|error| match error {
            ImageError::Stopped { .. } => ImageError::NoSpace {
                path: self.folder.clone(),
                needed: copied,
                free: 0,
            },
            other => other,
        })
    }

    fn unpacked(&self, workshop: &Workshop, part: PathBuf) -> Result<PathBuf, ImageError> {
        let source = FileSource::open(&part)?;
        let packing = match (self.unpack, Packing::of(&source.read_at(0, 16)?)) {
            (Unpack::Everything, Some(packing)) => packing,
            (Unpack::Zstd, Some(Packing::Zstd)) => Packing::Zstd,
            _ => return Ok(part),
        };
        let path = workshop.path(&format!("{}.unpacked", self.name));
        let failed = || ImageError::write(path.display());
        let mut out = BufWriter::with_capacity(1 << 20, File::create_new(&path).map_err(failed())?);
        convert::unpack_only(&source, packing, &mut out, Some(self.most_unpacked))?;
        out.flush().map_err(failed())?;
        remove(&part)?;
        Ok(path)
    }

    /// Checks the format; tells what a conversion needs, if there is to be one.
    fn conversion(&self, part: &Path, shown: &str) -> Result<Option<Conversion>, ImageError> {
        let Some(rules) = &self.rules else {
            return Ok(None);
        };
        let source = FileSource::open(part)?;
        let size = source.stat().size.unwrap_or(0);
        let prefix = source.read_at(0, detect::PREFIX)?;
        let tail = source.read_at(size.saturating_sub(detect::TAIL as u64), detect::TAIL)?;
        let found = rules.check(&prefix, &tail, self.wanted.declared.as_deref(), shown)?;
        let as_it_is = found.format.is_raw() || found.format == Format::Iso;
        Ok((self.wanted.raw && !as_it_is).then_some(Conversion {
            virtual_size: found.virtual_size.unwrap_or(size),
            actual_size: size,
        }))
    }

    fn convert(
        &self,
        workshop: &Workshop,
        part: &Path,
        shown: &str,
    ) -> Result<PathBuf, ImageError> {
        let path = workshop.path(&self.name);
        let failed = || ImageError::write(path.display());
        let file = File::create_new(&path).map_err(failed())?;
        let mut sink = DiskSink::of(file).map_err(failed())?;
        let options = Options {
            rules: self.rules.clone().unwrap_or_default(),
            unpack: false,
            // The conductor is where images are converted that nobody else can.
            table_memory: 1 << 30,
            ..Options::default()
        };
        let source = FileSource::open(part)?;
        let written = convert::write(&source, &mut sink, &options, &mut |_| {
            ControlFlow::Continue(())
        })?;
        tracing::debug!(
            image = shown,
            bytes = written.image_bytes,
            "converted to raw"
        );
        remove(part)?;
        let made = FileSource::open(&path)?;
        // What is inside must not be a format again: it would be taken for one further on.
        let within = detect::inspect(&made.read_at(0, detect::PREFIX)?, &[]);
        match within {
            Ok(found) if found.format.is_raw() => Ok(path),
            Ok(found) => Err(ImageError::Unsupported {
                image: shown.to_owned(),
                what: format!("{} within {}", found.format, written.format),
            }),
            Err(source) => Err(ImageError::Unsafe {
                image: shown.to_owned(),
                source,
            }),
        }
    }

    /// Gives the copy its names.
    fn publish(
        &self,
        workshop: Workshop,
        ready: &Path,
        stat: &Stat,
        master: Option<&Path>,
    ) -> Result<(), ImageError> {
        let destination = &self.wanted.destination;
        let Some(master) = master else {
            return link_or_copy(ready, destination);
        };
        let failed = || ImageError::write(master.display());
        Master::mark(
            ready,
            stat,
            self.wanted.checksum.as_ref(),
            &self.wanted.href,
        );
        File::open(ready)
            .and_then(|file| file.sync_all())
            .map_err(failed())?;
        // The name in the workshop keeps it from being cleaned away until both links are made.
        fs::hard_link(ready, master).map_err(failed())?;
        File::open(&self.folder)
            .and_then(|folder| folder.sync_all())
            .map_err(failed())?;
        link_or_copy(master, destination)?;
        // Only now may the name in it go.
        drop(workshop);
        Ok(())
    }
}

/// For what is only to be hashed.
struct Nowhere;

impl Sink for Nowhere {
    fn capacity(&self) -> Option<u64> {
        None
    }

    fn write_at(&mut self, _: u64, _: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn zero(&mut self, _: u64, _: u64) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, _: u64) -> io::Result<()> {
        Ok(())
    }
}
