//! The moment between this service and a program of a vendor.
//!
//! The service starts itself a second time, as the user of the drivers; that process gives up what
//! the program must not have, and becomes the program. Between `fork` and `exec` of the service
//! itself nothing could be done safely, since it has many threads.

use rustix::{
    io::{FdFlags, fcntl_setfd},
    process::{
        Resource, Rlimit, Signal, getppid, getrlimit, set_parent_process_death_signal, setrlimit,
    },
    thread::set_no_new_privs,
};
use std::{
    ffi::OsString,
    io,
    os::{fd::BorrowedFd, unix::process::CommandExt},
    path::PathBuf,
    process::Command,
};

/// The first argument of a launcher.
pub const LAUNCH_WORD: &str = "__driver";

/// How many files a program may have open: one for each machine that it talks to, and some.
const FILES: u64 = 4096;

/// What a launcher is told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The service. When it dies, so does the program.
    pub parent: u32,
    /// Most memory in bytes; zero for no limit.
    pub memory: u64,
    pub program: PathBuf,
}

impl Launch {
    pub(super) fn words(&self) -> [OsString; 4] {
        [
            LAUNCH_WORD.into(),
            self.parent.to_string().into(),
            self.memory.to_string().into(),
            self.program.clone().into(),
        ]
    }

    /// Becomes the program; returns if that is not possible.
    #[expect(
        clippy::disallowed_methods,
        reason = "this process has nothing else to do than to become the program"
    )]
    pub fn become_program(&self) -> io::Error {
        match self.give_up() {
            Ok(()) => Command::new(&self.program).exec(),
            Err(error) => error,
        }
    }

    fn give_up(&self) -> io::Result<()> {
        keep_to_standard_streams()?;
        set_no_new_privs(true)?;
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // It may have died before it was asked about.
        let parent = getppid().map(|pid| pid.as_raw_nonzero().get());
        if parent != i32::try_from(self.parent).ok() {
            return Err(io::Error::other("the service is gone"));
        }
        limit(Resource::Core, 0)?;
        limit(Resource::Nofile, FILES)?;
        if self.memory > 0 {
            limit(Resource::As, self.memory)?;
        }
        Ok(())
    }
}

/// Has all other files closed when the program begins. Those of the service are closed by then; this
/// is for what the service itself was started with.
#[expect(
    clippy::disallowed_methods,
    reason = "this process has nothing else to do than to become the program"
)]
#[expect(unsafe_code, reason = "files are only known by their numbers")]
fn keep_to_standard_streams() -> io::Result<()> {
    let numbers: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in numbers {
        // SAFETY: no other thread runs in this process, so that nobody closes the file meanwhile; if
        // it is closed already, as the folder is that was just read, the call says so.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let _ = fcntl_setfd(file, FdFlags::CLOEXEC);
    }
    Ok(())
}

/// Lowers a limit, for good.
fn limit(resource: Resource, to: u64) -> io::Result<()> {
    let known = getrlimit(resource);
    let lowest = known.maximum.map_or(to, |maximum| maximum.min(to));
    setrlimit(
        resource,
        Rlimit {
            current: Some(lowest),
            maximum: Some(lowest),
        },
    )?;
    Ok(())
}
