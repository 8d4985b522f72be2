//! Output of commands: results on standard output, notes on standard error.

use std::io::{self, Write};

/// Prints a line of what was asked for.
pub(crate) fn print(line: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{line}") {
        // Broken pipe: the reader has what it wanted.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Prints a note on standard error; errors are ignored.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// Columns as wide as their widest cell; what comes from others cannot move the terminal's cursor.
pub(crate) fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let clean = |cell: &String| -> String { cell.chars().filter(|c| !c.is_control()).collect() };
    let rows: Vec<[String; N]> = rows
        .iter()
        .map(|row| std::array::from_fn(|column| clean(&row[column])))
        .collect();
    let widths: [usize; N] = std::array::from_fn(|column| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.max().unwrap_or_default()
    });
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(widths);
        let line: String = cells
            .map(|(cell, width)| format!("{cell:<width$}  "))
            .collect();
        text += line.trim_end();
        text.push('\n');
    }
    text
}
