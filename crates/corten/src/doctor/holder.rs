//! Which program holds a port.
//!
//! The kernel lists sockets with their inodes, and each process the inodes of its files. Processes
//! of others are only shown to root.

use std::{fs, net::IpAddr};

/// A program that listens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) name: String,
    pub(super) pid: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Tcp,
    Udp,
}

impl Transport {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        }
    }

    /// The state of a socket that waits for others, as the kernel writes it.
    fn waiting(self) -> &'static str {
        match self {
            Self::Tcp => "0A",
            Self::Udp => "07",
        }
    }
}

/// The programs that hold a port on an address, as far as they are shown.
pub(super) fn holders(transport: Transport, address: IpAddr, port: u16) -> Vec<Holder> {
    let tables = ["", "6"].map(|version| {
        let name = transport.as_str();
        fs::read_to_string(format!("/proc/net/{name}{version}")).unwrap_or_default()
    });
    let mut inodes = inodes(&tables[0], transport, port, |there| match address {
        IpAddr::V4(own) => {
            there == NOWHERE_V4 || there == hex(own.octets()) || own.is_unspecified()
        }
        IpAddr::V6(_) => false,
    });
    // A socket of IPv6 without an address may take IPv4 as well.
    inodes.extend(self::inodes(&tables[1], transport, port, |there| {
        there == NOWHERE_V6 || address.is_ipv6()
    }));
    owners(&inodes)
}

const NOWHERE_V4: &str = "00000000";
const NOWHERE_V6: &str = "00000000000000000000000000000000";

/// An address of IPv4 as the kernel writes it: in the byte order of the machine.
fn hex(octets: [u8; 4]) -> String {
    format!("{:08X}", u32::from_ne_bytes(octets))
}

fn inodes(
    table: &str,
    transport: Transport,
    port: u16,
    is_there: impl Fn(&str) -> bool,
) -> Vec<String> {
    let rows = table.lines().skip(1).filter_map(|line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let (local, state, inode) = (cells.get(1)?, cells.get(3)?, cells.get(9)?);
        let (address, own_port) = local.split_once(':')?;
        let is_port = u16::from_str_radix(own_port, 16) == Ok(port);
        let is_waiting = *state == transport.waiting();
        (is_port && is_waiting && is_there(address)).then(|| (*inode).to_owned())
    });
    rows.filter(|inode| inode != "0").collect()
}

fn owners(inodes: &[String]) -> Vec<Holder> {
    let wanted: Vec<String> = inodes
        .iter()
        .map(|inode| format!("socket:[{inode}]"))
        .collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let processes = fs::read_dir("/proc").into_iter().flatten();
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    pids.filter(|pid| {
        let files = fs::read_dir(format!("/proc/{pid}/fd"))
            .into_iter()
            .flatten();
        files
            .filter_map(|file| fs::read_link(file.ok()?.path()).ok())
            .any(|link| {
                wanted
                    .iter()
                    .any(|wanted| link.as_os_str() == wanted.as_str())
            })
    })
    .map(|pid| Holder {
        name: fs::read_to_string(format!("/proc/{pid}/comm"))
            .map(|name| name.trim().to_owned())
            .unwrap_or_default(),
        pid,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{Ipv4Addr, TcpListener, UdpSocket};

    #[test]
    fn this_program_is_found_by_the_ports_it_holds() {
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let udp = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let own = std::process::id();
        let at = Ipv4Addr::LOCALHOST.into();
        for (transport, port) in [
            (Transport::Tcp, tcp.local_addr().unwrap().port()),
            (Transport::Udp, udp.local_addr().unwrap().port()),
        ] {
            let found = holders(transport, at, port);
            assert!(found.iter().any(|holder| holder.pid == own), "{found:?}");
        }
    }
}
