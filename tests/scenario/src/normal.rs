//! Replaces what differs between any two plays by placeholders.
//!
//! Addresses, the conductor's name, timestamps, durations, row numbers, values that a scenario
//! saved, and UUIDs that no request named. Such a UUID is called after the answer that showed it
//! first, so that it must be the same one wherever it is shown again, while a difference in one
//! answer does not rename the UUIDs of all later ones.

use serde_json::Value;
use std::collections::{HashMap, HashSet};

const UUID_LENGTH: usize = 36;

#[derive(Debug)]
pub(crate) struct Normal {
    base: String,
    host: String,
    /// UUIDs that stand in requests; all others are made up by the service.
    known: HashSet<String>,
    /// Names and values of what requests refer to.
    saved: Vec<(String, String)>,
    /// UUIDs made up by the service, and what they are called.
    made: HashMap<String, String>,
}

impl Normal {
    pub(crate) fn new(base: &str, host: &str) -> Self {
        Self {
            base: base.to_owned(),
            host: host.to_owned(),
            known: HashSet::new(),
            saved: Vec::new(),
            made: HashMap::new(),
        }
    }

    /// A scenario with this text is about to be played.
    pub(crate) fn begin(&mut self, requests: &str) {
        self.saved.clear();
        self.made.clear();
        let known = &mut self.known;
        replace_uuids(requests, |uuid| {
            known.insert(uuid.to_owned());
            String::new()
        });
    }

    pub(crate) fn save(&mut self, name: &str, value: &str) {
        self.saved.retain(|(known, _)| known != name);
        self.saved.push((name.to_owned(), value.to_owned()));
    }

    /// A text of a request with its placeholders replaced.
    pub(crate) fn filled(&self, text: &str) -> String {
        let mut text = text.replace("<host>", &self.host);
        for (name, value) in &self.saved {
            text = text.replace(&format!("<{name}>"), value);
        }
        text
    }

    /// A part of an answer, found under `key`, of the request called `what`.
    pub(crate) fn value(&mut self, value: &Value, key: &str, what: &str) -> Value {
        match value {
            Value::Object(map) => {
                // In a fixed order, because it decides how UUIDs are called.
                let mut keys: Vec<&String> = map.keys().collect();
                keys.sort();
                keys.into_iter()
                    .map(|key| (key.clone(), self.value(&map[key], key, what)))
                    .collect()
            }
            Value::Array(items) => {
                let items = items.iter().map(|item| self.value(item, "", what));
                let mut items: Vec<Value> = items.collect();
                // The service gives these in no fixed order.
                if key.starts_with("enabled_") {
                    items.sort_by_key(Value::to_string);
                }
                Value::Array(items)
            }
            Value::Number(_) if key == "duration_seconds" => "<seconds>".into(),
            Value::String(text) => self.text(text, what).into(),
            other => other.clone(),
        }
    }

    pub(crate) fn text(&mut self, text: &str, what: &str) -> String {
        if is_time(text) {
            return "<time>".into();
        }
        let text = text.replace(&self.base, "<base>");
        let mut text = replace_word(&text, &self.host, "<host>");
        for (name, value) in &self.saved {
            text = text.replace(value, &format!("<{name}>"));
        }
        let text = without_row_numbers(&text);
        let (known, made) = (&self.known, &mut self.made);
        replace_uuids(&text, |uuid| {
            if known.contains(uuid) {
                return uuid.to_owned();
            }
            let here = format!("<uuid of {what}");
            let number = 1 + made.values().filter(|name| name.starts_with(&here)).count();
            made.entry(uuid.to_owned())
                .or_insert_with(|| match number {
                    1 => format!("{here}>"),
                    number => format!("{here}, {number}>"),
                })
                .clone()
        })
    }
}

/// Replaces a name where it is not a part of a longer one: hosts have short names.
fn replace_word(text: &str, word: &str, by: &str) -> String {
    let is_letter = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
    let mut replaced = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(word).filter(|_| !word.is_empty()) {
        let (before, found) = rest.split_at(at);
        let after = &found[word.len()..];
        let last = before.chars().next_back().or(replaced.chars().next_back());
        let is_part = is_letter(last) || is_letter(after.chars().next());
        replaced.push_str(before);
        replaced.push_str(if is_part { word } else { by });
        rest = after;
    }
    replaced + rest
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_replaced_and_nothing_else() {
        let known = "11111111-1111-1111-1111-111111111111";
        let mut normal = Normal::new("http://127.0.0.1:1", "lab");
        normal.begin(known);
        for (text, expected) in [
            ("2026-11-15T03:19:34+00:00", "<time>"),
            ("2026-11-15T03:19:34.000001", "<time>"),
            ("at 2026-11-15T03:19:34", "at 2026-11-15T03:19:34"),
            ("http://127.0.0.1:1/v1/nodes", "<base>/v1/nodes"),
            ("traits for node 12 as", "traits for node <id> as"),
            ("node 11-11", "node 11-11"),
            ("node 12", "node <id>"),
            (known, known),
            ("x 21111111-1111-1111-1111-111111111111", "x <uuid of a>"),
            ("31111111-1111-1111-1111-111111111111", "<uuid of a, 2>"),
            ("21111111-1111-1111-1111-111111111111", "<uuid of a>"),
            ("Grüße", "Grüße"),
            (
                "lab, by lab: slab labs lablab",
                "<host>, by <host>: slab labs lablab",
            ),
        ] {
            assert_eq!(normal.text(text, "a"), expected);
        }
        let again = normal.text("31111111-1111-1111-1111-111111111111", "b");
        assert_eq!(again, "<uuid of a, 2>");
    }
}
