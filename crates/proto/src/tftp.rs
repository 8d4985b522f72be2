//! TFTP (RFC 1350) with options (2347), block size (2348), time-out and size (2349) and windows
//! (7440).
//!
//! [`packet`] is what goes over the wire; [`sender`] is the side that has the file, [`receiver`]
//! the side that wants it. Both are machines without sockets and clocks: they are told what
//! arrived or that nothing did, and say what to send.

pub mod packet;
pub mod receiver;
pub mod sender;

pub use packet::{DecodeError, ErrorCode, Mode, Packet, Request};
