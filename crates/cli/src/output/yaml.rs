//! Results as YAML, in the layout the stock client has it: keys in order, lists not indented.
//!
//! Long texts are not folded, which only changes how they look.

use serde_json::{Map, Value};

pub(super) fn text(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Object(fields) if !fields.is_empty() => object(fields, 0, false, &mut text),
        Value::Array(items) if !items.is_empty() => array(items, 0, &mut text),
        scalar => {
            text.push_str(&word(scalar));
            text.push('\n');
        }
    }
    text
}

/// The fields of an object, each on its line; the first goes on with the line if that is begun.
fn object(fields: &Map<String, Value>, depth: usize, mut begun: bool, text: &mut String) {
    let mut keys: Vec<&String> = fields.keys().collect();
    keys.sort();
    for key in keys {
        if !std::mem::take(&mut begun) {
            text.push_str(&"  ".repeat(depth));
        }
        text.push_str(&string(key));
        text.push(':');
        match fields.get(key) {
            Some(Value::Object(below)) if !below.is_empty() => {
                text.push('\n');
                object(below, depth + 1, false, text);
            }
            Some(Value::Array(below)) if !below.is_empty() => {
                text.push('\n');
                array(below, depth, text);
            }
            value => {
                text.push(' ');
                text.push_str(&word(value.unwrap_or(&Value::Null)));
                text.push('\n');
            }
        }
    }
}

fn array(items: &[Value], depth: usize, text: &mut String) {
    for item in items {
        text.push_str(&"  ".repeat(depth));
        item_after_dash(item, depth, text);
    }
}

fn item_after_dash(item: &Value, depth: usize, text: &mut String) {
    text.push_str("- ");
    match item {
        Value::Object(fields) if !fields.is_empty() => object(fields, depth + 1, true, text),
        Value::Array(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    text.push_str(&"  ".repeat(depth + 1));
                }
                item_after_dash(item, depth + 1, text);
            }
        }
        scalar => {
            text.push_str(&word(scalar));
            text.push('\n');
        }
    }
}

fn word(value: &Value) -> String {
    match value {
        Value::String(text) => string(text),
        other => other.to_string(),
    }
}

/// A text, in quotes if it would be read as something else without.
fn string(text: &str) -> String {
    if text.chars().any(|character| character.is_control()) {
        // What JSON escapes, YAML reads in double quotes.
        return Value::String(text.to_owned()).to_string();
    }
    if is_plain(text) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Whether a text is read as itself. Careful rather than complete: quotes never hurt.
fn is_plain(text: &str) -> bool {
    let safe = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/' | ' ' | '(' | ')')
    };
    let word = matches!(
        text.to_lowercase().as_str(),
        "null" | "true" | "false" | "yes" | "no" | "on" | "off" | "y" | "n"
    );
    text.starts_with(|first: char| first.is_alphabetic() || matches!(first, '_' | '/'))
        && !text.ends_with(' ')
        && text.chars().all(safe)
        && !word
        || is_uuid(text)
}

/// A UUID begins with a digit as often as not, and is no number either way unless it is all
/// digits but for an `e`.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.matches('-').count() == 4
        && text
            .chars()
            .all(|character| character.is_ascii_hexdigit() || character == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_is_written_is_read_again() {
        let value = json!([
            {"b": {"c": [], "d": {}}, "a": [1, [2, [3]], {"x": null, "y": true}]},
            "plain words", "4", "0x1f", "true", "No", "", " x", "a: b", "#c", "it's", "two\nlines",
            "12345678-1234-4234-8234-123456789abc", "2026-11-15T06:22:47+00:00", "tab\there",
            "a-b_c.d/e", "-x", "[1]", "{}", "*a", "&a", "!t", "%d", "@x", "`y`", "größe", "=", "~",
        ]);
        let text = text(&value);
        assert_eq!(crate::input::yaml(&text).unwrap(), value, "{text}");
    }

    #[test]
    fn the_layout_is_the_stock_clients() {
        let value = json!({"b": [{"z": 1, "x": "u"}], "a": {"k": ["v"]}, "c": {}});
        assert_eq!(text(&value), "a:\n  k:\n  - v\nb:\n- x: u\n  z: 1\nc: {}\n");
    }
}
