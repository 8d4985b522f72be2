//! SNMP as far as power distribution units (PDUs) and the traps of BMCs need it, for both the manager
//! and the agent.
//!
//! From the outside in: a datagram is a [`message`], of version 1 or 2c with a community in clear
//! text, or of version 3, which [`usm`] authenticates and encrypts. It carries a protocol data unit
//! ([`pdu`], not the power distribution unit), a list of [`value`]s under names ([`oid`]). All
//! of it is encoded in a subset of BER ([`ber`]). [`client`] is the manager's side of the exchange.
//!
//! What agents send by themselves is a [`trap`]. Other security models than USM are left out: no power
//! distribution unit is switched with them. Why this is not a crate: `docs/decisions/0009-snmp.md`.

pub mod ber;
pub mod client;
pub mod message;
pub mod oid;
pub mod pdu;
pub mod trap;
pub mod usm;
pub mod value;

pub use oid::Oid;
pub use pdu::{ErrorStatus, Pdu, PduKind};
pub use value::Value;

/// Why bytes cannot be decoded.
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
