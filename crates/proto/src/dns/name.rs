//! Names as labels with their lengths (RFC 1035 §3.1 and §4.1.4).

use super::DecodeError;
use std::{fmt, net::IpAddr, str::FromStr};

/// The longest name, with the lengths of its labels and the root.
const LONGEST: usize = 255;

/// A name, in lower case, without the dot of the root.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(String);

/// A text that is no name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no DNS name")]
pub struct BadName(String);

impl Name {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether this is the other name or below it.
    pub fn is_within(&self, zone: &Self) -> bool {
        let below = self.0.strip_suffix(&zone.0);
        below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }

    /// This name below another one.
    pub fn below(&self, zone: &Self) -> Result<Self, BadName> {
        format!("{}.{}", self.0, zone.0).parse()
    }

    /// The name that leads from an address to its host (RFC 1035 §3.5, RFC 3596 §2.5).
    pub fn reverse(address: IpAddr) -> Self {
        Self(match address {
            IpAddr::V4(address) => {
                let [a, b, c, d] = address.octets();
                format!("{d}.{c}.{b}.{a}.in-addr.arpa")
            }
            IpAddr::V6(address) => {
                let digits = format!("{:032x}", address.to_bits());
                let mut name = String::with_capacity(72);
                for digit in digits.chars().rev() {
                    name.push(digit);
                    name.push('.');
                }
                name + "ip6.arpa"
            }
        })
    }

    /// The labels and the root, uncompressed.
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        for label in self.0.split('.').filter(|label| !label.is_empty()) {
            // Every label was checked when the name was made.
            bytes.push(u8::try_from(label.len()).unwrap_or(0));
            bytes.extend(label.as_bytes());
        }
        bytes.push(0);
    }
}

impl FromStr for Name {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        let name = text.strip_suffix('.').unwrap_or(text);
        let is_label = |label: &str| {
            (1..=63).contains(&label.len())
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"-_/".contains(&byte))
        };
        match name.len() + 2 <= LONGEST && name.split('.').all(is_label) {
            true => Ok(Self(name.to_ascii_lowercase())),
            false => Err(BadName(text.chars().take(80).collect())),
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads a name that begins at `start`; also where it ends there. A pointer must lead back, so that
/// the reading ends.
pub(super) fn read(message: &[u8], start: usize) -> Result<(Vec<u8>, usize), DecodeError> {
    const SHORT: DecodeError = DecodeError::Short { what: "name" };
    let (mut at, mut end, mut limit) = (start, None, start);
    let mut name = Vec::new();
    loop {
        let length = *message.get(at).ok_or(SHORT)?;
        match length {
            0 => return Ok((name, end.unwrap_or(at + 1))),
            1..=63 => {
                let label = message
                    .get(at + 1..at + 1 + usize::from(length))
                    .ok_or(SHORT)?;
                if name.len() + label.len() + 2 > LONGEST {
                    return Err(DecodeError::NameTooLong);
                }
                name.push(length);
                name.extend(label.iter().map(u8::to_ascii_lowercase));
                at += 1 + label.len();
            }
            0xc0.. => {
                let low = *message.get(at + 1).ok_or(SHORT)?;
                let target = usize::from(u16::from_be_bytes([length & 0x3f, low]));
                if target >= limit {
                    return Err(DecodeError::Pointer);
                }
                end.get_or_insert(at + 2);
                (at, limit) = (target, target);
            }
            _ => return Err(DecodeError::Pointer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_written_and_read() {
        let name: Name = "Node1.Example.org.".parse().unwrap();
        let mut bytes = vec![9; 3];
        name.encode(&mut bytes);
        assert_eq!(&bytes[3..], b"\x05node1\x07example\x03org\x00");
        let (read_back, end) = read(&bytes, 3).unwrap();
        assert_eq!((read_back.len() + 1, end), (bytes.len() - 3, bytes.len()));
        assert!(name.is_within(&"example.org".parse().unwrap()));
        assert!(!name.is_within(&"ample.org".parse().unwrap()));
    }

    #[test]
    fn addresses_have_reverse_names() {
        let name = Name::reverse([10, 1, 2, 3].into());
        assert_eq!(name.as_str(), "3.2.1.10.in-addr.arpa");
        let name = Name::reverse("fd00::1".parse().unwrap());
        assert!(name.as_str().starts_with("1.0.0.0."), "{name}");
        assert!(name.as_str().ends_with("0.0.d.f.ip6.arpa"), "{name}");
        assert!(name.as_str().parse::<Name>().is_ok());
    }

    #[test]
    fn pointers_only_lead_back() {
        assert_eq!(read(&[0xc0, 0], 0), Err(DecodeError::Pointer));
        assert_eq!(read(&[1, b'a', 0xc0, 2], 0), Err(DecodeError::Pointer));
        let bytes = [1, b'a', 0, 1, b'b', 0xc0, 0];
        assert_eq!(read(&bytes, 3), Ok((vec![1, b'b', 1, b'a'], 7)));
        assert!(read(&[5, b'a'], 0).is_err());
        for bad in ["", ".", "a..b", "a b", &"a".repeat(64), &"a.".repeat(128)] {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
    }
}
