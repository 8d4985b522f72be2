//! Signatures with a shared key: TSIG (RFC 8945), with HMAC-SHA256.

use super::{
    DecodeError, kind, name,
    name::Name,
    response::{Record, Response},
};
use crate::reader::Reader;
use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use std::fmt;

/// The name of the algorithm (RFC 8945 §6), as labels.
const ALGORITHM: &[u8] = b"\x0bhmac-sha256\x00";
/// How far clocks may be apart, in seconds (RFC 8945 §10).
const FUDGE: u16 = 300;

/// A key that we share with a server.
#[derive(Clone, PartialEq, Eq)]
pub struct Key {
    pub name: Name,
    pub secret: Vec<u8>,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Key")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// The signature of a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The name of the key, as labels.
    key: Vec<u8>,
    algorithm: Vec<u8>,
    time: u64,
    fudge: u16,
    mac: Vec<u8>,
    original_id: u16,
    error: u16,
    other: Vec<u8>,
}

/// A request with its signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    pub message: Vec<u8>,
    mac: Vec<u8>,
}

/// Why an answer cannot be trusted, or what the server holds against our signature (RFC 8945 §5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TsigError {
    #[error("the server does not know the key")]
    BadKey,
    #[error("the server has another secret for the key")]
    BadSignature,
    #[error("the clocks of the server and of this machine are more than 5 minutes apart")]
    BadTime,
    #[error("the server refuses the signature with error {0}")]
    Other(u16),
    #[error("the answer is not signed")]
    Unsigned,
    #[error("the signature of the answer is wrong")]
    Forged,
}

impl Key {
    /// A key whose secret is written in base64, as `tsig-keygen` prints it.
    pub fn of_base64(name: Name, text: &str) -> Option<Self> {
        let secret = BASE64_STANDARD.decode(text.trim()).ok()?;
        (!secret.is_empty()).then_some(Self { name, secret })
    }

    /// Signs a message (RFC 8945 §5.1 and §4.3.3). `now` is in seconds since 1970.
    pub fn sign(&self, message: &[u8], now: u64) -> Signed {
        let id = message.first_chunk().copied().map_or(0, u16::from_be_bytes);
        let mut signature = Signature {
            key: self.labels(),
            algorithm: ALGORITHM.to_vec(),
            time: now & 0xffff_ffff_ffff,
            fudge: FUDGE,
            mac: Vec::new(),
            original_id: id,
            error: 0,
            other: Vec::new(),
        };
        signature.mac = self.mac(&[message, &signature.variables()]).to_vec();
        let mut bytes = message.to_vec();
        signature.append(&mut bytes);
        Signed {
            message: bytes,
            mac: signature.mac,
        }
    }

    /// Checks the signature of an answer to a request (RFC 8945 §5.3).
    pub fn verify(
        &self,
        request: &Signed,
        answer: &[u8],
        response: &Response,
        now: u64,
    ) -> Result<(), TsigError> {
        let signature = response.signature.as_ref().ok_or(TsigError::Unsigned)?;
        // §5.3.2: an answer about a bad key or signature is not signed itself.
        match signature.error {
            16 => return Err(TsigError::BadSignature),
            17 => return Err(TsigError::BadKey),
            _ => {}
        }
        if signature.key != self.labels() || signature.algorithm != ALGORITHM {
            return Err(TsigError::Forged);
        }
        // §4.3.1: what was signed had the original identifier and no signature.
        let mut unsigned = answer.get(..response.signed).unwrap_or_default().to_vec();
        let additional = unsigned
            .get(10..12)
            .and_then(|bytes| bytes.first_chunk().copied());
        let additional = additional.map_or(0, u16::from_be_bytes).saturating_sub(1);
        if unsigned.len() < 12 {
            return Err(TsigError::Forged);
        }
        unsigned[..2].copy_from_slice(&signature.original_id.to_be_bytes());
        unsigned[10..12].copy_from_slice(&additional.to_be_bytes());
        let length = u16::try_from(request.mac.len()).unwrap_or(0).to_be_bytes();
        let parts: [&[u8]; 4] = [&length, &request.mac, &unsigned, &signature.variables()];
        let mut mac = self.hmac();
        parts.iter().for_each(|part| mac.update(part));
        mac.verify_slice(&signature.mac)
            .map_err(|_| TsigError::Forged)?;
        match signature.error {
            0 if now.abs_diff(signature.time) <= u64::from(signature.fudge) => Ok(()),
            0 | 18 => Err(TsigError::BadTime),
            other => Err(TsigError::Other(other)),
        }
    }

    fn labels(&self) -> Vec<u8> {
        let mut labels = Vec::new();
        self.name.encode(&mut labels);
        labels
    }

    fn hmac(&self) -> Hmac<Sha256> {
        // HMAC takes keys of any length.
        match Hmac::new_from_slice(&self.secret) {
            Ok(hmac) => hmac,
            Err(_) => Hmac::new(&Default::default()),
        }
    }

