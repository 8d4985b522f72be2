//! What a service manager and a container engine see of the program: when it is ready, when it
//! stops, and whether it is well.

use crate::program::path;
use std::{path::Path, process::Stdio, time::Duration};
use tokio::{
    net::UnixDatagram,
    process::{Child, Command},
    time::timeout,
};

/// No healthy wait takes that long.
const PATIENCE: Duration = Duration::from_secs(60);

/// A program that is watched by a manager.
struct Watched {
    child: Child,
    manager: UnixDatagram,
    folder: tempfile::TempDir,
}

/// The arguments by which the service is found again.
fn settings(folder: &Path) -> [String; 4] {
    let socket = folder.join("api").display().to_string();
    [
        "--data-dir".to_owned(),
        folder.join("data").display().to_string(),
        "--set".to_owned(),
        format!("api.unix_socket={socket}"),
    ]
}

impl Watched {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = folder.path().join("notify");
        let manager = UnixDatagram::bind(&socket).unwrap();
        let child = Command::new(path())
            .arg("serve")
            .args(settings(folder.path()))
            .env("NOTIFY_SOCKET", socket)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self {
            child,
            manager,
            folder,
        }
    }

    /// The next thing that the manager is told.
    async fn told(&self) -> String {
        let mut buffer = [0; 1024];
        let received = timeout(PATIENCE, self.manager.recv(&mut buffer)).await;
        let length = received.expect("the manager hears nothing").unwrap();
        String::from_utf8(buffer[..length].to_vec()).unwrap()
    }

    async fn is_healthy(&self) -> bool {
        let status = Command::new(path())
            .arg("healthcheck")
            .args(settings(self.folder.path()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        status.await.unwrap().success()
    }

    async fn signal(&self, name: &str) {
        let pid = self.child.id().unwrap().to_string();
        let signal = format!("-{name}");
        let sent = Command::new("kill").args([&signal, &pid]).status().await;
        assert!(sent.unwrap().success());
    }

    async fn ends_well(&mut self) {
        let ended = timeout(PATIENCE, self.child.wait()).await;
        assert!(ended.expect("it goes on").unwrap().success());
    }
}

#[tokio::test]
async fn a_manager_hears_when_the_service_is_ready_and_when_it_stops() {
    let mut watched = Watched::start();
    let ready = watched.told().await;
    assert!(
        ready.starts_with("READY=1\nSTATUS=listening on "),
        "{ready}"
    );
    assert!(watched.is_healthy().await, "ready means that it answers");
    watched.signal("TERM").await;
    let stopping = watched.told().await;
    // Requests, steps and calls in turn: 10 s, 60 s, 10 s, and some for the rest.
    let expected = "STOPPING=1\nSTATUS=stopping\nEXTEND_TIMEOUT_USEC=90000000";
    assert_eq!(stopping, expected);
    watched.ends_well().await;
    assert!(!watched.is_healthy().await);
}

#[tokio::test]
async fn a_drain_does_not_start_the_manager_s_clock() {
    let mut watched = Watched::start();
    watched.told().await;
    watched.signal("USR2").await;
    let draining = watched.told().await;
    assert!(draining.starts_with("STATUS=draining"), "{draining}");
    watched.ends_well().await;
}
