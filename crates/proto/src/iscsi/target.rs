//! The target's side of a connection, without the socket.
//!
//! A [`Connection`] starts with a [`login`] and goes on with commands to the [`Unit`] that it
//! exports. What it wants of the disk it gives out as jobs, so it answers pings while the disk is
//! busy.
//!
//! [`Unit`]: super::scsi::Unit

mod abort;
mod command;
mod connection;
pub mod login;
mod task;

pub use connection::{Connection, ConnectionError, Job, JobResult, Outgoing};
pub use login::{Access, LoggedIn, SessionType};
