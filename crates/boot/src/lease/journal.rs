//! Leases in a file: a line for each change, the last one for an address counts.
//!
//! Appending is quick and cannot damage what is there; once most lines are of the past, the file is
//! written anew. The lines are those of dnsmasq's lease file (expiry, MAC address, address), so
//! that the tools for those can read them; a lease that ended has the expiry 0.
//!
//! A disk that cannot be written costs only the memory of leases: machines that come back after a
//! restart ask for their address, and get it.

use super::{Address, Keeper, Lease, Use};
use crate::{error::BootError, place};
use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
};
use types::time::Timestamp;

/// The file.
#[derive(Debug)]
pub struct Journal<A> {
    path: PathBuf,
    file: File,
    lines: usize,
    current: HashMap<A, Lease<A>>,
}

/// As many outdated lines are tolerated.
const SLACK: usize = 1000;

impl<A: Address> Journal<A> {
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
        Ok((
            Self {
                path: path.to_owned(),
                file,
                lines: current.len(),
                current,
            },
            leases,
        ))
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

impl<A: Address> Keeper<A> for Journal<A> {
    fn keep(&mut self, lease: &Lease<A>) {
        self.current.insert(lease.address, lease.clone());
        self.add(&line(lease));
    }

    fn forget(&mut self, address: A) {
        if let Some(lease) = self.current.remove(&address) {
            self.add(&line(&Lease {
                until: Timestamp(0),
                ..lease
            }));
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "one line of a file of our own, opened anew when that has grown"
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

    #[test]
    fn leases_survive_a_restart_and_the_file_stays_small() {
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
}
