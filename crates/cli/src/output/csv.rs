//! Results as comma-separated values: everything but numbers and truth values is quoted, as the
//! stock client does by default.

use serde_json::Value;

use super::cell;

pub(super) fn text(keys: &[&str], rows: &[Vec<&Value>]) -> String {
    let head = keys
        .iter()
        .map(|key| quoted(key))
        .collect::<Vec<_>>()
        .join(",");
    let mut lines = vec![head];
    lines.extend(rows.iter().map(|row| {
        row.iter()
            .map(|value| field(value))
            .collect::<Vec<_>>()
            .join(",")
    }));
    lines.push(String::new());
    lines.join("\n")
}

fn field(value: &Value) -> String {
    match value {
        Value::Null => quoted(""),
        Value::Bool(_) | Value::Number(_) => cell::text(value),
        _ => quoted(&cell::text(value)),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn quotes_are_doubled_and_numbers_bare() {
        let row = [
            json!("say \"hi\", you"),
            json!(4),
            json!(null),
            json!({"a": 1}),
        ];
        let row: Vec<&Value> = row.iter().collect();
        assert_eq!(
            text(&["a", "b", "c", "d"], &[row]),
            "\"a\",\"b\",\"c\",\"d\"\n\"say \"\"hi\"\", you\",4,\"\",\"{\"\"a\"\": 1}\"\n"
        );
    }
}
