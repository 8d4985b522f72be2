//! Which machines a dnsmasq of the operator's answers while others are inspected: the folder
//! `[pxe_filter]dhcp_hostsdir`.
//!
//! A file for each address says whether dnsmasq serves it, and one more stands for all others.
//! dnsmasq reads every file of the folder when it is written and does not see that one is removed, so
//! files are written in place, never made beside it and renamed, and never removed. What is right
//! already is left alone, judged by its content. Several writers keep apart by locks.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use crate::error::BootError;
use rustix::fs::{FlockOperation, flock};
use std::{
    collections::BTreeSet,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
    time::Duration,
};
use types::port::MacAddress;

const UNKNOWN: &str = "unknown_hosts_filter";
/// As long as another writer may hold a file.
const ATTEMPTS: u32 = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// A folder of hosts that dnsmasq reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFolder(pub PathBuf);

impl HostFolder {
    /// Has dnsmasq answer these addresses, and unknown ones; all others stay as they are.
    pub fn admit(&self, addresses: &BTreeSet<MacAddress>) -> Result<(), BootError> {
        for address in addresses {
            self.put(&address.to_string(), &address.to_string(), true)?;
        }
        self.put(UNKNOWN, "*:*:*:*:*:*", true)
    }

    /// Brings the whole folder up to date. Addresses of neither kind that were known once are
    /// treated as unknown ones.
    pub fn sync(
        &self,
        admitted: &BTreeSet<MacAddress>,
        denied: &BTreeSet<MacAddress>,
        admits_unknown: bool,
    ) -> Result<(), BootError> {
        let read = fs::read_dir(&self.0).map_err(BootError::file("read", &self.0))?;
        let found: BTreeSet<MacAddress> = read
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect();
        for address in admitted.union(denied).chain(&found) {
            let is_admitted = match (admitted.contains(address), denied.contains(address)) {
                (true, _) => true,
                (false, true) => false,
                (false, false) => admits_unknown,
            };
            self.put(&address.to_string(), &address.to_string(), is_admitted)?;
        }
        self.put(UNKNOWN, "*:*:*:*:*:*", admits_unknown)
    }

    fn put(&self, name: &str, host: &str, is_admitted: bool) -> Result<(), BootError> {
        let wanted = match is_admitted {
            true => format!("{host}\n"),
            false => format!("{host},ignore\n"),
        };
        let path = self.0.join(name);
        if fs::read_to_string(&path).is_ok_and(|found| found == wanted) {
            return Ok(());
        }
        write(&path, &wanted).map_err(BootError::file("write", &path))
    }
}

/// Writes a file in place, under a lock.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)?;
    let mut attempt = 1;
    loop {
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => break,
            Err(error) if attempt >= ATTEMPTS => return Err(error.into()),
            Err(_) => thread::sleep(PAUSE),
        }
        attempt += 1;
    }
    file.set_len(0)?;
    // In one piece: dnsmasq reads it when it is closed.
    file.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn macs(ends: &[u8]) -> BTreeSet<MacAddress> {
        let mac = |end: &u8| format!("52:54:00:00:00:{end:02x}").parse().unwrap();
        ends.iter().map(mac).collect()
    }

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn hosts(&self) -> HostFolder {
            HostFolder(self.0.path().to_owned())
        }

        fn read(&self, name: &str) -> String {
            fs::read_to_string(self.0.path().join(name)).unwrap()
        }
    }

    #[test]
    fn files_are_those_of_ironic() {
        let folder = Folder(tempfile::tempdir().unwrap());
        let hosts = folder.hosts();
        hosts.sync(&macs(&[1]), &macs(&[2]), false).unwrap();
        assert_eq!(folder.read("52:54:00:00:00:01"), "52:54:00:00:00:01\n");
        assert_eq!(
            folder.read("52:54:00:00:00:02"),
            "52:54:00:00:00:02,ignore\n"
        );
        assert_eq!(folder.read(UNKNOWN), "*:*:*:*:*:*,ignore\n");
        let count = fs::read_dir(folder.0.path()).unwrap().count();
        assert_eq!(count, 3, "nothing else that dnsmasq would read");
    }

    #[test]
    fn addresses_that_are_no_more_follow_the_unknown_ones() {
        let folder = Folder(tempfile::tempdir().unwrap());
        let hosts = folder.hosts();
        hosts.sync(&macs(&[1]), &macs(&[2]), false).unwrap();
        hosts.sync(&macs(&[]), &macs(&[2]), false).unwrap();
        assert_eq!(
            folder.read("52:54:00:00:00:01"),
            "52:54:00:00:00:01,ignore\n"
        );
        hosts.sync(&macs(&[3]), &macs(&[]), true).unwrap();
        for end in ["01", "02", "03"] {
            let name = format!("52:54:00:00:00:{end}");
            assert_eq!(folder.read(&name), format!("{name}\n"));
        }
        assert_eq!(folder.read(UNKNOWN), "*:*:*:*:*:*\n");
    }

    #[test]
    fn what_is_right_is_not_written_and_what_only_has_the_right_size_is() {
        let folder = Folder(tempfile::tempdir().unwrap());
        let hosts = folder.hosts();
        hosts.admit(&macs(&[1])).unwrap();
        let path = folder.0.path().join("52:54:00:00:00:01");
        let before = fs::metadata(&path).unwrap().modified().unwrap();
        hosts.sync(&macs(&[1]), &macs(&[]), true).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), before);
        fs::write(&path, "52:54:00:00:00:0f\n").unwrap();
        hosts.sync(&macs(&[1]), &macs(&[]), true).unwrap();
        assert_eq!(folder.read("52:54:00:00:00:01"), "52:54:00:00:00:01\n");
    }

    #[test]
    fn a_folder_that_is_gone_is_an_error() {
        let gone = HostFolder("/nonexistent/hosts".into());
        assert!(gone.sync(&macs(&[1]), &macs(&[]), true).is_err());
    }
}
