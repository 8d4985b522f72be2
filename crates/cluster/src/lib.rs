//! Several processes as one service: who is alive, whom a node belongs to, and how the API reaches
//! the conductor that a node belongs to.
//!
//! [`View`] is who is alive, [`Remote`] the API's side of a call and [`Endpoint`] the conductor's.
//! What is here decides where a request goes, never whether it is safe: two conductors that
//! disagree about the ring for a moment are kept apart by the lease.

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
