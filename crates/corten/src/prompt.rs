//! Questions at a terminal, and passwords.
//!
//! A password is typed without being shown, or is the first line of the standard input; it is never
//! an argument, which every user of the machine could read in the list of processes.

use crate::console::note;
use anyhow::{Context, bail};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use std::io::{self, BufRead, IsTerminal, Read, Write};

/// Longer than any answer; what is longer is no answer.
const LONGEST_LINE: u64 = 4096;

/// Whether there is a person to ask.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// A password that is being made up: typed twice at a terminal.
pub(crate) fn new_password() -> anyhow::Result<String> {
    if !io::stdin().is_terminal() {
        return line().context("cannot read the password");
    }
    let first = typed("Password: ")?;
    if typed("The same again: ")? != first {
        bail!("the two passwords differ");
    }
    Ok(first)
}

/// A password that is known.
pub(crate) fn password(prompt: &str) -> anyhow::Result<String> {
    match io::stdin().is_terminal() {
        true => typed(prompt),
        false => line().context("cannot read the password"),
    }
}

/// Asks until the answer can be read; an empty one is the suggestion.
pub(crate) fn ask<T>(
    question: &str,
    suggestion: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> anyhow::Result<T> {
    loop {
        let shown = match suggestion {
            "" => format!("{question}: "),
            _ => format!("{question} [{suggestion}]: "),
        };
        write!(io::stderr(), "{shown}").context("cannot write to the terminal")?;
        let typed = line().context("cannot read the answer")?;
        let answer = match typed.trim() {
            "" => suggestion,
            answer => answer,
        };
        match read(answer) {
            Ok(value) => return Ok(value),
            Err(why) => note(&why),
        }
    }
}

/// A line from a terminal that does not show it.
fn typed(prompt: &str) -> anyhow::Result<String> {
    write!(io::stderr(), "{prompt}").context("cannot write to the terminal")?;
    let stdin = io::stdin();
    let before = tcgetattr(&stdin).context("cannot turn off the echo of the terminal")?;
    let mut silent = before.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&stdin, OptionalActions::Flush, &silent)
        .context("cannot turn off the echo of the terminal")?;
    let read = line();
    let _ = tcsetattr(&stdin, OptionalActions::Flush, &before);
    note("");
    read.context("cannot read the password")
}

/// A line of the standard input, without its end.
fn line() -> io::Result<String> {
    let mut line = String::new();
    let read = io::stdin().lock().take(LONGEST_LINE).read_line(&mut line)?;
    if read == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let length = line.trim_end_matches(['\n', '\r']).len();
    line.truncate(length);
    Ok(line)
}
