//! The tutorial and the first steps of README, command by command.
//!
//! Every line of a block that is marked `sh` is given to a shell as it stands in the text, in order,
//! and none may fail. Services run until the end of the page. What must differ is replaced in the
//! text: ports, because tests run beside each other; the folder in /tmp; the address of the database;
//! and the BMC, which is simulated.

use crate::{
    database::{Database, Engine},
    port, program,
};
use std::{os::unix::fs::symlink, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// A terminal in which `corten` is the program that was built.
struct Terminal {
    home: tempfile::TempDir,
    port: u16,
    replaced: Vec<(&'static str, String)>,
    services: Vec<Child>,
}

/// A line of a page, or everything of a block that is not for a shell.
fn lines(page: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut marked = false;
    for line in page.lines() {
        match line.strip_prefix("```") {
            Some(language) => marked = language == "sh",
            None if marked => lines.push(line.to_owned()),
            None => {}
        }
    }
    assert!(!lines.is_empty(), "nothing is to be run");
    lines
}

/// What a service prints when it is ready; other commands come to an end.
fn sign_of(line: &str) -> Option<&'static str> {
    let words: Vec<&str> = line.split(' ').collect();
    match words[..] {
        ["corten", "conductor", "list" | "show", ..] => None,
        ["corten", "serve" | "api" | "conductor", ..] => Some("listening on "),
        ["corten", "demo" | "sim", ..] => Some("ready"),
        _ => None,
    }
}

impl Terminal {
    fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("bin")).unwrap();
        symlink(program::path(), home.path().join("bin/corten")).unwrap();
        Self {
            home,
            port: port::free(),
            replaced: Vec::new(),
            services: Vec::new(),
        }
    }

    fn replace(&mut self, text: &'static str, by: impl ToString) {
        self.replaced.push((text, by.to_string()));
    }

    fn written(&self, text: &str) -> String {
        let replaced = self.replaced.iter();
        replaced.fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    fn command(&self, line: &str) -> Command {
        let path = std::env::var("PATH").unwrap();
        let bin = self.home.path().join("bin");
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .current_dir(self.home.path())
            .env_remove("XDG_DATA_HOME")
            .env("HOME", self.home.path())
            // What is killed at the end leaves its temporary folder behind.
            .env("TMPDIR", self.home.path())
            .env("PATH", format!("{}:{path}", bin.display()))
            .env("OS_ENDPOINT", format!("http://127.0.0.1:{}", self.port))
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Runs a line: to its end, or until the service that it starts is ready.
    async fn run(&mut self, line: &str) -> String {
        let line = self.written(line);
        let Some(sign) = sign_of(&line) else {
            let ended = tokio::time::timeout(PATIENCE, self.command(&line).output()).await;
            let output = ended
                .unwrap_or_else(|_| panic!("it does not end: {line}"))
                .unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            let text = String::from_utf8(output.stdout).unwrap();
            assert!(output.status.success(), "{line}: {error}\n{text}");
            return text;
        };
        let mut command = self.command(&format!("exec {line}"));
        // Where the commands of a page name no folder and no port.
        if line.starts_with("corten serve") {
            command
                .env("CORTEN_CORTEN__DATA_DIR", self.home.path().join("data"))
                .env("CORTEN_API__PORT", self.port.to_string());
        }
        let log = self
            .home
            .path()
            .join(format!("log-{}", self.services.len()));
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(std::fs::File::create(&log).unwrap())
            .spawn()
            .unwrap();
        let mut printed = BufReader::new(child.stdout.take().unwrap()).lines();
        let ready = tokio::time::timeout(PATIENCE, async {
            while let Some(text) = printed.next_line().await.unwrap() {
                if text.contains(sign) {
                    return true;
                }
            }
            false
        });
        let ready = ready.await.unwrap_or(false);
        let log = || std::fs::read_to_string(&log).unwrap();
        assert!(ready, "{line}: {}", log());
        // What it prints later must not fill the pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = printed.next_line().await {} });
        self.services.push(child);
        String::new()
    }

    /// Presses Ctrl-C in the terminal of the n-th service, and waits for its end.
    async fn interrupt(&mut self, service: usize) {
        let child = &mut self.services[service];
        let id = child.id().unwrap().to_string();
        let kill = Command::new("kill").args(["-INT", &id]).status().await;
        assert!(kill.unwrap().success());
        let ended = tokio::time::timeout(PATIENCE, child.wait()).await;
        assert!(ended.expect("it does not end").unwrap().success());
    }
}

#[tokio::test]
async fn a_fake_machine_lives_as_readme_says() {
    let mut terminal = Terminal::open();
    let mut last = String::new();
    for line in lines(include_str!("../../README.md")) {
        last = terminal.run(&line).await;
    }
    assert!(last.contains("\"provision_state\": \"active\""), "{last}");
}

#[tokio::test]
async fn the_demo_does_what_its_page_says() {
    let mut terminal = Terminal::open();
    let port = terminal.port;
    terminal.run(&format!("corten demo --port {port}")).await;
    let mut printed = String::new();
    for line in lines(include_str!("../../docs/tutorial/1-demo.md")) {
        printed += &terminal.run(&line).await;
    }
    for seen in ["| m20 ", "deploy.deploy", "available", "deploy failed"] {
        assert!(printed.contains(seen), "{seen}: {printed}");
    }
}

#[tokio::test]
async fn a_bmc_is_served_as_the_page_of_one_machine_says() {
    let mut terminal = Terminal::open();
    let bmc = port::free();
    terminal.run("corten serve").await;
    terminal.run(&format!("corten sim --ipmi-port {bmc}")).await;
    let info = format!("ipmi_address=127.0.0.1 --driver-info ipmi_port={bmc}");
    terminal.replace("ipmi_address=10.0.0.50", info);
    let mut printed = String::new();
    for line in lines(include_str!("../../docs/tutorial/2-one-machine.md")) {
        printed += &terminal.run(&line).await;
    }
    for seen in ["pxe", "Chassis Control: power on"] {
        assert!(printed.contains(seen), "{seen}: {printed}");
    }
}

#[tokio::test]
async fn a_cluster_is_built_and_loses_a_conductor_as_its_page_says() {
    if Engine::Postgres.is_skipped() {
        return;
    }
    const PAGE: &str = include_str!("../../docs/tutorial/3-cluster.md");
    let database = Database::create(Engine::Postgres);
    let mut terminal = Terminal::open();
    let folder = terminal.home.path().join("cluster").display().to_string();
    terminal.replace("/tmp/cluster", folder);
    terminal.replace(
        "postgresql://corten:secret@127.0.0.1/corten",
        database.url(),
    );
    terminal.replace("6385", terminal.port);
    terminal.replace("8089", port::free());
    terminal.replace("8090", port::free());
    let (_, conf) = PAGE.split_once("```ini\n").unwrap();
    let (conf, _) = conf.split_once("```").unwrap();
    let (before, after) = PAGE.split_once("Press Ctrl-C").unwrap();
    let mut printed = String::new();
    for (index, line) in lines(before).iter().enumerate() {
        printed += &terminal.run(line).await;
        if index == 0 {
            let path = terminal.written("/tmp/cluster/cluster.conf");
            std::fs::write(path, terminal.written(conf)).unwrap();
        }
    }
    assert!(
        printed.contains("conductor-1") && printed.contains("conductor-2"),
        "{printed}"
    );
    terminal.interrupt(0).await;
    let mut printed = String::new();
    for line in lines(after) {
        printed = terminal.run(&line).await;
    }
    assert_eq!(printed.trim(), "conductor-2");
}
