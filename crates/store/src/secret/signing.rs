//! Signatures by the key ring, which anybody can check who has the public key.
//!
//! Each key of the ring has an Ed25519 key of its own (RFC 8032), derived from it by HKDF (RFC 5869)
//! for this purpose alone. So nothing more has to be kept, signatures of a key outlive its rotation,
//! and what is known of the one says nothing about the other.

use super::{KeyRing, secret};
use crate::StoreError;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::{
    hkdf::{HKDF_SHA256, Salt},
    signature::{Ed25519KeyPair, KeyPair as _},
};
use std::sync::Arc;
use types::erasure::DocumentSignature;

/// What the keys are derived for. Another purpose takes another text.
const PURPOSE: &[u8] = b"corten document signatures";

/// The key that a key of the ring signs with.
#[derive(Clone)]
pub(super) struct SigningKey(Arc<Ed25519KeyPair>);

impl SigningKey {
    pub(super) fn derived_from(bytes: &[u8]) -> Result<Self, StoreError> {
        let failed = || secret("cannot derive a signing key");
        let mut seed = [0; 32];
        let derived = Salt::new(HKDF_SHA256, &[]).extract(bytes);
        derived
            .expand(&[PURPOSE], HKDF_SHA256)
            .and_then(|key| key.fill(&mut seed))
            .map_err(|_| failed())?;
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| failed())?;
        Ok(Self(Arc::new(pair)))
    }

    fn public_key(&self) -> &[u8] {
        self.0.public_key().as_ref()
    }
}

/// What signatures of a key are checked with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// The name of the key in the ring.
    pub key: String,
    /// Its 32 bytes, in base64.
    pub base64: String,
    /// As OpenSSL reads it.
    pub pem: String,
}

impl PublicKey {
    fn new(key: String, bytes: &[u8]) -> Self {
        // SubjectPublicKeyInfo with the algorithm id-Ed25519 (RFC 8410, section 4).
        const HEAD: [u8; 12] = [
            0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00,
        ];
        let der = STANDARD.encode([&HEAD[..], bytes].concat());
        Self {
            key,
            base64: STANDARD.encode(bytes),
            pem: format!("-----BEGIN PUBLIC KEY-----\n{der}\n-----END PUBLIC KEY-----\n"),
        }
    }
}

impl KeyRing {
    /// Signs with the newest key.
    pub fn sign(&self, message: &[u8]) -> Result<DocumentSignature, StoreError> {
        let newest = self.newest();
        let newest = newest.ok_or_else(|| secret("the key ring is empty"))?;
        let signature = newest.signing.0.sign(message);
        Ok(DocumentSignature {
            key: newest.id,
            public_key: STANDARD.encode(newest.signing.public_key()),
            value: STANDARD.encode(signature.as_ref()),
        })
    }

    /// The public keys of the ring as its file is now, newest first. Blocks while it reads the file.
    pub fn public_keys(&self) -> Result<Vec<PublicKey>, StoreError> {
        self.reload()?;
        let keys = self.0.keys.read();
        let keys = keys.unwrap_or_else(std::sync::PoisonError::into_inner);
        let public = keys
            .iter()
            .map(|key| PublicKey::new(key.id.clone(), key.signing.public_key()));
        Ok(public.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ring::signature::{ED25519, UnparsedPublicKey};

    fn checks(key: &str, message: &[u8], signature: &str) -> bool {
        let key = STANDARD.decode(key).unwrap();
        let signature = STANDARD.decode(signature).unwrap();
        UnparsedPublicKey::new(&ED25519, key)
            .verify(message, &signature)
            .is_ok()
    }

    #[test]
    fn a_signature_outlives_the_rotation_of_its_key() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("keys");
        let ring = KeyRing::load_or_create(&file).unwrap();
        let signed = ring.sign(b"text").unwrap();
        assert!(checks(&signed.public_key, b"text", &signed.value));
        assert!(!checks(&signed.public_key, b"texts", &signed.value));
        let other = KeyRing::load(&file).unwrap();
        let newest = ring.add_key().unwrap();
        // Another process sees the keys that the file has now, and the same ones.
        let keys = other.public_keys().unwrap();
        assert_eq!((keys.len(), &keys[0].key), (2, &newest));
        assert_eq!(
            (&keys[1].key, &keys[1].base64),
            (&signed.key, &signed.public_key)
        );
        let again = ring.sign(b"text").unwrap();
        assert_eq!(
            (&again.key, &again.public_key),
            (&keys[0].key, &keys[0].base64)
        );
        assert_ne!(again.value, signed.value);
    }

    #[test]
    fn the_public_key_says_nothing_of_the_key_of_the_ring() {
        let bytes = [7; 32];
        let key = SigningKey::derived_from(&bytes).unwrap();
        let naive = Ed25519KeyPair::from_seed_unchecked(&bytes).unwrap();
        assert_ne!(key.public_key(), naive.public_key().as_ref());
        let public = PublicKey::new("k1".into(), key.public_key());
        // The prefix that OpenSSL writes for every key of this kind.
        assert!(public.pem.contains("\nMCowBQYDK2VwAyEA"), "{}", public.pem);
    }
}
