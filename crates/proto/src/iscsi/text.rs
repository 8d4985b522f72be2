//! Keys and values in login and text PDUs (RFC 7143 §6.1).

use super::DecodeError;
use bytes::Bytes;

/// The longest key (§6.1).
const KEY_LIMIT: usize = 63;
/// The longest value: 1024 bytes of a challenge in hexadecimal, and room for lists.
const VALUE_LIMIT: usize = 8192;
/// The longest text over several PDUs.
const TEXT_LIMIT: usize = 65_536;

/// Keys with their values, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs(Vec<(String, String)>);

impl Pairs {
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let text = std::str::from_utf8(bytes).map_err(|_| DecodeError::Text)?;
        let pairs = text.split('\0').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (key, value) = pair.split_once('=')?;
            let fits = (1..=KEY_LIMIT).contains(&key.len()) && value.len() <= VALUE_LIMIT;
            fits.then(|| (key.to_owned(), value.to_owned()))
        });
        let pairs = pairs.collect::<Option<_>>().ok_or(DecodeError::Text)?;
        Ok(Self(pairs))
    }

    pub fn encode(&self) -> Bytes {
        let mut bytes = Vec::new();
        for (key, value) in &self.0 {
            bytes.extend_from_slice(key.as_bytes());
            bytes.push(b'=');
            bytes.extend_from_slice(value.as_bytes());
            bytes.push(0);
        }
        bytes.into()
    }

    pub fn push(&mut self, key: &str, value: impl Into<String>) {
        self.0.push((key.to_owned(), value.into()));
    }

    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|pair| pair.0 == key).map(|pair| pair.1)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.0.iter();
        pairs.map(|(key, value)| (key.as_str(), value.as_str()))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// A text that arrives in several PDUs (the C bit, §6.2).
#[derive(Debug, Default)]
pub struct Assembler(Vec<u8>);

impl Assembler {
    /// Appends a part; the keys if it was the last one.
    pub fn part(&mut self, part: &[u8], continues: bool) -> Result<Option<Pairs>, DecodeError> {
        if self.0.len() + part.len() > TEXT_LIMIT {
            return Err(DecodeError::Text);
        }
        self.0.extend_from_slice(part);
        if continues {
            return Ok(None);
        }
        Pairs::decode(&std::mem::take(&mut self.0)).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_over_several_parts() {
        let mut assembler = Assembler::default();
        assert_eq!(assembler.part(b"A=1\0Targ", true), Ok(None));
        let pairs = assembler.part(b"et=x=y\0", false).unwrap().unwrap();
        assert_eq!(pairs.get("Target"), Some("x=y"));
        assert_eq!(&pairs.encode()[..], b"A=1\0Target=x=y\0");
    }

    #[test]
    fn what_is_no_text() {
        for bytes in [&b"A\0"[..], b"=1\0", b"\xff=1\0"] {
            assert_eq!(Pairs::decode(bytes), Err(DecodeError::Text));
        }
        let mut endless = Assembler::default();
        assert!((0..100).any(|_| endless.part(&[b'A'; 8192], true).is_err()));
    }
}
