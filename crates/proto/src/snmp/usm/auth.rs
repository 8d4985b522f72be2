//! Authentication protocols, and their keys from passwords: HMAC-MD5-96 and HMAC-SHA-96 (RFC 3414
//! §6 and §7), HMAC with SHA-2 (RFC 7860).

use crate::ipmi::crypto::hmac;
use hmac::Hmac;
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use std::iter;

/// An authentication protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Auth {
    Md5,
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
}

/// How many bytes of the repeated password are hashed (RFC 3414 §2.6 and appendix A.2).
const STRETCHED: usize = 1 << 20;

impl Auth {
    /// All protocols.
    pub const ALL: [Self; 6] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
    ];

    /// The names in `snmp_auth_protocol`.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("md5", Self::Md5),
        ("sha", Self::Sha1),
        ("sha224", Self::Sha224),
        ("sha256", Self::Sha256),
        ("sha384", Self::Sha384),
        ("sha512", Self::Sha512),
    ];

    /// The protocol with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.into_iter();
        all.find(|(known, _)| *known == name).map(|(_, auth)| auth)
    }

    /// The length of the code: the HMAC is truncated (RFC 3414 §6.1 and §7.1, RFC 7860).
    pub fn code_length(self) -> usize {
        match self {
            Self::Md5 | Self::Sha1 => 12,
            Self::Sha224 => 16,
            Self::Sha256 => 24,
            Self::Sha384 => 32,
            Self::Sha512 => 48,
        }
    }

    pub(super) fn hash<'a>(self, parts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
        match self {
            Self::Md5 => digest::<Md5>(parts),
            Self::Sha1 => digest::<Sha1>(parts),
            Self::Sha224 => digest::<Sha224>(parts),
            Self::Sha256 => digest::<Sha256>(parts),
            Self::Sha384 => digest::<Sha384>(parts),
            Self::Sha512 => digest::<Sha512>(parts),
        }
    }

    /// The truncated HMAC over the concatenation of some parts.
    pub fn code(self, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        let mut code = match self {
            Self::Md5 => hmac::<Hmac<Md5>>(key, parts),
            Self::Sha1 => hmac::<Hmac<Sha1>>(key, parts),
            Self::Sha224 => hmac::<Hmac<Sha224>>(key, parts),
            Self::Sha256 => hmac::<Hmac<Sha256>>(key, parts),
            Self::Sha384 => hmac::<Hmac<Sha384>>(key, parts),
            Self::Sha512 => hmac::<Hmac<Sha512>>(key, parts),
        };
        code.truncate(self.code_length());
        code
    }

    /// The key that a password stands for: the hash of a megabyte of the repeated password
    /// (RFC 3414 appendix A.2).
    pub fn key_of_password(self, password: &[u8]) -> Vec<u8> {
        // A block holds whole passwords, so that the next block continues where it ends.
        let times = 4096 / password.len().max(1) + 1;
        let block = password.repeat(times);
        let mut left = STRETCHED;
        self.hash(iter::from_fn(|| {
            let part = &block[..block.len().min(left)];
            left -= part.len();
            (!part.is_empty()).then_some(part)
        }))
    }

    /// Localizes a key for one agent: H(key, engine id, key) (RFC 3414 §2.6).
    pub fn localize(self, key: &[u8], engine_id: &[u8]) -> Vec<u8> {
        self.hash([key, engine_id, key].into_iter())
    }
}

fn digest<'a, D: Digest>(parts: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut hash = D::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().to_vec()
}
