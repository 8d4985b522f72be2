//! From a source to a disk, in one pass over the network and in memory that does not grow.
//!
//! Raw images, also packed by gzip, xz or zstd, are written as they come. A qcow2 image has its
//! tables anywhere, so they are read first, by ranges; then the file passes once, in its own order,
//! and each cluster goes where the tables say ([`qcow2`]). Either way the checksum is that of the
//! bytes as they lie on the server, taken as they pass, and compared at the end: a disk whose image
//! turns out wrong was written nevertheless, and whoever called must treat it so.

mod put;
pub(crate) mod qcow2;
mod tap;

use crate::{
    Format, ImageError, Packing, checksum::Checksum, inspect::Rules, sink::Sink, source::Source,
    unpack,
};
use proto::disk::detect;
use put::Put;
use std::{
    io::{Cursor, Read},
    ops::ControlFlow,
};
use tap::Tap;

/// How much is handled at once.
const CHUNK: usize = 1 << 20;

/// How an image is to be treated.
#[derive(Debug, Clone)]
pub struct Options {
    pub checksum: Option<Checksum>,
    /// The format that the image is said to have.
    pub declared: Option<String>,
    pub rules: Rules,
    /// Whether gzip, xz and zstd are undone.
    pub unpack: bool,
    /// The most that an image may become when unpacked, besides what the sink has room for.
    pub most_bytes: Option<u64>,
    /// The most memory that the tables of a qcow2 image may take.
    pub table_memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            checksum: None,
            declared: None,
            rules: Rules::default(),
            unpack: true,
            most_bytes: None,
            table_memory: 64 << 20,
        }
    }
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes read from the source.
    pub done: u64,
    pub total: Option<u64>,
}

/// Told of every part that was read; says whether to go on.
pub type Watch<'a> = &'a mut (dyn FnMut(Progress) -> ControlFlow<()> + Send);

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    pub format: Format,
    pub packing: Option<Packing>,
    /// Bytes that came from the source.
    pub source_bytes: u64,
    /// The size of the disk that the image describes.
    pub image_bytes: u64,
    /// Bytes that were not zeros.
    pub data_bytes: u64,
}

