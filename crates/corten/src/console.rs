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
