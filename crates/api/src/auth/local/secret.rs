//! The secrets of tokens: 256 random bits behind a prefix that scanners of secrets can look for.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::{
    digest,
    error::Unspecified,
    rand::{SecureRandom, SystemRandom},
};
use types::hex;

/// How every token begins.
const PREFIX: &str = "corten_";
/// The prefix, and 32 bytes in base64.
const LENGTH: usize = PREFIX.len() + 43;

/// A new token.
pub(crate) fn generate() -> Result<String, Unspecified> {
    let mut bytes = [0; 32];
    SystemRandom::new().fill(&mut bytes)?;
    Ok(format!("{PREFIX}{}", BASE64_URL_SAFE_NO_PAD.encode(bytes)))
}

/// Whether a text has the form of a token.
pub(super) fn is_token(text: &[u8]) -> bool {
    text.len() == LENGTH && text.starts_with(PREFIX.as_bytes())
}

/// What is kept of a token. It has too many bits to be guessed, so a plain hash is enough, and
/// finding it by its hash tells nothing by the time that takes.
pub(crate) fn hash(token: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, token).as_ref())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_one_form_and_differ() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert!(is_token(one.as_bytes()) && is_token(other.as_bytes()));
        assert_ne!(one, other);
        assert_ne!(hash(one.as_bytes()), hash(other.as_bytes()));
        assert!(!is_token(b"corten_"));
        assert!(!is_token(&one.as_bytes()[1..]));
    }
}
