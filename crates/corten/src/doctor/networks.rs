//! Interfaces, addresses and ranges: whether what the configuration says of the network of the
//! machines is so on this host.

use super::Finding;
use crate::host::{self, Interface};
use ::boot::dhcp4::{self, Subnet};
use config::Config;
use std::net::{IpAddr, Ipv4Addr};
use types::site_network::SiteNetwork;

const INTERFACES: &str = "interfaces";
const RANGES: &str = "address ranges";

/// A network that we serve, and where it stands.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) subnet: Subnet,
    place: String,
}

/// The networks of the configuration, and those of the database that this host serves.
pub(super) fn served(dhcp: &dhcp4::Settings, plans: &[SiteNetwork]) -> Vec<Served> {
    let configured = dhcp.subnets.iter().map(|subnet| Served {
        subnet: subnet.clone(),
        place: "[corten]dhcp_networks".to_owned(),
    });
    let added = plans.iter().filter_map(|network| {
        let subnet = dhcp4::Subnet::of_plan(&network.plan, dhcp.own)?;
        Some(Served {
            subnet,
            place: format!("the network {} (corten network set)", network.name),
        })
    });
    configured.chain(added).collect()
}

pub(super) fn check(config: &Config, subnets: &[Served]) -> Vec<Finding> {
    let interfaces = host::interfaces();
    let mut findings = Vec::new();
    if config.default.my_ip.is_set() {
        findings.push(own_address(*config.default.my_ip, &interfaces));
    }
    findings.extend(of(subnets, &interfaces));
    findings
}

fn of(subnets: &[Served], interfaces: &[Interface]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for served in subnets {
        if let Some(name) = &served.subnet.interface {
            findings.push(interface(name, served, interfaces));
        }
        findings.push(range(served));
    }
    for (index, one) in subnets.iter().enumerate() {
        let others = subnets.iter().skip(index + 1);
        for other in others.filter(|other| overlap(&one.subnet, &other.subnet)) {
            findings.push(Finding::broken(
                RANGES,
                format!(
                    "{} and {} overlap",
                    shown(&one.subnet),
                    shown(&other.subnet)
                ),
                format!(
                    "leave one of them out, or correct its prefix, in {} or in {}",
                    one.place, other.place
                ),
            ));
        }
    }
    findings
}

fn own_address(address: IpAddr, interfaces: &[Interface]) -> Finding {
    let IpAddr::V4(own) = address else {
        return Finding::well(INTERFACES, format!("[DEFAULT]my_ip {address} is of IPv6"));
    };
    let holds = |it: &&Interface| it.addresses.iter().any(|at| at.address == own);
    match interfaces.iter().find(holds) {
        Some(it) => Finding::well(
            INTERFACES,
            format!("[DEFAULT]my_ip {own} is on {}", it.name),
        ),
        None if own.is_loopback() => Finding::note(
            INTERFACES,
            format!("[DEFAULT]my_ip {own} is for this host only; machines cannot reach it"),
        ),
        None => Finding::broken(
            INTERFACES,
            format!("[DEFAULT]my_ip {own} is on no interface that is up"),
            "give it to the interface behind which the machines are, or correct the option",
        ),
    }
}

fn interface(name: &str, served: &Served, interfaces: &[Interface]) -> Finding {
    let Some(found) = interfaces.iter().find(|it| it.name == name) else {
        let names: Vec<&str> = interfaces.iter().map(|it| it.name.as_str()).collect();
        return Finding::broken(
            INTERFACES,
            format!("there is no interface {name}, which {} names", served.place),
            format!("name one of: {}", names.join(", ")),
        );
    };
    let Subnet { server, prefix, .. } = &served.subnet;
    if !found.addresses.iter().any(|at| at.address == *server) {
        return Finding::broken(
            INTERFACES,
            format!("{name} does not have the address {server}, or is down"),
            format!("ip address add {server}/{prefix} dev {name} && ip link set {name} up"),
        );
    }
    match found.has_carrier {
        true => Finding::well(INTERFACES, format!("{name} is up, with {server}/{prefix}")),
        false => Finding::broken(
            INTERFACES,
            format!("{name} has no link: nothing is plugged in, or the other end is off"),
            format!("check the cable and the port of the switch; ip link show {name}"),
        ),
    }
}

fn range(served: &Served) -> Finding {
    let Served { subnet, place } = served;
    let network = shown(subnet);
    let outside = |address: &Ipv4Addr| !subnet.contains(*address);
    if let Some(router) = subnet.routers.iter().find(|router| outside(router)) {
        return Finding::broken(
            RANGES,
            format!("the gateway {router} is not in {network}"),
            format!("correct the gateway in {place}"),
        );
    }
    if subnet.ranges.is_empty() {
        return Finding::well(RANGES, format!("{network} gives fixed addresses only"));
    }
    let mut size = 0;
    for range in &subnet.ranges {
        let (first, last) = (range.first, range.last);
        let within = |address: &Ipv4Addr| (first..=last).contains(address);
        let taken = std::iter::once(&subnet.server)
            .chain(&subnet.routers)
            .chain(&subnet.dns);
        if let Some(taken) = taken.into_iter().find(|address| within(address)) {
            return Finding::broken(
                RANGES,
                format!("{first}-{last} holds {taken}, which is in use"),
                format!("correct the range in {place} so that it does not"),
            );
        }
        size += u64::from(last.to_bits().saturating_sub(first.to_bits())) + 1;
    }
    let ranges = subnet.ranges.iter();
    let ranges: Vec<String> = ranges
        .map(|range| format!("{}-{}", range.first, range.last))
        .collect();
    Finding::well(
        RANGES,
        format!("{network}: {size} addresses, {}", ranges.join(", ")),
    )
}

