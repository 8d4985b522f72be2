//! `%41` for `A`, as URLs have it.
//!
//! What to do about a percent sign that is not followed by two digits depends on who reads: Python
//! leaves it as it is, and so do readers of requests and of database URLs; others refuse it.

use crate::hex;
use std::borrow::Cow;

/// A text that is not UTF-8 once its escapes are resolved, or has escapes that are none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a part of the URL is not UTF-8 once decoded")]
pub struct Undecodable;

/// Resolves escapes, and leaves what is none as it is.
pub fn decode(text: &str) -> Result<Cow<'_, str>, Undecodable> {
    resolve(text, true)
}

/// Resolves escapes, and refuses what is none.
pub fn decode_strictly(text: &str) -> Result<Cow<'_, str>, Undecodable> {
    resolve(text, false)
}

fn resolve(text: &str, is_lenient: bool) -> Result<Cow<'_, str>, Undecodable> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        let escaped = match (first, tail) {
            (b'%', [high, low, ..]) => hex::byte([*high, *low]),
            _ => None,
        };
        bytes.push(match (escaped, first) {
            (Some(byte), _) => {
                rest = tail.get(2..).unwrap_or_default();
                byte
            }
            (None, b'%') if !is_lenient => return Err(Undecodable),
            (None, other) => other,
        });
    }
    let decoded = String::from_utf8(bytes).map_err(|_| Undecodable)?;
    Ok(Cow::Owned(decoded))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn escapes_are_resolved(text: String) {
            let escaped: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            prop_assert_eq!(decode(&escaped).unwrap(), text.as_str());
            prop_assert_eq!(decode_strictly(&escaped).unwrap(), text);
        }
    }

    #[test]
    fn what_is_no_escape_stays_or_is_refused() {
        for (text, decoded) in [
            ("%+5a", "%+5a"),
            ("100%", "100%"),
            ("%4", "%4"),
            ("%zz%41", "%zzA"),
        ] {
            assert_eq!(decode(text).unwrap(), decoded);
            assert_eq!(decode_strictly(text), Err(Undecodable), "{text}");
        }
        assert_eq!(decode("%ff"), Err(Undecodable));
        assert_eq!(decode_strictly("a/b").unwrap(), "a/b");
    }
}
