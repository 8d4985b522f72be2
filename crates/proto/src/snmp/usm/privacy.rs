//! Privacy protocols: ciphers, and keys that are long enough for them.
//!
//! DES is of RFC 3414 §8 and AES with 128 bits of RFC 3826. Keys longer than the hash were never
//! standardised; two drafts extend them differently, and devices follow either.
//! draft-reeder-snmpv3-usm-3desede, which names without a suffix mean here, derives a further key
//! from the first one as if that were a password; draft-blumenthal-aes-usm appends hashes.

use super::Auth;
use aes::cipher::{
    Array, Block, BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt,
    BlockSizeUser, InnerIvInit, KeyInit,
    consts::{U8, U16},
};
use aes::{Aes128, Aes192, Aes256};
use des::{Des, TdesEde3};

/// A privacy protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Privacy {
    Des,
    TripleDes,
    Aes128,
    Aes192Reeder,
    Aes256Reeder,
    Aes192Blumenthal,
    Aes256Blumenthal,
}

/// The agent's `snmpEngineBoots` and `snmpEngineTime`.
type Clock = (i32, i32);

#[derive(Clone, Copy)]
enum Direction {
    Encrypt,
    Decrypt,
}

impl Privacy {
    /// All protocols.
    pub const ALL: [Self; 7] = [
        Self::Des,
        Self::TripleDes,
        Self::Aes128,
        Self::Aes192Reeder,
        Self::Aes256Reeder,
        Self::Aes192Blumenthal,
        Self::Aes256Blumenthal,
    ];

    /// The names in `snmp_priv_protocol`; without the suffix `blmt`, keys are extended as in
    /// Reeder's draft.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("des", Self::Des),
        ("3des", Self::TripleDes),
        ("aes", Self::Aes128),
        ("aes192", Self::Aes192Reeder),
        ("aes256", Self::Aes256Reeder),
        ("aes192blmt", Self::Aes192Blumenthal),
        ("aes256blmt", Self::Aes256Blumenthal),
    ];

    /// The protocol with this name.
    pub fn of_name(name: &str) -> Option<Self> {
        let mut all = Self::NAMES.into_iter();
        all.find(|(known, _)| *known == name)
            .map(|(_, privacy)| privacy)
    }

    /// How many bytes of key the cipher needs. DES and 3DES take the last eight for the IV
    /// (RFC 3414 §8.1.1.1).
    pub fn key_length(self) -> usize {
        match self {
            Self::Des | Self::Aes128 => 16,
            Self::Aes192Reeder | Self::Aes192Blumenthal => 24,
            Self::TripleDes | Self::Aes256Reeder | Self::Aes256Blumenthal => 32,
        }
    }

    /// Extends or cuts a localized key to the length that the cipher needs.
    pub(super) fn extend(self, auth: Auth, mut key: Vec<u8>, engine_id: &[u8]) -> Vec<u8> {
        let length = self.key_length();
        while key.len() < length {
            let more = match self {
                Self::Aes192Blumenthal | Self::Aes256Blumenthal => {
                    auth.hash([&key[..]].into_iter())
                }
                _ => auth.localize(&auth.key_of_password(&key), engine_id),
            };
            key.extend(more);
        }
        key.truncate(length);
        key
    }

    /// The salt, which is sent as `msgPrivacyParameters`. For DES it starts with the engine's boots
    /// (RFC 3414 §8.1.1.1); for AES all 64 bits are the sender's (RFC 3826 §3.1.2).
    pub(super) fn salt(self, unique: u64, boots: i32) -> [u8; 8] {
        let mut salt = unique.to_be_bytes();
        if matches!(self, Self::Des | Self::TripleDes) {
            salt[..4].copy_from_slice(&boots.to_be_bytes());
        }
        salt
    }

    pub(super) fn encrypt(self, key: &[u8], salt: [u8; 8], clock: Clock, text: &[u8]) -> Vec<u8> {
        let mut bytes = text.to_vec();
        // CBC needs whole blocks. The padding may be anything: BER says where the text ends.
        if matches!(self, Self::Des | Self::TripleDes) {
            bytes.resize(text.len().next_multiple_of(8), 0);
        }
        // Keys have the length that `extend` gave them, so the cipher cannot refuse them.
        self.run(Direction::Encrypt, key, salt, clock, bytes)
            .unwrap_or_default()
    }

    /// The plaintext with its padding; `None` if the salt or the ciphertext has a wrong length.
    pub(super) fn decrypt(
        self,
        key: &[u8],
        salt: &[u8],
        clock: Clock,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        self.run(
            Direction::Decrypt,
            key,
            salt.try_into().ok()?,
            clock,
            bytes.to_vec(),
        )
    }

    fn run(
        self,
        direction: Direction,
        key: &[u8],
        salt: [u8; 8],
        clock: Clock,
        bytes: Vec<u8>,
    ) -> Option<Vec<u8>> {
        match self {
            Self::Des => {
                let (key, start) = key.split_at_checked(8)?;
                chain::<Des>(direction, key, start, salt, bytes)
            }
            Self::TripleDes => {
                let (key, start) = key.split_at_checked(24)?;
                chain::<TdesEde3>(direction, key, start, salt, bytes)
            }
            Self::Aes128 => feed_back::<Aes128>(direction, key, salt, clock, bytes),
            Self::Aes192Reeder | Self::Aes192Blumenthal => {
                feed_back::<Aes192>(direction, key, salt, clock, bytes)
            }
            Self::Aes256Reeder | Self::Aes256Blumenthal => {
                feed_back::<Aes256>(direction, key, salt, clock, bytes)
            }
        }
    }
}

