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
pub mod pet;
pub mod session;
pub mod sol;
pub mod suite;

use crate::reader::{Reader, Short};
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

impl From<Short> for DecodeError {
    fn from(Short { what }: Short) -> Self {
        Self::Short { what }
    }
}
