//! CHAP (RFC 1994) as iSCSI uses it (RFC 7143 §12.1.3).

use base64::Engine as _;
use md5::Md5;
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::fmt;
use subtle::ConstantTimeEq;

/// The longest challenge or response (RFC 7143 §12.1.3).
const BINARY_LIMIT: usize = 1024;

/// The length of our challenges.
pub const CHALLENGE_LENGTH: usize = 32;

/// A name and a secret that both sides know.
#[derive(Clone, PartialEq, Eq)]
pub struct Credentials {
    pub name: String,
    pub secret: String,
}

/// Hides the secret.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The identifier and the challenge that one side sends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    pub id: u8,
    pub bytes: Vec<u8>,
}

/// A hash function by its number in `CHAP_A`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    Md5,
    Sha1,
    Sha256,
}

impl Algorithm {
    /// What an initiator of ours offers. SHA-256 comes last because tgt takes its number for SHA-1:
    /// there the login would fail.
    pub const OFFER: &str = "6,5,7";

    pub fn number(self) -> u8 {
        match self {
            Self::Md5 => 5,
            Self::Sha1 => 6,
            Self::Sha256 => 7,
        }
    }

    pub fn from_number(number: &str) -> Option<Self> {
        let all = [Self::Md5, Self::Sha1, Self::Sha256];
        all.into_iter()
            .find(|one| number.parse() == Ok(one.number()))
    }

    /// The first one of a list that we know.
    pub fn choose(list: &str) -> Option<Self> {
        list.split(',').find_map(Self::from_number)
    }

    /// The response to a challenge (RFC 1994 §4.1).
    pub fn response(self, challenge: &Challenge, secret: &str) -> Vec<u8> {
        fn hash<D: Digest>(challenge: &Challenge, secret: &str) -> Vec<u8> {
            let hash = D::new()
                .chain_update([challenge.id])
                .chain_update(secret)
                .chain_update(&challenge.bytes);
            hash.finalize().to_vec()
        }
        match self {
            Self::Md5 => hash::<Md5>(challenge, secret),
            Self::Sha1 => hash::<Sha1>(challenge, secret),
            Self::Sha256 => hash::<Sha256>(challenge, secret),
        }
    }

    /// Compares a response in constant time.
    pub fn verify(self, challenge: &Challenge, secret: &str, response: &[u8]) -> bool {
        bool::from(self.response(challenge, secret).ct_eq(response))
    }
}

/// A binary value: `0x` with hexadecimal digits or `0b` with base64 (RFC 7143 §6.1).
pub fn decode_binary(value: &str) -> Option<Vec<u8>> {
    let (form, digits) = value.split_at_checked(2)?;
    let bytes = match form {
        "0x" | "0X" => decode_hex(digits)?,
        "0b" | "0B" => base64::engine::general_purpose::STANDARD
            .decode(digits)
            .ok()?,
        _ => return None,
    };
    (1..=BINARY_LIMIT).contains(&bytes.len()).then_some(bytes)
}

fn decode_hex(digits: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = digits
        .chars()
        .map(|digit| digit.to_digit(16).and_then(|value| value.try_into().ok()))
        .collect();
    let digits = digits?;
    // An odd number of digits stands for a number that lacks its leading zero.
    let (first, pairs) = digits.split_at(digits.len() % 2);
    let pairs = pairs.as_chunks::<2>().0.iter();
    let pairs = pairs.map(|[high, low]| high << 4 | low);
    Some(first.iter().copied().chain(pairs).collect())
}

pub fn encode_binary(bytes: &[u8]) -> String {
    let mut text = String::from("0x");
    for byte in bytes {
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn responses_are_hashes_of_id_secret_and_challenge() {
        let challenge = Challenge {
            id: 1,
            bytes: b"challenge".to_vec(),
        };
        // printf '\1secretchallenge' | md5sum
        let response = Algorithm::Md5.response(&challenge, "secret");
        assert_eq!(
            encode_binary(&response),
            "0x46e47770030e2b4e26a0db72a7efec00"
        );
        assert!(Algorithm::Md5.verify(&challenge, "secret", &response));
        assert!(!Algorithm::Md5.verify(&challenge, "Secret", &response));
        assert!(!Algorithm::Sha256.verify(&challenge, "secret", &response));
        assert!(!Algorithm::Md5.verify(&challenge, "secret", &[]));
    }

    #[test]
    fn binary_values() {
        assert_eq!(decode_binary("0x00fF"), Some(vec![0, 255]));
        assert_eq!(decode_binary("0xfff"), Some(vec![15, 255]));
        assert_eq!(decode_binary("0bAP8="), Some(vec![0, 255]));
        for wrong in ["", "0", "0x", "00", "0xg0", "0b?", "é0"] {
            assert_eq!(decode_binary(wrong), None, "{wrong}");
        }
        assert_eq!(decode_binary(&format!("0x{}", "00".repeat(1025))), None);
    }

    #[test]
    fn the_first_known_algorithm() {
        assert_eq!(Algorithm::choose("8,7,5"), Some(Algorithm::Sha256));
        assert_eq!(Algorithm::choose("9"), None);
    }
}
