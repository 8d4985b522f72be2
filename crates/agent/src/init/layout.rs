//! How the links of this machine are to be joined and addressed, where that was said.
//!
//! Switches may want a bond, a tagged VLAN or fixed addresses before they let a machine through. The
//! kernel's command line says so in the words of dracut (dracut.cmdline(7)): `bond=`, `vlan=`, `ip=`,
//! `nameserver=`. A machine that booted from virtual media finds the same in `network_data.json`
//! ([`document`]). Where neither says anything, every link asks by DHCP.

mod document;
mod words;

pub(super) use document::{LARGEST, read};

use std::net::{IpAddr, Ipv4Addr};

/// Bonds, VLANs, links with addresses, routes: more of each is a mistake.
const MOST: usize = 64;
/// The longest name that the kernel takes.
const LONGEST_NAME: usize = 15;

/// A link as people name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LinkName {
    Name(String),
    /// By its address, as the order in which the kernel finds links is no promise.
    Mac([u8; 6]),
    /// The link that the machine was booted from.
    Boot,
}

/// How a bond spreads frames over its links; the numbers are the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BondMode {
    RoundRobin = 0,
    ActiveBackup = 1,
    Xor = 2,
    Broadcast = 3,
    /// LACP (IEEE 802.1AX).
    Lacp = 4,
    TransmitLoad = 5,
    AdaptiveLoad = 6,
}

/// What a bond's frames are spread by; the numbers are the kernel's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HashPolicy {
    Layer2 = 0,
    Layer34 = 1,
    Layer23 = 2,
    Encap23 = 3,
    Encap34 = 4,
}

/// Several links that are one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Bond {
    pub(super) name: String,
    pub(super) members: Vec<LinkName>,
    pub(super) mode: BondMode,
    /// How often a bond looks whether its links have a carrier, in milliseconds.
    pub(super) miimon: u32,
    pub(super) hash: Option<HashPolicy>,
    /// Whether LACP frames are sent each second instead of each half minute.
    pub(super) is_fast: bool,
    pub(super) mtu: Option<u32>,
    pub(super) mac: Option<[u8; 6]>,
}

/// A tagged network on a link (IEEE 802.1Q).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Vlan {
    pub(super) name: String,
    pub(super) parent: LinkName,
    pub(super) id: u16,
    pub(super) mtu: Option<u32>,
    pub(super) mac: Option<[u8; 6]>,
}

/// A way to other networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Route {
    pub(super) network: (IpAddr, u8),
    pub(super) gateway: IpAddr,
}

/// What a link is addressed by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Addressing {
    pub(super) asks_dhcp4: bool,
    pub(super) asks_dhcp6: bool,
    pub(super) fixed: Vec<(IpAddr, u8)>,
    pub(super) routes: Vec<Route>,
    pub(super) mtu: Option<u32>,
}

impl Addressing {
    /// Of a link of which nothing was said.
    fn dhcp() -> Self {
        Self {
            asks_dhcp4: true,
            ..Self::default()
        }
    }
}

/// Everything that was said about the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) bonds: Vec<Bond>,
    pub(super) vlans: Vec<Vlan>,
    addressing: Vec<(LinkName, Addressing)>,
    /// Of links that are not named; DHCP if this is not said either.
    others: Option<Addressing>,
    pub(super) dns: Vec<IpAddr>,
    pub(super) host_name: Option<String>,
    /// What was not understood, for the console.
    pub(super) mistakes: Vec<String>,
}

/// A link that there is, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) name: &'a str,
    pub(super) mac: Option<[u8; 6]>,
    /// The address that the link was made with: members of a bond share one.
    pub(super) permanent: Option<[u8; 6]>,
    pub(super) is_boot: bool,
}

impl LinkName {
    pub(super) fn fits(&self, link: Seen<'_>) -> bool {
        match self {
            Self::Name(name) => name == link.name,
            Self::Mac(mac) => link.permanent.or(link.mac) == Some(*mac),
            Self::Boot => link.is_boot,
        }
    }
}

impl Layout {
    /// Whether nothing was said.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The bond that a link belongs to.
    pub(super) fn bond_of(&self, link: Seen<'_>) -> Option<&Bond> {
        let mut bonds = self.bonds.iter();
        bonds.find(|bond| bond.members.iter().any(|member| member.fits(link)))
    }

    /// The VLANs that come in on a link.
    pub(super) fn vlans_on(&self, link: Seen<'_>) -> impl Iterator<Item = &Vlan> {
        self.vlans.iter().filter(move |vlan| vlan.parent.fits(link))
    }

