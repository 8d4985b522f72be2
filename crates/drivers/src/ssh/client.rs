//! Running a command on a hypervisor: the gate, the address, OpenSSH's client, and what came of it.
//!
//! The client is told everything by arguments and reads no configuration. Secrets are in files or on
//! its standard input, never among arguments. Its processes are killed when the time of the operation
//! is over or nobody waits any more.

#![expect(
    clippy::disallowed_methods,
    reason = "OpenSSH's client is a program of its own"
)]

use super::{
    SshSettings,
    files::{ASKPASS, Files, Use},
    info::{HostKey, Info, Secret},
};
use crate::{
    DriverError, Failure,
    error::Variant,
    gate::{Gates, Permit},
    recorder::{Recorder, Tape},
};
use proto::hypervisor::Commands;
use rustix::process::{Pid, Signal, kill_process_group};
use std::{
    error::Error,
    io,
    net::SocketAddr,
    process::{ExitStatus, Stdio},
};
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    process::{Child, ChildStdin, Command},
    time::{Instant, timeout},
};
use types::{
    hex,
    recording::{Answer, Exchange, Question, Words},
};

/// No answer to a command is longer.
const LONGEST: usize = 1 << 20;
/// So much of what the client complains about is read.
const LONGEST_COMPLAINT: usize = 8 << 10;
/// So much of an answer is kept for the flight recorder.
const KEPT: usize = 4 << 10;
/// What the client exits with when it has no connection (ssh(1)).
const NO_CONNECTION: i32 = 255;

/// What all hypervisors share.
#[derive(Debug)]
pub struct Ssh {
    pub settings: SshSettings,
    gates: Gates,
    recorder: Recorder,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
enum Lost {
    #[error("{} could not be run (Debian: openssh-client)", .0.display())]
    Unstarted(std::path::PathBuf, #[source] io::Error),
    #[error("its answer is longer than {} KiB", LONGEST >> 10)]
    TooLong,
    #[error("the connection broke")]
    Broken(#[from] io::Error),
}

/// What a command came to.
struct CommandOutcome {
    status: ExitStatus,
    answer: String,
    complaint: String,
}

impl Ssh {
    pub fn new(settings: SshSettings, recorder: &Recorder) -> Self {
        Self {
            gates: Gates::new(settings.gate.clone()),
            recorder: recorder.clone(),
            settings,
        }
    }

    /// Begins a conversation. `operation` is what messages call it.
    pub(super) async fn talk(
        &self,
        info: Info,
        operation: &'static str,
    ) -> Result<Talk<'_>, DriverError> {
        let failed = |cause: Box<dyn Error + Send + Sync>| failure(&info, operation, cause);
        let found = self.settings.outbound.resolve(&info.host, info.port).await;
        let address = found.map_err(|error| DriverError::Unreachable(failed(error.into())))?;
        let permit = self.gates.of(&address.to_string()).enter().await;
        let permit = permit.map_err(|error| error.variant()(failed(error.into())))?;
        let contents = contents(&info);
        let state = self.settings.state.clone();
        let written = tokio::task::spawn_blocking(move || Files::write(&state, &contents)).await;
        let written = written.map_err(io::Error::other).flatten();
        let files = written.map_err(|error| DriverError::Environment(failed(error.into())))?;
        let tape = self.recorder.of(info.node);
        let tape = match &info.secret {
            Secret::Password(secret) | Secret::Key(secret) => tape.hiding([secret.as_bytes()]),
            Secret::KeyFile(_) => tape,
        };
        Ok(Talk {
            ssh: self,
            info,
            operation,
            address,
            permit,
            files,
            tape,
        })
    }
}

/// What has to be in files.
fn contents(info: &Info) -> Vec<(Use, String)> {
    let mut contents = Vec::new();
    if let HostKey::This(key) = &info.host_key {
        contents.push((Use::HostKeys, format!("{} {key}\n", info.peer())));
    }
    match &info.secret {
        Secret::Password(password) => contents.push((Use::Password, password.clone())),
        Secret::Key(key) => contents.push((Use::Key, key.clone())),
        Secret::KeyFile(_) => {}
    }
    contents
}

fn failure(
    info: &Info,
    operation: &str,
    cause: impl Into<Box<dyn Error + Send + Sync>>,
) -> Failure {
    Failure::because(format!("{operation} by hypervisor {}", info.peer()), cause)
}

/// A conversation with a hypervisor.
pub(super) struct Talk<'m> {
    ssh: &'m Ssh,
    info: Info,
    operation: &'static str,
    address: SocketAddr,
    permit: Permit,
    files: Files,
    tape: Tape,
}

impl Talk<'_> {
    pub(super) fn commands(&self) -> &Commands {
        &self.info.commands
    }

    pub(super) fn peer(&self) -> String {
        self.info.peer()
    }

