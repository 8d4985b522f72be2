//! Leases in a file: a line for each change, the last one for an address counts.
//!
//! Appending is quick and cannot damage what is there; once most lines are of the past, the file is
//! written anew. The lines are those of dnsmasq's lease file (expiry, MAC address, address), so
//! that the tools for those can read them; a lease that ended has the expiry 0.
//!
//! A thread of its own writes, in the order of the changes: a disk may take its time, and the
//! servers run on threads that others need. An answer leaves when its change is written
//! ([`Settled`]). A disk that cannot be written costs only the memory of leases: machines that come
//! back after a restart ask for their address, and get it.

#![expect(clippy::disallowed_types, reason = "written on a thread of its own")]

use super::{Address, Keeper, Lease, Settled, Use};
use crate::{error::BootError, place};
use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel},
    thread,
};
use tokio::sync::watch;
use types::time::Timestamp;

/// The way to the thread that writes.
#[derive(Debug)]
pub struct Journal<A> {
    changes: SyncSender<Change<A>>,
    /// How many changes were handed over, and how many of them are written.
    handed_over: u64,
    written: watch::Receiver<u64>,
    path: PathBuf,
}

#[derive(Debug)]
enum Change<A> {
    Keep(Lease<A>),
    Forget(A),
}

/// The file, on its thread.
#[derive(Debug)]
struct Writer<A> {
    path: PathBuf,
    file: File,
    lines: usize,
    current: HashMap<A, Lease<A>>,
}

/// So many changes wait for a disk that does not answer; later ones are not remembered.
const WAITING: usize = 10_000;
/// As many outdated lines are tolerated.
const SLACK: usize = 1000;

impl<A: Address + 'static> Journal<A> {
    /// Opens a file and reads what is in it; lines that cannot be read are passed over.
    #[expect(
        clippy::disallowed_methods,
        reason = "only called before anything is served"
    )]
    pub fn open(path: &Path) -> Result<(Self, Vec<Lease<A>>), BootError> {
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            text => text.map_err(BootError::file("read", path))?,
        };
        let mut current = HashMap::new();
        for (address, lease) in text.lines().filter_map(parse) {
            match lease {
                Some(lease) => current.insert(address, lease),
                None => current.remove(&address),
            };
        }
        place::write(path, write_all(&current).as_bytes(), 0o644)?;
        let file = append(path).map_err(BootError::file("write", path))?;
        let leases = current.values().cloned().collect();
        let writer = Writer {
            path: path.to_owned(),
            file,
            lines: current.len(),
            current,
        };
        let (changes, received) = sync_channel(WAITING);
        let (done, written) = watch::channel(0);
        thread::Builder::new()
            .name("leases".to_owned())
            .spawn(move || writer.run(&received, &done))
            .map_err(BootError::file("write", path))?;
        let journal = Self {
            changes,
            handed_over: 0,
            written,
            path: path.to_owned(),
        };
        Ok((journal, leases))
    }

    fn tell(&mut self, change: Change<A>) {
        match self.changes.try_send(change) {
            Ok(()) => self.handed_over += 1,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {
                tracing::warn!(path = %self.path.display(), "a lease is not remembered: the disk does not answer");
            }
        }
    }
}

impl<A: Address> Writer<A> {
    /// Writes until no more changes can come.
    fn run(mut self, changes: &Receiver<Change<A>>, done: &watch::Sender<u64>) {
        for change in changes {
            match change {
                Change::Keep(lease) => {
                    let text = line(&lease);
                    self.current.insert(lease.address, lease);
                    self.add(&text);
                }
                Change::Forget(address) => {
                    if let Some(lease) = self.current.remove(&address) {
                        self.add(&line(&Lease {
                            until: Timestamp(0),
                            ..lease
                        }));
                    }
                }
            }
            done.send_modify(|count| *count += 1);
        }
    }

