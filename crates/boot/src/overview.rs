//! What the boot services serve, for people: where they listen, networks, leases, published nodes.
//!
//! Addresses of files are shown without passwords and without queries, and nothing of what the files
//! say: scripts hold tokens.

use crate::{
    Boot, dhcp4, dhcp6,
    lease::{Address, Lease, Leases, Range, Use},
    node::{Artifact, NodeBoot, Start},
    service::Running,
    settings::Settings,
};
use std::{
    net::{IpAddr, SocketAddr},
    sync::PoisonError,
};
use types::{
    Timestamp, mask,
    rpc::holdings::{BootLease, BootNetwork, BootReport, BootService, BootWish, PublishedNode},
};

/// What was started.
#[derive(Debug, Default)]
pub(crate) struct Started {
    services: Vec<BootService>,
    v4: Ranges<std::net::Ipv4Addr>,
    v6: Ranges<std::net::Ipv6Addr>,
}

impl Started {
    pub(crate) fn of(boot: &Boot, settings: &Settings, running: &Running) -> Self {
        let files = boot.files();
        let mut started = Self::default();
        let mut add = |name: &str, at: &[SocketAddr], detail: String| {
            if !at.is_empty() {
                started.services.push(BootService {
                    name: name.to_owned(),
                    addresses: at.iter().map(ToString::to_string).collect(),
                    detail,
                });
            }
        };
        let role = settings.dhcp4.as_ref().map(|dhcp| match dhcp.role {
            dhcp4::Role::Server => "gives addresses and boot files",
            dhcp4::Role::Proxy => "gives boot files beside another DHCP server",
        });
        add("dhcp4", &running.dhcp4, role.unwrap_or_default().to_owned());
        add(
            "dhcp6",
            &running.dhcp6,
            "gives addresses and boot files".to_owned(),
        );
        let from = |root: &std::path::Path| format!("serves {}", root.display());
        add("tftp", &running.tftp, from(&files.tftp_root));
        add("http", &running.http, from(&files.http_root));
        let v4 = settings.dhcp4.iter().flat_map(|dhcp| &dhcp.subnets);
        started.v4 = v4.flat_map(network4).collect();
        let v6 = settings.dhcp6.iter().flat_map(|dhcp| &dhcp.subnets);
        started.v6 = v6.flat_map(network6).collect();
        started
    }
}

type Ranges<A> = Vec<(BootNetwork, Option<Range<A>>)>;

fn network4(net: &dhcp4::Subnet) -> Ranges<std::net::Ipv4Addr> {
    let cidr = format!("{}/{}", net.network, net.prefix);
    rows(&net.ranges, |range| {
        network(&cidr, net.interface.as_ref(), range, net.lease_seconds)
    })
}

fn network6(net: &dhcp6::Subnet) -> Ranges<std::net::Ipv6Addr> {
    let cidr = format!("{}/{}", net.network, net.prefix);
    rows(&net.ranges, |range| {
        network(&cidr, net.interface.as_ref(), range, net.lease_seconds)
    })
}

/// A row for each range of a network, and one for a network without any.
fn rows<A: Address>(
    ranges: &[Range<A>],
    row: impl Fn(Option<Range<A>>) -> BootNetwork,
) -> Ranges<A> {
    if ranges.is_empty() {
        return vec![(row(None), None)];
    }
    let ranges = ranges.iter().copied().map(Some);
    ranges.map(|range| (row(range), range)).collect()
}

fn network<A: Address>(
    network: &str,
    interface: Option<&String>,
    range: Option<Range<A>>,
    lease_seconds: u32,
) -> BootNetwork {
    BootNetwork {
        network: network.to_owned(),
        interface: interface.cloned(),
        range: range.map(|range| (range.first.to_string(), range.last.to_string())),
        size: range.map_or(0, |range| range.size()),
        used: 0,
        lease_seconds,
    }
}

impl Boot {
    /// What is served now; leases and published nodes as far as they are wanted.
    pub fn overview(&self, wish: &BootWish) -> BootReport {
        let now = Timestamp::now();
        let mut report = BootReport::default();
        let nothing = Started::default();
        let started = self.started().unwrap_or(&nothing);
        report.services.clone_from(&started.services);
        let mut leases = Vec::new();
        let (v4, v6) = self.leases_of_servers();
        if let Some(server) = v4 {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            add(&mut report, &started.v4, server.leases(), now);
            leases.extend(self.current(server.leases(), now));
        } else {
            report
                .networks
                .extend(started.v4.iter().map(|(network, _)| network.clone()));
        }
        if let Some(server) = v6 {
            let server = server.lock().unwrap_or_else(PoisonError::into_inner);
            add(&mut report, &started.v6, server.leases(), now);
            leases.extend(self.current(server.leases(), now));
        }
        leases.retain(|(_, lease)| fits(wish, &lease_words(lease)));
        leases.sort_by_key(|(address, _)| *address);
        report.leases_total = count(leases.len());
        report.leases = window(wish, leases.into_iter().map(|(_, lease)| lease));
        let mut published: Vec<PublishedNode> = self
            .roster()
            .nodes()
            .into_iter()
            .filter_map(|node| self.roster().by_node(node))
            .map(|boot| shown(&boot))
            .filter(|node| fits(wish, &node_words(node)))
            .collect();
        published.sort_by_key(|node| node.node);
        report.published_total = count(published.len());
        report.published = window(wish, published.into_iter());
        report
    }

    /// Leases that run, or that are left alone.
    fn current<A: Address + Into<IpAddr>>(
        &self,
        leases: &Leases<A>,
        now: Timestamp,
    ) -> Vec<(IpAddr, BootLease)> {
        let running = leases.all().filter(|lease| lease.until > now);
        let shown = running.map(|lease| {
            let node = self.roster().by_mac(&lease.mac).map(|boot| boot.node);
            let shown = BootLease {
                address: lease.address.to_string(),
                mac: lease.mac,
                node,
                until: lease.until,
                used: used(lease).to_owned(),
            };
            (lease.address.into(), shown)
        });
        shown.collect()
    }
}

