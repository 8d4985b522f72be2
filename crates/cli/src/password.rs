//! A new password: typed twice at a terminal without being shown, or the first line of the input. It
//! is never an argument, which every user of the machine could read in the list of processes.

use std::io::{self, BufRead, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

use crate::error::Error;

/// Longer than any password.
const LONGEST_LINE: u64 = 4096;

pub(crate) fn new() -> Result<String, Error> {
    let read = |error: io::Error| Error::failed(format!("cannot read the password: {error}"));
    if !io::stdin().is_terminal() {
        return line().map_err(read);
    }
    let first = typed("Password: ").map_err(read)?;
    if typed("The same again: ").map_err(read)? != first {
        return Err(Error::usage("the two passwords differ"));
    }
    Ok(first)
}

/// A line from a terminal that does not show it.
fn typed(prompt: &str) -> io::Result<String> {
    write!(io::stderr(), "{prompt}")?;
    let stdin = io::stdin();
    let before = tcgetattr(&stdin)?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent)?;
    let read = line();
    let restored = tcsetattr(&stdin, OptionalActions::Flush, &before);
    writeln!(io::stderr())?;
    restored?;
    read
}

/// A line of the standard input, without its end.
fn line() -> io::Result<String> {
    let mut line = String::new();
    io::stdin().lock().take(LONGEST_LINE).read_line(&mut line)?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
