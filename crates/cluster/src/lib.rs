//! Several processes as one service: which processes are alive, which conductor owns a node, and
//! how the API reaches that conductor.
//!
//! [`View`] knows who is alive, [`Remote`] is the client side of a call and [`Endpoint`] the server
//! side. This crate decides where a request goes, never whether it is safe: two conductors that
//! disagree about the hash ring for a moment are kept apart by the lease.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test may wait for its files")
)]

mod adjacent;
mod call;
mod console;
pub mod origin;
mod remote;
mod seal;
mod server;
pub mod view;
mod wire;

pub use remote::{Remote, RemoteSettings};
pub use seal::{SHORTEST, SealError, Secret};
pub use server::{Endpoint, Peer};
pub use view::View;
pub use wire::WireError;
