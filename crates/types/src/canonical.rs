//! JSON in the one form of RFC 8785, so that a signature of it can be checked after the document was
//! indented or its keys were moved about.
//!
//! Only what our own documents hold is spelled as there: keys of ASCII, texts, whole numbers.

use serde_json::{Map, Value};

/// The bytes that are signed: no white space, and keys in the order of their letters.
pub fn text(value: &Value) -> String {
    ordered(value).to_string()
}

fn ordered(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut keys: Vec<&String> = map.keys().collect();
            keys.sort();
            let entry = |key: &String| Some((key.clone(), ordered(map.get(key)?)));
            Value::Object(keys.into_iter().filter_map(entry).collect::<Map<_, _>>())
        }
        Value::Array(items) => items.iter().map(ordered).collect(),
        plain => plain.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_order_of_keys_does_not_matter() {
        let one = json!({"b": [{"z": 1, "a": "ä\u{1}\n\"\\/"}], "a": null});
        assert_eq!(
            text(&one),
            "{\"a\":null,\"b\":[{\"a\":\"ä\\u0001\\n\\\"\\\\/\",\"z\":1}]}"
        );
        let read: Value = serde_json::from_str(&text(&one)).unwrap();
        assert_eq!(text(&read), text(&one));
    }
}
