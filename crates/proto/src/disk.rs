//! What is found on disks and in the files that hold their images.
//!
//! [`detect`] says what an image is and whether it may be used, [`qcow2`] where its data lie;
//! [`gpt`] and [`mbr`] are the partition tables. Content of filesystems is left to whoever mounts
//! them.

pub mod detect;
pub mod gpt;
pub mod mbr;
pub mod qcow2;
mod vmdk;
