//! Frames: the units of everything on a connection (AMQP 0-9-1 §4.2.3).

use super::{DecodeError, Method, Properties};

/// The protocol header, which the client sends first (AMQP 0-9-1 §4.2.2).
pub const PROTOCOL_HEADER: [u8; 8] = *b"AMQP\0\0\x09\x01";

/// `frame-end`. A frame that does not end with it is a framing error, which is fatal.
const END: u8 = 0xce;
/// Type, channel and size before the payload.
const HEAD: usize = 7;
/// The bytes of a frame besides its payload; `frame-max` includes them.
pub const OVERHEAD: u32 = 8;

/// A frame with its decoded payload. A heartbeat has none.
#[derive(Debug, Clone, PartialEq)]
pub enum Frame {
    Method {
        channel: u16,
        method: Method,
    },
    Header {
        channel: u16,
        size: u64,
        properties: Properties,
    },
    Body {
        channel: u16,
        bytes: Vec<u8>,
    },
    Heartbeat,
}

impl Frame {
    /// Decodes the first frame of `bytes` and returns its length; `None` while it is incomplete.
    pub fn decode(bytes: &[u8], limit: u32) -> Result<Option<(Self, usize)>, DecodeError> {
        let Some((head, rest)) = bytes.split_first_chunk::<HEAD>() else {
            return Ok(None);
        };
        let [kind, high, low, size @ ..] = *head;
        if kind == b'A' {
            // A server that does not support the version answers with the protocol header of one
            // that it supports, and closes the connection (AMQP 0-9-1 §4.2.2).
            return Err(DecodeError::Protocol);
        }
        let (channel, size) = (u16::from_be_bytes([high, low]), u32::from_be_bytes(size));
        if size > limit.saturating_sub(OVERHEAD) {
            let size = u64::from(size) + u64::from(OVERHEAD);
            return Err(DecodeError::TooLarge { size, limit });
        }
        let length = usize::try_from(size).map_err(|_| DecodeError::Short)?;
        let (Some(payload), Some(&end)) = (rest.get(..length), rest.get(length)) else {
            return Ok(None);
        };
        if end != END {
            return Err(DecodeError::NoEnd);
        }
        let frame = match kind {
            1 => Self::Method {
                channel,
                method: Method::decode(payload)?,
            },
            2 => {
                let (size, properties) = Properties::decode(payload)?;
                Self::Header {
                    channel,
                    size,
                    properties,
                }
            }
            3 => Self::Body {
                channel,
                bytes: payload.to_vec(),
            },
            8 if payload.is_empty() => Self::Heartbeat,
            8 => return Err(DecodeError::Surplus),
            other => return Err(DecodeError::FrameType(other)),
        };
        Ok(Some((frame, HEAD + length + 1)))
    }

    /// Appends the encoded frame.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Method { channel, method } => put(out, 1, *channel, |out| method.encode(out)),
            Self::Header {
                channel,
                size,
                properties,
            } => put(out, 2, *channel, |out| properties.encode(*size, out)),
            Self::Body { channel, bytes } => put_body(out, *channel, bytes),
            Self::Heartbeat => put(out, 8, 0, |_| {}),
        }
    }
}

/// Appends a body frame, without a copy of the bytes first.
pub(super) fn put_body(out: &mut Vec<u8>, channel: u16, bytes: &[u8]) {
    put(out, 3, channel, |out| out.extend_from_slice(bytes));
}

fn put(out: &mut Vec<u8>, kind: u8, channel: u16, payload: impl FnOnce(&mut Vec<u8>)) {
    out.push(kind);
    out.extend_from_slice(&channel.to_be_bytes());
    let start = out.len();
    out.extend_from_slice(&[0; 4]);
    payload(out);
    let size = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
    out[start..start + 4].copy_from_slice(&size.to_be_bytes());
    out.push(END);
}