    fn mac(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut mac = self.hmac();
        parts.iter().for_each(|part| mac.update(part));
        mac.finalize().into_bytes().into()
    }
}

impl Signature {
    pub(super) fn decode(message: &[u8], record: &Record) -> Result<Self, DecodeError> {
        let (algorithm, at) = name::read(message, record.data)?;
        if at > record.end {
            return Err(DecodeError::Short { what: "signature" });
        }
        let mut rest = Reader::new("signature", &message[at..record.end]);
        let time = [rest.u16_be()?, rest.u16_be()?, rest.u16_be()?];
        let time = time
            .iter()
            .fold(0, |time, part| time << 16 | u64::from(*part));
        let (fudge, length) = (rest.u16_be()?, rest.u16_be()?);
        let mac = rest.bytes(usize::from(length))?.to_vec();
        let (original_id, error, length) = (rest.u16_be()?, rest.u16_be()?, rest.u16_be()?);
        let other = rest.bytes(usize::from(length))?.to_vec();
        let rooted = |mut labels: Vec<u8>| {
            labels.push(0);
            labels
        };
        Ok(Self {
            key: rooted(record.name.clone()),
            algorithm: rooted(algorithm),
            time,
            fudge,
            mac,
            original_id,
            error,
            other,
        })
    }

    /// What is signed besides the message (RFC 8945 §4.3.3).
    fn variables(&self) -> Vec<u8> {
        let mut bytes = self.key.clone();
        bytes.extend(kind::CLASS_ANY.to_be_bytes());
        bytes.extend(0_u32.to_be_bytes());
        bytes.extend(&self.algorithm);
        bytes.extend(&self.time.to_be_bytes()[2..]);
        bytes.extend(self.fudge.to_be_bytes());
        bytes.extend(self.error.to_be_bytes());
        self.append_other(&mut bytes);
        bytes
    }

    fn append_other(&self, bytes: &mut Vec<u8>) {
        bytes.extend(u16::try_from(self.other.len()).unwrap_or(0).to_be_bytes());
        bytes.extend(&self.other);
    }

    /// Puts the record behind a message and counts it (RFC 8945 §4.2).
    fn append(&self, message: &mut Vec<u8>) {
        let mut data = self.algorithm.clone();
        data.extend(&self.time.to_be_bytes()[2..]);
        data.extend(self.fudge.to_be_bytes());
        data.extend(u16::try_from(self.mac.len()).unwrap_or(0).to_be_bytes());
        data.extend(&self.mac);
        data.extend(self.original_id.to_be_bytes());
        data.extend(self.error.to_be_bytes());
        self.append_other(&mut data);
        message.extend(&self.key);
        message.extend(kind::TSIG.to_be_bytes());
        message.extend(kind::CLASS_ANY.to_be_bytes());
        message.extend(0_u32.to_be_bytes());
        message.extend(u16::try_from(data.len()).unwrap_or(0).to_be_bytes());
        message.extend(data);
        if let Some(count) = message
            .get_mut(10..12)
            .and_then(|two| two.first_chunk_mut())
        {
            *count = u16::from_be_bytes(*count).saturating_add(1).to_be_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_800_000_000;

    fn key(secret: &[u8]) -> Key {
        Key {
            name: "corten".parse().unwrap(),
            secret: secret.to_vec(),
        }
    }

    /// An answer as a server signs it.
    fn answered(key: &Key, request: &Signed, time: u64) -> Vec<u8> {
        let answer = vec![0, 7, 0xa8, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        let mut signature = Signature {
            key: key.labels(),
            algorithm: ALGORITHM.to_vec(),
            time,
            fudge: FUDGE,
            mac: Vec::new(),
            original_id: 7,
            error: 0,
            other: Vec::new(),
        };
        let parts: [&[u8]; 4] = [&[0, 32], &request.mac, &answer, &signature.variables()];
        signature.mac = key.mac(&parts).to_vec();
        let mut bytes = answer;
        signature.append(&mut bytes);
        bytes
    }

    #[test]
    fn an_answer_with_the_same_key_is_trusted_and_no_other_one() {
        let ours = key(b"secret");
        let request = ours.sign(&[0, 7, 0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0], NOW);
        let check = |answer: &[u8]| {
            let response = Response::decode(answer).unwrap();
            ours.verify(&request, answer, &response, NOW)
        };
        let good = answered(&ours, &request, NOW);
        assert_eq!(check(&good), Ok(()));
        let mut changed = good.clone();
        changed[3] = 6;
        assert_eq!(check(&changed), Err(TsigError::Forged));
        assert_eq!(
            check(&answered(&key(b"other"), &request, NOW)),
            Err(TsigError::Forged)
        );
        assert_eq!(
            check(&answered(&ours, &request, NOW - 301)),
            Err(TsigError::BadTime)
        );
        let mut plain = good;
        plain.truncate(12);
        plain[11] = 0;
        assert_eq!(check(&plain), Err(TsigError::Unsigned));
        assert!(!format!("{ours:?}").contains("secret"));
    }
}
