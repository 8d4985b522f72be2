//! DHCP for both families, with what network boot adds to it.
//!
//! [`v4`] and [`v6`] are the messages, [`options`] the option list of version 4 (RFC 2132 and
//! RFC 3396), [`pxe`] what firmware puts into it about itself (architectures, vendor options of PXE
//! and iPXE). Values are kept as bytes and decoded on demand: a client that sends nonsense in an
//! option that the server does not use is served all the same.

pub mod options;
pub mod pxe;
pub mod v4;
pub mod v6;

use crate::reader::{Reader, Short};

/// Bytes that are no DHCP message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the {what} is cut short")]
    Short { what: &'static str },
    #[error("the {what} is {value}, which means nothing here")]
    Value { what: &'static str, value: u32 },
}

/// A message that cannot be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    #[error("the options need more than the {room} bytes that the client takes")]
    TooLong { room: usize },
    #[error("a field of {length} bytes does not fit into {room}")]
    Field { length: usize, room: usize },
}

impl From<Short> for DecodeError {
    fn from(Short { what }: Short) -> Self {
        Self::Short { what }
    }
}
