//! There is never a second playbook for the same machine, and nothing stays of what one was told.
//!
//! A file for each node is locked as long as its playbook runs. The program has it as its standard
//! input, so that the lock outlives this service; what still holds it when the next playbook is to
//! begin is killed. Nothing is noted about the program, because a note could be older than what runs.
//!
//! Files with what a playbook is told hold secrets of users. They are only there under the lock: they
//! are removed before it is given back, and those that a killed service left are removed by the next.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files are only touched by threads that may wait, or removed"
)]

use super::playbooks::unusable;
use crate::{DriverError, Failure};
use rustix::{
    fs::{FlockOperation, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, flock, futimens},
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};
use std::{
    fs::{self, File},
    io::{self, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    time::{Duration, Instant},
};
use types::NodeId;

/// How long a playbook that is being killed may take, until all that holds the lock is killed.
const GRACE: Duration = Duration::from_secs(1);
/// How long what was killed may take to be gone.
const LAST_BREATH: Duration = Duration::from_secs(10);

/// Files that only exist while a playbook runs, by their endings. The second is that of earlier
/// versions.
const PASSING: [&str; 3] = ["yaml", "json", "cndrive"];

/// A machine that no other playbook works on, and the files for the one that does.
#[derive(Debug)]
pub(super) struct Held {
    files: Vec<PathBuf>,
    pub(super) lock: File,
}

impl Held {
    /// Locks the file of a node. What a service that was killed left running is killed.
    pub(super) fn take(state: &Path, node: NodeId) -> Result<Self, DriverError> {
        let path = state.join(format!("{node}.lock"));
        let lock = open(&path).map_err(|error| unusable("open", &path, error))?;
        let began = Instant::now();
        while flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
            if began.elapsed() > GRACE {
                kill_holders(&lock).map_err(|error| unusable("look at", &path, error))?;
            }
            if began.elapsed() > LAST_BREATH {
                return Err(DriverError::Busy(Failure::new(format!(
                    "another playbook still works on this machine: {} is locked",
                    path.display()
                ))));
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(Self {
            files: Vec::new(),
            lock,
        })
    }

    /// Writes a file that only this service can read, until this is dropped.
    pub(super) fn write(&mut self, path: &Path, text: &str) -> Result<(), DriverError> {
        self.files.push(path.to_owned());
        private(path, text).map_err(|error| unusable("write", path, error))
    }

    /// Touches the lock again and again, for who watches over the playbook; why it cannot.
    pub(super) async fn vouch(&self, every: Duration) -> io::Error {
        loop {
            tokio::time::sleep(every).await;
            let lock = match self.lock.try_clone() {
                Ok(lock) => lock,
                Err(error) => return error,
            };
            match tokio::task::spawn_blocking(move || touch(&lock)).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => return error,
                Err(error) => return io::Error::other(error),
            }
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        for file in &self.files {
            let _ = fs::remove_file(file);
        }
    }
}

fn touch(lock: &File) -> io::Result<()> {
    let at = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
    let times = Timestamps {
        last_access: at(UTIME_OMIT),
        last_modification: at(UTIME_NOW),
    };
    Ok(futimens(lock, &times)?)
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    options.mode(0o600).open(path)
}

fn private(path: &Path, text: &str) -> io::Result<()> {
    let _ = fs::remove_file(path);
    let mut options = File::options();
    options.write(true).create_new(true).mode(0o600);
    options.open(path)?.write_all(text.as_bytes())
}

/// Kills the processes that have this file as their standard input, as playbooks do and nothing else.
fn kill_holders(lock: &File) -> io::Result<()> {
    let about = lock.metadata()?;
    for entry in fs::read_dir("/proc")? {
        let name = entry?.file_name();
        let pid = name.to_str().and_then(|name| name.parse().ok());
        let Some(pid) = pid.and_then(Pid::from_raw) else {
            continue;
        };
        // Opened first, so that no other process with the number is killed.
        let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
            continue;
        };
        let input = fs::metadata(Path::new("/proc").join(&name).join("fd/0"));
        let holds = input.is_ok_and(|it| (it.dev(), it.ino()) == (about.dev(), about.ino()));
        if holds && pidfd_send_signal(&process, Signal::KILL).is_ok() {
            tracing::warn!(
                process = pid.as_raw_nonzero(),
                "a playbook of a service that was killed was still running, and is killed"
            );
        }
    }
    Ok(())
}

/// Removes what a service that was killed left of what it told playbooks.
pub fn sweep(state: &Path) {
    let Ok(entries) = fs::read_dir(state) else {
        return;
    };
    for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
        let ending = path.extension().and_then(|ending| ending.to_str());
        let node = path.file_stem().and_then(|stem| stem.to_str());
        let node: Option<NodeId> = node.and_then(|node| node.parse().ok());
        let is_passing = ending.is_some_and(|ending| PASSING.contains(&ending));
        let Some(node) = node.filter(|_| is_passing) else {
            continue;
        };
        // Another service may run a playbook with it right now.
        let lock = open(&state.join(format!("{node}.lock")));
        let held = lock.map(|lock| {
            let is_free = flock(&lock, FlockOperation::NonBlockingLockExclusive).is_ok();
            is_free.then_some(lock)
        });
        match held {
            Ok(None) => {}
            Ok(Some(_held)) => {
                if let Err(error) = fs::remove_file(&path) {
                    tracing::warn!(path = %path.display(), %error, "a file of a playbook is left over and cannot be removed");
                }
            }
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "a file of a playbook is left over and cannot be locked");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_lock_is_vouched_for() {
        let folder = tempfile::tempdir().unwrap();
        let held = Held::take(folder.path(), NodeId::generate()).unwrap();
        let long_ago = std::time::UNIX_EPOCH;
        held.lock.set_modified(long_ago).unwrap();
        let touched = async {
            while held.lock.metadata().unwrap().modified().unwrap() == long_ago {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            error = held.vouch(Duration::from_millis(1)) => panic!("{error}"),
            () = touched => {}
        }
    }

    #[test]
    fn files_are_gone_with_the_lock() {
        let folder = tempfile::tempdir().unwrap();
        let node = NodeId::generate();
        let path = folder.path().join(format!("{node}.yaml"));
        let mut held = Held::take(folder.path(), node).unwrap();
        held.write(&path, "secret").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "secret");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        // The program keeps the lock, not the files.
        let program = held.lock.try_clone().unwrap();
        drop(held);
        assert!(!path.exists());
        let other = open(&folder.path().join(format!("{node}.lock"))).unwrap();
        flock(&other, FlockOperation::NonBlockingLockExclusive).unwrap_err();
        drop(program);
        flock(&other, FlockOperation::NonBlockingLockExclusive).unwrap();
    }

    #[test]
    fn what_a_killed_service_left_is_removed_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let (left, busy) = (NodeId::generate(), NodeId::generate());
        let file = |name: String| {
            let path = folder.path().join(name);
            fs::write(&path, "secret").unwrap();
            path
        };
        let gone = PASSING.map(|ending| file(format!("{left}.{ending}")));
        let kept = [
            file(format!("{busy}.yaml")),
            file(format!("{left}.log")),
            file("other.yaml".to_owned()),
        ];
        let _held = Held::take(folder.path(), busy).unwrap();
        sweep(folder.path());
        assert!(gone.iter().all(|path| !path.exists()));
        assert!(kept.iter().all(|path| path.exists()));
        sweep(&folder.path().join("none"));
    }
}
