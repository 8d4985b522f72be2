//! JSON values laid out over several lines the way Python's pretty printer does it.
//!
//! Some faults quote a schema and a value in that layout. A value that fits into the rest of the
//! line stands there as it is; otherwise its items get a line each, indented below the opening
//! bracket, and long texts are cut at blanks.

use serde_json::Value;
use types::pyrepr::{repr, repr_str};

/// The layout of `value` for lines of `width` characters, keys in their own order.
pub(crate) fn pretty(value: &Value, width: usize) -> String {
    let mut printer = Printer {
        out: String::new(),
        width,
    };
    printer.value(value, 0, 0, 0);
    printer.out
}

struct Printer {
    out: String,
    width: usize,
}

impl Printer {
    /// Writes a value that starts at column `indent` and is followed by `allowance` characters of
    /// closing brackets.
    fn value(&mut self, value: &Value, indent: usize, allowance: usize, level: usize) {
        let flat = repr(value);
        if length(&flat) <= self.width.saturating_sub(indent + allowance) {
            self.out.push_str(&flat);
            return;
        }
        match value {
            Value::Object(map) if !map.is_empty() => {
                self.out.push('{');
                for (i, (key, item)) in map.iter().enumerate() {
                    self.next_line(i, indent + 1);
                    let key = repr_str(key);
                    self.out.push_str(&key);
                    self.out.push_str(": ");
                    let tail = if i + 1 == map.len() { allowance + 1 } else { 1 };
                    self.value(item, indent + 1 + length(&key) + 2, tail, level + 1);
                }
                self.out.push('}');
            }
            Value::Array(items) if !items.is_empty() => {
                self.out.push('[');
                for (i, item) in items.iter().enumerate() {
                    self.next_line(i, indent + 1);
                    let tail = if i + 1 == items.len() {
                        allowance + 1
                    } else {
                        1
                    };
                    self.value(item, indent + 1, tail, level + 1);
                }
                self.out.push(']');
            }
            Value::String(text) if !text.is_empty() => {
                self.text(text, indent, allowance, level == 0);
            }
            _ => self.out.push_str(&flat),
        }
    }

    /// Ends the line before every item but the first.
    fn next_line(&mut self, index: usize, indent: usize) {
        if index > 0 {
            self.out.push_str(",\n");
            self.blanks(indent);
        }
    }

    /// A text that is too long for its line, as several literals. On the outermost level they
    /// stand in parentheses.
    fn text(&mut self, text: &str, indent: usize, allowance: usize, outermost: bool) {
        let extra = usize::from(outermost);
        let (indent, allowance) = (indent + extra, allowance + extra);
        let chunks = chunks(text, self.width.saturating_sub(indent), allowance);
        if let [only] = &chunks[..] {
            self.out.push_str(only);
            return;
        }
        if outermost {
            self.out.push('(');
        }
        for (i, chunk) in chunks.iter().enumerate() {
            if i > 0 {
                self.out.push('\n');
                self.blanks(indent);
            }
            self.out.push_str(chunk);
        }
        if outermost {
            self.out.push(')');
        }
    }

    fn blanks(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }
}

/// The literals of a long text: one a line of the text, and more where a line is still too long.
fn chunks(text: &str, width: usize, allowance: usize) -> Vec<String> {
    let mut chunks = Vec::new();
    let lines = lines(text);
    for (i, line) in lines.iter().enumerate() {
        let last_line = i + 1 == lines.len();
        let limit = |last: bool| width.saturating_sub(if last { allowance } else { 0 });
        let whole = repr_str(line);
        if length(&whole) <= limit(last_line) {
            chunks.push(whole);
            continue;
        }
        let words = words(line);
        let mut current = String::new();
        for (j, word) in words.iter().enumerate() {
            let candidate = format!("{current}{word}");
            let limit = limit(last_line && j + 1 == words.len());
            if length(&repr_str(&candidate)) <= limit {
                current = candidate;
                continue;
            }
            if !current.is_empty() {
                chunks.push(repr_str(&current));
            }
            current = (*word).to_owned();
        }
        if !current.is_empty() {
            chunks.push(repr_str(&current));
        }
    }
    chunks
}

/// The lines of a text, each with what ends it.
fn lines(text: &str) -> Vec<&str> {
    let ends = |c: char| {
        matches!(
            c,
            '\n' | '\r' | '\x0b' | '\x0c' | '\x1c'..='\x1e' | '\u{85}' | '\u{2028}' | '\u{2029}'
        )
    };
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(ends) {
        let tail = &rest[at..];
        let end = match tail.strip_prefix("\r\n") {
            Some(_) => 2,
            None => tail.chars().next().map_or(1, char::len_utf8),
        };
        let (line, next) = rest.split_at(at + end);
        lines.push(line);
        rest = next;
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// The words of a line, each with the blanks after it.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let blank = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let after = rest[blank..]
            .find(|c: char| !c.is_whitespace())
            .map_or(rest.len(), |n| blank + n);
        let (word, next) = rest.split_at(after);
        words.push(word);
        rest = next;
    }
    words
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: Value, width: usize, expected: &str) {
        assert_eq!(pretty(&value, width), expected);
    }

    // The expectations are what Python 3.11 prints.
    #[test]
    fn short_values_stay_on_one_line() {
        check(json!({"a": [1, "b", null]}), 72, "{'a': [1, 'b', None]}");
        check(json!([]), 1, "[]");
        check(json!({}), 1, "{}");
    }

    #[test]
    fn long_containers_get_a_line_an_item() {
        check(
            json!({"description": "driver interface",
                   "enum": ["vendor", "power", "management", "firmware", "deploy", "bios", "raid"]}),
            72,
            "{'description': 'driver interface',\n 'enum': ['vendor',\n          'power',\n          \
             'management',\n          'firmware',\n          'deploy',\n          'bios',\n          'raid']}",
        );
        check(
            json!({"k": {"bb": [11111, 22222], "cc": {"d": "eeeeeeeeee"}}}),
            20,
            "{'k': {'bb': [11111,\n              22222],\n       'cc': {'d': 'eeeeeeeeee'}}}",
        );
    }

    #[test]
    fn long_texts_are_cut_at_blanks() {
        check(
            json!("the quick brown fox jumps over"),
            16,
            "('the quick '\n 'brown fox '\n 'jumps over')",
        );
        check(
            json!({"a": "the quick brown fox jumps"}),
            20,
            "{'a': 'the quick '\n      'brown fox '\n      'jumps'}",
        );
        check(
            json!("two\nlines here"),
            12,
            "('two\\n'\n 'lines '\n 'here')",
        );
        check(json!("unbreakablelongword"), 10, "'unbreakablelongword'");
    }
}
