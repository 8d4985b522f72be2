//! Whether the ports of the service are free, and which process holds those that are not.

use super::{
    Finding,
    holder::{Holder, Transport, holders},
    unit::Unit,
};
use crate::settings::{self, Address};
use ::boot::Settings as BootSettings;
use config::Config;
use std::{
    io,
    net::{IpAddr, SocketAddr, TcpListener, ToSocketAddrs, UdpSocket},
};

const CHECK: &str = "ports";

/// A port that the service wants.
#[derive(Debug, Clone)]
pub(super) struct NeededPort {
    /// What it is for, and the option that says so.
    pub(super) service: &'static str,
    pub(super) option: &'static str,
    pub(super) transport: Transport,
    pub(super) address: SocketAddr,
}

/// All ports that a configuration wants on this host.
pub(super) fn wanted(config: &Config, boot: Option<&BootSettings>) -> Vec<NeededPort> {
    let mut all = Vec::new();
    if let Address::Tcp { host, port } = settings::address(config) {
        let resolved = (host.as_str(), port).to_socket_addrs();
        all.extend(resolved.into_iter().flatten().map(|address| NeededPort {
            service: "the API",
            option: "[api]host_ip and port",
            transport: Transport::Tcp,
            address,
        }));
    }
    let traps = settings::traps(config).unwrap_or_default();
    all.extend(traps.into_iter().map(|address| NeededPort {
        service: "SNMP traps",
        option: "[corten]trap_listen",
        transport: Transport::Udp,
        address,
    }));
    let Some(boot) = boot else { return all };
    let tftp = boot.tftp.iter().flat_map(|tftp| &tftp.listeners);
    all.extend(tftp.map(|address| NeededPort {
        service: "TFTP",
        option: "[corten]tftp_listen",
        transport: Transport::Udp,
        address: *address,
    }));
    let http = boot.http.iter().flat_map(|http| &http.listeners);
    all.extend(http.map(|address| NeededPort {
        service: "HTTP for machines",
        option: "[corten]http_listen",
        transport: Transport::Tcp,
        address: *address,
    }));
    if let Some(dhcp) = &boot.dhcp4 {
        let listeners = dhcp.listeners.iter().map(|listener| listener.address);
        // Several interfaces share the port.
        let first = listeners.take(1).chain(dhcp.proxy_listener);
        all.extend(first.map(|address| NeededPort {
            service: "DHCP",
            option: "[corten]dhcp",
            transport: Transport::Udp,
            address: SocketAddr::V4(address),
        }));
    }
    if let Some(dhcp) = &boot.dhcp6 {
        all.extend(dhcp.listeners.iter().take(1).map(|listener| NeededPort {
            service: "DHCPv6",
            option: "[corten]dhcp",
            transport: Transport::Udp,
            address: SocketAddr::V6(listener.address),
        }));
    }
    all
}

pub(super) fn check(
    config: &Config,
    boot: Option<&BootSettings>,
    unit: Option<&Unit>,
) -> Vec<Finding> {
    let all = wanted(config, boot);
    all.iter().map(|wanted| look(wanted, unit)).collect()
}

fn look(wanted: &NeededPort, unit: Option<&Unit>) -> Finding {
    let tried = match wanted.transport {
        Transport::Tcp => TcpListener::bind(wanted.address).map(|_| ()),
        Transport::Udp => UdpSocket::bind(wanted.address).map(|_| ()),
    };
    let NeededPort {
        service,
        option,
        transport,
        address,
    } = wanted;
    let named = format!("{} {address} for {service}", transport.as_str());
    let error = match tried {
        Ok(()) => return Finding::well(CHECK, format!("{named} is free")),
        Err(error) => error,
    };
    match error.kind() {
        io::ErrorKind::AddrInUse => held(&named, option, &holding(wanted)),
        io::ErrorKind::AddrNotAvailable => Finding::broken(
            CHECK,
            format!(
                "{named}: this host does not have the address {}",
                address.ip()
            ),
            format!("give it to an interface, or change {option}"),
        ),
        io::ErrorKind::PermissionDenied if unit.is_some() => Finding::note(
            CHECK,
            format!("{named} cannot be tried by this user, who may not have ports below 1024"),
        )
        .remedy("run this as root"),
        io::ErrorKind::PermissionDenied => Finding::broken(
            CHECK,
            format!("{named}: ports below 1024 need a right that this user does not have"),
            "serve as root, by a unit that grants CAP_NET_BIND_SERVICE, or after: \
             setcap cap_net_bind_service+ep $(command -v corten)",
        ),
        _ => Finding::broken(
            CHECK,
            format!("{named} cannot be had: {error}"),
            format!("change {option}"),
        ),
    }
}

fn holding(wanted: &NeededPort) -> Vec<Holder> {
    let ip: IpAddr = wanted.address.ip();
    holders(wanted.transport, ip, wanted.address.port())
}

fn held(named: &str, option: &str, holders: &[Holder]) -> Finding {
    let is_ours = |holder: &Holder| holder.name == "corten";
    match holders {
        [] => Finding::broken(
            CHECK,
            format!("{named} is held by another program"),
            format!("run this as root to see which; stop it, or change {option}"),
        ),
        all if all.iter().all(is_ours) => {
            Finding::well(CHECK, format!("{named} is held by Corten, which runs"))
        }
        all => {
            let shown = all
                .iter()
                .map(|it| format!("{} (process {})", it.name, it.pid));
            let shown: Vec<String> = shown.collect();
            Finding::broken(
                CHECK,
                format!("{named} is held by {}", shown.join(", ")),
                format!("stop that program, or change {option}"),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};
    use std::net::Ipv4Addr;

    fn at(address: SocketAddr) -> Finding {
        let wanted = NeededPort {
            service: "the API",
            option: "[api]port",
            transport: Transport::Tcp,
            address,
        };
        look(&wanted, None)
    }

    #[test]
    fn a_port_is_free_held_or_of_another_host() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = taken.local_addr().unwrap();
        let held = at(address);
        assert_eq!(held.level, Level::Broken);
        let own = std::process::id().to_string();
        assert!(held.what.contains(&own), "{held:?}");
        assert!(held.remedy.unwrap().contains("[api]port"));
        drop(taken);
        assert_eq!(at(address).level, Level::Well);
        let foreign = at("192.0.2.1:7000".parse().unwrap());
        assert_eq!(foreign.level, Level::Broken);
        assert!(
            foreign.what.contains("does not have the address"),
            "{foreign:?}"
        );
    }

    #[test]
    fn a_port_that_the_service_itself_holds_is_well() {
        let corten = Holder {
            name: "corten".to_owned(),
            pid: 1,
        };
        assert_eq!(
            held("tcp", "x", std::slice::from_ref(&corten)).level,
            Level::Well
        );
        assert_eq!(held("tcp", "x", &[]).level, Level::Broken);
    }
}
