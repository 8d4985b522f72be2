//! Whether a machine belongs to a node: the database knows, and this crate does not.
//!
//! Installed systems, rescue ramdisks and agents from virtual media ask for an address while
//! nothing is published for their node, so the DHCP servers ask about every machine that is not
//! published. The answers are remembered: while the database is away, machines that were known
//! keep their addresses, and nobody waits for it with every packet.

use async_trait::async_trait;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};
use tokio::time::timeout;
use types::port::MacAddress;

/// What a machine is to us, besides what is published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Standing {
    /// No node has a port with this address.
    #[default]
    Unknown,
    /// A node has, whatever its state is.
    Enrolled,
    /// A node has, and is being inspected: it may boot what unknown machines boot.
    Inspected,
}

impl Standing {
    pub fn is_enrolled(self) -> bool {
        self != Self::Unknown
    }
}

/// A machine as the database knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Machine {
    pub standing: Standing,
    /// The name of its node.
    pub name: Option<String>,
}

impl From<Standing> for Machine {
    fn from(standing: Standing) -> Self {
        Self {
            standing,
            name: None,
        }
    }
}

/// Whoever knows the ports of all nodes.
#[async_trait]
pub trait Enrolment: Send + Sync + fmt::Debug {
    /// The error is a sentence for the log.
    async fn machine(&self, mac: &MacAddress) -> Result<Machine, String>;
}

/// How long a packet may wait for the database.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long the database is not asked after it did not answer.
const PAUSE: Duration = Duration::from_secs(10);
/// Machines whose standing is remembered.
const REMEMBERED: usize = 16_384;

/// The standing of machines, with a memory for the time in which nobody can be asked.
///
/// Copies share the source, which is known only after the database is open.
#[derive(Debug, Clone, Default)]
pub struct Register {
    source: Arc<OnceLock<Arc<dyn Enrolment>>>,
    memory: Arc<Mutex<Memory>>,
}

#[derive(Debug, Default)]
struct Memory {
    /// Enrolled machines only: strangers come in any number.
    known: HashMap<MacAddress, Machine>,
    silent_since: Option<Instant>,
}

impl Register {
    /// Says whom to ask; the first call counts.
    pub fn ask(&self, source: Arc<dyn Enrolment>) {
        let _ = self.source.set(source);
    }

    pub async fn standing(&self, mac: &MacAddress) -> Standing {
        self.machine(mac).await.standing
    }

    pub async fn machine(&self, mac: &MacAddress) -> Machine {
        let Some(source) = self.source.get().filter(|_| self.may_ask()) else {
            return self.remembered(mac);
        };
        let answer = match timeout(PATIENCE, source.machine(mac)).await {
            Ok(answer) => answer,
            Err(_) => Err(format!("no answer within {PATIENCE:?}")),
        };
        match answer {
            Ok(machine) => {
                self.remember(mac, &machine);
                machine
            }
            Err(error) => {
                tracing::warn!(
                    %error,
                    "the database cannot be asked which machines are enrolled; DHCP goes on with those it knows"
                );
                self.lock().silent_since = Some(Instant::now());
                self.remembered(mac)
            }
        }
    }

    fn may_ask(&self) -> bool {
        let silent = self.lock().silent_since;
        silent.is_none_or(|since| since.elapsed() >= PAUSE)
    }

    fn remembered(&self, mac: &MacAddress) -> Machine {
        self.lock().known.get(mac).cloned().unwrap_or_default()
    }

    fn remember(&self, mac: &MacAddress, machine: &Machine) {
        let mut memory = self.lock();
        memory.silent_since = None;
        if !machine.standing.is_enrolled() {
            memory.known.remove(mac);
        } else if memory.known.len() < REMEMBERED || memory.known.contains_key(mac) {
            memory.known.insert(*mac, machine.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    /// One enrolled machine, and a database that can be switched off.
    #[derive(Debug, Default)]
    pub(crate) struct Ports {
        pub(crate) enrolled: Vec<MacAddress>,
        pub(crate) away: AtomicBool,
        pub(crate) asked: AtomicUsize,
    }

    #[async_trait]
    impl Enrolment for Ports {
        async fn machine(&self, mac: &MacAddress) -> Result<Machine, String> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            if self.away.load(Ordering::SeqCst) {
                return Err("it is away".to_owned());
            }
            let standing = match self.enrolled.contains(mac) {
                true => Standing::Enrolled,
                false => Standing::Unknown,
            };
            Ok(standing.into())
        }
    }

    #[tokio::test]
    async fn enrolled_machines_stay_known_while_the_database_is_away() {
        let (known, stranger) = (MacAddress::from([2; 6]), MacAddress::from([4; 6]));
        let ports = Arc::new(Ports {
            enrolled: vec![known],
            ..Ports::default()
        });
        let register = Register::default();
        register.ask(ports.clone());
        assert_eq!(register.standing(&known).await, Standing::Enrolled);
        assert_eq!(register.standing(&stranger).await, Standing::Unknown);
        ports.away.store(true, Ordering::SeqCst);
        for _ in 0..5 {
            assert_eq!(register.standing(&known).await, Standing::Enrolled);
            assert_eq!(register.standing(&stranger).await, Standing::Unknown);
        }
        // Only the first packet asked in vain.
        assert_eq!(ports.asked.load(Ordering::SeqCst), 3);
        assert_eq!(
            Register::default().standing(&known).await,
            Standing::Unknown
        );
    }
}
