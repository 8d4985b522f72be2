//! Replaces what differs between any two runs by the placeholders of the recordings.
//!
//! The same rules as in `record.py`: addresses, the conductor's name, timestamps, durations, row
//! numbers, and UUIDs that no request named.

use serde_json::Value;
use std::collections::HashSet;

const UUID_LENGTH: usize = 36;

pub(super) struct Normal {
    base: String,
    host: &'static str,
    /// UUIDs that stand in requests; all others are made up by the service.
    known: HashSet<String>,
}

impl Normal {
    /// `requests` is the text of everything that is sent.
    pub(super) fn new(base: String, host: &'static str, requests: &str) -> Self {
        let mut known = HashSet::new();
        replace_uuids(requests, |uuid| {
            known.insert(uuid.to_owned());
            String::new()
        });
        Self { base, host, known }
    }

    pub(super) fn value(&self, value: &Value, key: &str) -> Value {
        match value {
            Value::Object(map) => map
                .iter()
                .map(|(key, value)| (key.clone(), self.value(value, key)))
                .collect(),
            Value::Array(items) => {
                let mut items: Vec<Value> = items.iter().map(|i| self.value(i, "")).collect();
                // The service gives these in no fixed order.
                if key.starts_with("enabled_") {
                    items.sort_by_key(Value::to_string);
                }
                Value::Array(items)
            }
            Value::Number(_) if key == "duration_seconds" => "<seconds>".into(),
            Value::String(text) => self.text(text).into(),
            other => other.clone(),
        }
    }

    pub(super) fn text(&self, text: &str) -> String {
        if is_time(text) {
            return "<time>".into();
        }
        let text = text
            .replace(&self.base, "<base>")
            .replace(self.host, "<host>");
        let text = without_row_numbers(&text);
        replace_uuids(&text, |uuid| {
            if self.known.contains(uuid) {
                uuid.to_owned()
            } else {
                "<uuid>".to_owned()
            }
        })
    }
}

/// Whether `pattern` fits the start of `text`: `9` is any digit, `f` any lower-case hex digit.
fn fits(text: &str, pattern: &str) -> bool {
    text.len() >= pattern.len()
        && text
            .bytes()
            .zip(pattern.bytes())
            .all(|(byte, wanted)| match wanted {
                b'9' => byte.is_ascii_digit(),
                b'f' => byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte),
                _ => byte == wanted,
            })
}

/// `2026-01-01T00:00:00`, with a fraction or not, with a zone or not.
fn is_time(text: &str) -> bool {
    const SECONDS: &str = "9999-99-99T99:99:99";
    if !fits(text, SECONDS) {
        return false;
    }
    let rest = text[SECONDS.len()..].trim_end_matches("+00:00");
    match rest.strip_prefix('.') {
        Some(fraction) => !fraction.is_empty() && fraction.bytes().all(|b| b.is_ascii_digit()),
        None => rest.is_empty(),
    }
}

fn replace_uuids(text: &str, mut with: impl FnMut(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        if fits(rest, "ffffffff-ffff-ffff-ffff-ffffffffffff") {
            let (uuid, tail) = rest.split_at(UUID_LENGTH);
            out.push_str(&with(uuid));
            rest = tail;
        } else {
            out.push(next);
            rest = &rest[next.len_utf8()..];
        }
    }
    out
}

/// `node 12` becomes `node <id>`.
fn without_row_numbers(text: &str) -> String {
    let mut out = text.to_owned();
    for word in ["node ", "portgroup "] {
        let mut from = 0;
        while let Some(found) = out[from..].find(word) {
            let start = from + found + word.len();
            let digits = out[start..].bytes().take_while(u8::is_ascii_digit).count();
            let after = out[start + digits..].chars().next();
            let ends = after.is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '-'));
            let before = out[..from + found].chars().next_back();
            let begins = before.is_none_or(|c| !(c.is_alphanumeric() || c == '_'));
            if digits > 0 && ends && begins {
                out.replace_range(start..start + digits, "<id>");
            }
            from = start;
        }
    }
    out
}

#[test]
fn what_differs_is_replaced_and_nothing_else() {
    let known = "11111111-1111-1111-1111-111111111111";
    let normal = Normal::new("http://127.0.0.1:1".into(), "lab", known);
    for (text, expected) in [
        ("2026-11-15T03:19:34+00:00", "<time>"),
        ("2026-11-15T03:19:34.000001", "<time>"),
        ("at 2026-11-15T03:19:34", "at 2026-11-15T03:19:34"),
        ("http://127.0.0.1:1/v1/nodes", "<base>/v1/nodes"),
        ("traits for node 12 as", "traits for node <id> as"),
        ("node 11-11", "node 11-11"),
        ("node 12", "node <id>"),
        (known, known),
        ("x 21111111-1111-1111-1111-111111111111", "x <uuid>"),
        ("Grüße", "Grüße"),
    ] {
        assert_eq!(normal.text(text), expected);
    }
}
