//! Disks and what is on them: partition tables, signatures, small filesystems, config drives.
//!
//! Everything goes through a [`medium::Medium`], so that it does not matter whether the disk is a
//! device of this machine, a file that stands for one, or behind a network. The kernel's view of a
//! disk and filesystems that need programs are left to whoever has the disk.

pub mod config_drive;
pub mod format;
pub mod medium;
pub mod partition;
pub mod probe;
pub mod sparse;
pub mod table;
pub mod unfinished;
pub mod whole;

use medium::Medium;

/// The four bytes of the boot sector by which Windows and boot loaders know a disk.
pub fn identifier(disk: &dyn Medium) -> Option<String> {
    let mut bytes = [0; 4];
    disk.read_at(440, &mut bytes).ok()?;
    Some(format!("0x{:08x}", u32::from_le_bytes(bytes)))
}

/// An id that no other has.
pub fn random_id() -> [u8; 16] {
    *uuid::Uuid::new_v4().as_bytes()
}
