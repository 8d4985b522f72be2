//! The tables of the old client: borders of `+`, `-` and `|`, everything to the left.
//!
//! They are never made narrower than what is in them, whatever the terminal. Control characters are
//! spelled out, since names come from machines.

use serde_json::{Map, Value};

use super::python;
use crate::console::printable;
use crate::output;

/// Rows under headings.
pub(super) struct Table {
    headings: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(super) fn new(headings: Vec<String>) -> Self {
        Self {
            headings,
            rows: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells = cells.into_iter().map(|cell| printable(&cell));
        self.rows.push(cells.collect());
    }

    /// The members of a record, sorted by name, with values wrapped unless the width is 0.
    pub(super) fn of_record(record: &Map<String, Value>, title: &str, wrap: usize) -> Self {
        let mut members: Vec<(&String, &Value)> = record.iter().collect();
        members.sort_by_key(|(name, _)| *name);
        let mut table = Self::new(vec!["Property".to_owned(), title.to_owned()]);
        for (name, value) in members {
            let mut text = python::text(value);
            if wrap > 0 {
                text = python::fill(&text, wrap);
            }
            // Python's notation of an end of line within a text is two letters. The old client
            // takes them for one, so that what a BMC said over several lines is read line by line.
            let is_text = wrap > 0 || value.is_string() || value.is_object();
            match is_text && text.contains("\\n") {
                true => {
                    for (index, line) in text.trim().split("\\n").enumerate() {
                        let name = if index == 0 { name.as_str() } else { "" };
                        table.row([name.to_owned(), line.to_owned()]);
                    }
                }
                false => table.row([name.clone(), text]),
            }
        }
        table
    }

    pub(super) fn sort_by_first(&mut self) {
        self.rows.sort();
    }

    /// The table, with an end to each line.
    pub(super) fn draw(&self) -> String {
        let mut widths: Vec<usize> = self
            .headings
            .iter()
            .map(|text| output::width(text))
            .collect();
        for row in &self.rows {
            for (widest, cell) in widths.iter_mut().zip(row) {
                let longest = cell.split('\n').map(output::width).max();
                *widest = (*widest).max(longest.unwrap_or(0));
            }
        }
        let rule: String = widths
            .iter()
            .map(|width| format!("+{}", "-".repeat(width + 2)))
            .collect();
        let rule = rule + "+\n";
        let mut drawn = rule.clone();
        draw_row(&self.headings, &widths, &mut drawn);
        drawn += &rule;
        for row in &self.rows {
            draw_row(row, &widths, &mut drawn);
        }
        drawn + &rule
    }
}

/// A row takes as many lines as its highest cell.
fn draw_row(cells: &[String], widths: &[usize], drawn: &mut String) {
    let cells: Vec<Vec<&str>> = cells
        .iter()
        .map(|cell| cell.split('\n').collect())
        .collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    for index in 0..height {
        for (cell, width) in cells.iter().zip(widths) {
            let text = cell.get(index).copied().unwrap_or_default();
            let space = " ".repeat(width.saturating_sub(output::width(text)));
            drawn.push_str(&format!("| {text}{space} "));
        }
        drawn.push_str("|\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_is_as_wide_as_what_is_in_it() {
        let mut table = Table::new(vec!["UUID".to_owned(), "Name".to_owned()]);
        assert_eq!(
            table.draw(),
            "+------+------+\n| UUID | Name |\n+------+------+\n+------+------+\n"
        );
        table.row(["1be26c0b".to_owned(), "東京".to_owned()]);
        table.row(["\u{1b}[31m".to_owned(), "None".to_owned()]);
        assert_eq!(
            table.draw(),
            "\
+------------+------+
| UUID       | Name |
+------------+------+
| 1be26c0b   | 東京 |
| \\u{1b}[31m | None |
+------------+------+
"
        );
    }

    #[test]
    fn a_record_is_sorted_wrapped_and_in_pythons_notation() {
        let record = json!({
            "uuid": "u", "extra": {"a": 1}, "name": null,
            "last_error": "the machine did not answer", "traceback": {"x": "one\ntwo"},
        });
        let Value::Object(record) = record else {
            unreachable!()
        };
        assert_eq!(
            Table::of_record(&record, "Value", 14).draw(),
            "\
+------------+----------------+
| Property   | Value          |
+------------+----------------+
| extra      | {'a': 1}       |
| last_error | the machine    |
|            | did not answer |
| name       | None           |
| traceback  | {'x':          |
|            | 'one           |
|            | two'}          |
| uuid       | u              |
+------------+----------------+
"
        );
    }
}
