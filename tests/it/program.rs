//! The program as a child process.

use crate::http::Client;
use std::{
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// A start or an end takes a fraction of this.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that listens; it ends with this.
pub(crate) struct Program {
    /// Where it listens: for clients, or for calls of other processes.
    pub(crate) client: Client,
    child: Child,
    log: PathBuf,
}

impl Program {
    /// Starts it and waits until it listens. What it has to say is added to the log.
    pub(crate) async fn start(
        arguments: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
        log: &Path,
    ) -> Self {
        let started = Self::try_start(Command::new(path()), arguments, log).await;
        started.unwrap_or_else(|text| panic!("it ended at its start:\n{text}"))
    }

    /// The same with any program, or the log of one that ended by itself.
    pub(crate) async fn try_start(
        mut program: Command,
        arguments: impl IntoIterator<Item = impl AsRef<std::ffi::OsStr>>,
        log: &Path,
    ) -> Result<Self, String> {
        let written = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(log)
            .unwrap();
        let mut child = program
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(written)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = tokio::time::timeout(PATIENCE, async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if let Some((_, url)) = line.split_once("listening on ") {
                    return url.trim_end_matches('/').rsplit('/').next()?.parse().ok();
                }
            }
            None
        });
        let text = || std::fs::read_to_string(log).unwrap_or_default();
        let address = first
            .await
            .unwrap_or_else(|_| panic!("it does not come up:\n{}", text()));
        let address = address.ok_or_else(text)?;
        Ok(Self {
            client: Client { address },
            child,
            log: log.to_owned(),
        })
    }

    /// What it wrote into its log.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// The id of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id().unwrap()
    }

    pub(crate) async fn signal(&self, name: &str) {
        let pid = self.child.id().unwrap().to_string();
        let signal = format!("-{name}");
        let sent = Command::new("kill").args([&signal, &pid]).status().await;
        assert!(sent.unwrap().success());
    }

    /// Kills it without a warning.
    pub(crate) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Asks it to stop, as an operator does, and waits for it.
    pub(crate) async fn stop(self) {
        self.signal("TERM").await;
        self.ended().await;
    }

    /// Waits for its end, which is to be a good one.
    pub(crate) async fn ended(mut self) {
        let status = self.wait().await;
        assert!(status.success(), "{status}:\n{}", self.log());
    }

    /// Waits until it ends by itself, as one that cannot go on; what it wrote about it.
    pub(crate) async fn failed(mut self) -> String {
        let status = self.wait().await;
        assert_eq!(status.code(), Some(1), "{}", self.log());
        self.log()
    }

    async fn wait(&mut self) -> ExitStatus {
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        status.expect("it does not stop").unwrap()
    }
}

/// The program, as `CORTEN_BIN` names it or as cargo left it beside this test.
pub(crate) fn path() -> PathBuf {
    if let Some(path) = std::env::var_os("CORTEN_BIN") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(|deps| deps.parent()).unwrap();
    let program = built.join("corten");
    assert!(
        program.exists(),
        "{} is missing: run `cargo build -p corten` first, or name the program in CORTEN_BIN",
        program.display()
    );
    program
}
