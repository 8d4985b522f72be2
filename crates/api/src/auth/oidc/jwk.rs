//! The public keys of a provider of OpenID Connect (RFC 7517), as far as tokens are signed with
//! them: RSA, P-256 and Ed25519.

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey,
};
use serde::Deserialize;

/// No set of keys is longer, in bytes and in keys.
pub(super) const LONGEST: usize = 256 * 1024;
const MOST: usize = 100;

/// How a token is signed. Nothing else is accepted, least of all `none` and keys that are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Algorithm {
    #[serde(rename = "RS256")]
    Rs256,
    #[serde(rename = "ES256")]
    Es256,
    #[serde(rename = "EdDSA")]
    EdDsa,
}

/// A set of keys that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadKeys {
    #[error("the set of keys is longer than {LONGEST} bytes, or has more than {MOST} keys")]
    Long,
    #[error("the set of keys is not the JSON of one")]
    Form,
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

#[derive(Deserialize)]
struct Raw {
    kty: String,
    kid: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    alg: Option<String>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Material {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// An uncompressed point.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// A key that signatures can be verified with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    id: Option<String>,
    material: Material,
}

/// Reads a set of keys. Those that no token of ours can be signed with are left out.
pub fn parse(text: &[u8]) -> Result<Vec<PublicKey>, BadKeys> {
    if text.len() > LONGEST {
        return Err(BadKeys::Long);
    }
    let document: Document = serde_json::from_slice(text).map_err(|_| BadKeys::Form)?;
    if document.keys.len() > MOST {
        return Err(BadKeys::Long);
    }
    let raw = document.keys.into_iter();
    let raw = raw.filter_map(|key| serde_json::from_value::<Raw>(key).ok());
    Ok(raw.filter_map(key).collect())
}

fn key(raw: Raw) -> Option<PublicKey> {
    if raw.purpose.is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    let bytes = |text: Option<String>| BASE64_URL_SAFE_NO_PAD.decode(text?).ok();
    let coordinate = |text| bytes(text).filter(|bytes| bytes.len() == 32);
    let (material, algorithm) = match (raw.kty.as_str(), raw.crv.as_deref()) {
        ("RSA", None) => {
            let (modulus, exponent) = (bytes(raw.n)?, bytes(raw.e)?);
            // What is shorter or longer than ring verifies with.
            let is_usual = (256..=1025).contains(&modulus.len()) && exponent.len() <= 8;
            let material = Material::Rsa { modulus, exponent };
            (is_usual.then_some(material)?, "RS256")
        }
        ("EC", Some("P-256")) => {
            let (x, y) = (coordinate(raw.x)?, coordinate(raw.y)?);
            (Material::P256([&[4], &x[..], &y[..]].concat()), "ES256")
        }
        ("OKP", Some("Ed25519")) => (Material::Ed25519(coordinate(raw.x)?), "EdDSA"),
        _ => return None,
    };
    if raw.alg.is_some_and(|alg| alg != algorithm) {
        return None;
    }
    Some(PublicKey {
        id: raw.kid,
        material,
    })
}

impl PublicKey {
    /// Whether a token that names this key may be signed with it: one that names none, with any.
    pub(super) fn is_called(&self, id: Option<&str>) -> bool {
        id.is_none() || self.id.as_deref() == id
    }

    /// Whether a signature is of this key. The kind of the key must be that of the algorithm.
    pub(super) fn verifies(&self, algorithm: Algorithm, text: &[u8], signature: &[u8]) -> bool {
        let verified = match (algorithm, &self.material) {
            (Algorithm::Rs256, Material::Rsa { modulus, exponent }) => {
                let (n, e) = (modulus, exponent);
                signature::RsaPublicKeyComponents { n, e }.verify(
                    &RSA_PKCS1_2048_8192_SHA256,
                    text,
                    signature,
                )
            }
            (Algorithm::Es256, Material::P256(point)) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(text, signature)
            }
            (Algorithm::EdDsa, Material::Ed25519(key)) => {
                UnparsedPublicKey::new(&ED25519, key).verify(text, signature)
            }
            _ => return false,
        };
        verified.is_ok()
    }
}