/// CBC with blocks of eight bytes; the IV is the salt XOR the last bytes of the key (RFC 3414
/// §8.1.1.1).
fn chain<C>(
    direction: Direction,
    key: &[u8],
    start: &[u8],
    salt: [u8; 8],
    bytes: Vec<u8>,
) -> Option<Vec<u8>>
where
    C: BlockCipherEncrypt + BlockCipherDecrypt + KeyInit + BlockSizeUser<BlockSize = U8>,
{
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut iv: [u8; 8] = start.try_into().ok()?;
    for (byte, salt) in iv.iter_mut().zip(salt) {
        *byte ^= salt;
    }
    if !rest.is_empty() {
        return None;
    }
    let cipher = C::new_from_slice(key).ok()?;
    let mut blocks: Vec<Block<C>> = chunks.iter().map(|chunk| Array::from(*chunk)).collect();
    let iv = Array::from(iv);
    match direction {
        Direction::Encrypt => {
            cbc::Encryptor::inner_iv_init(cipher, &iv).encrypt_blocks(&mut blocks)
        }
        Direction::Decrypt => {
            cbc::Decryptor::inner_iv_init(cipher, &iv).decrypt_blocks(&mut blocks)
        }
    }
    Some(blocks.into_iter().flatten().collect())
}

/// AES in CFB-128 mode (RFC 3826 §3.1.1). The IV is boots, time and salt (§3.1.2), and the last
/// segment may be shorter than a block, so there is no padding.
fn feed_back<C>(
    direction: Direction,
    key: &[u8],
    salt: [u8; 8],
    (boots, time): Clock,
    mut bytes: Vec<u8>,
) -> Option<Vec<u8>>
where
    C: BlockCipherEncrypt + KeyInit + BlockSizeUser<BlockSize = U16>,
{
    let cipher = C::new_from_slice(key).ok()?;
    let mut last = [0; 16];
    last[..4].copy_from_slice(&boots.to_be_bytes());
    last[4..8].copy_from_slice(&time.to_be_bytes());
    last[8..].copy_from_slice(&salt);
    for chunk in bytes.chunks_mut(16) {
        let mut mask = Array::from(last);
        cipher.encrypt_block(&mut mask);
        if let Direction::Decrypt = direction {
            last[..chunk.len()].copy_from_slice(chunk);
        }
        for (byte, mask) in chunk.iter_mut().zip(mask) {
            *byte ^= mask;
        }
        if let Direction::Encrypt = direction {
            last[..chunk.len()].copy_from_slice(chunk);
        }
    }
    Some(bytes)
}
