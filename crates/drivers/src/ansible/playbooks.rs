//! Running playbooks: which one, with which arguments, and that there is never a second one for the
//! same machine.
//!
//! The program gets its variables in a file that only this service can read, no shell and a process
//! group of its own, which is killed as a whole when its time is up or its worker is gone.
//! A file for each node is locked as long as its playbook runs: the program has it as its standard
//! input, so that the lock outlives this service if that is killed, and names the group to kill before
//! the next playbook begins.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files are only touched within `blocking`, and playbooks are run by Ansible's program"
)]

use super::{bundled, vars};
use crate::{DriverError, Failure, boot_image, iface::Machine};
use rustix::{
    fs::{FlockOperation, flock},
    process::{Pid, Signal, kill_process_group},
};
use serde_json::Value;
use std::{
    fs::{self, File},
    io::{self, Read, Seek, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
};
use types::{JsonMap, NodeId};

/// The path of Python on hosts, by its name in Ansible and in `driver_info`.
const PYTHON: &str = "ansible_python_interpreter";
/// How much of what a program said goes into an error, in lines.
const TAIL: usize = 40;
/// No line of a program is remembered longer than that.
const LONGEST: usize = 2000;
/// How long a program that has ended is listened to, if others keep its output open.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How long a group that was killed may take to be gone.
const LAST_BREATH: Duration = Duration::from_secs(10);

/// The section `[ansible]`, and what else playbooks depend on.
#[derive(Debug, Clone)]
pub struct AnsibleSettings {
    pub program: String,
    /// More arguments, split as a shell would.
    pub extra_args: Vec<String>,
    /// How often `-v` is given.
    pub verbosity: u8,
    /// The operator's folder; that of the service if there is none.
    pub folder: Option<PathBuf>,
    /// Other folders that nodes may name (`[corten]ansible_playbooks_paths`).
    pub allowed: Vec<PathBuf>,
    /// Where the service writes its own folder, and files while a playbook runs.
    pub state: PathBuf,
    /// `ansible.cfg`; the one in the service's folder if there is none.
    pub config_file: Option<PathBuf>,
    pub deploy_playbook: String,
    pub shutdown_playbook: String,
    pub clean_playbook: String,
    pub clean_steps: String,
    pub user: String,
    pub key_file: Option<PathBuf>,
    pub python: Option<String>,
    pub power_off_looks: u32,
    pub power_off_pause: Duration,
    /// In MiB.
    pub extra_memory: u64,
    pub image_insecure: bool,
    pub image_cafile: Option<String>,
    pub image_certificate: Option<(String, String)>,
    pub image_tls_minimum: Option<String>,
    pub image_tls_ciphers: Option<String>,
    /// How long a playbook may take.
    pub limit: Duration,
}

impl Default for AnsibleSettings {
    fn default() -> Self {
        Self {
            program: "ansible-playbook".to_owned(),
            extra_args: Vec::new(),
            verbosity: 0,
            folder: None,
            allowed: Vec::new(),
            state: PathBuf::from("/var/lib/ironic/ansible"),
            config_file: None,
            deploy_playbook: "deploy.yaml".to_owned(),
            shutdown_playbook: "shutdown.yaml".to_owned(),
            clean_playbook: "clean.yaml".to_owned(),
            clean_steps: "clean_steps.yaml".to_owned(),
            user: "ansible".to_owned(),
            key_file: None,
            python: None,
            power_off_looks: 6,
            power_off_pause: Duration::from_secs(5),
            extra_memory: 10,
            image_insecure: false,
            image_cafile: None,
            image_certificate: None,
            image_tls_minimum: None,
            image_tls_ciphers: None,
            limit: Duration::from_secs(24 * 3600),
        }
    }
}

/// What a playbook is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Deploy,
    Shutdown,
    Clean,
}

impl Action {
    const fn word(self) -> &'static str {
        match self {
            Self::Deploy => "deploy",
            Self::Shutdown => "shutdown",
            Self::Clean => "clean",
        }
    }
}

/// How a playbook reaches the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    pub user: String,
    pub key_file: Option<String>,
}

/// Everything about playbooks.
#[derive(Debug)]
pub struct Playbooks(pub AnsibleSettings);

