//! Results as JSON, indented unless asked not to be.

use serde_json::Value;

use super::cell;

pub(super) fn text(value: &Value, one_line: bool) -> String {
    if one_line {
        let mut text = String::new();
        cell::spaced(value, &mut text);
        text.push('\n');
        text
    } else {
        // The alternate form is the indented one, and cannot fail for a value already in memory.
        format!("{value:#}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn indented_or_on_one_line() {
        let value = json!([{"a": {}}]);
        assert_eq!(text(&value, false), "[\n  {\n    \"a\": {}\n  }\n]\n");
        assert_eq!(text(&value, true), "[{\"a\": {}}]\n");
    }
}
