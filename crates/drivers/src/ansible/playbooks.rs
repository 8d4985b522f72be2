//! Running playbooks: which one, with which arguments, and that there is never a second one for the
//! same machine.
//!
//! The program gets its variables in a file that only this service can read, and no shell. All of its
//! processes are killed when its time is up, its worker is gone, or this service is killed or stands
//! still ([`super::watch`]).

#![expect(
    clippy::disallowed_methods,
    reason = "files are only looked at within `blocking`, and playbooks are run by Ansible's program"
)]

use super::{bundled, lock::Held, vars, watch::WATCH_WORD};
use crate::{DriverError, Failure, boot_image, iface::Machine};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use std::{
    collections::VecDeque,
    io,
    path::{Component, Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, BufReader},
    process::{Child, Command},
};
use types::{JsonMap, NodeId};

/// The path of Python on hosts, by its name in Ansible and in `driver_info`.
const PYTHON: &str = "ansible_python_interpreter";
/// How much of what a program said on each of its two streams goes into an error, in lines.
const TAIL: usize = 20;
/// No line of a program is remembered longer than that.
const LONGEST: usize = 2000;
/// How long a program that has ended is listened to, if others keep its output open.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// How often the lock is touched while the patience of who watches lasts.
const TOUCHES: u32 = 8;

/// The section `[ansible]`, and what else playbooks depend on.
#[derive(Debug, Clone)]
pub struct AnsibleSettings {
    pub program: String,
    /// This service's own program, which watches over the other one. Without it that is started as it
    /// is.
    pub launcher: Option<PathBuf>,
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
    /// Folders of keys that nodes may name (`[corten]ansible_key_paths`), besides that of `key_file`.
    pub key_folders: Vec<PathBuf>,
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
    /// How long this service may stand still until others take its machines over.
    pub silence: Duration,
}

