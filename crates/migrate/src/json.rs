//! JSON as Python writes it, read into values that our own JSON can hold.
//!
//! Python's `json` writes and reads `NaN`, `Infinity`, half surrogates and integers of any size. All
//! of them are in databases of Ironic, and a strict reader would lose the whole column for one of
//! them. They are replaced, and said to be: words for numbers that are none, U+FFFD for half a
//! character, and the nearest floating-point number for an integer beyond 64 bits.

use serde_json::Value;
use std::{borrow::Cow, io};
use types::json_shape::Shape;

/// The longest text that is read: more than Ironic's own columns hold, but for config drives.
pub const LONGEST: usize = 256 << 20;

/// What was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Replaced {
    /// `NaN`, `Infinity`, and numbers beyond all floating-point numbers.
    pub not_finite: bool,
    pub half_surrogate: bool,
    /// An integer beyond 64 bits.
    pub big_integer: bool,
}

/// A text that is no JSON, not even Python's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotJson {
    /// Where, but not what: it may be a secret.
    #[error("it ends or breaks off at line {line}, column {column}")]
    Syntax { line: usize, column: usize },
    #[error("it has {0} bytes")]
    TooLong(usize),
    #[error(transparent)]
    TooManyValues(#[from] types::json_shape::TooManyValues),
}

/// Reads a text.
pub fn read(text: &str) -> Result<(Value, Replaced), NotJson> {
    if text.len() > LONGEST {
        return Err(NotJson::TooLong(text.len()));
    }
    Shape::within_bounds(text.as_bytes())?;
    let mut replaced = Replaced {
        big_integer: has_big_integer(text),
        ..Replaced::default()
    };
    match serde_json::from_str(text) {
        Ok(value) => Ok((value, replaced)),
        Err(strict) => {
            let mended = mend(text, &mut replaced);
            let again = match &mended {
                Cow::Borrowed(_) => Err(strict),
                Cow::Owned(mended) => serde_json::from_str(mended),
            };
            again.map(|value| (value, replaced)).map_err(|error| {
                let (line, column) = (error.line(), error.column());
                NotJson::Syntax { line, column }
            })
        }
    }
}

/// A value as Python's `json.dumps` writes it: ASCII only, with blanks behind commas and colons.
pub fn write(value: &Value) -> String {
    let mut out = Vec::new();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, Python);
    // Plain values always serialise, into ASCII.
    let _ = serde::Serialize::serialize(value, &mut serializer);
    String::from_utf8(out).unwrap_or_default()
}

struct Python;

impl serde_json::ser::Formatter for Python {
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> io::Result<()> {
        w.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        w: &mut W,
        first: bool,
    ) -> io::Result<()> {
        w.write_all(if first { b"" } else { b", " })
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, w: &mut W) -> io::Result<()> {
        w.write_all(b": ")
    }

    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        w: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut units = [0; 2];
        for c in fragment.chars() {
            if c.is_ascii() {
                w.write_all(&[c as u8])?;
                continue;
            }
            for unit in c.encode_utf16(&mut units) {
                write!(w, "\\u{unit:04x}")?;
            }
        }
        Ok(())
    }
}

/// Whether there is an integer that neither `i64` nor `u64` holds, outside of texts.
fn has_big_integer(text: &str) -> bool {
    // Most texts have no run of digits that is long enough, and are not looked at closely.
    const DIGITS: usize = 19;
    let mut run = 0;
    let is_long = text.bytes().any(|byte| {
        run = if byte.is_ascii_digit() { run + 1 } else { 0 };
        run >= DIGITS
    });
    is_long
        && tokens(text).any(|token| match token {
            Token::Plain(word) => {
                let digits = word.strip_prefix('-').unwrap_or(word);
                !digits.is_empty()
                    && digits.bytes().all(|byte| byte.is_ascii_digit())
                    && word.parse::<i64>().is_err()
                    && word.parse::<u64>().is_err()
            }
            Token::Text(_) | Token::Mark(_) => false,
        })
}

/// The text with everything replaced that only Python reads.
fn mend<'a>(text: &'a str, replaced: &mut Replaced) -> Cow<'a, str> {
    let mut out = String::with_capacity(text.len() + 16);
    for token in tokens(text) {
        match token {
            Token::Mark(mark) => out.push_str(mark),
            Token::Plain(word) => match word_for(word) {
                Some(instead) => {
                    replaced.not_finite = true;
                    out.push('"');
                    out.push_str(instead);
                    out.push('"');
                }
                None => out.push_str(word),
            },
            Token::Text(text) => mend_text(text, &mut out, replaced),
        }
    }
    if replaced.not_finite || replaced.half_surrogate {
        Cow::Owned(out)
    } else {
        Cow::Borrowed(text)
    }
}

