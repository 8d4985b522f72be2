//! Printing an error with all of its causes, once.

use std::error::Error;

/// The message of `error` followed by those of its sources, separated by colons.
///
/// Error types here never repeat their source in their own message, so the chain reads as one
/// sentence in logs, in `last_error` and in faults.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
