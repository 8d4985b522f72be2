//! The program as a child process, whose address changes with every start.

use crate::{
    database::Database,
    http::{Answer, Client, Request},
};
use std::{
    io,
    path::PathBuf,
    process::Stdio,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    sync::{Mutex, watch},
};

/// A start takes a fraction of this.
const PATIENCE: Duration = Duration::from_secs(30);

pub(super) struct Server {
    arguments: Vec<String>,
    log: PathBuf,
    child: Mutex<Option<Child>>,
    /// Where it listens now; `None` while it is down.
    client: watch::Sender<Option<Client>>,
    kills: AtomicUsize,
}

impl Server {
    pub(super) fn new(database: &Database) -> Self {
        let data_dir = database.directory();
        let mut arguments = vec![
            "serve".to_owned(),
            "--data-dir".to_owned(),
            data_dir.display().to_string(),
        ];
        let connection = format!("database.connection={}", database.url());
        let delays = ["power", "deploy", "vendor", "inspect", "rescue"]
            .map(|kind| format!("fake.{kind}_delay=0.002,0.08"));
        let settings = [
            "api.port=0",
            "DEFAULT.host=kill-test",
            "conductor.automated_clean=true",
            "conductor.node_locked_retry_attempts=1",
        ];
        let settings = settings.map(str::to_owned).into_iter().chain([connection]);
        for setting in settings.chain(delays) {
            arguments.extend(["--set".to_owned(), setting]);
        }
        Self {
            arguments,
            log: data_dir.join("service.log"),
            child: Mutex::new(None),
            client: watch::Sender::new(None),
            kills: AtomicUsize::new(0),
        }
    }

    /// A service that somebody else runs.
    pub(super) fn at(client: Client) -> Self {
        Self {
            arguments: Vec::new(),
            log: PathBuf::new(),
            child: Mutex::new(None),
            client: watch::Sender::new(Some(client)),
            kills: AtomicUsize::new(0),
        }
    }

    pub(super) fn kills(&self) -> usize {
        self.kills.load(Ordering::Relaxed)
    }

    /// Starts the program and waits until it listens.
    pub(super) async fn start(&self) {
        let mut slot = self.child.lock().await;
        if slot.is_some() {
            return;
        }
        let log = std::fs::OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)
            .unwrap();
        let mut child = Command::new(program())
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = tokio::time::timeout(PATIENCE, async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if let Some((_, url)) = line.split_once("listening on http://") {
                    return Some(url.trim_end_matches('/').to_owned());
                }
            }
            None
        });
        let url = first.await.expect("the service does not come up");
        let log = || std::fs::read_to_string(&self.log).unwrap_or_default();
        let url = url.unwrap_or_else(|| panic!("the service ended at its start:\n{}", log()));
        let address = url.parse().unwrap();
        *slot = Some(child);
        self.client.send_replace(Some(Client { address }));
    }

    /// Kills it without a warning.
    pub(super) async fn kill(&self) {
        let mut slot = self.child.lock().await;
        if let Some(mut child) = slot.take() {
            child.kill().await.unwrap();
            self.kills.fetch_add(1, Ordering::Relaxed);
            self.client.send_replace(None);
        }
    }

    /// Asks it to stop, as an operator does, and waits for it.
    pub(super) async fn stop(&self) {
        let mut child = self.child.lock().await.take().unwrap();
        let pid = child.id().unwrap().to_string();
        let asked = Command::new("kill").args(["-TERM", &pid]).status().await;
        assert!(asked.unwrap().success());
        let status = tokio::time::timeout(PATIENCE, child.wait()).await;
        let status = status.expect("the service does not stop").unwrap();
        assert!(status.success(), "{status}");
        self.client.send_replace(None);
    }

    /// Sends a request to whichever process is up; an error leaves open whether it arrived.
    pub(super) async fn send(&self, request: &Request) -> io::Result<Answer> {
        let mut clients = self.client.subscribe();
        let up = clients.wait_for(Option::is_some);
        let client = tokio::time::timeout(PATIENCE, up).await;
        let client = client.expect("the service stays down").unwrap().clone();
        client.unwrap().try_send(request).await
    }
}

/// The program, as `CORTEN_BIN` names it or as cargo left it beside this test.
pub(crate) fn program() -> PathBuf {
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
