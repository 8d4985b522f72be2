//! Writes JSON straight into a buffer, in the spelling of Ironic.
//!
//! Clients see `", "` and `": "` as separators and nothing but ASCII. Documents are written field
//! by field without an intermediate tree, because a list of a thousand nodes is a few megabytes.
//! The writer trusts its caller to open, fill and close containers in order; it cannot fail.

use serde_json::{Number, Value};
use std::fmt::Display;
use std::io::Write as _;
use types::{JsonMap, Timestamp};

/// A JSON document in the making.
#[derive(Debug, Default)]
pub(crate) struct JsonWriter {
    out: Vec<u8>,
    /// Whether something stands before the next key or item in the open container.
    comma: bool,
    is_corrupt: bool,
}

impl JsonWriter {
    /// A writer with room for about `bytes`.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            out: Vec::with_capacity(bytes),
            ..Self::default()
        }
    }

    /// A writer into a buffer that was used before.
    pub(crate) fn into_buffer(out: Vec<u8>) -> Self {
        Self {
            out,
            ..Self::default()
        }
    }

    /// How many bytes there are already.
    pub(crate) fn written(&self) -> usize {
        self.out.len()
    }

    /// Notes that something could not be written because it cannot be read: the document is void.
    pub(crate) fn note_corrupt(&mut self) {
        self.is_corrupt = true;
    }

    pub(crate) fn is_corrupt(&self) -> bool {
        self.is_corrupt
    }

    /// The finished document.
    pub(crate) fn finish(self) -> Vec<u8> {
        self.out
    }

    /// One value as a document of its own.
    pub(crate) fn document(value: &Value) -> Vec<u8> {
        let mut w = Self::with_capacity(256);
        w.value(value);
        w.finish()
    }

    fn separate(&mut self) {
        if self.comma {
            self.out.extend_from_slice(b", ");
        }
        self.comma = true;
    }

    pub(crate) fn begin_object(&mut self) {
        self.separate();
        self.out.push(b'{');
        self.comma = false;
    }

    pub(crate) fn end_object(&mut self) {
        self.out.push(b'}');
        self.comma = true;
    }

    pub(crate) fn begin_array(&mut self) {
        self.separate();
        self.out.push(b'[');
        self.comma = false;
    }

    pub(crate) fn end_array(&mut self) {
        self.out.push(b']');
        self.comma = true;
    }

    /// A key of our own: plain ASCII that needs no escapes.
    pub(crate) fn key(&mut self, name: &str) {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\": ");
        self.comma = false;
    }

    /// A key that came from a user.
    pub(crate) fn any_key(&mut self, name: &str) {
        self.separate();
        self.quoted(name);
        self.out.extend_from_slice(b": ");
        self.comma = false;
    }

    pub(crate) fn null(&mut self) {
        self.raw(b"null");
    }

    pub(crate) fn bool(&mut self, value: bool) {
        self.raw(if value { b"true" } else { b"false" });
    }

    pub(crate) fn opt_bool(&mut self, value: Option<bool>) {
        match value {
            Some(value) => self.bool(value),
            None => self.null(),
        }
    }

    pub(crate) fn int(&mut self, value: i64) {
        self.separate();
        // Writing to a vector cannot fail.
        let _ = write!(self.out, "{value}");
    }

    pub(crate) fn number(&mut self, number: &Number) {
        self.separate();
        let _ = write!(self.out, "{number}");
    }

    /// A text that needs no escapes, such as an identifier.
    pub(crate) fn clean(&mut self, text: &str) {
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
    }

    pub(crate) fn str(&mut self, text: &str) {
        self.separate();
        self.quoted(text);
    }

    pub(crate) fn opt_str(&mut self, text: Option<&str>) {
        match text {
            Some(text) => self.str(text),
            None => self.null(),
        }
    }

    /// Something whose text needs no escapes, such as an identifier.
    pub(crate) fn plain(&mut self, value: impl Display) {
        self.separate();
        let _ = write!(self.out, "\"{value}\"");
    }

    pub(crate) fn time(&mut self, at: Timestamp) {
        self.separate();
        self.out.push(b'"');
        civil_time(&mut self.out, at);
        self.out.push(b'"');
    }

    pub(crate) fn opt_time(&mut self, at: Option<Timestamp>) {
        match at {
            Some(at) => self.time(at),
            None => self.null(),
        }
    }

    /// Text that is JSON already.
    pub(crate) fn raw(&mut self, json: &[u8]) {
        self.separate();
        self.out.extend_from_slice(json);
    }

    pub(crate) fn map(&mut self, map: &JsonMap) {
        self.begin_object();
        for (key, value) in map {
            self.any_key(key);
            self.value(value);
        }
        self.end_object();
    }

    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(value) => self.bool(*value),
            Value::Number(number) => self.number(number),
            Value::String(text) => self.str(text),
            Value::Array(items) => {
                self.begin_array();
                for item in items {
                    self.value(item);
                }
                self.end_array();
            }
            Value::Object(map) => self.map(map),
        }
    }

    /// A link object. The parts of its address follow one another; `rel` is a word of ours.
    pub(crate) fn link(&mut self, address: &[&str], rel: &str) {
        self.separate();
        self.out.extend_from_slice(b"{\"href\": \"");
        for part in address {
            self.escaped(part);
        }
        self.out.extend_from_slice(b"\", \"rel\": \"");
        self.out.extend_from_slice(rel.as_bytes());
        self.out.extend_from_slice(b"\"}");
    }

    /// A list of two links to the same path below `base`: with the version and without it.
    pub(crate) fn links(&mut self, base: &str, path: &[&str]) {
        self.separate();
        self.out.extend_from_slice(b"[{\"href\": \"");
        let base_start = self.out.len();
        self.escaped(base);
        let base_end = self.out.len();
        self.out.extend_from_slice(b"/v1/");
        let path_start = self.out.len();
        for part in path {
            self.escaped(part);
        }
        let path_end = self.out.len();
        self.out
            .extend_from_slice(b"\", \"rel\": \"self\"}, {\"href\": \"");
        self.out.extend_from_within(base_start..base_end);
        self.out.push(b'/');
        self.out.extend_from_within(path_start..path_end);
        self.out.extend_from_slice(b"\", \"rel\": \"bookmark\"}]");
    }

    fn quoted(&mut self, text: &str) {
        self.out.push(b'"');
        self.escaped(text);
        self.out.push(b'"');
    }

    fn escaped(&mut self, text: &str) {
        let bytes = text.as_bytes();
        // Nearly every text is clean, and then it is one copy.
        if is_clean(bytes) {
            self.out.extend_from_slice(bytes);
            return;
        }
        for c in text.chars() {
            match c {
                '"' => self.out.extend_from_slice(b"\\\""),
                '\\' => self.out.extend_from_slice(b"\\\\"),
                '\n' => self.out.extend_from_slice(b"\\n"),
                '\r' => self.out.extend_from_slice(b"\\r"),
                '\t' => self.out.extend_from_slice(b"\\t"),
                '\u{8}' => self.out.extend_from_slice(b"\\b"),
                '\u{c}' => self.out.extend_from_slice(b"\\f"),
                ' '..='~' => self.out.push(c as u8),
                c => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        let _ = write!(self.out, "\\u{unit:04x}");
                    }
                }
            }
        }
    }
}

