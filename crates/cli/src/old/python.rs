//! How Python writes values, which is how the old client printed them: `str`, `repr`,
//! `json.dumps` and `textwrap.fill`.
//!
//! Tables of the old client show dictionaries in Python's own notation, and scripts have learned to
//! read it. Only what can come from JSON is covered. Which letters Python calls printable is known
//! for control characters, spaces and the marks that turn text around; the rest of Unicode is
//! printed as it is.

mod wrap;

use serde_json::{Number, Value};

pub(super) use wrap::fill;

/// A value as `str` gives it.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// A value as `repr` gives it.
pub(super) fn repr(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => digits(number),
        Value::String(text) => quoted(text),
        Value::Array(items) => format!("[{}]", joined(items.iter().map(repr))),
        Value::Object(members) => {
            let pair =
                |(key, value): (&String, &Value)| format!("{}: {}", quoted(key), repr(value));
            format!("{{{}}}", joined(members.iter().map(pair)))
        }
    }
}

fn joined(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<String>>().join(", ")
}

/// Whether Python takes a value for true.
pub(super) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(truth) => *truth,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
    }
}

fn digits(number: &Number) -> String {
    if !number.is_f64() {
        return number.to_string();
    }
    let written = format!("{:?}", number.as_f64().unwrap_or_default());
    // Python's exponents have a sign and two digits.
    match written.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{exponent:0>2}")
        }
        None => written,
    }
}

fn quoted(text: &str) -> String {
    let quote = match text.contains('\'') && !text.contains('"') {
        true => '"',
        false => '\'',
    };
    let mut written = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            letter if letter == quote => written.extend(['\\', letter]),
            letter if is_printable(letter) => written.push(letter),
            letter => written.push_str(&match u32::from(letter) {
                code @ 0..=0xff => format!("\\x{code:02x}"),
                code @ 0x100..=0xffff => format!("\\u{code:04x}"),
                code => format!("\\U{code:08x}"),
            }),
        }
    }
    written.push(quote);
    written
}

fn is_printable(letter: char) -> bool {
    let invisible = matches!(
        letter,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}'
            | '\u{e0000}'..='\u{10ffff}'
    );
    letter == ' ' || !(letter.is_control() || letter.is_whitespace() || invisible)
}

/// A document as `json.dumps` writes it with an indent of four, in ASCII.
pub(super) fn dumps(value: &Value) -> String {
    let mut written = String::new();
    dump(value, 0, &mut written);
    written
}

fn dump(value: &Value, depth: usize, written: &mut String) {
    let new_line = |depth: usize, written: &mut String| {
        written.push('\n');
        written.push_str(&"    ".repeat(depth));
    };
    match value {
        Value::Null => written.push_str("null"),
        Value::Bool(truth) => written.push_str(if *truth { "true" } else { "false" }),
        Value::Number(number) => written.push_str(&digits(number)),
        Value::String(text) => dump_text(text, written),
        Value::Array(items) if items.is_empty() => written.push_str("[]"),
        Value::Object(members) if members.is_empty() => written.push_str("{}"),
        Value::Array(items) => {
            written.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    written.push(',');
                }
                new_line(depth + 1, written);
                dump(item, depth + 1, written);
            }
            new_line(depth, written);
            written.push(']');
        }
        Value::Object(members) => {
            written.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    written.push(',');
                }
                new_line(depth + 1, written);
                dump_text(key, written);
                written.push_str(": ");
                dump(member, depth + 1, written);
            }
            new_line(depth, written);
            written.push('}');
        }
    }
}

fn dump_text(text: &str, written: &mut String) {
    written.push('"');
    for letter in text.chars() {
        match letter {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\u{8}' => written.push_str("\\b"),
            '\u{c}' => written.push_str("\\f"),
            ' '..='~' => written.push(letter),
            letter => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    written.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    written.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: Value, expected: &str) {
        assert_eq!(repr(&value), expected);
    }

    #[test]
    fn values_are_written_as_python_writes_them() {
        check(json!(null), "None");
        check(json!({}), "{}");
        check(
            json!({"b": [1, true, null], "a": {"x": "y"}}),
            "{'b': [1, True, None], 'a': {'x': 'y'}}",
        );
        check(json!(1.0), "1.0");
        check(json!(0.1), "0.1");
        check(json!(1e16), "1e+16");
        check(json!(0.00001), "1e-05");
        check(json!(18_446_744_073_709_551_615u64), "18446744073709551615");
    }

    #[test]
    fn quotes_are_chosen_and_escaped_as_python_does() {
        check(json!("it's"), r#""it's""#);
        check(json!("a\"b"), r#"'a"b'"#);
        check(json!("a'b\"c"), r#"'a\'b"c'"#);
        check(
            json!("a\\b\n\r\t\u{0}\u{7f}\u{a0}"),
            r"'a\\b\n\r\t\x00\x7f\xa0'",
        );
        check(
            json!("größe 東京 \u{200b}\u{202e}"),
            r"'größe 東京 \u200b\u202e'",
        );
        assert_eq!(text(&json!("plain's")), "plain's");
    }

    #[test]
    fn documents_are_indented_and_in_ascii() {
        assert_eq!(
            dumps(&json!({"a": [], "b": {}, "c": [1, "é😀\u{7f}\n"]})),
            "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        \"\\u00e9\\ud83d\\ude00\\u007f\\n\"\n    ]\n}"
        );
    }

    #[test]
    fn truth_is_pythons() {
        for empty in [
            json!(null),
            json!(false),
            json!(0),
            json!(""),
            json!([]),
            json!({}),
        ] {
            assert!(!is_true(&empty), "{empty}");
        }
        assert!(is_true(&json!([0])) && is_true(&json!("0")));
    }
}
