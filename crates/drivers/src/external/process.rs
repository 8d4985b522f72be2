//! A process of a program, and the thread that started it.
//!
//! The kernel kills the program when the thread that started it ends, so that thread stays until the
//! process is gone, and takes note of how it ended. The process leads a group, which is killed as a
//! whole; as long as the leader is not reaped, no other group can have its number.

use super::{ExternalSettings, program::Program};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::{
    io,
    os::fd::OwnedFd,
    process::{Child, ExitStatus},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};
use tokio::sync::{oneshot, watch};

/// How long a process may go on after its input was closed.
const GRACE: Duration = Duration::from_secs(3);

/// The other ends of its standard streams.
#[derive(Debug)]
pub(super) struct Streams {
    pub(super) stdin: OwnedFd,
    pub(super) stdout: OwnedFd,
    pub(super) stderr: OwnedFd,
}

/// A process that is killed when this is dropped, after a moment to end by itself.
#[derive(Debug)]
pub(super) struct Process {
    group: Arc<Group>,
    status: watch::Receiver<Option<ExitStatus>>,
}

#[derive(Debug)]
struct Group {
    leader: Pid,
    is_gone: Mutex<bool>,
    gone: Condvar,
}

impl Group {
    /// No code panics while it holds this.
    fn is_gone(&self) -> MutexGuard<'_, bool> {
        self.is_gone.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn kill(&self) {
        if !*self.is_gone() {
            let _ = kill_process_group(self.leader, Signal::KILL);
        }
    }
}

impl Process {
    /// Starts a program. `Err` says why it is not run.
    pub(super) async fn start(
        program: &Program,
        settings: &ExternalSettings,
    ) -> io::Result<(Self, Streams)> {
        let (tell, told) = oneshot::channel();
        let (program, settings) = (program.clone(), settings.clone());
        thread::Builder::new()
            .name("driver".to_owned())
            .spawn(move || {
                let started = started(&program, &settings);
                let (child, process, streams, status) = match started {
                    Ok(started) => started,
                    Err(error) => {
                        let _ = tell.send(Err(error));
                        return;
                    }
                };
                let group = Arc::clone(&process.group);
                // If nobody waits for it any more, it is dropped here, and with it its process.
                let _ = tell.send(Ok((process, streams)));
                keep(child, &group, &status);
            })?;
        let gone = || io::Error::other("the thread that starts it is gone");
        told.await.map_err(|_| gone())?
    }

    pub(super) fn kill(&self) {
        self.group.kill();
    }

    /// How it ended, once it has.
    pub(super) async fn ended(&self) -> Option<ExitStatus> {
        let mut status = self.status.clone();
        let ended = status.wait_for(Option::is_some).await;
        ended.ok().and_then(|status| *status)
    }

    pub(super) fn id(&self) -> i32 {
        self.group.leader.as_raw_nonzero().get()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = Arc::clone(&self.group);
        let wait = move || {
            let is_gone = group.is_gone();
            let waited = group.gone.wait_timeout_while(is_gone, GRACE, |gone| !*gone);
            drop(waited);
            group.kill();
        };
        // Its input is closed by now.
        let waits = thread::Builder::new()
            .name("driver-end".to_owned())
            .spawn(wait);
        if waits.is_err() {
            self.group.kill();
        }
    }
}

type Started = (Child, Process, Streams, watch::Sender<Option<ExitStatus>>);

fn started(program: &Program, settings: &ExternalSettings) -> io::Result<Started> {
    let mut command = program.command(settings).map_err(io::Error::other)?;
    let mut child = command.spawn()?;
    let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let ((Some(stdin), Some(stdout), Some(stderr)), Some(leader)) = (taken, pid) else {
        return Err(io::Error::other("it has no standard streams"));
    };
    let streams = Streams {
        stdin: stdin.into(),
        stdout: stdout.into(),
        stderr: stderr.into(),
    };
    let (ends, status) = watch::channel(None);
    let group = Arc::new(Group {
        leader,
        is_gone: Mutex::new(false),
        gone: Condvar::new(),
    });
    Ok((child, Process { group, status }, streams, ends))
}

/// Waits for the end of a process, and takes along what it started.
fn keep(mut child: Child, group: &Group, status: &watch::Sender<Option<ExitStatus>>) {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
    while let Err(rustix::io::Errno::INTR) = waitid(WaitId::Pid(group.leader), options) {}
    let mut is_gone = group.is_gone();
    let _ = kill_process_group(group.leader, Signal::KILL);
    *is_gone = true;
    drop(is_gone);
    group.gone.notify_all();
    if let Ok(ended) = child.wait() {
        status.send_replace(Some(ended));
    }
}
