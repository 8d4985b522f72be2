//! Bytes on their way to the sink: long runs of zeros are made, not written.

use crate::{ImageError, sink::Sink};

/// The smallest run that is worth a request of its own.
const BLOCK: usize = 64 << 10;

pub(super) struct Put<'a> {
    sink: &'a mut dyn Sink,
    image: &'a str,
    /// Zeros that may become more: where they start and end.
    zeros: Option<(u64, u64)>,
    written: u64,
}

impl<'a> Put<'a> {
    pub(super) fn new(sink: &'a mut dyn Sink, image: &'a str) -> Self {
        Self {
            sink,
            image,
            zeros: None,
            written: 0,
        }
    }

    pub(super) fn sink(&self) -> &dyn Sink {
        self.sink
    }

    pub(super) fn bytes(&mut self, offset: u64, data: &[u8]) -> Result<(), ImageError> {
        let mut at = offset;
        let mut rest = data;
        while !rest.is_empty() {
            let zeros = same(rest, true);
            let (length, zero) = if zeros > 0 {
                (zeros, true)
            } else {
                (same(rest, false), false)
            };
            let (part, tail) = rest.split_at(length);
            if zero {
                self.zeros(at, length as u64)?;
            } else {
                self.flush()?;
                self.sink.write_at(at, part).map_err(self.failed(at))?;
                self.written += length as u64;
            }
            at += length as u64;
            rest = tail;
        }
        Ok(())
    }

    pub(super) fn zeros(&mut self, offset: u64, length: u64) -> Result<(), ImageError> {
        match &mut self.zeros {
            Some((_, end)) if *end == offset => *end += length,
            _ => {
                self.flush()?;
                self.zeros = (length > 0).then_some((offset, offset + length));
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), ImageError> {
        let Some((start, end)) = self.zeros.take() else {
            return Ok(());
        };
        self.sink
            .zero(start, end - start)
            .map_err(self.failed(start))
    }

    fn failed(&self, offset: u64) -> impl FnOnce(std::io::Error) -> ImageError + use<> {
        ImageError::write(format!("{} at byte {offset} of the disk", self.image))
    }

    /// How many bytes were written.
    pub(super) fn finish(mut self) -> Result<u64, ImageError> {
        self.flush()?;
        Ok(self.written)
    }
}

/// How far the data are alike, in blocks: nothing but zeros, or not.
fn same(data: &[u8], zero: bool) -> usize {
    data.chunks(BLOCK)
        .take_while(|block| is_zero(block) == zero)
        .map(<[u8]>::len)
        .sum()
}

fn is_zero(block: &[u8]) -> bool {
    // Words are compared many at a time by the compiler; bytes with an early end are not.
    let mut lines = block.chunks_exact(64);
    lines
        .by_ref()
        .all(|line| line.iter().fold(0, |all, byte| all | byte) == 0)
        && lines.remainder().iter().all(|byte| *byte == 0)
}
