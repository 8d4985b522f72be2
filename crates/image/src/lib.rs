//! Images: where they come from, what they are, and how they get onto a disk.
//!
//! A [`source`] is an address that bytes are read from, again and again if a connection breaks.
//! [`convert`] brings an image from a source to a [`sink`] in memory that does not grow with the
//! image, whatever its format, and refuses what is not what it should be. The conductor's cache of
//! images, config drives and discs to boot from are built on that, with the feature `server`; the
//! ramdisk's program does without. Nothing here knows nodes or a database.
//!
//! What reads or writes images blocks, so it runs on threads for that: [`convert::write`] in
//! `spawn_blocking`, while the network is read by the runtime.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "a test may wait for its files"
    )
)]

pub mod blocks;
#[cfg(feature = "server")]
pub mod bootiso;
#[cfg(feature = "server")]
pub mod cache;
pub mod checksum;
pub mod configdrive;
pub mod convert;
pub mod disk;
mod error;
pub mod inspect;
#[cfg(test)]
mod lab;
pub mod layout;
#[cfg(feature = "server")]
pub mod library;
#[cfg(feature = "server")]
pub mod media;
#[cfg(test)]
#[cfg(feature = "server")]
mod peers;
#[cfg(feature = "server")]
pub mod qcow2;
pub mod sink;
pub mod source;
#[cfg(feature = "server")]
pub mod store;
#[cfg(feature = "server")]
pub mod survey;
pub mod unpack;

pub use error::ImageError;
pub use proto::disk::detect::{Format, Packing};
