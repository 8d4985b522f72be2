//! The layout as words of the kernel's command line, in the grammar of dracut.cmdline(7).
//!
//! Links may also be named by their address, with dashes, and the one that was booted from by `boot`:
//! without udev, names say little.

use super::{
    Addressing, Bond, BondMode, HashPolicy, LONGEST_NAME, Layout, LinkName, MOST, Route, Vlan,
    is_link_name, is_usable, mac_of, prefix_of,
};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The smallest size of packets that IPv4 asks for, and the largest that the kernel takes.
const MTU: std::ops::RangeInclusive<u32> = 68..=65_535;

impl Layout {
    /// What the words of a command line say. What is not understood is told, and left out.
    pub(in crate::init) fn of_words<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut layout = Self::default();
        for word in words {
            let Some((name, value)) = word.split_once('=') else {
                continue;
            };
            let taken = match name {
                "bond" => layout.bond(value),
                "vlan" => layout.vlan(value),
                "ip" => layout.ip(value),
                "nameserver" => layout.name_server(value),
                "rd.route" => layout.route(value),
                _ => continue,
            };
            if taken.is_none() && layout.mistakes.len() < MOST {
                layout.mistakes.push(word.to_owned());
            }
        }
        layout
    }

    /// `bond=NAME[:MEMBER,…[:OPTION=VALUE,…[:MTU]]]`
    fn bond(&mut self, value: &str) -> Option<()> {
        let mut fields = fields(value).into_iter();
        let name = fields.next().filter(|name| is_link_name(name))?;
        let members = fields.next().unwrap_or("eth0,eth1");
        let members: Option<Vec<LinkName>> = members.split(',').map(link_name).collect();
        let members = members.filter(|members| members.len() <= MOST)?;
        let mut bond = Bond::new(name.to_owned(), members);
        // Options may be separated by semicolons too, where a value holds commas.
        let options = fields.next().unwrap_or("mode=balance-rr");
        for option in options
            .split([',', ';'])
            .filter(|option| !option.is_empty())
        {
            let (key, value) = option.split_once('=')?;
            match key {
                "mode" => bond.mode = BondMode::parse(value)?,
                "miimon" => bond.miimon = value.parse().ok()?,
                "xmit_hash_policy" => bond.hash = Some(HashPolicy::parse(value)?),
                "lacp_rate" => bond.is_fast = matches!(value, "fast" | "1"),
                _ => return None,
            }
        }
        bond.mtu = mtu(fields.next())?;
        let is_new = self.bonds.len() < MOST && !self.makes(name);
        (is_new && fields.next().is_none()).then(|| self.bonds.push(bond))
    }

    /// `vlan=NAME:PARENT`, where the number is at the end of the name.
    fn vlan(&mut self, value: &str) -> Option<()> {
        let (name, parent) = value.split_once(':')?;
        let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        let id = name.get(name.len() - digits..)?.parse::<u16>().ok()?;
        // IEEE 802.1Q, §9.6: 0 and 4095 are reserved.
        let is_vlan = (1..=4094).contains(&id) && is_link_name(name);
        let vlan = Vlan {
            name: name.to_owned(),
            parent: link_name(parent)?,
            id,
            mtu: None,
            mac: None,
        };
        let is_new = self.vlans.len() < MOST && !self.makes(name);
        (is_vlan && is_new).then(|| self.vlans.push(vlan))
    }

    /// `ip=WAY`, `ip=LINK:WAY[:MTU]`, or
    /// `ip=ADDRESS:[PEER]:[GATEWAY]:MASK:[HOST]:LINK:WAY[:MTU|:DNS[:DNS]]`
    fn ip(&mut self, value: &str) -> Option<()> {
        let fields = fields(value);
        match fields.as_slice() {
            [way] => {
                self.others = Some(addressing(way)?);
                Some(())
            }
            [link, way, rest @ ..] if rest.len() <= 2 => {
                let mut said = addressing(way)?;
                said.mtu = mtu(rest.first().copied())?;
                let entry = self.entry(link_name(link)?)?;
                entry.asks_dhcp4 |= said.asks_dhcp4;
                entry.asks_dhcp6 |= said.asks_dhcp6;
                entry.mtu = said.mtu.or(entry.mtu);
                Some(())
            }
            [address, _peer, gateway, mask, host, link, way, rest @ ..] if rest.len() <= 3 => {
                addressing(way)?;
                let address = address
                    .parse::<IpAddr>()
                    .ok()
                    .filter(|one| is_usable(*one))?;
                let prefix = prefix_of(mask, address)?;
                let gateway = match *gateway {
                    "" => None,
                    gateway => Some(gateway.parse::<IpAddr>().ok()?),
                };
                let gateway = gateway.filter(|gateway| !gateway.is_unspecified());
                if gateway.is_some_and(|gateway| gateway.is_ipv4() != address.is_ipv4()) {
                    return None;
                }
                // An address there is a name server, a number the MTU.
                let is_dns = rest.first().is_some_and(|first| first.contains(['.', ':']));
                let (mtu, dns) = match is_dns {
                    true => (None, rest),
                    false => (mtu(rest.first().copied())?, rest.get(1..).unwrap_or(&[])),
                };
                for server in dns.iter().filter(|server| !server.is_empty()) {
                    self.name_server(server)?;
                }
                if is_host_name(host) {
                    self.host_name = Some((*host).to_owned());
                }
                let entry = self.entry(link_name(link)?)?;
                entry.mtu = mtu.or(entry.mtu);
                entry.fixed.push((address, prefix));
                entry.routes.extend(gateway.map(default_route));
                (entry.fixed.len() <= MOST).then_some(())
            }
            _ => None,
        }
    }

    fn name_server(&mut self, value: &str) -> Option<()> {
        let [address] = fields(value)[..] else {
            return None;
        };
        let address = address.parse::<IpAddr>().ok()?;
        (self.dns.len() < MOST).then(|| self.dns.push(address))
    }

    /// `rd.route=NETWORK/BITS:GATEWAY:LINK`
    fn route(&mut self, value: &str) -> Option<()> {
        let [network, gateway, link] = fields(value)[..] else {
            return None;
        };
        let (address, bits) = network.split_once('/')?;
        let address = address.trim_matches(['[', ']']).parse::<IpAddr>().ok()?;
        let gateway = gateway.parse::<IpAddr>().ok()?;
        let route = Route {
            network: (address, prefix_of(bits, address)?),
            gateway,
        };
        if gateway.is_ipv4() != address.is_ipv4() {
            return None;
        }
        let entry = self.entry(link_name(link)?)?;
        (entry.routes.len() < MOST).then(|| entry.routes.push(route))
    }
}

