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

/// Takes bytes in network order off the front of a slice.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
    what: &'static str,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(what: &'static str, bytes: &'a [u8]) -> Self {
        Self { rest: bytes, what }
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let what = self.what;
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or(DecodeError::Short { what })?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let what = self.what;
        let (taken, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or(DecodeError::Short { what })?;
        self.rest = rest;
        Ok(*taken)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, DecodeError> {
        Ok(self.array::<1>()?[0])
    }

    pub(crate) fn u16(&mut self) -> Result<u16, DecodeError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}
