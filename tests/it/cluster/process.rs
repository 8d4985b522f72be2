//! The program in one of its roles, as a child process.

use super::{PATIENCE, SECRET};
use crate::{database::Database, http::Client, kill::program};
use std::{path::PathBuf, process::Stdio};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

pub(super) struct Process {
    pub(super) name: String,
    /// Where it listens: for clients, or for calls of other processes.
    pub(super) client: Client,
    child: Child,
    log: PathBuf,
}

impl Process {
    /// Starts a role under a name and waits until it listens. `sets` win over what is usual here.
    /// The role `alone` is that of a service that knows of no cluster.
    pub(super) async fn start(database: &Database, role: &str, name: &str, sets: &[&str]) -> Self {
        let data_dir = database.directory().join(name);
        std::fs::create_dir_all(&data_dir).unwrap();
        let log = data_dir.join("log");
        let usual = [
            format!("DEFAULT.host={name}"),
            format!("database.connection={}", database.url()),
            format!("corten.key_file={}", database.key_file().display()),
            "corten.membership_ttl=3".to_owned(),
            "conductor.heartbeat_interval=1".to_owned(),
            "DEFAULT.hash_ring_reset_interval=1".to_owned(),
            "conductor.automated_clean=false".to_owned(),
            "conductor.node_locked_retry_attempts=1".to_owned(),
            "api.port=0".to_owned(),
            "json_rpc.port=0".to_owned(),
        ];
        let secret = format!("corten.cluster_secret={SECRET}");
        let (role, secret) = match role {
            "alone" => ("serve", None),
            role => (role, Some(secret.as_str())),
        };
        let usual = usual.iter().map(String::as_str).chain(secret);
        let sets = usual.chain(sets.iter().copied());
        let written = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&log)
            .unwrap();
        let mut child = Command::new(program())
            .arg(role)
            .arg("--data-dir")
            .arg(&data_dir)
            .args(sets.flat_map(|set| ["--set", set]))
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
                    return url.rsplit('/').next().map(str::to_owned);
                }
            }
            None
        });
        let address = first.await.expect("it does not come up");
        let text = || std::fs::read_to_string(&log).unwrap_or_default();
        let address = address.unwrap_or_else(|| panic!("it ended at its start:\n{}", text()));
        Self {
            name: name.to_owned(),
            client: Client {
                address: address.parse().unwrap(),
            },
            child,
            log,
        }
    }

    /// What it wrote into its log.
    pub(super) fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    pub(super) async fn signal(&self, name: &str) {
        let pid = self.child.id().unwrap().to_string();
        let signal = format!("-{name}");
        let sent = Command::new("kill").args([&signal, &pid]).status().await;
        assert!(sent.unwrap().success());
    }

    /// Kills it without a warning.
    pub(super) async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// Asks it to stop, as an operator does, and waits for it.
    pub(super) async fn stop(mut self) {
        self.signal("TERM").await;
        let status = tokio::time::timeout(PATIENCE, self.child.wait()).await;
        let status = status.expect("it does not stop").unwrap();
        assert!(status.success(), "{} {status}:\n{}", self.name, self.log());
    }
}