impl Default for AnsibleSettings {
    fn default() -> Self {
        Self {
            program: "ansible-playbook".to_owned(),
            launcher: None,
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
            key_folders: Vec::new(),
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
            silence: Duration::from_secs(60),
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

/// What a playbook is told.
#[derive(Debug, Default)]
pub struct PlaybookInput {
    /// What `ironic` is to it.
    pub variables: JsonMap,
    /// A config drive, which it gets as a file.
    pub drive: Option<String>,
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
        self.check_connection(machine)?;
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
    fn check_connection(&self, machine: &Machine<'_>) -> Result<(), DriverError> {
        let info = machine.driver_info;
        if let Some(user) = boot_image::text(info, "ansible_username") {
            vars::check_user(&user)?;
        }
        if let Some(python) = boot_image::text(info, PYTHON) {
            vars::check_python(&python)?;
        }
        let Some(key) = boot_image::text(info, "ansible_key_file") else {
            return Ok(());
        };
        let configured = self.0.key_file.iter();
        let mut folders = configured
            .filter_map(|file| file.parent())
            .chain(self.0.key_folders.iter().map(PathBuf::as_path));
        match is_below(Path::new(&key), &mut folders) {
            true => Ok(()),
            false => Err(DriverError::InvalidParameter(format!(
                "ansible_key_file {key:?} of node {} is not below a folder that the configuration allows: this service reads it (see [corten]ansible_key_paths; the folder of [ansible]default_key_file is allowed too)",
                machine.node.id
            ))),
        }
    }

    /// The folder with the playbooks of a node.
    pub fn folder(&self, machine: &Machine<'_>) -> Result<PathBuf, DriverError> {
        let own = boot_image::text(machine.driver_info, "ansible_playbooks_path");
        let configured = self.0.folder.clone();
        let Some(own) = own else {
            return Ok(configured.unwrap_or_else(|| self.bundled()));
        };
        let own = PathBuf::from(own);
        if is_below(&own, configured.iter().chain(&self.0.allowed)) {
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

    async fn write_bundled(&self) -> Result<(), DriverError> {
        let folder = self.bundled();
        blocking(move || bundled::write(&folder).map_err(|error| unusable("write", &folder, error)))
            .await
    }

    /// Runs a playbook of a node to its end.
    pub async fn run(
        &self,
        machine: &Machine<'_>,
        action: Action,
        told: PlaybookInput,
        tags: &[String],
    ) -> Result<(), DriverError> {
        let node = machine.node.id;
        self.check_connection(machine)?;
        let file = |ending: &str| self.0.state.join(format!("{node}.{ending}"));
        let (vars, drive) = (file("yaml"), file("cndrive"));
        let arguments = self.arguments(machine, action, &vars, tags)?;
        let mut variables = told.variables;
        if told.drive.is_some() {
            let about = json!({"type": "file", "location": drive.display().to_string()});
            variables.insert("configdrive".to_owned(), about);
        }
        let mut all = JsonMap::from_iter([("ironic".to_owned(), Value::Object(variables))]);
        let python = boot_image::text(machine.driver_info, PYTHON);
        if let Some(python) = python.or_else(|| self.0.python.clone()) {
            all.insert(PYTHON.to_owned(), python.into());
        }
        let all = vars::file(&all)?;
        self.write_bundled().await?;
        let state = self.0.state.clone();
        let held = blocking(move || {
            let mut held = Held::take(&state, node)?;
            held.write(&vars, &all)?;
            if let Some(text) = told.drive {
                held.write(&drive, &text)?;
            }
            Ok(held)
        });
        self.play(node, held.await?, &arguments).await
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

    /// How long a playbook goes on that this service does not vouch for. What is polled here is so
    /// for two thirds of the time that others wait ([`types::lease::Pulse`]), so both together end
    /// before it does.
    fn patience(&self) -> Duration {
        self.0.silence / 4
    }

    async fn play(
        &self,
        node: NodeId,
        held: Held,
        arguments: &[String],
    ) -> Result<(), DriverError> {
        let input = held.lock.try_clone();
        let input = input.map_err(|error| unstarted(&self.0.program, error))?;
        let mut command = match &self.0.launcher {
            Some(launcher) => {
                let mut command = Command::new(launcher);
                let patience = self.patience().as_millis().to_string();
                command.args([WATCH_WORD, &patience, &self.0.program]);
                command
            }
            None => Command::new(&self.0.program),
        };
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
        // Who watches over the program must live to kill all of it. (Not `filter`: a group that is
        // dropped is killed.)
        let group = match self.0.launcher {
            Some(_) => None,
            None => Group::of(&child),
        };
        let listened = async {
            tokio::select! {
                done = listen(node, child) => done,
                error = held.vouch(self.patience() / TOUCHES) => Err(error),
            }
        };
        let outcome = tokio::time::timeout(self.0.limit, listened).await;
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
struct Group(Pid);

impl Group {
    fn of(child: &Child) -> Option<Self> {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        id.and_then(Pid::from_raw).map(Self)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = kill_process_group(self.0, Signal::KILL);
    }
}

/// Logs what a playbook says, line by line, until it has ended. The last lines of its output and of its
/// error output are returned, in this order: one does not drown the other.
async fn listen(
    node: NodeId,
    mut child: Child,
) -> io::Result<(std::process::ExitStatus, Vec<String>)> {
    let (mut said, mut complained) = (VecDeque::new(), VecDeque::new());
    let mut out = Lines::of(child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?);
    let mut err = Lines::of(child.stderr.take().ok_or(io::ErrorKind::BrokenPipe)?);
    let mut status = None;
    while status.is_none() || out.is_open || err.is_open {
        let (line, last) = tokio::select! {
            line = out.next(), if out.is_open => (line?, &mut said),
            line = err.next(), if err.is_open => (line?, &mut complained),
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
        if last.len() == TAIL {
            last.pop_front();
        }
        last.push_back(line);
    }
    let status = status.ok_or(io::ErrorKind::BrokenPipe)?;
    Ok((status, said.into_iter().chain(complained).collect()))
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

/// Whether a program can be found as a shell would find it.
fn is_installed(program: &str) -> bool {
    if program.contains('/') {
        return Path::new(program).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// Whether a path is in one of these folders, at any depth.
fn is_below<F: AsRef<Path>>(path: &Path, folders: impl IntoIterator<Item = F>) -> bool {
    let climbs = path.components().any(|part| part == Component::ParentDir);
    let mut folders = folders.into_iter();
    !climbs && folders.any(|folder| path.starts_with(folder))
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

pub(super) fn unusable(what: &str, path: &Path, error: io::Error) -> DriverError {
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
