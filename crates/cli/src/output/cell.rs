//! A value as text.
//!
//! `None`, `True` and `False` are spelled as the stock client spells them, since scripts compare
//! with these words. Objects and lists are JSON rather than that client's Python notation: it is
//! as easy to read and can be parsed.

use serde_json::Value;

/// One value, as it appears in a table or a line of values.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Array(_) | Value::Object(_) => {
            let mut text = String::new();
            spaced(value, &mut text);
            text
        }
    }
}

/// A row of bare values.
pub(super) fn value_line(row: &[&Value]) -> String {
    let mut line = row
        .iter()
        .map(|value| text(value))
        .collect::<Vec<_>>()
        .join(" ");
    line.push('\n');
    line
}

/// JSON on one line with a space after each comma and colon, so that a table can wrap it.
pub(super) fn spaced(value: &Value, into: &mut String) {
    match value {
        Value::Array(items) => {
            into.push('[');
            for (index, item) in items.iter().enumerate() {
                into.push_str(if index == 0 { "" } else { ", " });
                spaced(item, into);
            }
            into.push(']');
        }
        Value::Object(fields) => {
            into.push('{');
            for (index, (key, item)) in fields.iter().enumerate() {
                into.push_str(if index == 0 { "" } else { ", " });
                into.push_str(&Value::String(key.clone()).to_string());
                into.push_str(": ");
                spaced(item, into);
            }
            into.push('}');
        }
        scalar => into.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_read_as_the_stock_client_prints_them() {
        for (value, expected) in [
            (json!(null), "None"),
            (json!(true), "True"),
            (json!(4), "4"),
            (json!("as is \"quoted\""), "as is \"quoted\""),
            (
                json!({"a": 1, "b": [true, null, "x\"y"]}),
                r#"{"a": 1, "b": [true, null, "x\"y"]}"#,
            ),
            (json!({}), "{}"),
        ] {
            assert_eq!(text(&value), expected);
        }
    }
}
