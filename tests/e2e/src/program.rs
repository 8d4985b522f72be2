//! Other people's programs, and ours: run to the end, or in the background.
//!
//! Everything here runs in a process namespace of its own (see [`crate::lan`]), so whatever is left
//! over ends with it; a [`Daemon`] that is dropped ends at once.

use anyhow::{Context, Result, bail};
use std::{
    ffi::OsStr,
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// A program of that name, also from the folders that ordinary users do not have on their path.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    command.stdin(Stdio::null());
    command
}

/// Runs a command to its end and returns what it printed; a failure tells what it said.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .with_context(|| format!("{name} cannot be started"))?;
    if !output.status.success() {
        bail!(
            "{} {}: {}{}{}",
            name,
            command
                .get_args()
                .map(OsStr::to_string_lossy)
                .collect::<Vec<_>>()
                .join(" "),
            output.status,
            if output.stderr.is_empty() { "" } else { "\n" },
            String::from_utf8_lossy(&output.stderr).trim(),
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn run(program: &str, arguments: &[&str]) -> Result<String> {
    output(command(program).args(arguments))
}

/// A program in the background, whose words go to a file.
#[derive(Debug)]
pub(crate) struct Daemon {
    child: Child,
    log: PathBuf,
}

impl Daemon {
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let file = File::create(log).with_context(|| log.display().to_string())?;
        let name = command.get_program().to_string_lossy().into_owned();
        let child = command
            .stdout(file.try_clone()?)
            .stderr(file)
            .spawn()
            .with_context(|| format!("{name} cannot be started"))?;
        Ok(Self {
            child,
            log: log.to_owned(),
        })
    }

    /// Waits until the program has said that.
    pub(crate) fn says(&mut self, word: &str, patience: Duration) -> Result<String> {
        let log = self.log.clone();
        let found = wait(patience, || {
            let text = text(&log);
            if let Some(line) = text.lines().find(|line| line.contains(word)) {
                return Ok(Some(line.to_owned()));
            }
            match self.child.try_wait()? {
                Some(status) => bail!("{status}"),
                None => Ok(None),
            }
        });
        found.with_context(|| format!("'{word}' is not in {}:\n{}", log.display(), tail(&log, 30)))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Looks again and again until there is something to see.
pub(crate) fn wait<T>(
    patience: Duration,
    mut look: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let started = Instant::now();
    loop {
        if let Some(found) = look()? {
            return Ok(found);
        }
        if started.elapsed() > patience {
            bail!("not within {} s", patience.as_secs());
        }
        // Other programs write these files; there is no event to wait for that all of them give.
        thread::park_timeout(Duration::from_millis(200));
    }
}

/// What a file holds; consoles print all sorts of bytes.
pub(crate) fn text(path: &Path) -> String {
    String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned()
}

/// The last lines of a file.
pub(crate) fn tail(path: &Path, count: usize) -> String {
    let text = text(path);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
