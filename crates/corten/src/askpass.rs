//! What OpenSSH's client starts to be told a password: this program, with a variable that names a file.
//!
//! The client gives it a question and no other words, so the variable is all there is to know it by.

#![expect(
    clippy::disallowed_methods,
    reason = "this process has nothing else to do than to answer"
)]

use drivers::ssh::ASKPASS;
use std::{
    env, fs,
    io::{self, Write},
    process::ExitCode,
};

/// Answers the client, if it is the client that asks.
pub(crate) fn answer() -> Option<ExitCode> {
    let file = env::var_os(ASKPASS)?;
    let said = fs::read(file).and_then(|password| {
        let mut out = io::stdout();
        out.write_all(&password)?;
        out.write_all(b"\n")
    });
    Some(match said {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}
