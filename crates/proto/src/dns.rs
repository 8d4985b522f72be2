//! DNS as far as dynamic updates need it: RFC 2136, signed by RFC 8945.
//!
//! [`update`] writes what a server is asked for, [`response`] reads what it answers, [`tsig`] signs
//! the one and verifies the other, [`name`] is how names are written.

pub mod name;
pub mod response;
pub mod tsig;
pub mod update;

use crate::reader::Short;

/// Record types and classes that updates use (RFC 1035 §3.2, RFC 2136 §2, RFC 8945 §4.2).
pub(crate) mod kind {
    pub(crate) const A: u16 = 1;
    pub(crate) const SOA: u16 = 6;
    pub(crate) const PTR: u16 = 12;
    pub(crate) const AAAA: u16 = 28;
    pub(crate) const TSIG: u16 = 250;
    pub(crate) const ANY: u16 = 255;

    pub(crate) const CLASS_IN: u16 = 1;
    pub(crate) const CLASS_NONE: u16 = 254;
    pub(crate) const CLASS_ANY: u16 = 255;
}

/// Bytes that are no DNS message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("the {what} is cut short")]
    Short { what: &'static str },
    #[error("a name has a pointer that does not point back")]
    Pointer,
    #[error("a name is longer than 255 bytes")]
    NameTooLong,
    #[error("it is no answer to an update")]
    NotAnAnswer,
    #[error("a signature is not the last record")]
    TsigPlace,
}

impl From<Short> for DecodeError {
    fn from(Short { what }: Short) -> Self {
        Self::Short { what }
    }
}