/// What stands for a number that is none.
fn word_for(word: &str) -> Option<&'static str> {
    match word {
        "NaN" => Some("NaN"),
        "Infinity" => Some("Infinity"),
        "-Infinity" => Some("-Infinity"),
        number if number.contains(['e', 'E', '.']) || number.len() > 300 => {
            let value: f64 = number.parse().ok()?;
            match value.is_infinite() {
                true if value > 0.0 => Some("Infinity"),
                true => Some("-Infinity"),
                false => None,
            }
        }
        _ => None,
    }
}

/// A text with its quotes; halves of surrogate pairs become U+FFFD.
fn mend_text(text: &str, out: &mut String, replaced: &mut Replaced) {
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        let unit = unit(escape);
        let length = match unit {
            Some(0xD800..=0xDBFF) => match escape.get(6..).and_then(self::unit) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => 0,
            },
            Some(0xDC00..=0xDFFF) => 0,
            Some(_) => 6,
            // Any other escape is two characters, and a stray backslash at the end is one.
            None => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        if length == 0 {
            replaced.half_surrogate = true;
            out.push_str("\\ufffd");
            rest = escape.get(6..).unwrap_or_default();
        } else {
            let (kept, after) = escape.split_at(length.min(escape.len()));
            out.push_str(kept);
            rest = after;
        }
    }
    out.push_str(rest);
}

/// The number of an escape `\u` with four digits that a text begins with.
fn unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}

/// A piece of a document.
enum Token<'a> {
    /// A string with its quotes, the last of which may be missing.
    Text(&'a str),
    /// A number or a word.
    Plain(&'a str),
    /// Brackets, commas, blanks, and whatever else is one character.
    Mark(&'a str),
}

fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '+' | '.' | '_');
        let length = if first == '"' {
            end_of_text(rest)
        } else if is_plain(first) {
            rest.find(|c| !is_plain(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        rest = after;
        Some(match first {
            '"' => Token::Text(token),
            c if is_plain(c) => Token::Plain(token),
            _ => Token::Mark(token),
        })
    })
}

/// How long the string is that a text begins with.
fn end_of_text(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_only_python_reads_is_replaced_and_said_so() {
        let (value, replaced) =
            read(r#"{"x": NaN, "y": [-Infinity, 1e400], "NaN": "NaN"}"#).unwrap();
        assert_eq!(
            value,
            json!({"x": "NaN", "y": ["-Infinity", "Infinity"], "NaN": "NaN"})
        );
        assert!(replaced.not_finite && !replaced.half_surrogate);
        let (value, replaced) =
            read(r#"{"s": "\ud800", "t": "\udc00x\ud83d\ude80\\ud800"}"#).unwrap();
        assert_eq!(
            value,
            json!({"s": "\u{fffd}", "t": "\u{fffd}x\u{1f680}\\ud800"})
        );
        assert!(replaced.half_surrogate);
    }

    #[test]
    fn integers_beyond_64_bits_are_noticed() {
        for (text, is_big) in [
            ("[1180591620717411303424]", true),
            ("[-9223372036854775809]", true),
            ("[18446744073709551615, -9223372036854775808]", false),
            ("[\"1180591620717411303424\"]", false),
            ("[0.1180591620717411303424]", false),
        ] {
            assert_eq!(read(text).unwrap().1.big_integer, is_big, "{text}");
        }
    }

    #[test]
    fn floats_keep_their_last_digit_and_the_last_of_two_keys_wins() {
        let (value, _) = read(r#"{"a": 1, "f": 2.2250738585072014e-308, "a": 2}"#).unwrap();
        assert_eq!(value.to_string(), r#"{"a":2,"f":2.2250738585072014e-308}"#);
    }

    #[test]
    fn json_is_written_as_python_writes_it() {
        let value = json!({"ü": ["🚀", 1, 1.5, null, {}], "b": "a\"\n"});
        assert_eq!(
            write(&value),
            r#"{"\u00fc": ["\ud83d\ude80", 1, 1.5, null, {}], "b": "a\"\n"}"#
        );
        assert_eq!(read(&write(&value)).unwrap().0, value);
    }

    #[test]
    fn what_is_no_json_says_where_but_not_what() {
        for text in ["", "{\"a\": \"hunter2", "{'a': 1}", "[1,]", "nul"] {
            let error = read(text).unwrap_err().to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            let _ = read(&text);
        }

        #[test]
        fn json_stays_what_it_is(text in "[\\[\\]{}\",:0-9a-z\\\\ud8]{0,40}") {
            if let Ok(strict) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(read(&text).unwrap().0, strict);
            }
        }
    }
}
