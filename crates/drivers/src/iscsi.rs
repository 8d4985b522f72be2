//! An iSCSI initiator in user space: a disk of another machine, without the kernel's initiator and
//! without other programs.
//!
//! [`IscsiDisk`] is the disk. Behind it a task keeps the session: it logs in again when the
//! connection breaks, and sends again what was not answered. [`discover`] asks which targets there
//! are.

mod client;
mod discovery;
mod disk;
mod error;
mod held;
mod link;
mod medium;
mod settings;

pub use discovery::{DiscoveredTarget, discover};
pub use disk::{IscsiDisk, Reservation};
pub use error::IscsiError;
pub use medium::IscsiMedium;
pub use proto::iscsi::chap::Credentials;
pub use settings::{InitiatorSettings, InitiatorTimeouts};

#[cfg(test)]
mod peers;
