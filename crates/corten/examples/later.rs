//! The program `corten` as a later version of it would be: its schema has more migrations on top,
//! one from each of the files that `CORTEN_LATER` names, separated by colons.
//!
//! Tests start it beside the program itself to see whether two versions serve one database. It is
//! an example so that nothing of it is in the program that is shipped.

#![allow(
    clippy::disallowed_methods,
    reason = "no service: it may wait for its files"
)]

use std::process::ExitCode;

fn main() -> ExitCode {
    let files = std::env::var("CORTEN_LATER").unwrap_or_default();
    let texts: Result<Vec<String>, _> = files
        .split(':')
        .filter(|file| !file.is_empty())
        .map(std::fs::read_to_string)
        .collect();
    match texts {
        Ok(texts) => {
            let migrations = texts.into_iter().map(|text| &*text.leak());
            store::become_later(migrations.collect());
            corten::run()
        }
        Err(error) => {
            tracing::error!(%error, "CORTEN_LATER names what cannot be read");
            ExitCode::FAILURE
        }
    }
}