    /// An error of this conversation.
    pub(super) fn error(
        &self,
        variant: Variant,
        cause: impl Into<Box<dyn Error + Send + Sync>>,
    ) -> DriverError {
        variant(failure(&self.info, self.operation, cause))
    }

    /// A line that nobody can know beforehand.
    pub(super) fn boundary(&self) -> Result<String, DriverError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)
            .map_err(|error| self.error(DriverError::Environment, io::Error::other(error)))?;
        Ok(hex::encode(&bytes))
    }

    /// Runs a command; the text of a good answer.
    pub(super) async fn run(&self, command: &str) -> Result<String, DriverError> {
        self.run_once(command, None, false).await
    }

    /// The same for one that is given something, or whose answer has secrets of others in it.
    pub(super) async fn run_secretly(
        &self,
        command: &str,
        input: Option<String>,
    ) -> Result<String, DriverError> {
        self.run_once(command, input, true).await
    }

    async fn run_once(
        &self,
        command: &str,
        input: Option<String>,
        is_secret: bool,
    ) -> Result<String, DriverError> {
        let began = Instant::now();
        let outcome = self.permit.within(self.talk_once(command, input)).await;
        let outcome = outcome.map_err(|error| {
            if let Err(rest) = self.permit.silent() {
                tracing::warn!(hypervisor = self.peer(), error = %rest, "a hypervisor does not answer");
            }
            self.error(error.variant(), error)
        })?;
        self.note(command, &outcome, is_secret, began);
        let done = match outcome {
            Ok(done) => done,
            Err(lost) => {
                let variant: Variant = match lost {
                    Lost::Unstarted(..) => DriverError::Environment,
                    Lost::TooLong => DriverError::Protocol,
                    Lost::Broken(_) => DriverError::Unreachable,
                };
                return Err(self.error(variant, lost));
            }
        };
        match done.status.code() {
            Some(0) => {
                self.permit.heard();
                Ok(done.answer)
            }
            Some(NO_CONNECTION) => Err(self.without_connection(&done.complaint).await),
            code => {
                self.permit.heard();
                let said = proto::driver::plain(done.complaint.trim(), 200);
                let code = code.map_or_else(|| "a signal".to_owned(), |code| code.to_string());
                let text = format!("the command ended with {code}: {said}");
                Err(self.error(DriverError::Rejected, text))
            }
        }
    }

    /// Why the client has no connection. It says so in words only; whether somebody listens at all is
    /// tried here.
    async fn without_connection(&self, complaint: &str) -> DriverError {
        // What matters comes last; a warning about another key is long.
        let lines: Vec<&str> = complaint.lines().map(str::trim).collect();
        let last = lines.get(lines.len().saturating_sub(3)..);
        let said = proto::driver::plain(&last.unwrap_or_default().join("; "), 400);
        let text = format!("no SSH connection: {said}");
        let limit = self.ssh.settings.connect_timeout;
        match timeout(limit, TcpStream::connect(self.address)).await {
            Ok(Ok(_)) => {
                self.permit.heard();
                self.error(DriverError::Refused, text)
            }
            Ok(Err(_)) | Err(_) => {
                if let Err(rest) = self.permit.silent() {
                    let text = format!("{text}; {rest}");
                    tracing::warn!(
                        hypervisor = self.peer(),
                        error = text,
                        "a hypervisor does not answer"
                    );
                    return self.error(DriverError::Unreachable, text);
                }
                self.error(DriverError::Unreachable, text)
            }
        }
    }

    async fn talk_once(
        &self,
        command: &str,
        input: Option<String>,
    ) -> Result<CommandOutcome, Lost> {
        let settings = &self.ssh.settings;
        let mut client = Command::new(&settings.program);
        client
            .args(self.arguments())
            .arg("--")
            .arg(self.address.ip().to_string())
            .arg(command)
            .env_clear()
            .env("LC_ALL", "C")
            .stdin(match input {
                Some(_) => Stdio::piped(),
                None => Stdio::null(),
            })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(path) = std::env::var_os("PATH") {
            client.env("PATH", path);
        }
        if let (Some(file), Some(askpass)) = (self.files.path(Use::Password), &settings.askpass) {
            client
                .env(ASKPASS, file)
                .env("SSH_ASKPASS", askpass)
                .env("SSH_ASKPASS_REQUIRE", "force")
                // Clients before 8.4 ask only where there is a display.
                .env("DISPLAY", "none");
        }
        let child = client.spawn();
        let mut child = child.map_err(|error| Lost::Unstarted(settings.program.clone(), error))?;
        let mut group = Group::of(&child);
        let done = listen(&mut child, input).await?;
        // The number of a client that has ended may be somebody else's.
        group.0 = None;
        Ok(done)
    }

    fn arguments(&self) -> Vec<String> {
        let settings = &self.ssh.settings;
        let mut arguments: Vec<String> = ["-F", "none", "-T", "-x", "-a"].map(str::to_owned).into();
        let mut option = |text: String| arguments.extend(["-o".to_owned(), text]);
        for fixed in [
            "ControlMaster=no",
            "ControlPath=none",
            "ConnectionAttempts=1",
            "ServerAliveInterval=20",
            "ServerAliveCountMax=3",
            "CheckHostIP=no",
            "UpdateHostKeys=no",
            "IdentitiesOnly=yes",
            "IdentityAgent=none",
            "NumberOfPasswordPrompts=1",
            "ClearAllForwardings=yes",
            "PermitLocalCommand=no",
            "ProxyCommand=none",
            "LogLevel=ERROR",
        ] {
            option(fixed.to_owned());
        }
        let seconds = settings.connect_timeout.as_secs().max(1);
        option(format!("ConnectTimeout={seconds}"));
        // What is connected to is an address; keys are known by the name that the node gives.
        option(format!("HostKeyAlias={}", self.info.peer()));
        match &self.info.host_key {
            HostKey::Any => {
                option("StrictHostKeyChecking=no".to_owned());
                option("UserKnownHostsFile=/dev/null".to_owned());
                option("GlobalKnownHostsFile=/dev/null".to_owned());
            }
            HostKey::Known | HostKey::This(_) => {
                option("StrictHostKeyChecking=yes".to_owned());
                let own = self.files.path(Use::HostKeys);
                if let Some(file) = own.or(settings.known_hosts.as_deref()) {
                    option(format!("UserKnownHostsFile=\"{}\"", file.display()));
                    option("GlobalKnownHostsFile=/dev/null".to_owned());
                }
            }
        }
        let key = match &self.info.secret {
            Secret::Password(_) => {
                option("PreferredAuthentications=password,keyboard-interactive".to_owned());
                None
            }
            Secret::Key(_) => self.files.path(Use::Key),
            Secret::KeyFile(path) => Some(path.as_path()),
        };
        if let Some(key) = key {
            option("PreferredAuthentications=publickey".to_owned());
            option("BatchMode=yes".to_owned());
            arguments.extend(["-i".to_owned(), key.display().to_string()]);
        }
        arguments.extend(["-p".to_owned(), self.info.port.to_string()]);
        arguments.extend(["-l".to_owned(), self.info.user.clone()]);
        arguments
    }

    fn note(
        &self,
        command: &str,
        outcome: &Result<CommandOutcome, Lost>,
        is_secret: bool,
        began: Instant,
    ) {
        let words = |done: &CommandOutcome| {
            let code = done.status.code().unwrap_or(-1);
            let said = match is_secret {
                true => String::new(),
                false => done.answer.chars().take(KEPT).collect(),
            };
            Answer::Words(Words {
                words: format!("exit {code}: {said}{}", done.complaint),
            })
        };
        let exchange = Exchange {
            peer: self.peer(),
            operation: self.operation.into(),
            question: Question::Command(Words {
                words: command.to_owned(),
            }),
            answer: outcome.as_ref().ok().map(words),
            failure: outcome.as_ref().err().map(|lost| types::error::chain(lost)),
        };
        self.tape.note(exchange, began.elapsed());
    }
}