impl Playbooks {
    /// Whether playbooks of a node can be run here.
    pub async fn check(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        self.folder(machine)?;
        Self::check_connection(machine)?;
        let node = &machine.node;
        vars::check_keys("extra", &node.extra)?;
        vars::check_keys("instance_info", &node.instance_info)?;
        vars::check_keys("target_raid_config", &node.target_raid_config)?;
        vars::check_keys("root_device", &super::hints::of(node)?)?;
        for action in [Action::Deploy, Action::Shutdown, Action::Clean] {
            self.playbook(machine, action)?;
        }
        let program = self.0.program.clone();
        let found = blocking(move || Ok(is_installed(&program))).await?;
        match found {
            true => Ok(()),
            false => Err(DriverError::InvalidParameter(format!(
                "deploy interface 'ansible' needs {}, which is not installed here (Debian: ansible); [ansible]ansible_playbook_script names it",
                self.0.program
            ))),
        }
    }

    /// Whether what a node says of its connection may go to SSH and to Ansible.
    fn check_connection(machine: &Machine<'_>) -> Result<(), DriverError> {
        let info = machine.driver_info;
        if let Some(user) = boot_image::text(info, "ansible_username") {
            vars::check_user(&user)?;
        }
        if let Some(python) = boot_image::text(info, PYTHON) {
            vars::check_python(&python)?;
        }
        Ok(())
    }

    /// The folder with the playbooks of a node.
    pub fn folder(&self, machine: &Machine<'_>) -> Result<PathBuf, DriverError> {
        let own = boot_image::text(machine.driver_info, "ansible_playbooks_path");
        let configured = self.0.folder.clone();
        let Some(own) = own else {
            return Ok(configured.unwrap_or_else(|| self.bundled()));
        };
        let own = PathBuf::from(own);
        let climbs = own
            .components()
            .any(|part| matches!(part, std::path::Component::ParentDir));
        let mut allowed = configured.iter().chain(&self.0.allowed);
        if !climbs && allowed.any(|folder| own.starts_with(folder)) {
            return Ok(own);
        }
        Err(DriverError::InvalidParameter(format!(
            "ansible_playbooks_path {} of node {} is not below a folder that the configuration allows: playbooks run programs as this service (see [ansible]playbooks_path and [corten]ansible_playbooks_paths)",
            own.display(),
            machine.node.id
        )))
    }

    fn bundled(&self) -> PathBuf {
        self.0.state.join("playbooks")
    }

    /// The name of the playbook for an action, without a folder.
    fn playbook(&self, machine: &Machine<'_>, action: Action) -> Result<String, DriverError> {
        let key = format!("ansible_{}_playbook", action.word());
        let configured = match action {
            Action::Deploy => &self.0.deploy_playbook,
            Action::Shutdown => &self.0.shutdown_playbook,
            Action::Clean => &self.0.clean_playbook,
        };
        let named = boot_image::text(machine.driver_info, &key);
        let named = named.unwrap_or_else(|| configured.clone());
        last_part(&named).ok_or_else(|| {
            DriverError::InvalidParameter(format!(
                "Failed to set ansible playbook for action {}",
                action.word()
            ))
        })
    }

    pub fn remote(&self, machine: &Machine<'_>) -> Remote {
        let info = machine.driver_info;
        let configured = self.0.key_file.as_ref();
        let key_file = boot_image::text(info, "ansible_key_file");
        Remote {
            user: boot_image::text(info, "ansible_username").unwrap_or_else(|| self.0.user.clone()),
            key_file: key_file.or_else(|| configured.map(|path| path.display().to_string())),
        }
    }

    /// The file with the steps of a cleaning, and what is in it.
    pub async fn clean_steps(
        &self,
        machine: &Machine<'_>,
    ) -> Result<(PathBuf, String), DriverError> {
        let named = boot_image::text(machine.driver_info, "ansible_clean_steps_config");
        let named = named.unwrap_or_else(|| self.0.clean_steps.clone());
        let path = self
            .folder(machine)?
            .join(last_part(&named).unwrap_or(named));
        self.write_bundled().await?;
        let read = tokio::fs::read_to_string(&path).await;
        let text = read.map_err(|error| unloadable(&path, &error))?;
        Ok((path, text))
    }

    /// A file for a config drive, while a playbook runs.
    pub fn drive_file(&self, node: NodeId) -> PathBuf {
        self.0.state.join(format!("{node}.cndrive"))
    }

    /// Writes a file that only this service can read.
    pub async fn write_private(&self, path: PathBuf, text: String) -> Result<(), DriverError> {
        let state = self.0.state.clone();
        blocking(move || {
            fs::create_dir_all(&state)
                .and_then(|()| private(&path, &text))
                .map_err(|error| unusable("write", &path, error))
        })
        .await
    }

    async fn write_bundled(&self) -> Result<(), DriverError> {
        let folder = self.bundled();
        blocking(move || bundled::write(&folder).map_err(|error| unusable("write", &folder, error)))
            .await
    }

