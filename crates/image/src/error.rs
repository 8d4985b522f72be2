//! What can go wrong with an image.
//!
//! Every message names the image, without the parts of its address that may be secret. Whoever
//! prints one prints the chain of its causes.

use crate::checksum::Algorithm;
use proto::{
    disk::{
        detect::{Format, UnsafeImage},
        qcow2::Qcow2Error,
    },
    volume::VolumeError,
};
use std::{io, path::PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    #[error("the image address {image} cannot be used: {reason}")]
    Address { image: String, reason: String },
    #[error("cannot reach {image}")]
    Unreachable {
        image: String,
        #[source]
        source: reqwest::Error,
    },
    #[error("cannot reach {image}: TLS failed: {reason}{advice}")]
    Tls {
        image: String,
        reason: String,
        advice: &'static str,
    },
    #[error("the server of {image} answered with HTTP status {status}")]
    Status { image: String, status: u16 },
    #[error("the server of {image} sent nothing for {seconds} seconds")]
    Silent { image: String, seconds: u64 },
    #[error("the server of {image} is too slow: {got} bytes came within {seconds} seconds")]
    Slow {
        image: String,
        got: u64,
        seconds: u64,
    },
    #[error("{image} changed while it was read: {what}")]
    Changed { image: String, what: &'static str },
    #[error("{image} ended after {got} of {expected} bytes")]
    Short {
        image: String,
        expected: u64,
        got: u64,
    },
    #[error(
        "the server of {image} does not serve ranges, without which a qcow2 image cannot be \
         streamed; it must be converted to raw first"
    )]
    NoRanges { image: String },
    #[error("{image} is larger than the {limit} bytes that are allowed")]
    TooLarge { image: String, limit: u64 },
    #[error("{image} needs {needed} bytes; the disk has {capacity}")]
    DoesNotFit {
        image: String,
        needed: u64,
        capacity: u64,
    },
    #[error("the {algorithm} checksum of {image} is {found} instead of {expected}")]
    Checksum {
        image: String,
        algorithm: Algorithm,
        expected: String,
        found: String,
    },
    #[error("the checksum '{text}' cannot be used: {reason}")]
    BadChecksum { text: String, reason: &'static str },
    #[error("the checksum file {image} cannot be used: {reason}")]
    ChecksumFile { image: String, reason: String },
    #[error("{image} is refused")]
    Unsafe {
        image: String,
        #[source]
        source: UnsafeImage,
    },
    #[error("{image} is of the format {format}, which is not permitted")]
    NotPermitted { image: String, format: Format },
    #[error("{image} is of the format {format}, but declared as {declared}")]
    WrongFormat {
        image: String,
        format: Format,
        declared: String,
    },
    #[error("{image} cannot be written to a disk: {what} is not supported")]
    Unsupported { image: String, what: String },
    #[error("{image} cannot be read")]
    Qcow2 {
        image: String,
        #[source]
        source: Qcow2Error,
    },
    #[error(
        "{image} is too scattered: its tables need {needed} bytes of memory, of which {limit} are \
         allowed; it must be converted to raw first"
    )]
    Scattered {
        image: String,
        needed: u64,
        limit: u64,
    },
    #[error("{image} cannot be unpacked")]
    Packed {
        image: String,
        #[source]
        source: io::Error,
    },
    #[error("cannot read {image}")]
    Read {
        image: String,
        #[source]
        source: io::Error,
    },
    /// Whoever reads the image for us says why.
    #[error("cannot read {image}")]
    Service {
        image: String,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    #[error("cannot write {what}")]
    Write {
        what: String,
        #[source]
        source: io::Error,
    },
    #[error("the writing of {image} was stopped")]
    Stopped { image: String },
    #[error("{} has {free} bytes left; {needed} are needed", path.display())]
    NoSpace {
        path: PathBuf,
        needed: u64,
        free: u64,
    },
    #[error("the config drive cannot be used: {0}")]
    ConfigDrive(String),
    #[error("cannot lay out {what}")]
    Layout {
        what: String,
        #[source]
        source: VolumeError,
    },
    #[error("HTTP cannot be set up: {0}")]
    Setup(String),
}

impl ImageError {
    /// Whether the same call may succeed later with nothing changed on our side.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Silent { .. } | Self::Short { .. } => true,
            Self::Status { status, .. } => *status >= 500 || matches!(status, 408 | 429),
            _ => false,
        }
    }

    /// Takes an error of ours out of the reader that it travelled through.
    pub(crate) fn from_read(source: io::Error, image: &str) -> Self {
        source
            .downcast::<Self>()
            .unwrap_or_else(|source| Self::Read {
                image: image.to_owned(),
                source,
            })
    }

    /// The same for a reader that also unpacks.
    pub(crate) fn from_unpack(source: io::Error, image: &str) -> Self {
        source
            .downcast::<Self>()
            .unwrap_or_else(|source| Self::Packed {
                image: image.to_owned(),
                source,
            })
    }

    pub(crate) fn write(what: impl std::fmt::Display) -> impl FnOnce(io::Error) -> Self {
        let what = what.to_string();
        move |source| Self::Write { what, source }
    }
}