/// The processes of a client; all of them are killed when this is dropped.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Gives a client what it is to pass on, and reads what it says until it has ended.
async fn listen(child: &mut Child, input: Option<String>) -> Result<CommandOutcome, Lost> {
    let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
    let stdin = child.stdin.take();
    let mut stdout = child.stdout.take().ok_or_else(gone)?;
    let mut stderr = child.stderr.take().ok_or_else(gone)?;
    let answer = async {
        let (answer, is_whole) = beginning(&mut stdout, LONGEST).await?;
        match is_whole {
            true => Ok(answer),
            false => Err(Lost::TooLong),
        }
    };
    let complaint = async {
        let (complaint, _) = beginning(&mut stderr, LONGEST_COMPLAINT).await?;
        // Who is not listened to would wait.
        tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await?;
        Ok::<_, Lost>(complaint)
    };
    let fed = feed(stdin, input);
    let (answer, complaint, ()) = tokio::try_join!(answer, complaint, fed)?;
    Ok(CommandOutcome {
        status: child.wait().await?,
        answer,
        complaint,
    })
}

async fn feed(stdin: Option<ChildStdin>, input: Option<String>) -> Result<(), Lost> {
    if let (Some(mut stdin), Some(input)) = (stdin, input) {
        match stdin.write_all(input.as_bytes()).await {
            // A client that ends early says why by its status.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
            written => written?,
        }
    }
    Ok(())
}

/// So many bytes of a stream as text, and whether these are all.
async fn beginning(
    stream: &mut (impl AsyncRead + Unpin),
    most: usize,
) -> Result<(String, bool), Lost> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    (&mut *stream).take(limit).read_to_end(&mut bytes).await?;
    let is_whole = bytes.len() <= most;
    bytes.truncate(most);
    Ok((String::from_utf8_lossy(&bytes).into_owned(), is_whole))
}
