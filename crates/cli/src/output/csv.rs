//! Results as comma-separated values. What goes into quotes can be chosen; by default that is
//! everything but numbers and truth values.

use clap::ValueEnum;
use serde_json::Value;

use super::cell;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Quote {
    All,
    // What could not be read otherwise.
    Minimal,
    // Everything but numbers and truth values.
    Nonnumeric,
    // Nothing: a backslash marks what is part of a value.
    None,
}

pub(super) fn text(names: &[&str], rows: &[Vec<&Value>], quote: Quote) -> String {
    let line = |fields: Vec<String>| format!("{}\n", fields.join(","));
    let head = names.iter().map(|name| field(name, false, quote));
    let mut text = line(head.collect());
    for row in rows {
        let fields = row.iter().map(|value| {
            let bare = value.is_number() || value.is_boolean();
            let words = if value.is_null() {
                String::new()
            } else {
                cell::text(value)
            };
            field(&words, bare, quote)
        });
        text.push_str(&line(fields.collect()));
    }
    text
}

fn field(text: &str, bare: bool, quote: Quote) -> String {
    let special = |character: char| matches!(character, ',' | '"' | '\\' | '\n' | '\r');
    let quoted = match quote {
        Quote::All => true,
        Quote::Nonnumeric => !bare,
        Quote::Minimal => text.contains(special),
        Quote::None => false,
    };
    let mut out = String::with_capacity(text.len() + 2);
    for character in text.chars() {
        match character {
            '"' if quoted => out.push('"'),
            '\\' => out.push('\\'),
            other if !quoted && special(other) => out.push('\\'),
            _ => {}
        }
        out.push(character);
    }
    if quoted { format!("\"{out}\"") } else { out }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn line(quote: Quote) -> String {
        let row = [
            json!("say \"hi\", you"),
            json!(4),
            json!(null),
            json!({"a": 1}),
            json!("plain"),
        ];
        let row: Vec<&Value> = row.iter().collect();
        text(&["a", "b", "c", "d", "e"], &[row], quote)
    }

    #[test]
    fn quotes_are_doubled_and_numbers_bare() {
        assert_eq!(
            line(Quote::Nonnumeric),
            "\"a\",\"b\",\"c\",\"d\",\"e\"\n\
             \"say \"\"hi\"\", you\",4,\"\",\"{\"\"a\"\": 1}\",\"plain\"\n"
        );
    }

    #[test]
    fn what_is_quoted_can_be_chosen() {
        assert!(line(Quote::All).contains(",\"4\",\"\","));
        assert_eq!(
            line(Quote::Minimal),
            "a,b,c,d,e\n\"say \"\"hi\"\", you\",4,,\"{\"\"a\"\": 1}\",plain\n"
        );
        assert_eq!(
            line(Quote::None),
            "a,b,c,d,e\nsay \\\"hi\\\"\\, you,4,,{\\\"a\\\": 1},plain\n"
        );
    }
}