    fn add(&mut self, line: &str) {
        self.lines += 1;
        let written = if self.lines > 2 * self.current.len() + SLACK {
            self.lines = self.current.len();
            place::write(&self.path, write_all(&self.current).as_bytes(), 0o644)
                .map_err(|error| io::Error::other(types::error::chain(&error)))
                .and_then(|()| append(&self.path))
                .map(|file| self.file = file)
        } else {
            self.file.write_all(line.as_bytes())
        };
        if let Err(error) = written {
            tracing::warn!(path = %self.path.display(), %error, "a lease is not remembered");
        }
    }
}

impl<A: Address + 'static> Keeper<A> for Journal<A> {
    fn keep(&mut self, lease: &Lease<A>) {
        self.tell(Change::Keep(lease.clone()));
    }

    fn forget(&mut self, address: A) {
        self.tell(Change::Forget(address));
    }

    fn settled(&self) -> Settled {
        Settled::when(self.written.clone(), self.handed_over)
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "before anything is served, and on the thread that writes"
)]
fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).open(path)
}

fn line<A: Address>(lease: &Lease<A>) -> String {
    format!(
        "{} {} {} * *\n",
        lease.until.0.div_euclid(1_000_000),
        lease.mac,
        lease.address
    )
}

fn write_all<A: Address>(leases: &HashMap<A, Lease<A>>) -> String {
    leases.values().map(line).collect()
}

fn parse<A: Address>(line: &str) -> Option<(A, Option<Lease<A>>)> {
    let mut words = line.split_whitespace();
    let seconds: i64 = words.next()?.parse().ok()?;
    let mac = words.next()?.parse().ok()?;
    let address: A = words.next()?.parse().ok()?;
    let until = Timestamp(0).plus_seconds(seconds);
    let lease = Lease {
        address,
        mac,
        until,
        used: Use::Leased,
        enrolled: true,
    };
    Some((address, (seconds > 0).then_some(lease)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lease::{Asker, Leases};
    use std::net::Ipv4Addr;

    const T0: Timestamp = Timestamp(1_000_000_000);

    fn open(path: &Path) -> Leases<Ipv4Addr> {
        let (journal, kept) = Journal::open(path).unwrap();
        Leases::new(kept, Box::new(journal))
    }

    #[tokio::test]
    async fn leases_survive_a_restart_and_the_file_stays_small() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("leases");
        let mut leases = open(&path);
        let (one, two) = ([2; 6].into(), [4; 6].into());
        let known = |mac| Asker {
            mac,
            enrolled: true,
        };
        leases.take(known(&one), [10, 0, 0, 1].into(), 100, T0);
        leases.take(known(&two), [10, 0, 0, 2].into(), 100, T0);
        assert!(leases.release(&two, [10, 0, 0, 2].into()));
        for _ in 0..3000 {
            leases.take(known(&one), [10, 0, 0, 1].into(), 200, T0);
        }
        leases.settled().wait().await;
        drop(leases);
        assert!(fs::read_to_string(&path).unwrap().lines().count() < 1100);
        fs::write(
            &path,
            format!("nonsense\n{}", fs::read_to_string(&path).unwrap()),
        )
        .unwrap();
        let leases = open(&path);
        assert_eq!(
            leases.of(&one, T0.plus_seconds(150)),
            Some([10, 0, 0, 1].into())
        );
        assert_eq!(leases.of(&two, T0), None);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn a_disk_that_does_not_answer_delays_answers_for_a_moment_only() {
        let (changes, received) = sync_channel(2);
        let (done, written) = watch::channel(0);
        let mut journal = Journal {
            changes,
            handed_over: 0,
            written,
            path: PathBuf::new(),
        };
        let lease = Lease {
            address: Ipv4Addr::new(10, 0, 0, 1),
            mac: [2; 6].into(),
            until: T0,
            used: Use::Leased,
            enrolled: true,
        };
        assert!(journal.settled().wait().await, "nothing is to be written");
        journal.keep(&lease);
        assert!(!journal.settled().wait().await);
        let waiting = tokio::spawn(journal.settled().wait());
        done.send_replace(1);
        assert!(waiting.await.unwrap());
        // A change that does not fit into the queue is lost and not waited for.
        for _ in 0..5 {
            journal.keep(&lease);
        }
        done.send_replace(2);
        assert!(journal.settled().wait().await);
        assert_eq!(received.try_iter().count(), 2);
    }
}
