//! An iSCSI target in user space: one disk of this machine, for the one initiator that it is meant
//! for.
//!
//! Ironic up to version 17 wrote images this way. The disk is LUN 1. Whoever reaches an iSCSI
//! target owns the disk, so a target names the initiator, and where possible its address and a
//! secret, and it is stopped after use.

mod connection;
mod disk;
mod target;

pub use disk::Disk;
pub use proto::iscsi::chap::Credentials;
pub use target::{Target, TargetError, TargetSettings};

#[cfg(test)]
mod peers;
#[cfg(test)]
mod tests;
