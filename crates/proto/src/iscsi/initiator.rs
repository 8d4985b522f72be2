//! The initiator's side of a connection, without the socket.
//!
//! [`login`] comes first; the [`Session`] that follows sends commands as the target's window
//! allows, splits written data as was agreed, and answers pings.

pub mod login;
mod session;

pub use login::{Login, LoginError, LoginSettings, LoginStep};
pub use session::{Command, Event, Payload, Session, SessionError, TaskFunction};

#[cfg(test)]
#[allow(
    clippy::cast_possible_truncation,
    reason = "the disk of the tests is small"
)]
mod tests;
