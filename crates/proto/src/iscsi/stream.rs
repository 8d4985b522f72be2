//! PDUs read from and written to a socket, without the socket and without copies of their data.
//!
//! A [`FrameReader`] says where the next bytes belong, a [`FrameWriter`] which bytes go out next.

use super::{
    DecodeError,
    frame::{Frame, Framing, Head, Layout, Tail},
    pdu::{BHS_LENGTH, Bhs},
};
use bytes::{Bytes, BytesMut};
use std::{collections::VecDeque, io::IoSlice};

#[derive(Debug, Clone, Copy)]
enum Part {
    Header,
    /// Additional headers and the digest.
    Headers(Bhs, Layout),
    /// Data with what follows it.
    Data(Bhs, Layout),
}

/// Puts PDUs together.
#[derive(Debug)]
pub struct FrameReader {
    framing: Framing,
    part: Part,
    buffer: BytesMut,
    filled: usize,
}

impl FrameReader {
    pub fn new(framing: Framing) -> Self {
        Self {
            framing,
            part: Part::Header,
            buffer: BytesMut::zeroed(BHS_LENGTH),
            filled: 0,
        }
    }

    /// Changes the framing; only between PDUs.
    pub fn set_framing(&mut self, framing: Framing) {
        self.framing = framing;
    }

    /// Where the next bytes belong; never empty.
    pub fn space(&mut self) -> &mut [u8] {
        self.buffer.get_mut(self.filled..).unwrap_or_default()
    }

    /// Notes that so many bytes of the space were filled; the PDU that is complete by that.
    pub fn filled(&mut self, bytes: usize) -> Result<Option<Frame>, DecodeError> {
        self.filled += bytes;
        if self.filled < self.buffer.len() {
            return Ok(None);
        }
        loop {
            let done = std::mem::take(&mut self.buffer);
            let next = match self.part {
                Part::Header => {
                    let header = done.first_chunk().ok_or(DecodeError::HeaderDigest)?;
                    let bhs = Bhs(*header);
                    Part::Headers(bhs, self.framing.layout(&bhs)?)
                }
                Part::Headers(bhs, layout) => {
                    self.framing.check_headers(&bhs, &done)?;
                    Part::Data(bhs, layout)
                }
                Part::Data(bhs, layout) => {
                    let frame = self.complete(bhs, layout, done)?;
                    self.expect(Part::Header, BHS_LENGTH);
                    return Ok(Some(frame));
                }
            };
            let length = match next {
                Part::Header => BHS_LENGTH,
                Part::Headers(_, layout) => layout.headers,
                Part::Data(_, layout) => layout.data + layout.tail,
            };
            self.expect(next, length);
            if length > 0 {
                return Ok(None);
            }
        }
    }

    fn expect(&mut self, part: Part, length: usize) {
        self.part = part;
        self.filled = 0;
        self.buffer = BytesMut::zeroed(length);
    }

    fn complete(
        &self,
        bhs: Bhs,
        layout: Layout,
        mut buffer: BytesMut,
    ) -> Result<Frame, DecodeError> {
        let tail = buffer.split_off(layout.data.min(buffer.len()));
        self.framing.check_data(&buffer, &tail)?;
        let data = buffer.freeze();
        Ok(Frame { bhs, data })
    }
}

#[derive(Debug)]
struct Written {
    head: Head,
    data: Bytes,
    tail: Tail,
}

impl Written {
    fn parts(&self) -> [&[u8]; 3] {
        [self.head.as_ref(), &self.data, self.tail.as_ref()]
    }

    fn len(&self) -> usize {
        self.parts().iter().map(|part| part.len()).sum()
    }
}

/// PDUs on their way out.
#[derive(Debug, Default)]
pub struct FrameWriter {
    frames: VecDeque<Written>,
    /// How much of the first PDU is gone.
    gone: usize,
    /// How much is left of all.
    left: usize,
}

impl FrameWriter {
    pub fn push(&mut self, framing: &Framing, bhs: Bhs, data: Bytes) {
        let written = Written {
            head: framing.head(bhs, &data),
            tail: framing.tail(&data),
            data,
        };
        self.left += written.len();
        self.frames.push_back(written);
    }

    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// How many bytes are to be written.
    pub fn remaining(&self) -> usize {
        self.left
    }

    /// The next bytes, for a vectored write; at most `limit` slices.
    pub fn slices(&self, limit: usize) -> Vec<IoSlice<'_>> {
        let mut skip = self.gone;
        let mut slices = Vec::new();
        for part in self.frames.iter().flat_map(|written| written.parts()) {
            let skipped = skip.min(part.len());
            skip -= skipped;
            let rest = part.get(skipped..).unwrap_or_default();
            if !rest.is_empty() {
                slices.push(IoSlice::new(rest));
            }
            if slices.len() >= limit {
                break;
            }
        }
        slices
    }

    /// Notes that so many bytes were written.
    pub fn written(&mut self, bytes: usize) {
        self.gone += bytes;
        self.left = self.left.saturating_sub(bytes);
        while let Some(first) = self.frames.front() {
            let length = first.len();
            if self.gone < length {
                break;
            }
            self.gone -= length;
            self.frames.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iscsi::pdu::NopOut;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            payloads in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..70), 1..6),
            digests: bool,
            step in 1_usize..200,
        ) {
            let framing = Framing { header_digest: digests, data_digest: digests, ..Framing::default() };
            let (mut writer, mut reader) = (FrameWriter::default(), FrameReader::new(framing));
            for data in &payloads {
                writer.push(&framing, NopOut::default().encode(), data.clone().into());
            }
            let mut read = Vec::new();
            while !writer.is_empty() {
                let bytes: Vec<u8> = writer.slices(3).concat_bytes();
                let bytes = &bytes[..bytes.len().min(step)];
                writer.written(bytes.len());
                let mut rest = bytes;
                while !rest.is_empty() {
                    let space = reader.space();
                    let length = space.len().min(rest.len());
                    space[..length].copy_from_slice(&rest[..length]);
                    rest = &rest[length..];
                    read.extend(reader.filled(length).unwrap().map(|frame| frame.data.to_vec()));
                }
            }
            prop_assert_eq!(writer.remaining(), 0);
            prop_assert_eq!(read, payloads);
        }
    }

    trait Concat {
        fn concat_bytes(&self) -> Vec<u8>;
    }

    impl Concat for Vec<IoSlice<'_>> {
        fn concat_bytes(&self) -> Vec<u8> {
            self.iter()
                .flat_map(|slice| slice.iter().copied())
                .collect()
        }
    }
}
