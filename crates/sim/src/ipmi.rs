//! A BMC that speaks IPMI over LAN, versions 1.5 and 2.0.
//!
//! [`bmc::Bmc`] turns datagrams into datagrams and has no socket: tests and the fuzzer feed it
//! directly. [`server`] has the sockets. Sessions are opened in [`login`] (version 2.0) and [`old`]
//! (1.5), what they ask is answered in [`command`], and [`console`] is serial over LAN.
//!
//! Nothing here is a secret: nonces come from the seed, so that a conversation can be repeated.

pub mod bmc;
mod command;
mod console;
mod login;
mod old;
mod rights;
pub mod server;

use crate::replay::Replay;
use proto::ipmi::{crypto::Key, packet::V15Auth, suite::Suite};
use std::sync::Arc;

/// What all BMCs of a simulator have in common.
#[derive(Debug, Clone)]
pub struct Options {
    /// The cipher suites that they accept.
    pub suites: Vec<Suite>,
    /// The key of the BMC (K_g); empty for none.
    pub bmc_key: Key,
    /// How sessions of version 1.5 may be authenticated; none of them if empty.
    pub v15: Vec<V15Auth>,
    /// What is answered within sessions, in place of what the machine would.
    pub replay: Option<Arc<Replay>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            suites: [3, 17].into_iter().filter_map(Suite::of_id).collect(),
            bmc_key: Key::default(),
            v15: vec![V15Auth::Md5, V15Auth::Straight],
            replay: None,
        }
    }
}

#[cfg(test)]
mod tests;
