//! Results as assignments a shell can read, `name="value"`.
//!
//! The stock client leaves `$` and backquotes alone, so that a description could run a command
//! when its output is evaluated; here they are escaped.

use serde_json::{Map, Value};

use super::cell;

pub(super) fn text(prefix: &str, fields: &Map<String, Value>) -> String {
    let assignment = |(name, value): (&String, &Value)| {
        let name = name.to_lowercase().replace([' ', ':', '-'], "_");
        format!("{prefix}{name}=\"{}\"\n", escaped(&cell::text(value)))
    };
    fields.iter().map(assignment).collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '"' | '\\' | '$' | '`') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn nothing_in_a_value_is_run() {
        let fields = json!({"Some-name": "a \"b\" $(c) `d` \\", "n": 4});
        assert_eq!(
            text("x_", fields.as_object().unwrap()),
            "x_some_name=\"a \\\"b\\\" \\$(c) \\`d\\` \\\\\"\nx_n=\"4\"\n"
        );
    }
}
