//! PDUs in a stream (RFC 7143 §11.1): header, additional headers, digest, data, padding, digest.
//!
//! A program reads the 48 bytes of the header, asks [`Framing::layout`] how much follows, and
//! reads the data to where it is needed. [`decode`] does the same with bytes that are there.

use super::{
    DEFAULT_SEGMENT, DecodeError,
    crc32c::{self, Crc32c},
    pdu::{BHS_LENGTH, Bhs},
};
use bytes::Bytes;

/// How the PDUs of a connection are framed in one direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Framing {
    pub header_digest: bool,
    pub data_digest: bool,
    /// The largest data segment.
    pub segment_limit: usize,
}

impl Default for Framing {
    /// As during login: no digests.
    fn default() -> Self {
        Self {
            header_digest: false,
            data_digest: false,
            segment_limit: DEFAULT_SEGMENT as usize,
        }
    }
}

/// What follows a header, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Additional headers with the digest of all headers.
    pub headers: usize,
    pub data: usize,
    /// Padding to four bytes, and the digest of the data.
    pub tail: usize,
}

/// A PDU: its header and its data segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    pub bhs: Bhs,
    pub data: Bytes,
}

impl Framing {
    pub fn layout(&self, bhs: &Bhs) -> Result<Layout, DecodeError> {
        let (ahs, data) = (bhs.ahs_length(), bhs.data_length());
        if data > self.segment_limit {
            let (size, limit) = (data, self.segment_limit);
            return Err(DecodeError::TooLarge { size, limit });
        }
        let digest = if self.data_digest && data > 0 { 4 } else { 0 };
        Ok(Layout {
            headers: ahs + if self.header_digest { 4 } else { 0 },
            data,
            tail: padding(data) + digest,
        })
    }

    /// Compares the header digest; `rest` are the additional headers with the digest.
    pub fn check_headers(&self, bhs: &Bhs, rest: &[u8]) -> Result<(), DecodeError> {
        if !self.header_digest {
            return Ok(());
        }
        let (ahs, digest) = rest
            .split_last_chunk::<4>()
            .ok_or(DecodeError::HeaderDigest)?;
        let right = Crc32c::default().update(&bhs.0).update(ahs).finish() == *digest;
        right.then_some(()).ok_or(DecodeError::HeaderDigest)
    }

    /// Compares the data digest; `tail` are the padding and the digest.
    pub fn check_data(&self, data: &[u8], tail: &[u8]) -> Result<(), DecodeError> {
        if !self.data_digest || data.is_empty() {
            return Ok(());
        }
        let (padding, digest) = tail
            .split_last_chunk::<4>()
            .ok_or(DecodeError::DataDigest)?;
        let right = Crc32c::default().update(data).update(padding).finish() == *digest;
        right.then_some(()).ok_or(DecodeError::DataDigest)
    }

    /// What comes before the data of a PDU; sets the length in its header. There are no additional
    /// headers.
    pub fn head(&self, mut bhs: Bhs, data: &[u8]) -> Head {
        bhs.set_data_length(data.len());
        let mut bytes = [0; BHS_LENGTH + 4];
        let (header, digest) = bytes.split_at_mut(BHS_LENGTH);
        header.copy_from_slice(&bhs.0);
        let mut length = BHS_LENGTH;
        if self.header_digest {
            digest.copy_from_slice(&crc32c::digest(&bhs.0));
            length += 4;
        }
        Head { bytes, length }
    }

    /// What comes after the data of a PDU.
    pub fn tail(&self, data: &[u8]) -> Tail {
        let mut bytes = [0; 8];
        let mut length = padding(data.len());
        if self.data_digest && !data.is_empty() {
            let (zeros, rest) = bytes.split_at_mut(length);
            let digest = Crc32c::default().update(data).update(zeros).finish();
            rest[..4].copy_from_slice(&digest);
            length += 4;
        }
        Tail { bytes, length }
    }

    /// A PDU in one piece, appended.
    pub fn encode(&self, bhs: Bhs, data: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(self.head(bhs, data).as_ref());
        out.extend_from_slice(data);
        out.extend_from_slice(self.tail(data).as_ref());
    }
}

/// Header and digest.
#[derive(Debug, Clone, Copy)]
pub struct Head {
    bytes: [u8; BHS_LENGTH + 4],
    length: usize,
}

impl AsRef<[u8]> for Head {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

/// Padding and digest.
#[derive(Debug, Clone, Copy)]
pub struct Tail {
    bytes: [u8; 8],
    length: usize,
}

impl AsRef<[u8]> for Tail {
    fn as_ref(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

fn padding(length: usize) -> usize {
    length.wrapping_neg() % 4
}

/// Decodes the first PDU of `bytes` and returns its length; `None` while it is incomplete.
pub fn decode(bytes: &[u8], framing: &Framing) -> Result<Option<(Frame, usize)>, DecodeError> {
    let Some((header, rest)) = bytes.split_first_chunk::<BHS_LENGTH>() else {
        return Ok(None);
    };
    let bhs = Bhs(*header);
    let layout = framing.layout(&bhs)?;
    let Some((headers, rest)) = rest.split_at_checked(layout.headers) else {
        return Ok(None);
    };
    framing.check_headers(&bhs, headers)?;
    let Some((data, rest)) = rest.split_at_checked(layout.data) else {
        return Ok(None);
    };
    let Some(tail) = rest.get(..layout.tail) else {
        return Ok(None);
    };
    framing.check_data(data, tail)?;
    let length = BHS_LENGTH + layout.headers + layout.data + layout.tail;
    let data = Bytes::copy_from_slice(data);
    Ok(Some((Frame { bhs, data }, length)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::iscsi::pdu::NopOut;
    use proptest::prelude::*;

    #[test]
    fn a_changed_byte_is_noticed() {
        let framing = Framing {
            header_digest: true,
            data_digest: true,
            ..Framing::default()
        };
        let mut bytes = Vec::new();
        framing.encode(NopOut::default().encode(), b"hello", &mut bytes);
        assert_eq!(bytes.len(), 48 + 4 + 8 + 4);
        // Where a length changes, the PDU is incomplete or too long instead.
        for at in (0..bytes.len()).filter(|at| !(4..8).contains(at)) {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            let decoded = decode(&changed, &framing);
            let wrong = [DecodeError::HeaderDigest, DecodeError::DataDigest];
            assert!(decoded.is_err_and(|error| wrong.contains(&error)), "{at}");
        }
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(data: Vec<u8>, header_digest: bool, data_digest: bool) {
            let framing = Framing { header_digest, data_digest, ..Framing::default() };
            let mut bytes = Vec::new();
            framing.encode(NopOut::default().encode(), &data, &mut bytes);
            let (frame, length) = decode(&bytes, &framing).unwrap().unwrap();
            prop_assert_eq!((&frame.data[..], length), (&data[..], bytes.len()));
            prop_assert_eq!(bytes.len() % 4, 0);
            prop_assert_eq!(decode(&bytes[..length - 1], &framing), Ok(None));
        }
    }
}
