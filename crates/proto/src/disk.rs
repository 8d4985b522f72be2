//! Disk image formats and partition tables.
//!
//! [`detect`] finds the format of an image and decides whether it is safe to use, [`qcow2`] finds
//! where its data are; [`gpt`] and [`mbr`] are the partition tables, [`table`] the partitions of
//! either, and [`probe`] tells what is in them. Filesystems are in [`crate::fat`],
//! [`crate::iso9660`] and [`crate::ext4`]; others are left to the kernel.

pub mod detect;
pub mod gpt;
pub mod mbr;
pub mod probe;
pub mod qcow2;
pub mod table;
mod vmdk;
