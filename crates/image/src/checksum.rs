//! Checksums: what an image must hash to, and hashing it.
//!
//! A checksum comes as `algorithm:value`, as a value whose length tells the algorithm, with the
//! algorithm beside it, or as the address of a file that lists checksums ([`listed`]). MD5 is there
//! because images with nothing better still exist; whether it is accepted is the caller's choice.

mod list;

pub use list::listed;

use crate::{
    ImageError,
    source::{Http, shown},
};
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};
use std::{
    fmt,
    str::FromStr,
    sync::mpsc::{SyncSender, sync_channel},
    thread::JoinHandle,
};
use types::hex;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

impl Algorithm {
    const ALL: [Self; 6] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }

    /// Of the value in hexadecimal digits.
    const fn digits(self) -> usize {
        match self {
            Self::Md5 => 32,
            Self::Sha1 => 40,
            Self::Sha224 => 56,
            Self::Sha256 => 64,
            Self::Sha384 => 96,
            Self::Sha512 => 128,
        }
    }

    /// What a bare value means. Only these three have been in use without a name beside them.
    fn of_length(digits: usize) -> Option<Self> {
        [Self::Md5, Self::Sha256, Self::Sha512]
            .into_iter()
            .find(|algorithm| algorithm.digits() == digits)
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Algorithm {
    type Err = ImageError;

    fn from_str(text: &str) -> Result<Self, ImageError> {
        let name = text.to_ascii_lowercase().replace('-', "");
        Self::ALL
            .into_iter()
            .find(|algorithm| algorithm.as_str() == name)
            .ok_or_else(|| bad(text, "the algorithm is not known"))
    }
}

/// What an image must hash to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    pub algorithm: Algorithm,
    /// In lower case.
    value: String,
}

impl Checksum {
    /// Reads `value` or `algorithm:value`, with the algorithm of `beside` if it names none.
    pub fn parse(text: &str, beside: Option<&str>, allow_md5: bool) -> Result<Self, ImageError> {
        let text = text.trim();
        let (named, value) = match text.split_once(':') {
            Some((named, value)) => (Some(named), value),
            None => (beside.filter(|name| !name.is_empty()), text),
        };
        let algorithm = match named {
            Some(name) => name.parse()?,
            None => Algorithm::of_length(value.len())
                .ok_or_else(|| bad(text, "its length fits no known algorithm"))?,
        };
        if value.len() != algorithm.digits() || !value.bytes().all(|d| d.is_ascii_hexdigit()) {
            return Err(bad(text, "it is no value of its algorithm"));
        }
        if algorithm == Algorithm::Md5 && !allow_md5 {
            return Err(bad(text, "MD5 is not allowed by configuration"));
        }
        Ok(Self {
            algorithm,
            value: value.to_ascii_lowercase(),
        })
    }

    pub fn value(&self) -> &str {
        &self.value
    }

    /// Compares with what was found.
    pub fn check(&self, found: &str, image: &str) -> Result<(), ImageError> {
        if found == self.value {
            return Ok(());
        }
        Err(ImageError::Checksum {
            image: image.to_owned(),
            algorithm: self.algorithm,
            expected: self.value.clone(),
            found: found.to_owned(),
        })
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.algorithm, self.value)
    }
}

fn bad(text: &str, reason: &'static str) -> ImageError {
    let text: String = text.chars().take(200).collect();
    ImageError::BadChecksum { text, reason }
}

/// The largest list of checksums that is read.
const MOST_LIST: u64 = 4 << 20;

/// The checksum for an image, fetched from where its list is if it is given by an address.
pub async fn resolve(
    http: &Http,
    text: &str,
    beside: Option<&str>,
    image: &str,
    allow_md5: bool,
) -> Result<Checksum, ImageError> {
    if !(text.starts_with("http://") || text.starts_with("https://")) {
        return Checksum::parse(text, beside, allow_md5);
    }
    let list = http.bytes(text, MOST_LIST).await?;
    let value = listed(&String::from_utf8_lossy(&list), image, &shown(text))?;
    Checksum::parse(&value, None, allow_md5)
}

/// A checksum in the making.
#[derive(Clone)]
pub struct Hasher(HashState);

#[derive(Clone)]
enum HashState {
    Md5(Md5),
    Sha1(Sha1),
    Sha224(Sha224),
    Sha256(Sha256),
    Sha384(Sha384),
    Sha512(Sha512),
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hasher")
    }
}

