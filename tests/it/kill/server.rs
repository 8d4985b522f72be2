//! The program as a child process, whose address changes with every start.

use crate::{
    database::Database,
    http::{Answer, Client, Request},
    program::Program,
};
use std::{
    io,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tokio::sync::{Mutex, watch};

/// A start takes a fraction of this.
const PATIENCE: Duration = Duration::from_secs(90);

pub(super) struct Server {
    arguments: Vec<String>,
    log: PathBuf,
    program: Mutex<Option<Program>>,
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
            program: Mutex::new(None),
            client: watch::Sender::new(None),
            kills: AtomicUsize::new(0),
        }
    }

    /// A service that somebody else runs.
    pub(super) fn at(client: Client) -> Self {
        Self {
            arguments: Vec::new(),
            log: PathBuf::new(),
            program: Mutex::new(None),
            client: watch::Sender::new(Some(client)),
            kills: AtomicUsize::new(0),
        }
    }

    pub(super) fn kills(&self) -> usize {
        self.kills.load(Ordering::Relaxed)
    }

    /// Starts the program and waits until it listens.
    pub(super) async fn start(&self) {
        let mut slot = self.program.lock().await;
        if slot.is_some() {
            return;
        }
        let program = Program::start(&self.arguments, &self.log).await;
        let client = program.client.clone();
        *slot = Some(program);
        self.client.send_replace(Some(client));
    }

    /// Kills it without a warning.
    pub(super) async fn kill(&self) {
        let mut slot = self.program.lock().await;
        if let Some(program) = slot.take() {
            program.kill().await;
            self.kills.fetch_add(1, Ordering::Relaxed);
            self.client.send_replace(None);
        }
    }

    /// Asks it to stop, as an operator does, and waits for it.
    pub(super) async fn stop(&self) {
        let program = self.program.lock().await.take().unwrap();
        program.stop().await;
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
