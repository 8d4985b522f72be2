//! A file of names and addresses in the form of `/etc/hosts`, for dnsmasq (`addn-hosts`), CoreDNS
//! (`hosts`) and the like.

use crate::{error::BootError, place};
use std::{fmt::Write, net::IpAddr, path::Path};

/// An address, and the names of the machine that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostLine {
    pub address: IpAddr,
    pub name: String,
    pub domain: Option<String>,
}

/// Replaces the file as a whole: who reads it sees the old or the new one.
pub fn write(path: &Path, lines: &[HostLine]) -> Result<(), BootError> {
    place::write(path, text(lines).as_bytes(), 0o644)
}

fn text(lines: &[HostLine]) -> String {
    let mut text =
        "# Written by corten: machines that have an address of its DHCP server.\n".to_owned();
    for HostLine {
        address,
        name,
        domain,
    } in lines
    {
        let written = match domain {
            Some(domain) => writeln!(text, "{address} {name}.{domain} {name}"),
            None => writeln!(text, "{address} {name}"),
        };
        // A string takes everything.
        let _ = written;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hosts");
        let line = |domain: Option<&str>| HostLine {
            address: [10, 0, 0, 7].into(),
            name: "node1".to_owned(),
            domain: domain.map(str::to_owned),
        };
        write(&path, &[line(Some("example.org")), line(None)]).unwrap();
        let read = || std::fs::read_to_string(&path).unwrap();
        assert!(read().ends_with("\n10.0.0.7 node1.example.org node1\n10.0.0.7 node1\n"));
        write(&path, &[]).unwrap();
        assert_eq!(read().lines().count(), 1);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