/// Whether bytes can stand in a JSON text of ours as they are: printable ASCII without quotes and
/// backslashes. Eight at a time; one that is not clean may spoil the verdict on those beside it, but
/// is never missed.
fn is_clean(bytes: &[u8]) -> bool {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    // The highest bit of each byte that is zero.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word;
    let dirty = |word: u64| {
        let controls = word.wrapping_sub(ONES * 0x20) & !word;
        let beyond = word | word.wrapping_add(ONES);
        let quotes = zeros(word ^ (ONES * 0x22)) | zeros(word ^ (ONES * 0x5c));
        (controls | beyond | quotes) & HIGH
    };
    let mut words = bytes.chunks_exact(8);
    let mut found = 0;
    for word in &mut words {
        found |= dirty(
            word.first_chunk()
                .map_or(0, |word| u64::from_ne_bytes(*word)),
        );
    }
    let rest = words.remainder().iter();
    found == 0
        && rest.fold(true, |clean, &b| {
            clean & (b.wrapping_sub(b' ') <= b'~' - b' ') & (b != b'"') & (b != b'\\')
        })
}

/// The same text as [`Timestamp`]'s `Display`, a dozen times faster: lists show thousands of them.
fn civil_time(out: &mut Vec<u8>, at: Timestamp) {
    const DAY: i64 = 86_400;
    let seconds = at.0.div_euclid(1_000_000);
    let micros = at.0.rem_euclid(1_000_000);
    let (days, rest) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
    // Days are counted from 1 March of year 0, so that leap days end their year; 719,468 of them
    // lie before 1970. A period of 400 years has 146,097 days.
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    if !(1000..=9999).contains(&year) {
        // Only a damaged row can say so; speed is no concern then.
        out.extend_from_slice(at.to_string().as_bytes());
        return;
    }
    let mut text = *b"0000-00-00T00:00:00.000000+00:00";
    for (end, mut number) in [
        (4, year),
        (7, month),
        (10, day),
        (13, rest / 3600),
        (16, rest / 60 % 60),
        (19, rest % 60),
        (26, micros),
    ] {
        let mut place = end;
        while number > 0 {
            place -= 1;
            text[place] += u8::try_from(number % 10).unwrap_or(0);
            number /= 10;
        }
    }
    if micros == 0 {
        out.extend_from_slice(&text[..19]);
        out.extend_from_slice(&text[26..]);
    } else {
        out.extend_from_slice(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_must_be_escaped_is_found_wherever_it_stands() {
        for byte in 0..=u8::MAX {
            let is_plain = (b' '..=b'~').contains(&byte) && byte != b'"' && byte != b'\\';
            for length in [1, 7, 8, 9, 16, 21] {
                for at in 0..length {
                    let mut bytes = vec![b'a'; length];
                    bytes[at] = byte;
                    assert_eq!(is_clean(&bytes), is_plain, "{byte} at {at} of {length}");
                }
            }
        }
        assert!(is_clean(b""));
    }
    use proptest::prelude::*;
    use serde_json::json;

    fn text(value: &Value) -> String {
        String::from_utf8(JsonWriter::document(value)).unwrap()
    }

    #[test]
    fn the_spelling_is_that_of_the_reference() {
        assert_eq!(
            text(&json!({"a": [1, null, true, {}], "b": "x\"\\\n\u{7f}Grüße😀"})),
            r#"{"a": [1, null, true, {}], "b": "x\"\\\n\u007fGr\u00fc\u00dfe\ud83d\ude00"}"#
        );
    }

    #[test]
    fn links_are_objects_of_two() {
        let mut w = JsonWriter::default();
        w.begin_array();
        w.link(&["http://h", "/v1/nodes/", "u"], "self");
        w.end_array();
        assert_eq!(
            String::from_utf8(w.finish()).unwrap(),
            r#"[{"href": "http://h/v1/nodes/u", "rel": "self"}]"#
        );
    }

    proptest! {
        #[test]
        fn instants_look_as_they_display(micros in any::<i64>(), recent in 0i64..4_102_444_800) {
            for at in [micros, recent * 1_000_000, recent * 1_000_000 + 7] {
                let mut out = Vec::new();
                civil_time(&mut out, Timestamp(at));
                prop_assert_eq!(String::from_utf8(out).unwrap(), Timestamp(at).to_string());
            }
        }

        #[test]
        fn any_text_reads_back(s in any::<String>(), k in any::<String>()) {
            let value = json!({k: [s]});
            let written = text(&value);
            prop_assert!(written.is_ascii());
            prop_assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), value);
        }
    }
}