    /// Whether a link is one that we make.
    pub(super) fn makes(&self, name: &str) -> bool {
        let is_bond = self.bonds.iter().any(|bond| bond.name == name);
        is_bond || self.vlans.iter().any(|vlan| vlan.name == name)
    }

    /// How a link gets its addresses. A link that only carries VLANs asks as well: many switches
    /// have an untagged network for the boot beside them.
    pub(super) fn addressing(&self, link: Seen<'_>) -> Addressing {
        let mut said = self.addressing.iter();
        let said = said.find(|(name, _)| name.fits(link));
        let said = said.map(|(_, addressing)| addressing);
        said.or(self.others.as_ref())
            .cloned()
            .unwrap_or_else(Addressing::dhcp)
    }

    /// The entry of a link, made where there is none yet.
    fn entry(&mut self, link: LinkName) -> Option<&mut Addressing> {
        let at = self.addressing.iter().position(|(name, _)| *name == link);
        let at = match at {
            Some(at) => at,
            None if self.addressing.len() >= MOST => return None,
            None => {
                self.addressing.push((link, Addressing::default()));
                self.addressing.len() - 1
            }
        };
        self.addressing
            .get_mut(at)
            .map(|(_, addressing)| addressing)
    }
}

/// Whether the kernel takes this as the name of a link, and a shell or a file as one word.
fn is_link_name(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_path = matches!(text, "." | "..");
    !text.is_empty() && text.len() <= LONGEST_NAME && text.bytes().all(fits) && !is_path
}

/// The number of bits of a mask, which may be given as such.
fn prefix_of(mask: &str, address: IpAddr) -> Option<u8> {
    let most = if address.is_ipv4() { 32 } else { 128 };
    if let Ok(bits) = mask.parse::<u8>() {
        return (bits <= most).then_some(bits);
    }
    let bits = match (mask.parse::<IpAddr>().ok()?, address) {
        (IpAddr::V4(mask), IpAddr::V4(_)) => {
            let bits = mask.to_bits();
            (bits.leading_ones() == bits.count_ones()).then(|| bits.leading_ones())?
        }
        (IpAddr::V6(mask), IpAddr::V6(_)) => {
            let bits = mask.to_bits();
            (bits.leading_ones() == bits.count_ones()).then(|| bits.leading_ones())?
        }
        _ => return None,
    };
    u8::try_from(bits).ok()
}

/// An address that a machine can have.
fn is_usable(address: IpAddr) -> bool {
    let is_broadcast = address == IpAddr::V4(Ipv4Addr::BROADCAST);
    !address.is_unspecified() && !address.is_multicast() && !address.is_loopback() && !is_broadcast
}

/// The addresses of a device, with colons or dashes.
fn mac_of(text: &str) -> Option<[u8; 6]> {
    let mut parts = text.split(['-', ':']);
    let mut mac = [0; 6];
    for byte in &mut mac {
        let part = parts.next().filter(|part| part.len() == 2)?;
        *byte = u8::from_str_radix(part, 16).ok()?;
    }
    let is_whole = parts.next().is_none();
    let is_of_one = mac[0] & 1 == 0 && mac != [0; 6];
    (is_whole && is_of_one).then_some(mac)
}

impl BondMode {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "balance-rr" | "0" => Self::RoundRobin,
            "active-backup" | "1" => Self::ActiveBackup,
            "balance-xor" | "2" => Self::Xor,
            "broadcast" | "3" => Self::Broadcast,
            "802.3ad" | "4" => Self::Lacp,
            "balance-tlb" | "5" => Self::TransmitLoad,
            "balance-alb" | "6" => Self::AdaptiveLoad,
            _ => return None,
        })
    }
}

impl HashPolicy {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "layer2" | "0" => Self::Layer2,
            "layer3+4" | "1" => Self::Layer34,
            "layer2+3" | "2" => Self::Layer23,
            "encap2+3" | "3" => Self::Encap23,
            "encap3+4" | "4" => Self::Encap34,
            _ => return None,
        })
    }
}

/// As the kernel's own default of bonds that nobody watches would be never, most say 100 ms.
const MIIMON: u32 = 100;

impl Bond {
    fn new(name: String, members: Vec<LinkName>) -> Self {
        Self {
            name,
            members,
            mode: BondMode::RoundRobin,
            miimon: MIIMON,
            hash: None,
            is_fast: false,
            mtu: None,
            mac: None,
        }
    }
}
