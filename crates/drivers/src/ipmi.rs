//! IPMI hardware: the conversation with BMCs over the network, and what is asked of them.
//!
//! [`wire`] is the socket that all conversations share, [`link`] is one BMC with its session.

pub mod link;
pub mod wire;

pub use link::{Link, LinkError, Peer};
pub use wire::Wire;
