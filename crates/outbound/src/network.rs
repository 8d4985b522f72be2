//! Networks, by number or by word.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// Addresses that begin alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    bits: u8,
}

/// A text that is no network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is neither an address nor a network that starts with the address before its slash")]
pub struct NotANetwork(String);

/// A text that is no network and no word for one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}, nor one of loopback, link-local, multicast, unspecified and metadata")]
pub struct UnknownNetwork(#[from] NotANetwork);

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u8) -> Network {
    Network {
        base: IpAddr::V4(Ipv4Addr::new(a, b, c, d)),
        bits,
    }
}

const fn v6(first: u16, second: u16, last: u16, bits: u8) -> Network {
    Network {
        base: IpAddr::V6(Ipv6Addr::new(first, second, 0, 0, 0, 0, 0, last)),
        bits,
    }
}

const LOOPBACK: &[Network] = &[v4(127, 0, 0, 0, 8), v6(0, 0, 1, 128)];
const LINK_LOCAL: &[Network] = &[v4(169, 254, 0, 0, 16), v6(0xfe80, 0, 0, 10)];
const MULTICAST: &[Network] = &[v4(224, 0, 0, 0, 4), v6(0xff00, 0, 0, 8)];
const UNSPECIFIED: &[Network] = &[
    v4(0, 0, 0, 0, 8),
    v4(255, 255, 255, 255, 32),
    v6(0, 0, 0, 128),
];
/// Where clouds tell their machines what to do and who they are: most of them, Amazon by IPv6,
/// Alibaba, Oracle, Azure.
const METADATA: &[Network] = &[
    v4(169, 254, 169, 254, 32),
    v6(0xfd00, 0x0ec2, 0x0254, 128),
    v4(100, 100, 100, 200, 32),
    v4(192, 0, 0, 192, 32),
    v4(168, 63, 129, 16, 32),
];

impl Network {
    /// The networks that a word, a network or an address stands for.
    pub fn parse(text: &str) -> Result<Vec<Self>, UnknownNetwork> {
        let named = match text {
            "loopback" => LOOPBACK,
            "link-local" => LINK_LOCAL,
            "multicast" => MULTICAST,
            "unspecified" => UNSPECIFIED,
            "metadata" => METADATA,
            _ => return Ok(vec![text.parse()?]),
        };
        Ok(named.to_vec())
    }

    /// How many bits its addresses have in common.
    pub fn prefix_length(&self) -> u8 {
        self.bits
    }

    /// Whether an address is in it, as it is written.
    pub fn contains(&self, ip: IpAddr) -> bool {
        width(self.base) == width(ip) && start(self.base, self.bits) == start(ip, self.bits)
    }

    /// Whether an address leads into it, also one of IPv6 that wraps an address of IPv4.
    pub fn holds(&self, ip: IpAddr) -> bool {
        let (base, ip) = (plain(self.base), plain(ip));
        if width(base) != width(ip) {
            return false;
        }
        // A network that was written as IPv4 within IPv6 has its length counted there.
        let bits = self.bits - (width(self.base) - width(base)).min(self.bits);
        start(base, bits) == start(ip, bits)
    }
}

/// A network, or an address, which is a network of one.
impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let wrong = || NotANetwork(text.to_owned());
        let (base, bits) = match text.split_once('/') {
            Some((base, bits)) => (base, Some(bits)),
            None => (text, None),
        };
        let base: IpAddr = base.trim().parse().map_err(|_| wrong())?;
        let bits = match bits {
            Some(bits) => bits.trim().parse().map_err(|_| wrong())?,
            None => width(base),
        };
        // An address inside the network rather than at its start: which was meant is not clear.
        let is_start = || number(base).trailing_zeros() >= u32::from(width(base) - bits);
        if bits > width(base) || !is_start() {
            return Err(wrong());
        }
        Ok(Self { base, bits })
    }
}

/// The first bits of an address.
fn start(ip: IpAddr, bits: u8) -> Option<u128> {
    number(ip).checked_shr(u32::from(width(ip) - bits.min(width(ip))))
}

fn width(ip: IpAddr) -> u8 {
    match ip {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn number(ip: IpAddr) -> u128 {
    match ip {
        IpAddr::V4(ip) => u128::from(ip.to_bits()),
        IpAddr::V6(ip) => ip.to_bits(),
    }
}

/// The address that is reached, where IPv6 only wraps an address of IPv4: mapped, compatible, or
/// through NAT64 and 6to4.
pub(crate) fn plain(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(wrapped) = ip else {
        return ip;
    };
    let parts = wrapped.segments();
    let within = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        IpAddr::V4(Ipv4Addr::new(a, b, c, d))
    };
    match parts {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => ip,
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            within(high, low)
        }
        [0x2002, high, low, ..] => within(high, low),
        _ => ip,
    }
}