/// The route to everywhere.
pub(super) fn default_route(gateway: IpAddr) -> Route {
    let everywhere = match gateway {
        IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
        IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
    };
    Route {
        network: (everywhere, 0),
        gateway,
    }
}

/// Fields between colons; addresses of IPv6 stand in brackets.
fn fields(value: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = value;
    loop {
        let is_address = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (field, after) = match is_address {
            Some((address, after)) if !after.starts_with('/') => (address, after),
            _ => rest.split_at(end_of_field(rest)),
        };
        all.push(field);
        match after.strip_prefix(':') {
            Some(next) => rest = next,
            None => return all,
        }
    }
}

/// Where a field ends that does not begin with an address in brackets, or has one with a mask.
fn end_of_field(text: &str) -> usize {
    let begins = text
        .find(']')
        .filter(|_| text.starts_with('['))
        .unwrap_or(0);
    let rest = text.get(begins..).unwrap_or_default();
    begins + rest.find(':').unwrap_or(rest.len())
}

/// A name of a VLAN is longer than that of other links in some guides; the kernel decides.
fn link_name(text: &str) -> Option<LinkName> {
    if text == "boot" {
        return Some(LinkName::Boot);
    }
    if text.len() > LONGEST_NAME {
        return mac_of(text).map(LinkName::Mac);
    }
    is_link_name(text).then(|| LinkName::Name(text.to_owned()))
}

fn addressing(way: &str) -> Option<Addressing> {
    let mut said = Addressing::default();
    match way {
        "dhcp" | "on" | "any" | "dhcp4" | "single-dhcp" => said.asks_dhcp4 = true,
        "dhcp6" => said.asks_dhcp6 = true,
        // Addresses from routers need nothing of us.
        "off" | "none" | "auto6" | "link6" => {}
        _ => return None,
    }
    Some(said)
}

/// Nothing where none is given; no value at all where it is none.
#[expect(clippy::option_option, reason = "absent is not wrong")]
fn mtu(field: Option<&str>) -> Option<Option<u32>> {
    match field.unwrap_or_default() {
        "" => Some(None),
        text => text.parse().ok().filter(|mtu| MTU.contains(mtu)).map(Some),
    }
}