fn overlap(one: &Subnet, other: &Subnet) -> bool {
    one.contains(other.network) || other.contains(one.network)
}

fn shown(subnet: &Subnet) -> String {
    format!("{}/{}", subnet.network, subnet.prefix)
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};
    use crate::host::{Attached, Network4};
    use ::boot::lease::Range;
    use types::site_network::NetworkPlan;

    fn served(subnet: Subnet) -> Served {
        Served {
            subnet,
            place: "there".to_owned(),
        }
    }

    fn subnet() -> Subnet {
        let own = Ipv4Addr::new(10, 0, 0, 1);
        let mut subnet = Subnet::new(Ipv4Addr::new(10, 0, 0, 0), 24, own);
        subnet.ranges = vec![Range {
            first: Ipv4Addr::new(10, 0, 0, 100),
            last: Ipv4Addr::new(10, 0, 0, 199),
        }];
        subnet
    }

    fn eth1() -> Interface {
        Interface {
            name: "eth1".to_owned(),
            mac: None,
            has_carrier: true,
            addresses: vec![Attached {
                address: Ipv4Addr::new(10, 0, 0, 1),
                network: Network4 {
                    start: Ipv4Addr::new(10, 0, 0, 0),
                    prefix: 24,
                },
            }],
        }
    }

    #[test]
    fn an_interface_is_there_with_its_address_and_a_link() {
        let look = |all: &[Interface]| interface("eth1", &served(subnet()), all);
        assert_eq!(look(&[eth1()]).level, Level::Well);
        let mut without_link = eth1();
        without_link.has_carrier = false;
        let mut without_address = eth1();
        without_address.addresses.clear();
        for wrong in [vec![], vec![without_link], vec![without_address]] {
            let found = look(&wrong);
            assert_eq!(found.level, Level::Broken);
            assert!(found.remedy.is_some());
        }
    }

    #[test]
    fn ranges_leave_out_what_is_in_use() {
        assert_eq!(range(&served(subnet())).level, Level::Well);
        let mut with_router = subnet();
        with_router.routers = vec![Ipv4Addr::new(10, 0, 0, 150)];
        assert!(range(&served(with_router)).what.contains("10.0.0.150"));
        let mut outside = subnet();
        outside.routers = vec![Ipv4Addr::new(10, 0, 1, 1)];
        assert_eq!(range(&served(outside)).level, Level::Broken);
        let mut own = subnet();
        own.server = Ipv4Addr::new(10, 0, 0, 100);
        assert_eq!(range(&served(own)).level, Level::Broken);
    }

    #[test]
    fn networks_of_the_database_are_looked_at_like_those_of_the_file() {
        let plan: NetworkPlan = serde_json::from_value(serde_json::json!({
            "prefix": "10.0.0.0/24", "interface": "eth9", "gateway": "10.0.1.1",
        }))
        .unwrap();
        let of_v6: NetworkPlan =
            serde_json::from_value(serde_json::json!({"prefix": "fd00::/64"})).unwrap();
        let network = |name: &str, plan| SiteNetwork {
            name: name.parse().unwrap(),
            plan,
            version: 0,
            served_by: None,
            created_at: types::Timestamp::now(),
            updated_at: None,
        };
        let dhcp = dhcp4::Settings {
            subnets: vec![subnet()],
            own: Ipv4Addr::new(10, 0, 0, 1),
            ..dhcp4::Settings::default()
        };
        let all = super::served(&dhcp, &[network("rack7", plan), network("six", of_v6)]);
        assert_eq!(all.len(), 2);
        let found = of(&all, &[eth1()]);
        let told: Vec<String> = found
            .iter()
            .filter(|finding| finding.level == Level::Broken)
            .map(|finding| {
                let remedy = finding.remedy.clone().unwrap_or_default();
                format!("{} {remedy}", finding.what)
            })
            .collect();
        let has = |words: &[&str]| {
            told.iter()
                .any(|line| words.iter().all(|word| line.contains(word)))
        };
        assert!(has(&["no interface eth9", "the network rack7"]), "{told:?}");
        assert!(
            has(&["10.0.1.1 is not in", "the network rack7"]),
            "{told:?}"
        );
        assert!(has(&["overlap", "[corten]dhcp_networks"]), "{told:?}");
    }

    #[test]
    fn networks_that_overlap_are_told() {
        let wide = Subnet::new(Ipv4Addr::new(10, 0, 0, 0), 16, Ipv4Addr::new(10, 0, 0, 1));
        let apart = Subnet::new(Ipv4Addr::new(10, 9, 0, 0), 16, Ipv4Addr::new(10, 9, 0, 1));
        assert!(overlap(&subnet(), &wide));
        assert!(!overlap(&subnet(), &apart));
    }
}
