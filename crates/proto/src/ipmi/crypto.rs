//! The cryptography of sessions: HMACs, and the encryption of payloads.
//!
//! Keys are kept in types whose `Debug` output hides the value. Codes are compared in constant
//! time.

use super::suite::{Authentication, Integrity};
use aes::cipher::{Array, Block, BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use hmac::{Hmac, KeyInit, Mac};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;
use std::fmt;
use subtle::ConstantTimeEq;

/// A secret of up to twenty bytes: a password, or the BMC key K_g (IPMI 2.0 §13.31).
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Key([u8; Key::SIZE]);

impl Key {
    /// The length of a key in version 2.0; version 1.5 has 16 bytes.
    pub const SIZE: usize = 20;

    /// Pads a secret with zeros; `None` if it is longer than the protocol allows.
    pub fn new(secret: &[u8]) -> Option<Self> {
        let mut bytes = [0; Self::SIZE];
        bytes.get_mut(..secret.len())?.copy_from_slice(secret);
        Some(Self(bytes))
    }

    /// Whether it is all zeros, which counts as no key.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|byte| *byte == 0)
    }

    /// The key, padded to its full length.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(…)")
    }
}

/// The HMAC over the concatenation of some parts. Empty for RAKP-none.
pub fn code(algorithm: Authentication, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    match algorithm {
        Authentication::None => Vec::new(),
        Authentication::HmacSha1 => hmac::<Hmac<Sha1>>(key, parts),
        Authentication::HmacMd5 => hmac::<Hmac<Md5>>(key, parts),
        Authentication::HmacSha256 => hmac::<Hmac<Sha256>>(key, parts),
    }
}

/// The AuthCode at the end of a packet: a truncated HMAC (IPMI 2.0 §13.28.4).
pub fn integrity_code(algorithm: Integrity, key: &[u8], packet: &[u8]) -> Vec<u8> {
    let (hash, length) = match algorithm {
        Integrity::None => return Vec::new(),
        Integrity::HmacSha1_96 => (Authentication::HmacSha1, 12),
        Integrity::HmacMd5_128 => (Authentication::HmacMd5, 16),
        Integrity::HmacSha256_128 => (Authentication::HmacSha256, 16),
    };
    let mut code = code(hash, key, &[packet]);
    code.truncate(length);
    code
}

/// The length of the AuthCode at the end of a packet.
pub fn integrity_code_length(algorithm: Integrity) -> usize {
    match algorithm {
        Integrity::None => 0,
        Integrity::HmacSha1_96 => 12,
        Integrity::HmacMd5_128 | Integrity::HmacSha256_128 => 16,
    }
}

pub(crate) fn hmac<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    // HMAC accepts keys of any length, so this cannot fail. If it did, the empty code would be
    // rejected: `is_same` never accepts one.
    let Ok(mut mac) = <M as KeyInit>::new_from_slice(key) else {
        return Vec::new();
    };
    for part in parts {
        mac.update(part);
    }
    mac.finalize().into_bytes().to_vec()
}

