//! A program on a host that is started, paused, ended and killed again and again.

use crate::{clock, network::Host};
use anyhow::{Context, Result, bail};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs::OpenOptions,
    path::PathBuf,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::process::Child;

#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) name: String,
    pub(crate) host: Host,
    words: Vec<String>,
    pub(crate) log: PathBuf,
    /// Variables of its environment besides the usual ones.
    pub(crate) env: Vec<(String, String)>,
    /// Whether it should run.
    is_wanted: AtomicBool,
    running: Mutex<Option<Child>>,
    /// How it exited unexpectedly, each time.
    lapses: Mutex<Vec<String>>,
    deaths: Mutex<Vec<Death>>,
}

/// The end of one incarnation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Death {
    pub(crate) pid: u32,
    /// Not before it was dead.
    pub(crate) at_ns: u64,
}

impl Process {
    pub(crate) fn new(
        name: impl Into<String>,
        host: Host,
        words: Vec<String>,
        log: PathBuf,
    ) -> Self {
        Self {
            name: name.into(),
            host,
            words,
            log,
            env: Vec::new(),
            is_wanted: AtomicBool::new(false),
            running: Mutex::default(),
            lapses: Mutex::default(),
            deaths: Mutex::default(),
        }
    }

    fn running(&self) -> MutexGuard<'_, Option<Child>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the program unless it runs.
    pub(crate) fn start(&self) -> Result<()> {
        self.is_wanted.store(true, Ordering::Relaxed);
        let mut running = self.running();
        if running.is_some() {
            return Ok(());
        }
        let log = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.log)
            .with_context(|| self.log.display().to_string())?;
        let mut command = self.host.command(&self.words[0]);
        command.args(&self.words[1..]).current_dir("/");
        // Fake machines are many; what becomes of each is in the event log already.
        command.env("CORTEN_LOG", "info,conductor=warn");
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdout(log.try_clone()?).stderr(log);
        let child = command.spawn();
        *running = Some(child.with_context(|| self.words.join(" "))?);
        Ok(())
    }

    pub(crate) fn signal(&self, signal: Signal) -> Result<()> {
        let running = self.running();
        let pid = running.as_ref().and_then(Child::id);
        let pid = pid.and_then(|pid| Pid::from_raw(pid.cast_signed()));
        match pid {
            Some(pid) => kill_process(pid, signal).with_context(|| self.name.clone()),
            None => Ok(()),
        }
    }

    /// Sends a signal and waits until the program has ended; one that does not is killed, and
    /// false comes back.
    pub(crate) async fn end(&self, signal: Signal, patience: Duration) -> Result<bool> {
        self.is_wanted.store(false, Ordering::Relaxed);
        let taken = self.running().take();
        let Some(mut child) = taken else {
            return Ok(true);
        };
        let Some(id) = child.id() else {
            bail!("{} has already exited", self.name);
        };
        let pid = Pid::from_raw(id.cast_signed()).context("the process has no pid")?;
        // It may have ended by itself.
        let _ = kill_process(pid, signal);
        let in_time = tokio::time::timeout(patience, child.wait()).await.is_ok();
        if !in_time {
            child.kill().await?;
        }
        self.died(id);
        Ok(in_time)
    }

    /// Starts the program again if it ended by itself, as a service manager does.
    pub(crate) fn look_after(&self) -> Result<()> {
        if !self.is_wanted.load(Ordering::Relaxed) {
            return Ok(());
        }
        if let Some(how) = self.has_ended()? {
            let mut lapses = self.lapses.lock().unwrap_or_else(PoisonError::into_inner);
            lapses.push(how);
            drop(lapses);
            self.start()?;
        }
        Ok(())
    }

    pub(crate) fn lapses(&self) -> Vec<String> {
        let lapses = self.lapses.lock().unwrap_or_else(PoisonError::into_inner);
        lapses.clone()
    }

    /// Takes note when the program ended without being told to; says how.
    pub(crate) fn has_ended(&self) -> Result<Option<String>> {
        let mut running = self.running();
        let Some(child) = running.as_mut() else {
            return Ok(None);
        };
        let id = child.id();
        let Some(status) = child.try_wait()? else {
            return Ok(None);
        };
        *running = None;
        if let Some(id) = id {
            self.died(id);
        }
        Ok(Some(status.to_string()))
    }

    fn died(&self, pid: u32) {
        let mut deaths = self.deaths.lock().unwrap_or_else(PoisonError::into_inner);
        let at_ns = clock::now_ns();
        deaths.push(Death { pid, at_ns });
    }

    pub(crate) fn deaths(&self) -> Vec<Death> {
        let deaths = self.deaths.lock().unwrap_or_else(PoisonError::into_inner);
        deaths.clone()
    }
}