impl Hasher {
    pub fn new(algorithm: Algorithm) -> Self {
        Self(match algorithm {
            Algorithm::Md5 => HashState::Md5(Md5::new()),
            Algorithm::Sha1 => HashState::Sha1(Sha1::new()),
            Algorithm::Sha224 => HashState::Sha224(Sha224::new()),
            Algorithm::Sha256 => HashState::Sha256(Sha256::new()),
            Algorithm::Sha384 => HashState::Sha384(Sha384::new()),
            Algorithm::Sha512 => HashState::Sha512(Sha512::new()),
        })
    }

    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            HashState::Md5(hash) => hash.update(bytes),
            HashState::Sha1(hash) => hash.update(bytes),
            HashState::Sha224(hash) => hash.update(bytes),
            HashState::Sha256(hash) => hash.update(bytes),
            HashState::Sha384(hash) => hash.update(bytes),
            HashState::Sha512(hash) => hash.update(bytes),
        }
    }

    /// The value in hexadecimal digits.
    pub fn finish(self) -> String {
        match self.0 {
            HashState::Md5(hash) => hex::encode(&hash.finalize()),
            HashState::Sha1(hash) => hex::encode(&hash.finalize()),
            HashState::Sha224(hash) => hex::encode(&hash.finalize()),
            HashState::Sha256(hash) => hex::encode(&hash.finalize()),
            HashState::Sha384(hash) => hex::encode(&hash.finalize()),
            HashState::Sha512(hash) => hex::encode(&hash.finalize()),
        }
    }
}

/// A hasher on a thread of its own: hashing costs as much as all else together, and need not wait
/// for it.
#[derive(Debug)]
pub(crate) struct HashThread {
    parts: Option<SyncSender<Vec<u8>>>,
    thread: Option<JoinHandle<String>>,
}

/// Parts that may wait to be hashed.
const WAITING: usize = 8;

impl HashThread {
    pub(crate) fn start(algorithm: Algorithm) -> std::io::Result<Self> {
        let (parts, waiting) = sync_channel::<Vec<u8>>(WAITING);
        let thread = std::thread::Builder::new()
            .name("hash".to_owned())
            .spawn(move || {
                let mut hasher = Hasher::new(algorithm);
                while let Ok(part) = waiting.recv() {
                    hasher.update(&part);
                }
                hasher.finish()
            })?;
        Ok(Self {
            parts: Some(parts),
            thread: Some(thread),
        })
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        if let Some(parts) = &self.parts {
            // The thread ends only when this sender does.
            let _ = parts.send(bytes.to_vec());
        }
    }

    /// The value in hexadecimal digits.
    pub(crate) fn finish(mut self) -> String {
        self.parts = None;
        let value = self.thread.take().and_then(|thread| thread.join().ok());
        value.unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_length_or_a_name_tells_the_algorithm() {
        let parse = |text: &str, beside| Checksum::parse(text, beside, true);
        let (md5, sha256, sha512) = ("A".repeat(32), "b".repeat(64), "c".repeat(128));
        assert_eq!(
            parse(&md5, None).unwrap().to_string(),
            format!("md5:{}", "a".repeat(32))
        );
        assert_eq!(parse(&sha256, None).unwrap().algorithm, Algorithm::Sha256);
        assert_eq!(parse(&sha512, None).unwrap().algorithm, Algorithm::Sha512);
        let named = format!("SHA-384:{}", "d".repeat(96));
        assert_eq!(parse(&named, None).unwrap().algorithm, Algorithm::Sha384);
        assert_eq!(
            parse(&"e".repeat(40), Some("sha1")).unwrap().algorithm,
            Algorithm::Sha1
        );
        for wrong in [
            "",
            "sha256:",
            "xyz",
            &"e".repeat(40),
            &format!("sha256:{md5}"),
            &"g".repeat(64),
            "crc:00",
        ] {
            assert!(parse(wrong, None).is_err(), "{wrong}");
        }
        assert!(Checksum::parse(&md5, None, false).is_err());
        assert!(Checksum::parse(&md5, Some("md5"), false).is_err());
    }

    #[tokio::test]
    async fn a_list_is_fetched_from_its_address() {
        let value = "a".repeat(64);
        let list = format!("{value}  image.raw\n{}  other\n", "b".repeat(64));
        let server = crate::lab::Server::of(list.into_bytes());
        let http = crate::lab::http(|_| {});
        let list = server.url("SHA256SUMS");
        let found = resolve(&http, &list, None, "http://x/y/image.raw", false)
            .await
            .unwrap();
        assert_eq!(found.to_string(), format!("sha256:{value}"));
        let refused = resolve(&http, &list, None, "http://x/y/none.raw", false)
            .await
            .unwrap_err();
        assert!(refused.to_string().contains("none.raw"), "{refused}");
        let plain = resolve(&http, &value, Some("sha256"), "x", false)
            .await
            .unwrap();
        assert_eq!(plain, found);
    }

    #[test]
    fn known_values() {
        let of = |algorithm| {
            let mut hasher = Hasher::new(algorithm);
            hasher.update(b"ab");
            hasher.update(b"c");
            hasher.finish()
        };
        assert_eq!(of(Algorithm::Md5), "900150983cd24fb0d6963f7d28e17f72");
        assert_eq!(
            of(Algorithm::Sha1),
            "a9993e364706816aba3e25717850c26c9cd0d89d"
        );
        assert!(of(Algorithm::Sha224).starts_with("23097d22"));
        assert!(of(Algorithm::Sha256).starts_with("ba7816bf"));
        assert!(of(Algorithm::Sha384).starts_with("cb00753f"));
        assert!(of(Algorithm::Sha512).starts_with("ddaf35a1"));
        let mut thread = HashThread::start(Algorithm::Sha256).unwrap();
        thread.update(b"abc");
        assert_eq!(thread.finish(), of(Algorithm::Sha256));
    }
}
