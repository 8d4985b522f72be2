//! Signed tokens of a provider (RFC 7519): what they say, and whether it counts.

use super::jwk::{Algorithm, PublicKey};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde::Deserialize;
use serde_json::Value;

/// No token is longer; it would not fit into the head of a request together with others.
const LONGEST: usize = 16 * 1024;
/// How far the clocks of a provider and ours may be apart, in seconds.
const SKEW: i64 = 60;
/// A token that names no key is tried with so many.
const MOST_TRIED: usize = 10;

/// Why a token does not count. For the log: callers learn only that it does not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadToken {
    #[error("it is no signed token of three parts")]
    Form,
    #[error("it is not signed by RS256, ES256 or EdDSA, or demands what is not understood")]
    Algorithm,
    #[error("it names a key that the provider does not have")]
    UnknownKey,
    #[error("its signature is wrong")]
    Signature,
    #[error("what it says cannot be read")]
    Claims,
    #[error("it is of another issuer")]
    Issuer,
    #[error("it is for another audience")]
    Audience,
    #[error("it has ended")]
    Ended,
    #[error("it does not count yet")]
    Early,
}

#[derive(Deserialize)]
struct Header {
    alg: Algorithm,
    kid: Option<String>,
    crit: Option<Value>,
}

#[derive(Deserialize)]
struct Registered {
    iss: String,
    sub: String,
    aud: Audience,
    exp: f64,
    nbf: Option<f64>,
    iat: Option<f64>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Audience {
    fn has(&self, name: &str) -> bool {
        match self {
            Self::One(one) => one == name,
            Self::Several(several) => several.iter().any(|one| one == name),
        }
    }
}

/// A token as it was sent: nothing that it says counts before [`Unverified::verify`].
#[derive(Debug)]
pub struct Unverified<'t> {
    algorithm: Algorithm,
    key: Option<String>,
    /// What is signed.
    text: &'t str,
    claims: Vec<u8>,
    signature: Vec<u8>,
}

/// What a token says that counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    /// Who it is about, by the provider's id.
    pub subject: String,
    /// Everything that it says.
    pub all: Value,
}

/// Whether a text has the form of such a token.
pub(super) fn is_token(text: &[u8]) -> bool {
    text.iter().filter(|byte| **byte == b'.').count() == 2
}

/// Takes a token apart.
pub fn parse(token: &str) -> Result<Unverified<'_>, BadToken> {
    if token.len() > LONGEST {
        return Err(BadToken::Form);
    }
    let (text, signature) = token.rsplit_once('.').ok_or(BadToken::Form)?;
    let (header, claims) = text.split_once('.').ok_or(BadToken::Form)?;
    let decoded = |part: &str| BASE64_URL_SAFE_NO_PAD.decode(part).ok();
    let header = decoded(header).ok_or(BadToken::Form)?;
    let header: Header = serde_json::from_slice(&header).map_err(|_| BadToken::Algorithm)?;
    if header.crit.is_some() {
        return Err(BadToken::Algorithm);
    }
    Ok(Unverified {
        algorithm: header.alg,
        key: header.kid,
        text,
        claims: decoded(claims).ok_or(BadToken::Form)?,
        signature: decoded(signature).ok_or(BadToken::Form)?,
    })
}

impl Unverified<'_> {
    /// Whether one of these keys may have signed it.
    pub(super) fn finds_key(&self, keys: &[PublicKey]) -> bool {
        let id = self.key.as_deref();
        keys.iter().any(|key| key.is_called(id))
    }

    /// What it says, if one of the keys signed it, for this audience, and it counts at this time
    /// (in seconds since 1970).
    pub fn verify(
        &self,
        keys: &[PublicKey],
        (issuer, audience): (&str, &str),
        now: i64,
    ) -> Result<Claims, BadToken> {
        if !self.finds_key(keys) {
            return Err(BadToken::UnknownKey);
        }
        let id = self.key.as_deref();
        let mut candidates = keys.iter().filter(|key| key.is_called(id)).take(MOST_TRIED);
        let text = self.text.as_bytes();
        if !candidates.any(|key| key.verifies(self.algorithm, text, &self.signature)) {
            return Err(BadToken::Signature);
        }
        let all: Value = serde_json::from_slice(&self.claims).map_err(|_| BadToken::Claims)?;
        let said = Registered::deserialize(&all).map_err(|_| BadToken::Claims)?;
        if said.iss != issuer {
            return Err(BadToken::Issuer);
        }
        if !said.aud.has(audience) {
            return Err(BadToken::Audience);
        }
        // Times may have fractions, but JSON has no number that is none.
        let (early, late) = ((now - SKEW) as f64, (now + SKEW) as f64);
        if said.exp <= early {
            return Err(BadToken::Ended);
        }
        let begun = |at: Option<f64>| at.is_none_or(|at| at <= late);
        if !begun(said.nbf) || !begun(said.iat) {
            return Err(BadToken::Early);
        }
        if said.sub.is_empty() || said.sub.len() > 255 || said.sub.contains(char::is_control) {
            return Err(BadToken::Claims);
        }
        Ok(Claims {
            subject: said.sub,
            all,
        })
    }
}
