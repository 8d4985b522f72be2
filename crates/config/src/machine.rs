//! What the machine says about itself, where Ironic takes defaults from it.
//!
//! Nothing leaves the machine for this: a UDP socket that is only connected tells which address
//! would be used, and names are read from files rather than asked of a name server, so a start
//! does not hang when the network does.

use std::{
    env, fs,
    net::{IpAddr, Ipv4Addr, UdpSocket},
    path::PathBuf,
};

/// Facts for the defaults of options that are not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Machine {
    /// The full host name, for `[DEFAULT] host`.
    pub host: String,
    /// The address other machines reach this one at, for `[DEFAULT] my_ip`.
    pub address: IpAddr,
    /// The folder for short-lived files, for `[DEFAULT] tempdir`.
    pub temp_dir: PathBuf,
}

impl Default for Machine {
    /// A machine nothing is known about; for tests, and when detection finds nothing.
    fn default() -> Self {
        Self {
            host: "localhost".to_owned(),
            address: Ipv4Addr::LOCALHOST.into(),
            temp_dir: "/tmp".into(),
        }
    }
}

impl Machine {
    pub fn detect() -> Self {
        let unknown = Self::default();
        Self {
            host: host_name().unwrap_or(unknown.host),
            address: outgoing_address().unwrap_or(unknown.address),
            temp_dir: env::temp_dir(),
        }
    }
}

fn host_name() -> Option<String> {
    let name = ["/proc/sys/kernel/hostname", "/etc/hostname"]
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok())
        .map(|text| text.trim().to_owned())
        .find(|name| !name.is_empty())?;
    let hosts = fs::read_to_string("/etc/hosts").unwrap_or_default();
    Some(full_name(&name, &hosts).unwrap_or(name))
}

/// The name with a domain that the table of hosts gives to `name`.
fn full_name(name: &str, hosts: &str) -> Option<String> {
    if name.contains('.') {
        return None;
    }
    hosts.lines().find_map(|line| {
        let entry = line.split('#').next().unwrap_or_default();
        let names: Vec<_> = entry.split_whitespace().skip(1).collect();
        let full = names
            .iter()
            .find(|n| n.split_once('.').is_some_and(|(host, _)| host == name));
        full.filter(|_| names.contains(&name))
            .map(|full| (*full).to_owned())
    })
}

/// The address packets to the outside would bear. The peer is from a block reserved for
/// documentation (RFC 5737); nothing is sent to it.
fn outgoing_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    socket
        .local_addr()
        .ok()
        .map(|address| address.ip())
        .filter(|ip| !ip.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_hosts_completes_a_name() {
        let hosts = "127.0.0.1 localhost\n# 10.0.0.1 c1.old c1\n127.0.1.1 c1.example.org c1\n";
        assert_eq!(full_name("c1", hosts), Some("c1.example.org".to_owned()));
        assert_eq!(full_name("c2", hosts), None);
        assert_eq!(full_name("c1.example.net", hosts), None);
        assert_eq!(full_name("localhost", "127.0.0.1 localhost"), None);
    }

    #[test]
    fn every_machine_has_a_name() {
        assert!(!Machine::detect().host.is_empty());
    }
}
