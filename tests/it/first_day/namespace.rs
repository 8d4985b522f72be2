//! A network of one's own, and the program in it.

use crate::program;
use serde_json::Value;
use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Output},
};

const INSIDE: &str = "CORTEN_TEST_FIRST_DAY";

/// Runs `inside` in a network namespace, with named namespaces of its own.
pub(super) fn alone(test: &str, inside: impl AsyncFnOnce()) {
    if env::var_os(INSIDE).is_some() {
        // Named namespaces live below /run, which is to be ours alone; and /sys shows the network of
        // the process that mounted it.
        run("mount", "-t tmpfs tmpfs /run");
        run("mount", "-t sysfs sysfs /sys");
        run("ip", "link set lo up");
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build();
        return runtime.unwrap().block_on(inside());
    }
    let ways = ["--net --mount", "--user --map-root-user --net --mount"];
    let works = |way: &&&str| {
        let probe = Command::new("unshare")
            .args(way.split(' '))
            .arg("true")
            .output();
        probe.is_ok_and(|output| output.status.success())
    };
    let Some(way) = ways.iter().find(works) else {
        assert!(
            env::var_os("CI").is_none(),
            "network namespaces are not allowed here"
        );
        println!("SKIPPED: network namespaces are not allowed here");
        return;
    };
    let status = Command::new("unshare")
        .args(way.split(' '))
        // Whatever the test leaves behind ends with it.
        .args(["--pid", "--mount-proc", "--kill-child", "--fork"])
        .arg(env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--test-threads=1"])
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed in its namespace");
}

pub(super) fn run(program: &str, words: &str) {
    let output = Command::new(program).args(words.split(' ')).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    assert!(output.status.success(), "{program} {words}: {output:?}");
}

/// Whether a program is installed; in CI it must be.
pub(super) fn has(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    assert!(found || env::var_os("CI").is_none(), "{program} is missing");
    if !found {
        println!("SKIPPED: there is no {program} here");
    }
    found
}

/// A folder, and the program with its data there.
pub(super) struct Host {
    folder: tempfile::TempDir,
}

impl Host {
    pub(super) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn config(&self) -> PathBuf {
        self.path("corten.conf")
    }

    /// The program with these words; `@` stands for the folder.
    pub(super) fn command(&self, words: &str) -> Command {
        let folder = self.folder.path().display().to_string();
        let mut command = Command::new(program::path());
        command
            .args(
                words
                    .split_whitespace()
                    .map(|word| word.replace('@', &folder)),
            )
            .env("HOME", self.folder.path())
            .env_remove("XDG_DATA_HOME")
            .stdin(std::process::Stdio::null());
        command
    }

    pub(super) fn corten(&self, words: &str) -> Output {
        self.command(words).output().unwrap()
    }

    /// What the program prints as JSON, and whether it was content.
    pub(super) fn json(&self, words: &str) -> (Value, bool) {
        let output = self.corten(words);
        let value = serde_json::from_slice(&output.stdout);
        let value = value.unwrap_or_else(|error| panic!("{words}: {error}: {output:?}"));
        (value, output.status.success())
    }

    pub(super) fn init(&self, more: &str) -> Output {
        self.corten(&format!(
            "init --yes --no-ramdisk --config-file @/corten.conf --data-dir @/data {more}"
        ))
    }
}

/// What a doctor found of one kind: levels and texts with remedies.
pub(super) fn of_check(report: &Value, check: &str) -> Vec<(String, String)> {
    let findings = report["findings"].as_array().unwrap();
    let of_kind = findings.iter().filter(|it| it["check"] == check);
    of_kind
        .map(|it| {
            let text = |key: &str| it[key].as_str().unwrap_or_default().to_owned();
            (
                text("level"),
                format!("{} {}", text("what"), text("remedy")),
            )
        })
        .collect()
}

/// Waits until a file has something in it.
pub(super) async fn written(path: &Path) -> String {
    for _ in 0..600 {
        if let Ok(text) = std::fs::read_to_string(path)
            && !text.trim().is_empty()
        {
            return text.trim().to_owned();
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("{} is not written", path.display());
}
