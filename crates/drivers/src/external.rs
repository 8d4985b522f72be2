//! Drivers from outside: programs of vendors that speak JSON lines over pipes.
//!
//! A program lies in a folder of the operator's, says which hardware types and interfaces it has,
//! and from then on its interfaces are like any other: they stand in the registry under their names,
//! take a proof of the lease, go through the gate of their BMC and are recorded. One process serves
//! all nodes; it is started when it is first needed, and again, after a pause, when it dies.
//!
//! The program is not trusted: it runs as a user of its own with an empty environment and limits,
//! what it says is bounded in size, number and time, and of a node it sees only what it declared.
//! The protocol itself is [`proto::driver`], and `docs/hardware/external-drivers.md` describes it.

mod answer;
pub mod conformance;
mod declaration;
mod host;
mod interface;
mod launch;
mod link;
mod load;
mod parameters;
mod process;
mod program;
mod redact;

pub use declaration::{Declaration, Feature, InterfaceSpec, Method, Property, Unfit};
pub use host::{HostError, NoHello};
pub use launch::{LAUNCH_WORD, Launch};
pub use load::{LoadError, load, load_one};
pub use program::{Refused, User};

pub(crate) use interface::External;

use host::Host;
use std::{path::PathBuf, sync::Arc, time::Duration};

/// How programs are run.
#[derive(Debug, Clone)]
pub struct ExternalSettings {
    /// Whom they run as; this process's own user if there is none.
    pub user: Option<User>,
    /// This service's own program, which lowers its rights and then becomes the driver. Without it
    /// the driver is started as it is.
    pub launcher: Option<PathBuf>,
    /// Where each has a folder of its own.
    pub state: PathBuf,
    /// Most memory of a process in bytes; zero for no limit.
    pub memory: u64,
    /// How long a call may take.
    pub timeout: Duration,
    /// How many calls one process has at a time.
    pub calls: usize,
    /// How long a process may take to say who it is.
    pub start_timeout: Duration,
    /// The pause before a process that died is started again; each further one is twice as long.
    pub pause: Duration,
    pub longest_pause: Duration,
    /// Where BMCs may be.
    pub outbound: outbound::Policy,
}

impl Default for ExternalSettings {
    fn default() -> Self {
        Self {
            user: None,
            launcher: None,
            state: std::env::temp_dir(),
            memory: 0,
            timeout: Duration::from_secs(60),
            calls: 128,
            start_timeout: Duration::from_secs(15),
            pause: Duration::from_millis(250),
            longest_pause: Duration::from_secs(60),
            outbound: outbound::Policy::default(),
        }
    }
}

/// A program, what it declares, and its process, if there is one.
#[derive(Debug, Clone)]
pub struct ExternalDriver {
    pub declaration: Arc<Declaration>,
    host: Arc<Host>,
}

impl ExternalDriver {
    /// The name of its file.
    pub fn program(&self) -> &str {
        self.host.name()
    }
}

#[cfg(test)]
mod tests;
