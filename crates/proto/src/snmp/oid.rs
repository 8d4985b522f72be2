//! Object identifiers: the names of objects, paths of numbers in one tree.

use super::{DecodeError, ber};
use std::{fmt, str::FromStr};

/// A path of two to 128 numbers. BER encodes the first two as one number, `40 · first + second`, so
/// the second is below 40 unless the first is 2.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(Vec<u32>);

/// RFC 2578 §3.5 allows 128 sub-identifiers.
const LONGEST: usize = 128;

/// Text or numbers that are not an object identifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an object identifier")]
pub struct NotAnOid;

impl Oid {
    /// An object identifier, if BER can encode it.
    pub fn new(path: &[u32]) -> Option<Self> {
        let sound = match path {
            [0 | 1, second, ..] => *second < 40,
            [2, second, ..] => second.checked_add(80).is_some(),
            _ => false,
        };
        (sound && path.len() <= LONGEST).then(|| Self(path.to_vec()))
    }

    /// The numbers of the path.
    pub fn path(&self) -> &[u32] {
        &self.0
    }

    /// Whether this object is below another, or the same.
    pub fn is_under(&self, branch: &Oid) -> bool {
        self.0.starts_with(&branch.0)
    }

    /// Appends the element, with its tag.
    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        ber::put_with(out, ber::OBJECT_ID, |out| {
            if let [first, second, rest @ ..] = &self.0[..] {
                put_number(out, first * 40 + second);
                for number in rest {
                    put_number(out, *number);
                }
            }
        });
    }

    /// Reads the contents of an element.
    pub(crate) fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let what = "object identifier";
        let mut path = Vec::new();
        let mut number = 0u32;
        let mut is_open = false;
        for byte in bytes {
            let shifted = number.checked_mul(128).ok_or(DecodeError::Value { what })?;
            number = shifted | u32::from(byte & 0x7f);
            is_open = *byte >= 0x80;
            if is_open {
                continue;
            }
            if path.is_empty() {
                let first = (number / 40).min(2);
                path.extend([first, number - first * 40]);
            } else {
                path.push(number);
            }
            number = 0;
        }
        if is_open || path.is_empty() {
            return Err(DecodeError::Short { what });
        }
        Self::new(&path).ok_or(DecodeError::Value { what })
    }
}

fn put_number(out: &mut Vec<u8>, number: u32) {
    for shift in [28, 21, 14, 7] {
        if number >> shift != 0 {
            out.push(0x80 | (number >> shift & 0x7f).to_be_bytes()[3]);
        }
    }
    out.push((number & 0x7f).to_be_bytes()[3]);
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, number) in self.0.iter().enumerate() {
            let dot = if place == 0 { "" } else { "." };
            write!(f, "{dot}{number}")?;
        }
        Ok(())
    }
}

impl FromStr for Oid {
    type Err = NotAnOid;

    fn from_str(text: &str) -> Result<Self, NotAnOid> {
        let numbers = text.strip_prefix('.').unwrap_or(text).split('.');
        let path: Result<Vec<u32>, _> = numbers.map(str::parse).collect();
        Self::new(&path.map_err(|_| NotAnOid)?).ok_or(NotAnOid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_wire_form_is_the_known_one() {
        let oid: Oid = "1.3.6.1.4.1.21317.1.3".parse().unwrap();
        let mut out = Vec::new();
        oid.put(&mut out);
        assert_eq!(out, [6, 10, 0x2b, 6, 1, 4, 1, 0x81, 0xa6, 0x45, 1, 3],);
        assert_eq!(oid.to_string(), "1.3.6.1.4.1.21317.1.3");
        assert_eq!(".1.3".parse::<Oid>().unwrap().path(), [1, 3]);
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for text in ["", "1", "3.1", "1.40", "1.-3", "1.3.x", "2.4294967295"] {
            assert!(text.parse::<Oid>().is_err(), "{text}");
        }
        assert!(Oid::decode(&[]).is_err());
        assert!(Oid::decode(&[0x2b, 0x86]).is_err());
        assert!(Oid::decode(&[0x2b, 0xff, 0xff, 0xff, 0xff, 0x7f]).is_err());
    }

    #[test]
    fn branches_hold_what_is_below_them() {
        let branch: Oid = "1.3.6".parse().unwrap();
        assert!("1.3.6.1".parse::<Oid>().unwrap().is_under(&branch));
        assert!(!"1.3.61".parse::<Oid>().unwrap().is_under(&branch));
    }

    proptest! {
        #[test]
        fn paths_come_back(
            first in 0u32..3, second in 0u32..40,
            rest in proptest::collection::vec(any::<u32>(), 0..126)
        ) {
            let oid = Oid::new(&[&[first, second], &rest[..]].concat()).unwrap();
            let mut out = Vec::new();
            oid.put(&mut out);
            let contents = ber::Reader::new(&out).expect(ber::OBJECT_ID, "oid").unwrap();
            prop_assert_eq!(Oid::decode(contents.rest()), Ok(oid.clone()));
            prop_assert_eq!(oid.to_string().parse(), Ok(oid));
        }
    }
}