fn is_host_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    !text.is_empty() && text.len() <= 253 && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::init::layout::Seen;

    fn layout(line: &str) -> Layout {
        Layout::of_words(line.split_whitespace())
    }

    fn seen(name: &str) -> Seen<'_> {
        Seen {
            name,
            mac: Some([2, 0, 0, 0, 0, 9]),
            permanent: None,
            is_boot: false,
        }
    }

    fn name(text: &str) -> LinkName {
        LinkName::Name(text.into())
    }

    #[test]
    fn a_bond_with_a_vlan_that_has_a_fixed_address() {
        let said = layout(
            "quiet bond=bond0:eth0,52-54-00-aa-bb-cc:mode=802.3ad,miimon=50,lacp_rate=fast,\
             xmit_hash_policy=layer3+4:9000 vlan=bond0.105:bond0 \
             ip=10.5.0.9::10.5.0.1:255.255.255.0:web-1:bond0.105:none:1400 nameserver=10.5.0.2",
        );
        assert!(said.mistakes.is_empty(), "{:?}", said.mistakes);
        let [bond] = &said.bonds[..] else {
            panic!("{:?}", said.bonds);
        };
        assert_eq!((bond.mode, bond.miimon), (BondMode::Lacp, 50));
        assert_eq!((bond.hash, bond.is_fast), (Some(HashPolicy::Layer34), true));
        assert_eq!(bond.mtu, Some(9000));
        let mac = [0x52, 0x54, 0, 0xaa, 0xbb, 0xcc];
        assert_eq!(bond.members, [name("eth0"), LinkName::Mac(mac)]);
        let member = Seen {
            mac: Some([2; 6]),
            permanent: Some(mac),
            ..seen("eth7")
        };
        assert_eq!(said.bond_of(member).unwrap().name, "bond0");
        assert!(said.bond_of(seen("eth1")).is_none());
        assert_eq!(said.vlans_on(seen("bond0")).next().unwrap().id, 105);
        let fixed = said.addressing(seen("bond0.105"));
        assert_eq!(fixed.fixed, [("10.5.0.9".parse().unwrap(), 24)]);
        assert_eq!(fixed.mtu, Some(1400));
        assert_eq!(fixed.routes, [default_route("10.5.0.1".parse().unwrap())]);
        assert!(!fixed.asks_dhcp4);
        assert!(said.addressing(seen("eth3")).asks_dhcp4);
        assert_eq!(said.host_name.as_deref(), Some("web-1"));
        assert_eq!(said.dns.len(), 1);
        assert!(said.makes("bond0.105") && said.makes("bond0") && !said.makes("eth0"));
    }

    #[test]
    fn nothing_said_is_dhcp_everywhere() {
        let said = layout("quiet ipa-api-url=http://10.0.0.1:6385 BOOTIF=01-52-54-00-aa-bb-0c");
        assert!(said.is_empty());
        assert_eq!(said.addressing(seen("eth0")), Addressing::dhcp());
        let off = layout("ip=off ip=eth1:dhcp6:1400 ip=boot:dhcp");
        assert_eq!(off.addressing(seen("eth0")), Addressing::default());
        assert!(off.addressing(seen("eth1")).asks_dhcp6);
        let boot = Seen {
            is_boot: true,
            ..seen("eth5")
        };
        assert!(off.addressing(boot).asks_dhcp4);
    }

    #[test]
    fn addresses_of_both_kinds_on_one_link() {
        let said = layout(
            "ip=10.0.0.5:::24::eth0:none ip=[2001:db8::5]::[2001:db8::1]:64::eth0:none \
             rd.route=[2001:db8:7::]/48:[2001:db8::2]:eth0 rd.route=10.9.0.0/16:10.0.0.3:eth0",
        );
        assert!(said.mistakes.is_empty(), "{:?}", said.mistakes);
        let eth0 = said.addressing(seen("eth0"));
        assert_eq!(eth0.fixed[0], ("10.0.0.5".parse().unwrap(), 24));
        assert_eq!(eth0.fixed[1], ("2001:db8::5".parse().unwrap(), 64));
        let networks: Vec<_> = eth0.routes.iter().map(|route| route.network.1).collect();
        assert_eq!(networks, [0, 48, 16]);
    }

    #[test]
    fn what_is_not_understood_is_told_and_changes_nothing() {
        for wrong in [
            "bond=",
            "bond=../x:eth0",
            "bond=bond0:eth0:mode=magic",
            "bond=bond0:eth0:wonder=1",
            "bond=bond0:eth0::12",
            "bond=bond0:eth0::9000:x",
            "bond=averylongnameofabond:eth0",
            "vlan=bond0.0:bond0",
            "vlan=v4095:eth0",
            "vlan=vlan:eth0",
            "vlan=eth0.5",
            "ip=eth0:wish",
            "ip=eth0:dhcp:12",
            "ip=1.2.3:::24::eth0:none",
            "ip=224.0.0.1:::24::eth0:none",
            "ip=10.0.0.1:::255.0.255.0::eth0:none",
            "ip=10.0.0.1::[2001:db8::1]:24::eth0:none",
            "ip=a:b:c:d:e:f:g:h:i:j:k:l",
            "nameserver=me",
            "rd.route=10.0.0.0:1.1.1.1:eth0",
        ] {
            let said = layout(wrong);
            assert_eq!(said.mistakes, [wrong], "{wrong}");
            assert!(said.bonds.is_empty() && said.vlans.is_empty(), "{wrong}");
            assert_eq!(said.addressing(seen("eth0")), Addressing::dhcp(), "{wrong}");
        }
        assert_eq!(layout("vlan=v5:eth0 vlan=v5:eth1").mistakes.len(), 1);
    }
}