fn used<A>(lease: &Lease<A>) -> &'static str {
    match lease.used {
        Use::Offered => "offered",
        Use::Leased => "leased",
        Use::Declined => "declined",
    }
}

/// Networks with the number of addresses that are in use.
fn add<A: Address>(
    report: &mut BootReport,
    networks: &[(BootNetwork, Option<Range<A>>)],
    leases: &Leases<A>,
    now: Timestamp,
) {
    for (network, range) in networks {
        let running = leases.all().filter(|lease| lease.until > now);
        let within = |lease: &&Lease<A>| range.is_some_and(|range| range.contains(lease.address));
        report.networks.push(BootNetwork {
            used: count(running.filter(within).count()),
            ..network.clone()
        });
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

fn window<T>(wish: &BootWish, all: impl Iterator<Item = T>) -> Vec<T> {
    let number = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    all.skip(number(wish.offset))
        .take(number(wish.limit))
        .collect()
}

fn fits(wish: &BootWish, words: &[String]) -> bool {
    let Some(text) = &wish.text else {
        return true;
    };
    let text = text.to_lowercase();
    words.iter().any(|word| word.to_lowercase().contains(&text))
}

fn lease_words(lease: &BootLease) -> Vec<String> {
    let node = lease.node.map(|node| node.to_string());
    let words = [
        lease.address.clone(),
        lease.mac.to_string(),
        lease.used.clone(),
    ];
    words.into_iter().chain(node).collect()
}

fn node_words(node: &PublishedNode) -> Vec<String> {
    let macs = node.macs.iter().map(ToString::to_string);
    let words = [node.node.to_string(), node.way.clone(), node.starts.clone()];
    words.into_iter().chain(macs).collect()
}

fn shown(boot: &NodeBoot) -> PublishedNode {
    let starts = match &boot.start {
        Start::Agent { .. } => "the agent's ramdisk",
        Start::Rescue { .. } => "the rescue ramdisk",
        Start::Ramdisk { .. } => "the instance's ramdisk",
        Start::Root { .. } => "the instance's kernel, root on its disk",
        Start::Iso(_) => "the instance's disc",
        Start::Anaconda { .. } => "Anaconda",
        Start::Disk { .. } => "its disk",
        Start::Volume(_) => "its volume",
    };
    let files = boot.artifacts().into_iter().map(|(name, artifact)| {
        let from = match artifact {
            Artifact::File(path) => path.display().to_string(),
            Artifact::Url(url) => {
                let plain = url.split(['?', '#']).next().unwrap_or_default();
                mask::address(plain).into_owned()
            }
        };
        (name.to_owned(), from)
    });
    PublishedNode {
        node: boot.node,
        macs: boot.ports.iter().map(|port| port.mac).collect(),
        way: boot.way.name().to_owned(),
        mode: boot.mode.name().to_owned(),
        starts: starts.to_owned(),
        files: files.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lease::{Asker, Forgetful},
        node::{BootMethod, BootMode, BootPort},
    };
    use std::net::Ipv4Addr;
    use types::{NodeId, port::MacAddress};

    fn mac(last: u8) -> MacAddress {
        [2, 0, 0, 0, 0, last].into()
    }

    #[test]
    fn a_network_tells_how_full_it_is() {
        let now = Timestamp::now();
        let mut leases = Leases::<Ipv4Addr>::new(Vec::new(), Box::new(Forgetful));
        for (last, address) in [(1, [10, 0, 0, 11]), (2, [10, 0, 9, 9])] {
            let mac = mac(last);
            let asker = Asker {
                mac: &mac,
                enrolled: true,
            };
            leases.take(asker, address.into(), 60, now);
        }
        let mut subnet = dhcp4::Subnet::new([10, 0, 0, 0].into(), 24, [10, 0, 0, 1].into());
        subnet.ranges = vec![Range {
            first: [10, 0, 0, 10].into(),
            last: [10, 0, 0, 19].into(),
        }];
        let mut report = BootReport::default();
        add(&mut report, &network4(&subnet), &leases, now);
        let network = &report.networks[0];
        assert_eq!(network.network, "10.0.0.0/24");
        assert_eq!((network.size, network.used), (10, 1));
        let later = now.plus_seconds(61);
        let mut report = BootReport::default();
        add(&mut report, &network4(&subnet), &leases, later);
        assert_eq!(report.networks[0].used, 0);
    }

    #[test]
    fn a_published_node_shows_no_secrets() {
        let boot = NodeBoot {
            node: NodeId::generate(),
            ports: vec![BootPort::new(mac(1))],
            system_uuid: None,
            way: BootMethod::Ipxe,
            mode: BootMode::Uefi,
            cpu_arch: None,
            start: Start::Iso(Artifact::Url("http://u:pw@h/disc?sig=s3cret".to_owned())),
            append: "token=s3cret".to_owned(),
            addresses: Vec::new(),
            tells_address: false,
        };
        let shown = shown(&boot);
        let text = serde_json::to_string(&shown).unwrap();
        assert!(!text.contains("s3cret") && !text.contains("pw@"), "{text}");
        let wish = |text: &str| BootWish {
            text: Some(text.to_owned()),
            offset: 0,
            limit: 1,
        };
        assert!(fits(&wish("02:00:00:00:00:01"), &node_words(&shown)));
        assert!(fits(&wish("IPXE"), &node_words(&shown)));
        assert!(!fits(&wish("s3cret"), &node_words(&shown)));
    }
}
