//! sushy-tools' Redfish emulator, as a BMC that others wrote.
//!
//! It ends when its standard input does, so nothing survives a test. Where it cannot be installed
//! the tests that need it say so and do nothing, except in CI, where they fail.

use super::bench::{Bench, PASSWORD, settings};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Write},
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{OnceLock, mpsc},
    time::Duration,
};
use types::JsonMap;

/// As long as the program takes to start on a busy machine.
const START: Duration = Duration::from_secs(60);

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers")
}

/// A Python with sushy-tools, in a virtual environment of the tests' own.
fn python() -> Option<PathBuf> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        let done = Command::new(peers().join("with-sushy-tools"))
            .output()
            .ok()?;
        let path = String::from_utf8(done.stdout).ok()?;
        done.status
            .success()
            .then(|| PathBuf::from(path.trim_end()))
    });
    if python.is_none() {
        let what = "sushy-tools (it needs python3 with venv, and PyPI)";
        assert!(std::env::var_os("CI").is_none(), "{what} is not installed");
        println!("SKIPPED: {what} is not installed");
    }
    python.clone()
}

/// A running emulator with one machine.
pub(super) struct Sushy {
    address: String,
    process: Child,
    told: mpsc::Receiver<String>,
    _state: tempfile::TempDir,
}

impl Drop for Sushy {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Sushy {
    pub(super) fn start(options: &[&str]) -> Option<Self> {
        let python = python()?;
        let state = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr();
        let port = port.unwrap().port();
        let mut process = Command::new(python)
            .arg(peers().join("sushy-bmc.py"))
            .args(["--port", &port.to_string(), "--state"])
            .arg(state.path())
            .args(options)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (lines, told) = mpsc::channel();
        let output = BufReader::new(process.stdout.take().unwrap());
        std::thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                if lines.send(line).is_err() {
                    return;
                }
            }
        });
        let first = told.recv_timeout(START).expect("the emulator starts");
        assert_eq!(first, "ready");
        let scheme = if options.contains(&"--certificate") {
            "https"
        } else {
            "http"
        };
        Some(Self {
            address: format!("{scheme}://127.0.0.1:{port}"),
            process,
            told,
            _state: state,
        })
    }

    /// With a user and a password.
    pub(super) fn guarded() -> Option<Self> {
        Self::start(&["--password", PASSWORD])
    }

    /// What arrived since the last look.
    pub(super) fn told(&mut self) -> Vec<String> {
        let input = self.process.stdin.as_mut().unwrap();
        input.write_all(b"mark\n").unwrap();
        let lines = std::iter::from_fn(|| Some(self.told.recv_timeout(START).unwrap()));
        lines.take_while(|line| line != "mark").collect()
    }

    pub(super) fn driver_info(&self) -> JsonMap {
        let Value::Object(info) = json!({
            "redfish_address": self.address,
            "redfish_username": "admin", "redfish_password": PASSWORD,
        }) else {
            unreachable!()
        };
        info
    }

    pub(super) fn bench(&self) -> Bench {
        Bench::new(self.driver_info(), settings())
    }
}
