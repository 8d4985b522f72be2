//! Packed streams, unpacked while they pass.
//!
//! Files may consist of several streams after each other, as parallel compressors write them.
//! Memory is bounded: a stream that asks for a larger window than [`MOST_WINDOW`] is refused.

use crate::Packing;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use ruzstd::decoding::{
    BlockDecodingStrategy, FrameDecoder,
    errors::{FrameDecoderError, ReadFrameHeaderError},
};
use std::io::{self, BufRead, BufReader, Read};

/// What the strongest settings of the usual programs need, and nothing beyond.
const MOST_WINDOW: u64 = 128 << 20;
/// In between, so that decoders find what they need in one go.
const BUFFER: usize = 256 << 10;

/// A reader of what is inside; `None` if there is no decoder for this packing.
pub fn unpacked<'a>(
    packing: Packing,
    source: impl Read + Send + 'a,
) -> Option<Box<dyn Read + Send + 'a>> {
    let source = BufReader::with_capacity(BUFFER, source);
    match packing {
        Packing::Gzip => Some(Box::new(MultiGzDecoder::new(source))),
        Packing::Xz => {
            let limit = u32::try_from(MOST_WINDOW / 1024).unwrap_or(u32::MAX) + (1 << 10);
            Some(Box::new(XzReader::new_mem_limit(source, true, limit)))
        }
        Packing::Zstd => Some(Box::new(Zstd::new(source))),
        Packing::Bzip2 => None,
    }
}

/// Frames of zstd, one after the other, with those in between that are to be skipped.
struct Zstd<R> {
    source: R,
    decoder: FrameDecoder,
    within_frame: bool,
}

impl<R: BufRead> Zstd<R> {
    fn new(source: R) -> Self {
        let mut decoder = FrameDecoder::new();
        decoder.set_max_window_size(MOST_WINDOW);
        Self {
            source,
            decoder,
            within_frame: false,
        }
    }

    /// Whether there is another frame.
    fn next_frame(&mut self) -> io::Result<bool> {
        loop {
            if self.source.fill_buf()?.is_empty() {
                return Ok(false);
            }
            match self.decoder.reset(&mut self.source) {
                Ok(()) => {
                    self.within_frame = true;
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let skipped = io::copy(
                        &mut (&mut self.source).take(u64::from(length)),
                        &mut io::sink(),
                    )?;
                    if skipped < u64::from(length) {
                        return Err(io::ErrorKind::UnexpectedEof.into());
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}

impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            if !self.within_frame && !self.next_frame()? {
                return Ok(0);
            }
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                self.decoder
                    .decode_blocks(&mut self.source, BlockDecodingStrategy::UptoBlocks(1))
                    .map_err(io::Error::other)?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            // The frame is at its end; its own checksum is only compared by who asks.
            let stored = self.decoder.get_checksum_from_data();
            if stored.is_some() && stored != self.decoder.get_calculated_checksum() {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidData,
                    "the zstd checksum is wrong",
                ));
            }
            self.within_frame = false;
        }
    }
}
