//! Running other programs: those of the kernel and of vendors that have no other way in.
//!
//! No shell is involved. The output of a program goes into the error, not into the log: it may
//! contain secrets.

use crate::AgentError;
use std::{
    io,
    path::Path,
    process::{Output, Stdio},
    time::Duration,
};
use tokio::{io::AsyncWriteExt as _, process::Command, time};

/// Default timeout of a program.
pub const USUAL: Duration = Duration::from_secs(60);

/// How much of what a program said goes into an error.
const TAIL: usize = 2000;

/// Why a program did not succeed.
#[derive(Debug)]
pub struct ProgramFailure {
    /// `None`: it did not start, was not done in time, or was ended by a signal.
    pub exit_code: Option<i32>,
    pub error: AgentError,
}

/// Runs a program to its end and returns what it printed; anything but success is an error.
pub async fn run(program: &str, args: &[&str], limit: Duration) -> Result<String, AgentError> {
    let done = try_run(program, args, limit).await;
    done.map_err(|failure| failure.error)
}

/// The same, for those who decide by how it failed.
pub async fn try_run(
    program: &str,
    args: &[&str],
    limit: Duration,
) -> Result<String, ProgramFailure> {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).kill_on_drop(true);
    let shown = format!("{program} {}", args.join(" "));
    finish(&shown, limit, command.output()).await
}

/// The same, for a program whose surroundings were prepared; `shown` names it in errors.
pub async fn run_prepared(
    mut command: Command,
    shown: &str,
    limit: Duration,
) -> Result<String, AgentError> {
    command.stdin(Stdio::null()).kill_on_drop(true);
    let done = finish(shown, limit, command.output()).await;
    done.map_err(|failure| failure.error)
}

/// The same, for a program that is told on its standard input what it is to do; `what` names that in
/// errors.
pub async fn converse(
    program: &Path,
    what: &str,
    input: &[u8],
    limit: Duration,
) -> Result<String, AgentError> {
    let mut command = Command::new(program);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    let talk = async {
        let mut child = command.spawn()?;
        let stdin = child.stdin.take();
        let tell = async {
            if let Some(mut stdin) = stdin {
                // A program that does not read its input may still answer.
                let _ = stdin.write_all(input).await;
            }
        };
        let ((), output) = tokio::join!(tell, child.wait_with_output());
        output
    };
    let shown = format!("{} {what}", program.display());
    let done = finish(&shown, limit, talk).await;
    done.map_err(|failure| failure.error)
}

async fn finish(
    shown: &str,
    limit: Duration,
    run: impl Future<Output = io::Result<Output>>,
) -> Result<String, ProgramFailure> {
    let fail = |exit_code: Option<i32>, what: String| ProgramFailure {
        exit_code,
        error: AgentError::failed(
            "CommandExecutionError",
            "Command execution failed",
            format!("{shown}: {what}"),
        ),
    };
    let output = match time::timeout(limit, run).await {
        Err(_) => return Err(fail(None, format!("timeout after {} s", limit.as_secs()))),
        Ok(Err(error)) => return Err(fail(None, error.to_string())),
        Ok(Ok(output)) => output,
    };
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = [output.stderr, output.stdout].concat();
    let said = String::from_utf8_lossy(&said);
    let said = said.trim();
    let from = said.ceil_char_boundary(said.len().saturating_sub(TAIL));
    let status = output.status;
    Err(fail(status.code(), format!("{status}: {}", &said[from..])))
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
        let failure = try_run("ls", &["/nowhere/at/all"], USUAL)
            .await
            .unwrap_err();
        assert_eq!(failure.exit_code, Some(2));
        let failure = try_run("no-such-program", &[], USUAL).await.unwrap_err();
        assert_eq!(failure.exit_code, None);
        let error = run("sleep", &["100"], Duration::from_millis(10)).await;
        assert!(error.unwrap_err().details.contains("timeout"));
    }
}
