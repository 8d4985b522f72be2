//! The process between this service and a playbook.
//!
//! Ansible starts child processes, and newer versions give each a session of its own, so no process
//! group contains all of them. The service therefore starts itself a second time as a subreaper,
//! which adopts orphaned child processes. It kills all of them
//!
//! - when the program has ended;
//! - when the pipe of its output is closed: the worker is gone, or the service was killed;
//! - when its standard input, which is the lock file of the node, has not been touched in time: the
//!   service is paused or hangs, another conductor will take the node over, and no playbook may
//!   still be working on the machine then.

#![expect(
    clippy::disallowed_methods,
    reason = "this process has nothing else to do than to wait for the program"
)]

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::fstat,
    io::Errno,
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, pidfd_open,
        set_child_subreaper, wait,
    },
};
use std::{
    ffi::OsString,
    fs, io,
    process::Command,
    time::{Duration, Instant},
};

/// The first argument of a watcher.
pub const WATCH_WORD: &str = "__playbook";

/// What a shell adds to the number of the signal that ended a program.
const BY_SIGNAL: i32 = 128;

/// How often the input is looked at while patience lasts.
const LOOKS: u32 = 8;

/// What a watcher is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Watch {
    /// How long the standard input may stay untouched.
    pub patience: Duration,
    pub program: OsString,
    pub arguments: Vec<OsString>,
}

impl Watch {
    /// Runs the program with the standard streams of this process and returns its exit code. It is
    /// killed when the reader of its output is gone, or when its input has not been touched in time.
    /// All child processes have ended when this returns.
    pub fn run(&self) -> io::Result<u8> {
        set_child_subreaper(Some(getpid()))?;
        let child = Command::new(&self.program).args(&self.arguments).spawn()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let pid = pid.ok_or_else(|| io::Error::other("the program has no number"))?;
        let until = until_over(pid, self.patience);
        let ended = end_all(pid);
        until?;
        let code = ended.and_then(|status| {
            let signal = status.terminating_signal().map(|signal| BY_SIGNAL + signal);
            status.exit_status().or(signal)
        });
        Ok(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
    }
}

/// Waits until the program has ended, nobody listens or nobody touches the input.
fn until_over(program: Pid, patience: Duration) -> io::Result<()> {
    let ended = pidfd_open(program, PidfdFlags::empty())?;
    let (input, output) = (io::stdin(), io::stdout());
    let mut events = [
        PollFd::new(&ended, PollFlags::IN),
        // Without readers a pipe has an error, which is always reported.
        PollFd::new(&output, PollFlags::empty()),
    ];
    let touched = || fstat(&input).map(|about| (about.st_mtime, about.st_mtime_nsec));
    let (mut last, mut since) = (touched()?, Instant::now());
    while since.elapsed() < patience {
        let look = Timespec::try_from(patience / LOOKS).unwrap_or_default();
        match poll(&mut events, Some(&look)) {
            Ok(0) | Err(Errno::INTR) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        let now = touched()?;
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    Ok(())
}

/// Kills every process below this one; how the program ended.
fn end_all(program: Pid) -> Option<WaitStatus> {
    let mut status = None;
    loop {
        // Those below them become children of this process when they die.
        for child in children() {
            let _ = kill_process(child, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, ended))) if pid == program => status = Some(ended),
            Ok(_) | Err(Errno::INTR) => {}
            // There are none.
            Err(_) => return status,
        }
    }
}

fn children() -> Vec<Pid> {
    let own = getpid();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let pids = pids.filter_map(Pid::from_raw);
    pids.filter(|pid| parent(*pid) == Some(own)).collect()
}

fn parent(pid: Pid) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name, in parentheses, may have anything in it.
    let (_, rest) = stat.rsplit_once(')')?;
    let parent = rest.split_ascii_whitespace().nth(1)?;
    Pid::from_raw(parent.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        path::Path,
        process::{Child, ExitStatus, Stdio},
        time::Duration,
    };

