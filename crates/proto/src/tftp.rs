//! TFTP (RFC 1350) with option negotiation (RFC 2347), block size (RFC 2348), timeout and transfer
//! size (RFC 2349) and windows (RFC 7440).
//!
//! [`packet`] is the wire format; [`sender`] is the side that has the file, [`receiver`] the side
//! that fetches it. Both are state machines without sockets and clocks: the caller feeds them
//! packets and timeouts, and they return what to send.

pub mod packet;
pub mod receiver;
pub mod sender;

pub use packet::{DecodeError, ErrorCode, Mode, Packet, Request};