/// The MD5 of some parts, for sessions of version 1.5.
pub fn md5(parts: &[&[u8]]) -> [u8; 16] {
    let mut hash = Md5::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Compares two codes in constant time. An empty code is never accepted: it would mean that there
/// was nothing to compare.
pub fn is_same(ours: &[u8], theirs: &[u8]) -> bool {
    !ours.is_empty() && ours.ct_eq(theirs).into()
}

const BLOCK: usize = 16;

/// Encrypts a payload with AES-CBC-128 (IPMI 2.0 §13.29); the IV stands before the ciphertext.
///
/// `iv` must be random and never be used twice with one key.
pub fn encrypt(key: &[u8; BLOCK], iv: [u8; BLOCK], payload: &[u8]) -> Vec<u8> {
    let mut text = payload.to_vec();
    // Table 13-20: padding 1, 2, 3, … up to a whole number of blocks, then the pad length.
    let mut count = 0u8;
    while !(text.len() + 1).is_multiple_of(BLOCK) {
        count += 1;
        text.push(count);
    }
    text.push(count);
    let mut blocks: Vec<Block<aes::Aes128>> = text
        .as_chunks::<BLOCK>()
        .0
        .iter()
        .map(|chunk| Array::from(*chunk))
        .collect();
    cbc::Encryptor::<aes::Aes128>::new(&Array::from(*key), &Array::from(iv))
        .encrypt_blocks(&mut blocks);
    iv.into_iter().chain(blocks.into_iter().flatten()).collect()
}

/// Decrypts a payload; `None` if its length or padding is impossible.
pub fn decrypt(key: &[u8; BLOCK], bytes: &[u8]) -> Option<Vec<u8>> {
    let (iv, text) = bytes.split_first_chunk::<BLOCK>()?;
    let (chunks, rest) = text.as_chunks::<BLOCK>();
    if !rest.is_empty() || chunks.is_empty() {
        return None;
    }
    let mut blocks: Vec<Block<aes::Aes128>> =
        chunks.iter().map(|chunk| Array::from(*chunk)).collect();
    cbc::Decryptor::<aes::Aes128>::new(&Array::from(*key), &Array::from(*iv))
        .decrypt_blocks(&mut blocks);
    let mut text: Vec<u8> = blocks.into_iter().flatten().collect();
    let count = usize::from(text.pop()?);
    // Table 13-20 tells the receiver to check the padding bytes, but some firmware pads with other
    // values. Integrity is the AuthCode's job; here only the pad length must be possible.
    let length = text.len().checked_sub(count).filter(|_| count < BLOCK)?;
    text.truncate(length);
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Vectors of RFC 2202 and RFC 4231.
    #[test]
    fn codes_are_those_of_the_standards() {
        let text: &[&[u8]] = &[b"what do ya want ", b"for nothing?"];
        let cases = [
            (
                Authentication::HmacSha1,
                "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
            ),
            (Authentication::HmacMd5, "750c783e6ab0b503eaa86e310a5db738"),
            (
                Authentication::HmacSha256,
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
            (Authentication::None, ""),
        ];
        for (algorithm, expected) in cases {
            assert_eq!(hex(&code(algorithm, b"Jefe", text)), expected);
        }
    }

    /// The first vector of RFC 3602: one block, so that ours appends a whole block of filling.
    #[test]
    fn the_cipher_is_that_of_the_standard() {
        let key = *b"\x06\xa9\x21\x40\x36\xb8\xa1\x5b\x51\x2e\x03\xd5\x34\x12\x00\x06";
        let iv = *b"\x3d\xaf\xba\x42\x9d\x9e\xb4\x30\xb4\x22\xda\x80\x2c\x9f\xac\x41";
        let sealed = encrypt(&key, iv, b"Single block msg");
        assert_eq!(sealed[..16], iv);
        assert_eq!(hex(&sealed[16..32]), "e353779c1079aeb82708942dbe77181a");
        assert_eq!(sealed.len(), 48);
        assert_eq!(decrypt(&key, &sealed).unwrap(), b"Single block msg");
    }

    #[test]
    fn no_code_is_like_no_code() {
        assert!(!is_same(&[], &[]));
        assert!(is_same(&[1], &[1]));
        assert!(!is_same(&[1, 2], &[1]));
    }

    #[test]
    fn keys_do_not_show() {
        let key = Key::new(b"secret").unwrap();
        assert!(!format!("{key:?}").contains("115"), "{key:?}");
        assert!(Key::new(&[b'x'; 21]).is_none());
        assert!(Key::default().is_empty());
    }

    proptest! {
        #[test]
        fn what_is_hidden_can_be_found_again(
            key: [u8; 16], iv: [u8; 16], payload in proptest::collection::vec(any::<u8>(), 0..100)
        ) {
            prop_assert_eq!(decrypt(&key, &encrypt(&key, iv, &payload)), Some(payload));
        }

        #[test]
        fn garbage_is_no_payload_or_some(key: [u8; 16], bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = decrypt(&key, &bytes);
        }
    }
}
