//! Results as JSON, indented unless asked not to be.

use serde_json::Value;

pub(super) fn text(value: &Value, one_line: bool) -> String {
    // The alternate form is the indented one; neither can fail for a value already in memory.
    if one_line {
        format!("{value}\n")
    } else {
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
        assert_eq!(text(&value, true), "[{\"a\":{}}]\n");
    }
}