    /// Runs a playbook of a node to its end. `variables` is what `ironic` is to it.
    pub async fn run(
        &self,
        machine: &Machine<'_>,
        action: Action,
        variables: JsonMap,
        tags: &[String],
    ) -> Result<(), DriverError> {
        let node = machine.node.id;
        self.write_bundled().await?;
        Self::check_connection(machine)?;
        let mut told = JsonMap::from_iter([("ironic".to_owned(), Value::Object(variables))]);
        let python = boot_image::text(machine.driver_info, PYTHON);
        if let Some(python) = python.or_else(|| self.0.python.clone()) {
            told.insert(PYTHON.to_owned(), python.into());
        }
        let told = vars::file(&told)?;
        let vars = self.0.state.join(format!("{node}.yaml"));
        self.write_private(vars.clone(), told).await?;
        let arguments = self.arguments(machine, action, &vars, tags)?;
        let outcome = self.play(node, &arguments).await;
        let _ = tokio::fs::remove_file(&vars).await;
        outcome
    }

    fn arguments(
        &self,
        machine: &Machine<'_>,
        action: Action,
        vars: &Path,
        tags: &[String],
    ) -> Result<Vec<String>, DriverError> {
        let folder = self.folder(machine)?;
        let playbook = folder.join(self.playbook(machine, action)?);
        let mut arguments = vec![
            playbook.display().to_string(),
            "-i".to_owned(),
            folder.join("inventory").display().to_string(),
            "-e".to_owned(),
            format!("@{}", vars.display()),
        ];
        if !tags.is_empty() {
            arguments.push(format!("--tags={}", tags.join(",")));
        }
        if let Some(key) = self.remote(machine).key_file {
            arguments.push(format!("--private-key={key}"));
        }
        if self.0.verbosity > 0 {
            arguments.push(format!("-{}", "v".repeat(usize::from(self.0.verbosity))));
        }
        arguments.extend(self.0.extra_args.iter().cloned());
        Ok(arguments)
    }

    async fn play(&self, node: NodeId, arguments: &[String]) -> Result<(), DriverError> {
        let lock = self.0.state.join(format!("{node}.lock"));
        let mut held = blocking(move || alone(&lock)).await?;
        let input = held
            .try_clone()
            .map_err(|error| unstarted(&self.0.program, error))?;
        let mut command = Command::new(&self.0.program);
        command
            .args(arguments)
            .stdin(Stdio::from(input))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // It refuses to work with another.
            .env("LC_ALL", "C.UTF-8")
            .process_group(0);
        let config = self.0.config_file.clone();
        let config = config.unwrap_or_else(|| self.bundled().join("ansible.cfg"));
        command.env("ANSIBLE_CONFIG", config);
        let child = command.spawn();
        // What is left of the lock is the program's.
        drop(command);
        let child = child.map_err(|error| unstarted(&self.0.program, error))?;
        let group = Group::of(&child);
        let noted = group.0.map_or(0, |pid| pid.as_raw_nonzero().get());
        let written = blocking(move || {
            held.set_len(0)
                .and_then(|()| held.rewind())
                .and_then(|()| held.write_all(noted.to_string().as_bytes()))
                .map_err(|error| {
                    let tried = "cannot note which program runs a playbook";
                    DriverError::Environment(Failure::because(tried, error))
                })
        });
        written.await?;
        let outcome = tokio::time::timeout(self.0.limit, listen(node, child)).await;
        let (status, said) = match outcome {
            Ok(Ok(done)) => done,
            Ok(Err(error)) => return Err(unstarted(&self.0.program, error)),
            Err(_) => {
                drop(group);
                return Err(DriverError::Unfinished(Failure::new(format!(
                    "{} took longer than {} s",
                    self.0.program,
                    self.0.limit.as_secs()
                ))));
            }
        };
        if status.success() {
            return Ok(());
        }
        Err(DriverError::Rejected(Failure::new(format!(
            "{} {} failed: {status}: {}",
            self.0.program,
            arguments.join(" "),
            types::mask::text(&said.join("\n"))
        ))))
    }
}

/// The processes of a playbook; all of them are killed when this is dropped. When the playbook has
/// ended there are none any more, unless it left one behind.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self(id.and_then(Pid::from_raw))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(pid) = self.0 {
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Logs what a playbook says, line by line, until it has ended. The last lines are returned.
async fn listen(
    node: NodeId,
    mut child: Child,
) -> io::Result<(std::process::ExitStatus, Vec<String>)> {
    let mut said: std::collections::VecDeque<String> = std::collections::VecDeque::new();
    let mut out = Lines::of(child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?);
    let mut err = Lines::of(child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?);
    let mut status = None;
    while status.is_none() || out.is_open || err.is_open {
        let line = tokio::select! {
            line = out.next(), if out.is_open => line?,
            line = err.next(), if err.is_open => line?,
            ended = child.wait(), if status.is_none() => {
                status = Some(ended?);
                continue;
            }
            // SSH may keep a connection, and what we listen to, for a while.
            () = tokio::time::sleep(LAST_WORDS), if status.is_some() => break,
        };
        if line.trim().is_empty() {
            continue;
        }
        tracing::info!(%node, "ansible: {}", types::mask::text(&line));
        if said.len() == TAIL {
            said.pop_front();
        }
        said.push_back(line);
    }
    let status = status.ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((status, said.into()))
}

