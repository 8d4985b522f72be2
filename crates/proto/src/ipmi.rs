//! IPMI over LAN: RMCP, sessions of versions 1.5 and 2.0, and the commands that we use.
//!
//! From the outside in: a datagram is a [`packet`], authenticated and encrypted by a [`session`];
//! its payload is a [`message`] (a request or a response, perhaps inside another that bridges it to
//! a different controller) or serial data ([`sol`]); the data of a message is a [`command`]. To
//! open a session, [`handshake`] has the messages and [`client`] the console's side of their
//! exchange.

pub mod client;
pub mod command;
pub mod crypto;
pub mod handshake;
pub mod message;
pub mod packet;
pub mod session;
pub mod sol;
pub mod suite;

use std::fmt;

/// Why bytes cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the {what} is cut short")]
    Short { what: &'static str },
    #[error("the {what} has trailing bytes")]
    Long { what: &'static str },
    #[error("the {what} has a wrong checksum")]
    Checksum { what: &'static str },
    #[error("the {what} is {value:#04x}, which means nothing here")]
    Value { what: &'static str, value: u8 },
    #[error("the authentication code does not fit")]
    Forged,
    #[error("the packet belongs to another session")]
    OtherSession,
    #[error("the packet is too old or was seen before")]
    Replayed,
}

/// Privilege levels (IPMI 2.0 §6.8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Privilege {
    Callback = 1,
    User = 2,
    Operator = 3,
    #[default]
    Administrator = 4,
    Oem = 5,
}

impl Privilege {
    /// The level with this code.
    pub fn of_code(code: u8) -> Option<Self> {
        Some(match code {
            1 => Self::Callback,
            2 => Self::User,
            3 => Self::Operator,
            4 => Self::Administrator,
            5 => Self::Oem,
            _ => return None,
        })
    }

    /// The code on the wire.
    pub fn code(self) -> u8 {
        self as u8
    }
}

impl fmt::Display for Privilege {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Callback => "CALLBACK",
            Self::User => "USER",
            Self::Operator => "OPERATOR",
            Self::Administrator => "ADMINISTRATOR",
            Self::Oem => "OEM",
        })
    }
}

/// Takes little-endian numbers off the front of a slice; its errors name what was being read.
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
        self.array().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, DecodeError> {
        self.array().map(u32::from_le_bytes)
    }

    pub(crate) fn rest(self) -> &'a [u8] {
        self.rest
    }
}
