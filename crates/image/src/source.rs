//! Where images come from: HTTP, files of this machine, memory.
//!
//! A source is read from a thread that may block. It remembers what the image was when it was
//! opened; if it is another one later, reading fails instead of mixing the two.

mod file;
mod http;
pub mod piped;
mod pump;

pub use file::{FileRules, FileSource};
pub use http::{Credentials, Http, HttpSettings, HttpSource, Look};

use crate::ImageError;
use std::{
    fmt,
    io::{Cursor, Read},
    time::SystemTime,
};

/// What is known about an image before it is read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stat {
    pub size: Option<u64>,
    /// As the server words it.
    pub etag: Option<String>,
    /// As the server words it.
    pub modified_text: Option<String>,
    pub modified: Option<SystemTime>,
    /// Whether parts can be asked for.
    pub ranges: bool,
    /// Whether the image must not be kept.
    pub no_store: bool,
}

/// An image that can be read, more than once.
pub trait Source: fmt::Debug + Send + Sync {
    /// The address, without what may be secret in it.
    fn shown(&self) -> &str;

    fn stat(&self) -> &Stat;

    /// All of it, from the first byte. Errors of ours travel inside [`std::io::Error`].
    fn stream(&self) -> Result<Box<dyn Read + Send>, ImageError>;

    /// A part of it; shorter only where the image ends.
    fn read_at(&self, offset: u64, length: usize) -> Result<Vec<u8>, ImageError>;
}

/// An image that is in memory.
#[derive(Debug, Clone)]
pub struct MemorySource {
    bytes: Vec<u8>,
    stat: Stat,
}

impl MemorySource {
    pub fn new(bytes: Vec<u8>) -> Self {
        let stat = Stat {
            size: u64::try_from(bytes.len()).ok(),
            ranges: true,
            ..Stat::default()
        };
        Self { bytes, stat }
    }
}

impl Source for MemorySource {
    fn shown(&self) -> &'static str {
        "the image in memory"
    }

    fn stat(&self) -> &Stat {
        &self.stat
    }

    fn stream(&self) -> Result<Box<dyn Read + Send>, ImageError> {
        Ok(Box::new(Cursor::new(self.bytes.clone())))
    }

    fn read_at(&self, offset: u64, length: usize) -> Result<Vec<u8>, ImageError> {
        let start = usize::try_from(offset)
            .unwrap_or(usize::MAX)
            .min(self.bytes.len());
        let end = start.saturating_add(length).min(self.bytes.len());
        Ok(self.bytes.get(start..end).unwrap_or_default().to_vec())
    }
}

/// An address without credentials, parameters and fragment, each of which may be a secret.
pub fn shown(href: &str) -> String {
    let plain = href.split(['?', '#']).next().unwrap_or_default();
    match plain.split_once("://") {
        Some((scheme, rest)) => {
            let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = host.rsplit('@').next().unwrap_or_default();
            format!("{scheme}://{host}{path}")
        }
        None => plain.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_in_addresses_are_not_shown() {
        assert_eq!(shown("https://u:p@h:1/a/b?sig=x#y"), "https://h:1/a/b");
        assert_eq!(shown("http://h"), "http://h");
        assert_eq!(shown("file:///a@b"), "file:///a@b");
    }
}
