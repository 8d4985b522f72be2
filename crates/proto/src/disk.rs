//! Disk image formats and partition tables.
//!
//! [`detect`] finds the format of an image and decides whether it is safe to use, [`qcow2`] finds
//! where its data are; [`gpt`] and [`mbr`] are the partition tables. Filesystems are in
//! [`crate::fat`] and [`crate::iso9660`]; others are left to the kernel.

pub mod detect;
pub mod gpt;
pub mod mbr;
pub mod qcow2;
mod vmdk;
