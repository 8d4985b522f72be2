//! Comma-separated values as spreadsheets write them (RFC 4180), with a line of column names.
//!
//! Quotes, line breaks inside them, either kind of line end and a byte order mark are understood.
//! Lines with nothing in them are skipped; one with more cells than there are columns is an error,
//! since a comma that is missing its quotes would otherwise shift a password into another column.

/// A line of the file: its number, and its cells.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) line: usize,
    pub(super) cells: Vec<String>,
}

/// Reads all records. The error names a line and never what stands in it.
pub(super) fn read(text: &str) -> Result<Vec<Record>, String> {
    let mut text = text.trim_start_matches('\u{feff}').chars().peekable();
    let mut records = Vec::new();
    let mut line = 1;
    while text.peek().is_some() {
        let started = line;
        let mut cells = Vec::new();
        loop {
            let (cell, end) = cell(&mut text, &mut line)?;
            cells.push(cell);
            if end == End::Record {
                break;
            }
        }
        if cells.iter().any(|cell| !cell.is_empty()) {
            records.push(Record {
                line: started,
                cells,
            });
        }
    }
    Ok(records)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Cell,
    Record,
}

fn cell(
    text: &mut std::iter::Peekable<std::str::Chars<'_>>,
    line: &mut usize,
) -> Result<(String, End), String> {
    let mut cell = String::new();
    if text.peek() == Some(&'"') {
        text.next();
        let started = *line;
        loop {
            match text.next() {
                None => return Err(format!("line {started}: a quotation mark is not closed")),
                Some('"') if text.peek() == Some(&'"') => {
                    text.next();
                    cell.push('"');
                }
                Some('"') => break,
                Some(c) => {
                    *line += usize::from(c == '\n');
                    cell.push(c);
                }
            }
        }
        return match end(text, line) {
            Some(end) => Ok((cell, end)),
            None => Err(format!("line {line}: text follows a quotation mark")),
        };
    }
    loop {
        if let Some(end) = end(text, line) {
            return Ok((cell.trim().to_owned(), end));
        }
        cell.extend(text.next());
    }
}

/// What ends a cell, if it ends here.
fn end(text: &mut std::iter::Peekable<std::str::Chars<'_>>, line: &mut usize) -> Option<End> {
    match text.peek() {
        None => return Some(End::Record),
        Some(',') => {
            text.next();
            return Some(End::Cell);
        }
        Some('\r') => {
            text.next();
            text.next_if_eq(&'\n');
        }
        Some('\n') => {
            text.next();
        }
        Some(_) => return None,
    }
    *line += 1;
    Some(End::Record)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cells(text: &str) -> Vec<Vec<String>> {
        let records = read(text).unwrap();
        records.into_iter().map(|record| record.cells).collect()
    }

    #[test]
    fn quotes_line_ends_and_marks_are_understood() {
        assert_eq!(
            cells("\u{feff}a,b\r\n\"x, \"\"y\"\"\n\", z \r\n\r\n,\n1,"),
            [vec!["a", "b"], vec!["x, \"y\"\n", "z"], vec!["1", ""]]
        );
    }

    #[test]
    fn records_know_the_line_they_begin_on() {
        let records = read("a\n\n\"b\nc\"\nd\n").unwrap();
        let lines: Vec<usize> = records.iter().map(|record| record.line).collect();
        assert_eq!(lines, [1, 3, 5]);
    }

    #[test]
    fn broken_quotes_are_told_by_line_and_not_by_content() {
        assert_eq!(
            read("a\n\"s3cret").unwrap_err(),
            "line 2: a quotation mark is not closed"
        );
        assert_eq!(
            read("\"s3cret\"x").unwrap_err(),
            "line 1: text follows a quotation mark"
        );
    }

    proptest! {
        #[test]
        fn what_is_quoted_comes_back(rows in proptest::collection::vec(
            proptest::collection::vec("[a-z,\"\n ]{1,8}", 1..4), 1..4)) {
            let text: String = rows.iter().map(|row| {
                let cells: Vec<String> = row.iter()
                    .map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
                cells.join(",") + "\n"
            }).collect();
            prop_assert_eq!(cells(&text), rows);
        }

        #[test]
        fn no_text_panics(text in ".{0,80}") {
            let _ = read(&text);
        }
    }
}
