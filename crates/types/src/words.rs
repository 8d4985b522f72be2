//! The words for true and false.
//!
//! Ironic reads them with oslo.utils in fields of nodes and arguments of requests, and with
//! oslo.config in options. The two lists differ by the one-letter words, and a value that is not on
//! a list is refused in one place and taken for false or for a path in another: the caller decides.

use crate::pyrepr;
use serde_json::Value;

/// What oslo.utils names when it refuses a word.
pub const ACCEPTED: &str = "acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'";

/// No word is longer. A longer text is not copied to be compared in lower case.
const LONGEST: usize = 5;

/// As `bool_from_string` of oslo.utils: also `t`, `y`, `f` and `n`.
pub fn boolean(text: &str) -> Option<bool> {
    match lowered(text)?.as_str() {
        "1" | "t" | "true" | "on" | "y" | "yes" => Some(true),
        "0" | "f" | "false" | "off" | "n" | "no" => Some(false),
        _ => None,
    }
}

/// The same for a value, which oslo.utils turns into a text first: the number 1 is true.
pub fn boolean_value(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(is) => Some(*is),
        Value::String(text) => boolean(text),
        other => boolean(&pyrepr::to_str(other)),
    }
}

/// As the Boolean type of oslo.config: one-letter words are not known.
pub fn option_boolean(text: &str) -> Option<bool> {
    match lowered(text)?.as_str() {
        "true" | "1" | "on" | "yes" => Some(true),
        "false" | "0" | "off" | "no" => Some(false),
        _ => None,
    }
}

fn lowered(text: &str) -> Option<String> {
    let word = text.trim();
    (word.len() <= LONGEST).then(|| word.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn truth_is_that_of_oslo_utils() {
        for value in [
            json!(true),
            json!("Yes"),
            json!(1),
            json!(" on "),
            json!("T"),
        ] {
            assert_eq!(boolean_value(&value), Some(true), "{value}");
        }
        for value in [
            json!(false),
            json!("no"),
            json!(0),
            json!("OFF"),
            json!("f"),
        ] {
            assert_eq!(boolean_value(&value), Some(false), "{value}");
        }
        for value in [
            json!("2"),
            json!(1.0),
            json!([]),
            json!(null),
            json!(""),
            json!("truefalse"),
        ] {
            assert_eq!(boolean_value(&value), None, "{value}");
        }
    }

    #[test]
    fn options_have_no_one_letter_words() {
        assert_eq!(option_boolean(" On "), Some(true));
        assert_eq!(option_boolean("0"), Some(false));
        for word in ["t", "f", "y", "n", ""] {
            assert_eq!(option_boolean(word), None, "{word}");
        }
    }
}
