//! What commands say to the person who typed them.

use std::io::{self, Write};

/// Prints a line of what was asked for.
pub(crate) fn print(line: &str) -> io::Result<()> {
    match writeln!(io::stdout(), "{line}") {
        // Whoever read our output has gone, and has what they wanted.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Says something beside that. Where nobody listens, nothing can be said.
pub(crate) fn note(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}
