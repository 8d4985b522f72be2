//! Asking for a password on the terminal, without showing it.

use std::io::{BufRead, IsTerminal, Read, Write};

use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};

/// No password is longer.
const LONGEST: u64 = 4096;

/// The line that is typed; nothing if nobody can type one.
pub(super) fn ask() -> Option<String> {
    let input = std::io::stdin();
    if !input.is_terminal() {
        return None;
    }
    let before = tcgetattr(&input).ok()?;
    let mut quiet = before.clone();
    quiet.local_modes.remove(LocalModes::ECHO);
    tcsetattr(&input, OptionalActions::Flush, &quiet).ok()?;
    let mut screen = std::io::stderr();
    let _ = screen
        .write_all(b"OpenStack Password: ")
        .and_then(|()| screen.flush());
    let mut line = String::new();
    let read = input.lock().take(LONGEST).read_line(&mut line);
    let _ = tcsetattr(&input, OptionalActions::Flush, &before);
    let _ = screen.write_all(b"\n");
    read.ok()?;
    Some(line.trim_end_matches(['\r', '\n']).to_owned())
}
