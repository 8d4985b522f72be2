//! iSCSI (RFC 7143) with CHAP (RFC 1994), and as much of SCSI as a disk needs: both sides of it.
//!
//! [`frame`] and [`stream`] split the stream into PDUs, [`pdu`] are their headers, [`text`] the keys of the login
//! and of SendTargets, [`negotiation`] the rules of those keys, [`chap`] the authentication.
//! [`scsi`] are the commands of a disk. [`initiator`] and [`target`] are connections without a
//! socket: the caller passes in the PDUs that arrived and sends those it is given.
//!
//! Sessions have one connection and error recovery level 0: whatever is wrong with a connection
//! ends it, and the initiator logs in again. Markers, bidirectional commands and CDBs of more than
//! 16 bytes are left out.

pub mod chap;
pub mod crc32c;
pub mod frame;
pub mod initiator;
pub mod negotiation;
pub mod pdu;
pub mod scsi;
pub mod sequence;
pub mod stream;
pub mod target;
pub mod text;

/// The tag that stands for "no task" (RFC 7143 §11.2.1.8).
pub const NO_TAG: u32 = 0xffff_ffff;

/// The largest data segment before another size is declared (RFC 7143 §13.12).
pub const DEFAULT_SEGMENT: u32 = 8192;

/// Why bytes cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("PDUs with opcode {0:#04x} are unknown")]
    Opcode(u8),
    #[error("a data segment of {size} bytes is larger than the {limit} that were declared")]
    TooLarge { size: usize, limit: usize },
    #[error("the header digest does not match")]
    HeaderDigest,
    #[error("the data digest does not match")]
    DataDigest,
    #[error("a text has no '=', or a key or value is too long or not UTF-8")]
    Text,
}