    /// What a test tells itself, when it starts itself as a watcher.
    const SCRIPT: &str = "CORTEN_TEST_WATCH";
    /// Milliseconds that its input may stay untouched.
    const PATIENCE: &str = "CORTEN_TEST_PATIENCE";

    /// This is the process of a watcher in the other tests.
    #[test]
    fn a_watcher() {
        if let Ok(script) = std::env::var(SCRIPT) {
            let patience = match std::env::var(PATIENCE) {
                Ok(millis) => Duration::from_millis(millis.parse().unwrap()),
                Err(_) => Duration::from_secs(1000),
            };
            let watch = Watch {
                patience,
                program: "sh".into(),
                arguments: vec!["-c".into(), script.into()],
            };
            std::process::exit(watch.run().unwrap().into());
        }
    }

    fn watcher(folder: &Path, script: &str) -> Child {
        command(folder, script).spawn().unwrap()
    }

    fn command(folder: &Path, script: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "ansible::watch::tests::a_watcher", "--nocapture"])
            .env(SCRIPT, script)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        command
    }

    async fn written(path: &Path) -> String {
        loop {
            if let Ok(text) = fs::read_to_string(path)
                && text.ends_with('\n')
            {
                return text.trim().to_owned();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    fn lives(pid: &str) -> bool {
        let status = fs::read_to_string(format!("/proc/{pid}/stat"));
        status.is_ok_and(|status| !status.contains(") Z "))
    }

    /// Programs with a session of their own, one below the other.
    const FAR: &str = "setsid sh -c 'setsid sleep 1000 & echo $! > deep; echo $$ > far; wait' &\n";

    async fn far(folder: &Path) -> [String; 2] {
        [
            written(&folder.join("deep")).await,
            written(&folder.join("far")).await,
        ]
    }

    fn ended(mut child: Child) -> ExitStatus {
        child.wait().unwrap()
    }

    #[tokio::test]
    async fn everything_ends_when_nobody_listens() {
        let folder = tempfile::tempdir().unwrap();
        let mut child = watcher(folder.path(), &format!("{FAR}wait"));
        let pids = far(folder.path()).await;
        assert!(pids.iter().all(|pid| lives(pid)));
        drop(child.stdout.take());
        assert!(!ended(child).success());
        assert!(!pids.iter().any(|pid| lives(pid)));
    }

    #[tokio::test]
    async fn everything_ends_when_nobody_touches_the_input() {
        let folder = tempfile::tempdir().unwrap();
        let lock = tempfile::tempfile().unwrap();
        let mut command = command(folder.path(), &format!("{FAR}wait"));
        command
            .env(PATIENCE, "4000")
            .stdin(lock.try_clone().unwrap());
        let child = command.spawn().unwrap();
        let pids = far(folder.path()).await;
        // As long as it is touched, all goes on for longer than that.
        let (began, mut touched) = (Instant::now(), std::time::UNIX_EPOCH);
        while began.elapsed() < Duration::from_secs(5) {
            touched += Duration::from_secs(1);
            lock.set_modified(touched).unwrap();
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(pids.iter().all(|pid| lives(pid)));
        let ended = tokio::task::spawn_blocking(|| ended(child)).await;
        assert!(!ended.unwrap().success());
        assert!(!pids.iter().any(|pid| lives(pid)));
    }

    #[tokio::test]
    async fn nothing_is_left_of_a_program_that_has_ended() {
        let folder = tempfile::tempdir().unwrap();
        let script = format!("{FAR}until [ -s far ] && [ -s deep ]; do :; done; exit 7");
        let child = watcher(folder.path(), &script);
        let pids = far(folder.path()).await;
        assert_eq!(ended(child).code(), Some(7));
        assert!(!pids.iter().any(|pid| lives(pid)));
    }

    #[test]
    fn a_signal_is_told_as_shells_do() {
        let folder = tempfile::tempdir().unwrap();
        let child = watcher(folder.path(), "kill -TERM $$");
        assert_eq!(ended(child).code(), Some(BY_SIGNAL + 15));
    }
}
