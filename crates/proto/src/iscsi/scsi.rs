//! SCSI as a disk needs it: SPC-4 for what all devices have, SBC-3 for disks.
//!
//! [`Unit`] is the device: it takes a command and says what to do with the medium, if anything. It
//! is shared by all sessions, because reservations and unit attentions concern all of them.

pub mod cdb;
mod inquiry;
mod mode;
mod opcodes;
mod reservation;
pub mod sense;
mod transfer;
mod unit;

pub use reservation::ReservationType;
pub use sense::Sense;
pub use unit::{Deferred, DiskOp, Geometry, Nexus, Plan, Range, Refused, Unit};

/// Status codes (SAM-5 §5.3.1).
pub mod status {
    pub const GOOD: u8 = 0x00;
    pub const CHECK_CONDITION: u8 = 0x02;
    pub const BUSY: u8 = 0x08;
    pub const RESERVATION_CONFLICT: u8 = 0x18;
    pub const TASK_SET_FULL: u8 = 0x28;
}

/// The unit that is the disk. Ironic's conductors and their targets use this number.
pub const DISK_LUN: u16 = 1;

#[cfg(test)]
mod tests;
