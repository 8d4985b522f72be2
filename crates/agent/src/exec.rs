//! Running other programs: those of the kernel and of vendors that have no other way in.
//!
//! No shell is involved. What a program prints is kept for the error, not for the log: it may hold
//! what nobody should read there.

use crate::AgentError;
use std::{process::Stdio, time::Duration};
use tokio::{process::Command, time};

/// How long a program may take that is not known to take long.
pub const USUAL: Duration = Duration::from_secs(60);

/// How much of what a program said goes into an error.
const TAIL: usize = 2000;

/// Runs a program to its end and returns what it printed; anything but success is an error.
pub async fn run(program: &str, args: &[&str], limit: Duration) -> Result<String, AgentError> {
    let fail = |what: String| {
        AgentError::failed(
            "CommandExecutionError",
            "Command execution failed",
            format!("{program} {}: {what}", args.join(" ")),
        )
    };
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).kill_on_drop(true);
    let output = match time::timeout(limit, command.output()).await {
        Err(_) => return Err(fail(format!("no end after {} s", limit.as_secs()))),
        Ok(Err(error)) => return Err(fail(error.to_string())),
        Ok(Ok(output)) => output,
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stderr, output.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let said = said.trim();
    let from = said.ceil_char_boundary(said.len().saturating_sub(TAIL));
    Err(fail(format!("{}: {}", output.status, &said[from..])))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn success_gives_the_output_and_failure_the_reason() {
        assert_eq!(run("echo", &["a", "b"], USUAL).await.unwrap(), "a b\n");
        let error = run("ls", &["/nowhere/at/all"], USUAL).await.unwrap_err();
        assert!(error.details.contains("/nowhere/at/all"), "{error}");
        let error = run("no-such-program", &[], USUAL).await.unwrap_err();
        assert!(error.details.starts_with("no-such-program"), "{error}");
        let error = run("sleep", &["100"], Duration::from_millis(10)).await;
        assert!(error.unwrap_err().details.contains("no end"));
    }
}