/// What a program says, line by line. Of a line that is too long the beginning is kept.
struct Lines<R> {
    reader: BufReader<R>,
    /// What of a line has come. It stays while the other stream is read.
    begun: Vec<u8>,
    is_open: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    fn of(reader: R) -> Self {
        Self {
            reader: BufReader::new(reader),
            begun: Vec::new(),
            is_open: true,
        }
    }

    async fn next(&mut self) -> io::Result<String> {
        loop {
            let come = self.reader.fill_buf().await?;
            let end = come.iter().position(|byte| *byte == b'\n');
            let part = come.get(..end.unwrap_or(come.len())).unwrap_or_default();
            let room = LONGEST.saturating_sub(self.begun.len());
            self.begun
                .extend_from_slice(part.get(..room).unwrap_or(part));
            let used = part.len() + usize::from(end.is_some());
            self.is_open = !come.is_empty();
            self.reader.consume(used);
            if end.is_some() || !self.is_open {
                let line = std::mem::take(&mut self.begun);
                return Ok(String::from_utf8_lossy(&line).into_owned());
            }
        }
    }
}

/// Locks the file of a node. A playbook of a service that was killed is killed first.
fn alone(path: &Path) -> Result<File, DriverError> {
    let opened = || -> io::Result<File> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        options.mode(0o600).open(path)
    };
    let mut file = opened().map_err(|error| unusable("open", path, error))?;
    let began = Instant::now();
    loop {
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Ok(file);
        }
        let mut noted = String::new();
        let _ = file.rewind().and_then(|()| file.read_to_string(&mut noted));
        let left = noted.trim().parse().ok().and_then(Pid::from_raw);
        if let Some(left) = left {
            tracing::warn!(
                group = noted,
                "a playbook of a service that was killed is still running, and is killed"
            );
            let _ = kill_process_group(left, Signal::KILL);
        }
        if began.elapsed() > LAST_BREATH {
            return Err(DriverError::Busy(Failure::new(format!(
                "another playbook still works on this machine: {} is locked",
                path.display()
            ))));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn private(path: &Path, text: &str) -> io::Result<()> {
    let _ = fs::remove_file(path);
    let mut options = File::options();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(text.as_bytes())
}

/// Whether a program can be found as a shell would find it.
fn is_installed(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn last_part(path: &str) -> Option<String> {
    let name = Path::new(path).file_name()?;
    name.to_str().map(str::to_owned)
}

fn unloadable(path: &Path, error: &dyn std::fmt::Display) -> DriverError {
    DriverError::InvalidParameter(format!(
        "Failed to load clean steps from file {}: {error}",
        path.display()
    ))
}

fn unusable(what: &str, path: &Path, error: io::Error) -> DriverError {
    let tried = format!("cannot {what} {}", path.display());
    DriverError::Environment(Failure::because(tried, error))
}

fn unstarted(program: &str, error: io::Error) -> DriverError {
    let tried = format!("{program} could not be run");
    DriverError::Environment(Failure::because(tried, error))
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, DriverError> + Send + 'static,
) -> Result<T, DriverError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(DriverError::Environment(Failure::because(
            "a worker ended early",
            error,
        ))),
    }
}

impl AnsibleSettings {
    /// What playbooks are told about the server of images.
    pub fn image_server(&self) -> Vec<(&'static str, Value)> {
        let certs = if self.image_insecure { "no" } else { "yes" };
        let mut told = vec![("validate_certs", Value::from(certs))];
        let mut add = |key, value: &Option<String>| {
            if let Some(value) = value {
                told.push((key, value.clone().into()));
            }
        };
        add("cafile", &self.image_cafile);
        add("tls_minimum_version", &self.image_tls_minimum);
        add("tls_ciphers", &self.image_tls_ciphers);
        if let Some((certificate, key)) = &self.image_certificate {
            told.push(("client_cert", certificate.clone().into()));
            told.push(("client_key", key.clone().into()));
        }
        told
    }
}

#[cfg(test)]
#[path = "playbooks/tests.rs"]
mod tests;
