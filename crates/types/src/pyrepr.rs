//! JSON values printed the way Python prints them.
//!
//! Many messages of Ironic quote a value by its Python representation; clients and
//! operators match on those texts, so we print them alike.

use serde_json::Value;
use std::fmt::Write;

/// The Python representation of a value: `None`, `True`, `'text'`, `{'a': 1}`.
pub fn repr(value: &Value) -> String {
    let mut out = String::new();
    write_repr(&mut out, value);
    out
}

/// The Python representation of a text.
pub fn repr_str(text: &str) -> String {
    let mut out = String::new();
    write_str(&mut out, text);
    out
}

/// The Python representation of a list of texts.
pub fn repr_list<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let parts: Vec<String> = items.into_iter().map(repr_str).collect();
    format!("[{}]", parts.join(", "))
}

/// What `str()` gives: texts without quotes, everything else as [`repr`].
pub fn to_str(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => repr(other),
    }
}

/// Whether Python takes the value for true: nothing, zero and what is empty is false.
pub fn truth(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn write_repr(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("None"),
        Value::Bool(true) => out.push_str("True"),
        Value::Bool(false) => out.push_str("False"),
        Value::Number(number) => {
            let _ = write!(out, "{number}");
        }
        Value::String(text) => write_str(out, text),
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_repr(out, item);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (i, (key, item)) in map.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                write_str(out, key);
                out.push_str(": ");
                write_repr(out, item);
            }
            out.push('}');
        }
    }
}

fn write_str(out: &mut String, text: &str) {
    // Python prefers single quotes and changes to double ones when that saves an escape.
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            c if (c as u32) < 0x20 || c as u32 == 0x7f => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_look_like_python() {
        let value = json!({"op": "add", "n": null, "t": true, "l": [1, "it's", "a\"b'"], "f": 1.5});
        assert_eq!(
            repr(&value),
            r#"{'op': 'add', 'n': None, 't': True, 'l': [1, "it's", 'a"b\''], 'f': 1.5}"#
        );
        assert_eq!(repr_str("a\\b\n"), r"'a\\b\n'");
        assert_eq!(repr_list(["a", "b"]), "['a', 'b']");
        assert_eq!(to_str(&json!("x")), "x");
    }
}
