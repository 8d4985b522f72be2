//! `key=value` words and the JSON patches built from them.
//!
//! A value that reads as JSON is sent as what it reads as (a number, `true`, an object), anything
//! else as text: `--property cpus=4` is the number 4, `--property arch=arm64` is a word. Keys go
//! into the path as they are, so `place/rack` reaches inside an object.

use serde_json::{Map, Value, json};

use crate::error::Error;

/// One operation of a JSON patch.
pub(crate) type Operation = Value;

/// Sets a field, which for a member of an object that is absent also adds it.
pub(crate) fn add(path: &str, value: Value) -> Operation {
    json!({"op": "add", "path": format!("/{path}"), "value": value})
}

/// Unsets a field.
pub(crate) fn remove(path: &str) -> Operation {
    json!({"op": "remove", "path": format!("/{path}")})
}

/// `key=value` taken apart.
pub(crate) fn pair(word: &str) -> Result<(String, Value), Error> {
    match word.split_once('=') {
        Some((key, text)) if !key.is_empty() => Ok((key.to_owned(), value(text))),
        _ => Err(Error::usage(format!(
            "'{word}' is not of the form key=value"
        ))),
    }
}

/// Several `key=value` as an object; of two with the same key, the later counts.
pub(crate) fn object(words: &[String]) -> Result<Map<String, Value>, Error> {
    words.iter().map(|word| pair(word)).collect()
}

/// A word as the JSON it reads as, or as text.
pub(crate) fn value(text: &str) -> Value {
    match serde_json::from_str(text) {
        // A whole number too long for 64 bits would lose digits as a floating one; an asset tag
        // that happens to be all digits is better off as text.
        Ok(Value::Number(number)) if number.is_f64() && !text.contains(['.', 'e', 'E']) => {
            Value::String(text.to_owned())
        }
        Ok(value) => value,
        Err(_) => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_read_as_json_or_stay_text() {
        for (text, expected) in [
            ("4", json!(4)),
            ("-1.5", json!(-1.5)),
            ("true", json!(true)),
            ("True", json!("True")),
            ("null", json!(null)),
            ("", json!("")),
            ("\"4\"", json!("4")),
            ("{\"a\": [1]}", json!({"a": [1]})),
            ("{broken", json!("{broken")),
            ("10.0.0.1", json!("10.0.0.1")),
            ("0x10", json!("0x10")),
            ("007", json!("007")),
            (
                "123456789012345678901234567890",
                json!("123456789012345678901234567890"),
            ),
            ("18446744073709551615", json!(u64::MAX)),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn only_the_first_equals_sign_divides() {
        assert_eq!(pair("a=b=c").unwrap(), ("a".into(), json!("b=c")));
        assert_eq!(pair("a=").unwrap(), ("a".into(), json!("")));
        for wrong in ["a", "=b", ""] {
            assert_eq!(pair(wrong).unwrap_err().exit_code(), 2, "{wrong}");
        }
    }

    #[test]
    fn objects_keep_order_and_the_last_of_a_key() {
        let words = ["z=1", "a=2", "z=3"].map(String::from);
        let object = Value::Object(object(&words).unwrap());
        assert_eq!(object.to_string(), r#"{"z":3,"a":2}"#);
    }

    #[test]
    fn operations_have_the_shape_of_the_api() {
        assert_eq!(
            add("extra/a/b", json!(1)),
            json!({"op": "add", "path": "/extra/a/b", "value": 1})
        );
        assert_eq!(remove("name"), json!({"op": "remove", "path": "/name"}));
    }
}