/// Brings an image to a disk. Blocks; not for the threads of an async runtime.
pub fn write(
    source: &dyn Source,
    sink: &mut dyn Sink,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Written, ImageError> {
    let mut tap = Tap::open(source, options.checksum.as_ref(), watch)?;
    let prefix = tap.prefix(detect::PREFIX)?;
    if options.unpack
        && let Some(packing) = Packing::of(&prefix)
    {
        return packed(source, tap, prefix, packing, sink, options);
    }
    let found = options.rules.check(
        &prefix,
        &tail(source, &prefix)?,
        options.declared.as_deref(),
        source.shown(),
    )?;
    match found.format {
        Format::Raw | Format::Gpt | Format::Iso => {
            if let Some(size) = source.stat().size {
                fits(size, sink, options, source)?;
            }
            let reader = Cursor::new(prefix).chain(&mut tap);
            let (image_bytes, data_bytes) = raw(reader, sink, options, source)
                .map_err(|error| tap.failure().unwrap_or(error))?;
            finish(tap, options, source, sink, image_bytes)?;
            Ok(Written {
                format: found.format,
                packing: None,
                source_bytes: image_bytes,
                image_bytes,
                data_bytes,
            })
        }
        Format::Qcow2 => {
            // The connection is not kept while the tables are read.
            let watch = tap.into_watch();
            qcow2::write(source, sink, options, watch)
        }
        other => Err(ImageError::Unsupported {
            image: source.shown().to_owned(),
            what: format!("the format {other}"),
        }),
    }
}

fn packed(
    source: &dyn Source,
    mut tap: Tap<'_>,
    prefix: Vec<u8>,
    packing: Packing,
    sink: &mut dyn Sink,
    options: &Options,
) -> Result<Written, ImageError> {
    let image = source.shown();
    let unsupported = |what: String| ImageError::Unsupported {
        image: image.to_owned(),
        what,
    };
    let (format, image_bytes, data_bytes) = {
        let mut written = || -> Result<_, ImageError> {
            let reader = Cursor::new(&prefix).chain(&mut tap);
            let mut inner = unpack::unpacked(packing, reader)
                .ok_or_else(|| unsupported(format!("packing by {}", packing.as_str())))?;
            let mut start = Vec::new();
            inner
                .by_ref()
                .take(detect::PREFIX as u64)
                .read_to_end(&mut start)
                .map_err(|error| ImageError::from_unpack(error, image))?;
            let found = options
                .rules
                .check(&start, &[], options.declared.as_deref(), image)?;
            if !found.format.is_raw() && found.format != Format::Iso {
                return Err(unsupported(format!(
                    "{} within {}",
                    found.format,
                    packing.as_str()
                )));
            }
            let (image_bytes, data_bytes) =
                raw(Cursor::new(start).chain(inner), sink, options, source)?;
            Ok((found.format, image_bytes, data_bytes))
        };
        written().map_err(|error| tap.failure().unwrap_or(error))?
    };
    let source_bytes = finish(tap, options, source, sink, image_bytes)?;
    Ok(Written {
        format,
        packing: Some(packing),
        source_bytes,
        image_bytes,
        data_bytes,
    })
}

/// Copies a source as it is, whatever it holds, and compares its checksum. Blocks.
pub fn copy(
    source: &dyn Source,
    sink: &mut dyn Sink,
    checksum: Option<&Checksum>,
    watch: Watch<'_>,
) -> Result<(), ImageError> {
    let options = Options {
        checksum: checksum.cloned(),
        ..Options::default()
    };
    let mut tap = Tap::open(source, checksum, watch)?;
    let copied = raw(&mut tap, sink, &options, source);
    let (length, _) = copied.map_err(|error| tap.failure().unwrap_or(error))?;
    finish(tap, &options, source, sink, length)?;
    Ok(())
}

/// Unpacks a source into a file that has no format to be looked at: kernels, ramdisks, images that
/// are checked afterwards. Returns how many bytes came out. Blocks.
pub fn unpack_only(
    source: &dyn Source,
    packing: Packing,
    out: &mut dyn std::io::Write,
    most_bytes: Option<u64>,
) -> Result<u64, ImageError> {
    let image = source.shown();
    let reader =
        unpack::unpacked(packing, source.stream()?).ok_or_else(|| ImageError::Unsupported {
            image: image.to_owned(),
            what: format!("packing by {}", packing.as_str()),
        })?;
    let limit = most_bytes.unwrap_or(u64::MAX - 1);
    let mut reader = reader.take(limit + 1);
    let mut buffer = vec![0; CHUNK];
    let mut total = 0;
    loop {
        let count = reader
            .read(&mut buffer)
            .map_err(|error| ImageError::from_unpack(error, image))?;
        if count == 0 {
            return Ok(total);
        }
        total += count as u64;
        if total > limit {
            return Err(ImageError::TooLarge {
                image: image.to_owned(),
                limit,
            });
        }
        out.write_all(&buffer[..count])
            .map_err(ImageError::write("the unpacked image"))?;
    }
}

/// The end of an image, for the one format whose check needs it.
pub(crate) fn tail(source: &dyn Source, prefix: &[u8]) -> Result<Vec<u8>, ImageError> {
    if !detect::matches(prefix).contains(&Format::Vmdk) {
        return Ok(Vec::new());
    }
    match source.stat() {
        stat if !stat.ranges => Ok(Vec::new()),
        stat => {
            let start = stat.size.unwrap_or(0).saturating_sub(detect::TAIL as u64);
            source.read_at(start, detect::TAIL)
        }
    }
}

/// Writes bytes that are those of the disk. Returns how many there were and how many of them were
/// written, not zeroed.
fn raw(
    mut reader: impl Read,
    sink: &mut dyn Sink,
    options: &Options,
    source: &dyn Source,
) -> Result<(u64, u64), ImageError> {
    let mut put = Put::new(sink, source.shown());
    let mut buffer = vec![0; CHUNK];
    let mut at = 0;
    loop {
        let mut filled = 0;
        while let Some(room) = buffer.get_mut(filled..)
            && !room.is_empty()
        {
            let count = reader
                .read(room)
                .map_err(|error| ImageError::from_unpack(error, source.shown()))?;
            if count == 0 {
                break;
            }
            filled += count;
        }
        if filled == 0 {
            break;
        }
        fits(at + filled as u64, put.sink(), options, source)?;
        put.bytes(at, &buffer[..filled])?;
        at += filled as u64;
    }
    Ok((at, put.finish()?))
}

fn fits(
    needed: u64,
    sink: &dyn Sink,
    options: &Options,
    source: &dyn Source,
) -> Result<(), ImageError> {
    let image = || source.shown().to_owned();
    if let Some(limit) = options.most_bytes.filter(|limit| needed > *limit) {
        return Err(ImageError::TooLarge {
            image: image(),
            limit,
        });
    }
    match sink.capacity() {
        Some(capacity) if needed > capacity => Err(ImageError::DoesNotFit {
            image: image(),
            needed,
            capacity,
        }),
        _ => Ok(()),
    }
}

/// Reads what is left of the source, compares size and checksum, and waits for the medium.
fn finish(
    tap: Tap<'_>,
    options: &Options,
    source: &dyn Source,
    sink: &mut dyn Sink,
    image_bytes: u64,
) -> Result<u64, ImageError> {
    let (got, digest) = tap.finish()?;
    if let Some(expected) = source.stat().size.filter(|expected| *expected != got) {
        return Err(ImageError::Short {
            image: source.shown().to_owned(),
            expected,
            got,
        });
    }
    if let (Some(checksum), Some(found)) = (&options.checksum, digest) {
        checksum.check(&found, source.shown())?;
    }
    sink.finish(image_bytes)
        .map_err(ImageError::write("the disk"))?;
    Ok(got)
}

#[cfg(test)]
mod tests;
