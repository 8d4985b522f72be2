//! Starts the demo as a user would, takes one machine from enroll to active, and ends it.
//!
//! Everything goes through the program's own command line, so this is also the shortest proof that
//! service, API, conductor and CLI fit together. It waits for lines and for the end of output,
//! never for a time to pass; the limits only keep a broken build from hanging.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::{Duration, Instant},
};

const START_LIMIT: Duration = Duration::from_secs(60);
const STOP_LIMIT: Duration = Duration::from_secs(60);
/// For each command, in seconds.
const WAIT: &str = "--wait=120";
const NODE: &str = "demo-check";
/// How much of the demo's own words to show when it fails.
const LOG_TAIL: usize = 40;

pub(crate) fn check(program: &Path) -> Result<String> {
    let program = program
        .canonicalize()
        .with_context(|| format!("there is no program {}", program.display()))?;
    let scratch = Scratch::new()?;
    let outcome = run(&program, &scratch);
    if outcome.is_err() {
        eprintln!("{}", scratch.log_tail());
    }
    outcome
}

fn run(program: &Path, scratch: &Scratch) -> Result<String> {
    let mut demo = step("start", || Demo::start(program, scratch))?;
    let cli = Cli {
        program,
        endpoint: &demo.endpoint,
    };
    step("create", || {
        cli.run(&["create", "--driver", "fake-hardware", "--name", NODE])?;
        cli.expect("enroll")
    })?;
    for (verb, state) in [
        ("manage", "manageable"),
        ("provide", "available"),
        ("deploy", "active"),
    ] {
        step(verb, || {
            cli.run(&[verb, NODE, WAIT])?;
            cli.expect(state)
        })?;
    }
    step("stop", || demo.stop())?;
    Ok("a machine went from enroll to active, and the demo ended cleanly".to_owned())
}

/// Runs a part of the check and prints its seconds.
fn step<T>(name: &str, part: impl FnOnce() -> Result<T>) -> Result<T> {
    let started = Instant::now();
    let outcome = part().with_context(|| format!("{name} failed"))?;
    println!("  {name:<8} {:>6.2} s", started.elapsed().as_secs_f64());
    Ok(outcome)
}

/// A folder of our own that goes away with us.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Result<Self> {
        let name = format!("corten-demo-check-{}", std::process::id());
        let folder = env::temp_dir().join(name);
        fs::create_dir(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
        Ok(Self(folder))
    }

    fn ready_file(&self) -> PathBuf {
        self.0.join("ready")
    }

    fn log(&self) -> PathBuf {
        self.0.join("log")
    }

    fn log_tail(&self) -> String {
        let log = fs::read_to_string(self.log()).unwrap_or_default();
        let lines: Vec<&str> = log.lines().collect();
        lines[lines.len().saturating_sub(LOG_TAIL)..].join("\n")
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Left behind at worst: nobody waits for it.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A demo that is running.
struct Demo {
    child: Child,
    endpoint: String,
    /// Lines of its output; closed when it ends.
    lines: Receiver<String>,
}

impl Demo {
    fn start(program: &Path, scratch: &Scratch) -> Result<Self> {
        let mut child = command(program)
            .args(["demo", "--port", "0", "--ready-file"])
            .arg(scratch.ready_file())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(scratch.log())?)
            .spawn()
            .context("cannot start the demo")?;
        let output = child.stdout.take().context("the demo has no output")?;
        let mut demo = Self {
            child,
            endpoint: String::new(),
            lines: read_lines(output),
        };
        demo.wait_for_line("ready", START_LIMIT)?;
        let ready = fs::read_to_string(scratch.ready_file()).context("no ready file")?;
        demo.endpoint = ready.trim().to_owned();
        ensure!(
            demo.endpoint.starts_with("http://"),
            "the ready file holds no address but {ready:?}"
        );
        Ok(demo)
    }

    fn wait_for_line(&self, wanted: &str, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(line) if line.starts_with(wanted) => return Ok(()),
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => bail!("no line '{wanted}' within {limit:?}"),
                Err(RecvTimeoutError::Disconnected) => bail!("it ended before it was '{wanted}'"),
            }
        }
    }

    /// Asks it to end and waits until it has.
    fn stop(&mut self) -> Result<()> {
        terminate(self.child.id())?;
        let deadline = Instant::now() + STOP_LIMIT;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.lines.recv_timeout(left) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => bail!("still there after {STOP_LIMIT:?}"),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = self.child.wait()?;
        ensure!(status.success(), "it ended with {status}");
        Ok(())
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // After a clean stop there is nothing left to end, and both calls say so.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read_lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines() {
            let Ok(line) = line else { return };
            if send.send(line).is_err() {
                return;
            }
        }
    });
    receive
}

/// Sends SIGTERM. The shell's own `kill` is used because small systems have no program of that
/// name; the script is fixed, and the process id an argument of it.
fn terminate(pid: u32) -> Result<()> {
    let status = Command::new("sh")
        .args(["-c", "kill -TERM \"$1\"", "sh", &pid.to_string()])
        .status()
        .context("cannot start sh")?;
    ensure!(status.success(), "cannot signal process {pid}");
    Ok(())
}

/// The client half of the program.
struct Cli<'a> {
    program: &'a Path,
    endpoint: &'a str,
}

impl Cli<'_> {
    fn run(&self, arguments: &[&str]) -> Result<Vec<u8>> {
        let output = command(self.program)
            .arg("node")
            .args(arguments)
            .args(["--os-endpoint", self.endpoint])
            .stdin(Stdio::null())
            .output()
            .context("cannot start the client")?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let words = String::from_utf8_lossy(&output.stderr);
        bail!("corten node {}: {}", arguments.join(" "), words.trim())
    }

    /// Checks the provision state of the node.
    fn expect(&self, wanted: &str) -> Result<()> {
        let shown = self.run(&["show", NODE, "-f", "json"])?;
        let node: Value = serde_json::from_slice(&shown).context("node show gives no JSON")?;
        let state = node["provision_state"].as_str();
        ensure!(
            state == Some(wanted),
            "the node is {state:?} instead of {wanted:?}"
        );
        Ok(())
    }
}

/// The program, free of what the user's environment says about services and clouds.
fn command(program: &Path) -> Command {
    let mut command = Command::new(program);
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if text.starts_with("OS_") || text.starts_with("CORTEN_") {
            command.env_remove(&name);
        }
    }
    command
}
