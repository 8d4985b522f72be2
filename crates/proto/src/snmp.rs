//! SNMP as far as switched power strips need it, for both sides.
//!
//! From the outside in: a datagram is a [`message`], of version 1 or 2c with a community in the
//! open, or of version 3 where [`usm`] has signed and perhaps hidden it; what it carries is a
//! [`pdu`], a list of [`value`]s under names ([`oid`]). All of it is written in a part of BER
//! ([`ber`]). [`client`] is our side of the order in which messages are exchanged.
//!
//! Traps of version 1 and other security models than USM are left out: no power strip is switched
//! with them.

pub mod ber;
pub mod client;
pub mod message;
pub mod oid;
pub mod pdu;
pub mod usm;
pub mod value;

pub use oid::Oid;
pub use pdu::{ErrorStatus, Pdu, PduKind};
pub use value::Value;

/// Bytes that are not what they should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the {what} is cut short")]
    Short { what: &'static str },
    #[error("the {what} has trailing bytes")]
    Long { what: &'static str },
    #[error("where the {what} should be there is something of type {tag:#04x}")]
    Tag { what: &'static str, tag: u8 },
    #[error("the {what} has no sense here")]
    Value { what: &'static str },
    #[error("version {0} of the protocol is not known here")]
    Version(i32),
}
