//! The commands that README gives to whoever wants to see a BMC served: each is run as it stands
//! there, in order, and none may be refused.
//!
//! Only the ports are others, because tests run beside each other: that of the API comes from the
//! environment, that of the simulator is replaced in the text.

use crate::{port, program};
use std::{path::Path, process::Stdio, time::Duration};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
};

const README: &str = include_str!("../../README.md");
const HEADING: &str = "### The first BMC\n";
/// The port of the simulator in the text.
const PORT: &str = "6230";
/// More than that is no first step any more.
const MOST: usize = 6;
/// What takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);

fn commands() -> Vec<&'static str> {
    let (_, section) = README.split_once(HEADING).unwrap();
    let (_, block) = section.split_once("```\n").unwrap();
    let (block, _) = block.split_once("```").unwrap();
    block.lines().collect()
}

struct Terminal<'a> {
    home: &'a Path,
    api_port: String,
    bmc_port: String,
}

impl Terminal<'_> {
    fn command(&self, line: &str) -> Command {
        let mut words = line.split_whitespace();
        assert_eq!(words.next(), Some("corten"), "{line}");
        let mut command = Command::new(program::path());
        command
            .args(words.map(|word| word.replace(PORT, &self.bmc_port)))
            .env_remove("XDG_DATA_HOME")
            .env("HOME", self.home)
            // What is killed at the end leaves its temporary folder behind.
            .env("TMPDIR", self.home)
            .env(
                "CORTEN_CORTEN__DATA_DIR",
                self.home.join("data").display().to_string(),
            )
            .env("CORTEN_API__PORT", &self.api_port)
            .env("OS_ENDPOINT", format!("http://127.0.0.1:{}", self.api_port))
            .stdin(Stdio::null())
            .kill_on_drop(true);
        command
    }

    /// Starts what goes on until Ctrl-C, and waits until it says that it is there.
    async fn start(&self, line: &str, sign: &str) -> Child {
        let mut child = self
            .command(line)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let heard = tokio::time::timeout(PATIENCE, async {
            while let Some(said) = lines.next_line().await.unwrap() {
                if said.contains(sign) {
                    return true;
                }
            }
            false
        });
        assert!(heard.await.expect(line), "{line} ended");
        // What it says later has somewhere to go.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        child
    }

    /// Runs a command to its end, which is to be a good one; what it printed.
    async fn run(&self, line: &str) -> String {
        let ended = tokio::time::timeout(PATIENCE, self.command(line).output()).await;
        let output = ended.expect(line).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{line}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

#[tokio::test]
async fn from_the_readme_to_a_bmc_that_is_active() {
    let commands = commands();
    assert!(commands.len() <= MOST, "{commands:#?}");
    let home = tempfile::tempdir().unwrap();
    let terminal = Terminal {
        home: home.path(),
        api_port: port::free().to_string(),
        bmc_port: port::free().to_string(),
    };
    let [serve, sim, rest @ ..] = commands.as_slice() else {
        panic!("{commands:#?}");
    };
    let _serve = terminal.start(serve, "listening on ").await;
    let _sim = terminal.start(sim, "ready").await;
    for line in rest {
        terminal.run(line).await;
    }
    let shown = "corten node show bmc1 -f value --fields provision_state power_state";
    let states = terminal.run(shown).await;
    assert!(states.contains("active"), "{states}");
    // It is the BMC that is asked, and its console needs nothing more.
    terminal.run("corten node power on bmc1").await;
    let switched = async { while !terminal.run(shown).await.contains("power on") {} };
    tokio::time::timeout(PATIENCE, switched).await.unwrap();
    terminal.run("corten node console enable bmc1").await;
    let said = terminal.run("corten node recorder show bmc1").await;
    assert!(said.contains("Chassis Control: power on"), "{said}");
}
