//! qcow2 images in two passes: the tables by ranges, then the file in its own order.
//!
//! The tables say where each part of the disk lies in the file. Turned around and sorted by the
//! place in the file, they let the file pass once, front to back, each cluster going to its place on
//! the disk when it comes by; compressed clusters are unpacked on the way. What no cluster covers is
//! zeroed first. As the tables pass again with the rest, they are compared with those of the first
//! reading, so that the checksum of the file also vouches for the map.

mod extent;
mod window;

use super::{CHUNK, Options, Put, Tap, Watch, Written, finish, fits};
use crate::{Format, ImageError, sink::Sink, source::Source};
use extent::Map;
use flate2::{Decompress, FlushDecompress};
use proto::disk::qcow2::{Compression, Header, Qcow2Error};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::io::Read;
use window::Window;

pub(super) fn write(
    source: &dyn Source,
    sink: &mut dyn Sink,
    options: &Options,
    watch: Watch<'_>,
) -> Result<Written, ImageError> {
    let image = source.shown();
    if !source.stat().ranges {
        return Err(ImageError::NoRanges {
            image: image.to_owned(),
        });
    }
    let mut map = Map::read(source, options.table_memory)?;
    let header = map.header;
    fits(header.virtual_size, sink, options, source)?;
    let mut put = Put::new(sink, image);
    map.holes(&mut |offset, length| put.zeros(offset, length))?;
    let extents = map.in_file_order(source)?;
    let tap = Tap::open(source, options.checksum.as_ref(), watch)?;
    let mut window = Window::new(tap, &map.tables);
    let mut unpack = Unpacker::new(&header);
    for extent in &extents {
        window.skip_to(extent.host)?;
        if extent.packed {
            let part = window.at_most(extent.length)?;
            let cluster = unpack.cluster(part).map_err(|reason| ImageError::Qcow2 {
                image: image.to_owned(),
                source: Qcow2Error::Inconsistent(reason),
            })?;
            let left = header.virtual_size - extent.guest;
            let length = usize::try_from(left)
                .unwrap_or(usize::MAX)
                .min(cluster.len());
            put.bytes(extent.guest, &cluster[..length])?;
            continue;
        }
        let mut done = 0;
        while done < extent.length {
            let wanted = (extent.length - done).min(CHUNK as u64);
            let part = window.at_most(wanted)?;
            put.bytes(extent.guest + done, part)?;
            // Beyond the end of the file there is less than a cluster, which reads as zeros.
            put.zeros(
                extent.guest + done + part.len() as u64,
                wanted - part.len() as u64,
            )?;
            done += wanted;
            window.skip_to(extent.host + done)?;
        }
    }
    let data_bytes = put.finish()?;
    let (tap, digest) = window.finish()?;
    if digest != map.digest {
        return Err(ImageError::Changed {
            image: image.to_owned(),
            what: "its tables are others than at first",
        });
    }
    let source_bytes = finish(tap, options, source, sink, header.virtual_size)?;
    Ok(Written {
        format: Format::Qcow2,
        packing: None,
        source_bytes,
        image_bytes: header.virtual_size,
        data_bytes,
    })
}

/// Whether the tables of an image could be followed.
#[cfg(feature = "server")]
pub(crate) fn check(source: &dyn Source, table_memory: u64) -> Result<(), ImageError> {
    Map::read(source, table_memory)?
        .in_file_order(source)
        .map(drop)
}

/// Compressed clusters, each on its own.
pub(crate) struct Unpacker {
    compression: Compression,
    deflate: Decompress,
    zstd: FrameDecoder,
    cluster: Vec<u8>,
}

impl Unpacker {
    pub(crate) fn new(header: &Header) -> Self {
        let size = usize::try_from(header.cluster_size()).unwrap_or(0);
        Self {
            compression: header.compression,
            deflate: Decompress::new(false),
            zstd: FrameDecoder::new(),
            cluster: vec![0; size],
        }
    }

    /// What follows the packed data up to the end of its sector belongs to somebody else.
    pub(crate) fn cluster(&mut self, packed: &[u8]) -> Result<&[u8], &'static str> {
        const BROKEN: &str = "a compressed cluster cannot be unpacked";
        match self.compression {
            Compression::Deflate => {
                self.deflate.reset(false);
                self.deflate
                    .decompress(packed, &mut self.cluster, FlushDecompress::Finish)
                    .map_err(|_| BROKEN)?;
                if self.deflate.total_out() != self.cluster.len() as u64 {
                    return Err(BROKEN);
                }
            }
            Compression::Zstd => {
                self.zstd.set_max_window_size(4 << 20);
                StreamingDecoder::new_with_decoder(packed, &mut self.zstd)
                    .map_err(|_| BROKEN)?
                    .read_exact(&mut self.cluster)
                    .map_err(|_| BROKEN)?;
            }
        }
        Ok(&self.cluster)
    }
}
