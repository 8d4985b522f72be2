//! Prefixes and ranges of addresses of either family.

use serde::{Deserialize, Serialize};
use std::{
    fmt,
    net::{IpAddr, Ipv4Addr},
    str::FromStr,
};

/// The addresses that begin with the same bits, such as `10.0.0.0/24`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Prefix {
    address: IpAddr,
    length: u8,
}

/// A text that is no prefix.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPrefix {
    #[error("'{0}' is no prefix: expected one such as 10.0.0.0/24 or fd00::/64")]
    Form(String),
    #[error("'{given}' has bits behind the prefix: say {meant}")]
    HostBits { given: String, meant: Prefix },
}

/// How wide an address is; both families are counted in the same numbers.
fn width(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => u128::from(address.to_bits()),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// An address as 32 digits that sort as the addresses do.
pub fn address_key(address: IpAddr) -> String {
    let mapped = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    format!("{:032x}", mapped.to_bits())
}

impl Prefix {
    /// The prefix of so many bits that an address is in.
    pub fn around(address: IpAddr, length: u8) -> Option<Self> {
        if u32::from(length) > width(address) {
            return None;
        }
        let first = bits(address) & !Self { address, length }.host_mask();
        let address = match address {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(first).ok()?)),
            IpAddr::V6(_) => IpAddr::V6(first.into()),
        };
        Some(Self { address, length })
    }

    pub fn address(&self) -> IpAddr {
        self.address
    }

    pub fn length(&self) -> u8 {
        self.length
    }

    /// The bits that addresses inside differ by.
    fn host_mask(&self) -> u128 {
        let hosts = width(self.address) - u32::from(self.length);
        1_u128.checked_shl(hosts).map_or(u128::MAX, |bit| bit - 1)
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.address.is_ipv4()
            && bits(address) & !self.host_mask() == bits(self.address)
    }

    pub fn overlaps(&self, other: &Self) -> bool {
        self.contains(other.address) || other.contains(self.address)
    }

    /// The addresses of version 4 that no machine can have.
    pub fn edges(&self) -> Vec<Ipv4Addr> {
        match self.address {
            IpAddr::V4(first) => {
                let hosts = u32::try_from(self.host_mask()).unwrap_or(u32::MAX);
                vec![first, Ipv4Addr::from_bits(first.to_bits() | hosts)]
            }
            IpAddr::V6(_) => Vec::new(),
        }
    }

    /// The first and the last address, as [`address_key`] writes them.
    pub fn keys(&self) -> (String, String) {
        let last = bits(self.address) | self.host_mask();
        let last = match self.address {
            IpAddr::V4(_) => {
                IpAddr::V4(Ipv4Addr::from_bits(u32::try_from(last).unwrap_or(u32::MAX)))
            }
            IpAddr::V6(_) => IpAddr::V6(last.into()),
        };
        (address_key(self.address), address_key(last))
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

impl FromStr for Prefix {
    type Err = BadPrefix;

    fn from_str(text: &str) -> Result<Self, BadPrefix> {
        let form = || BadPrefix::Form(text.chars().take(80).collect());
        let (address, length) = text.split_once('/').ok_or_else(form)?;
        let address: IpAddr = address.parse().map_err(|_| form())?;
        let length: u8 = length.parse().map_err(|_| form())?;
        let meant = Self::around(address, length).ok_or_else(form)?;
        match meant.address == address {
            true => Ok(meant),
            false => Err(BadPrefix::HostBits {
                given: text.to_owned(),
                meant,
            }),
        }
    }
}

impl TryFrom<String> for Prefix {
    type Error = BadPrefix;

    fn try_from(text: String) -> Result<Self, BadPrefix> {
        text.parse()
    }
}

impl From<Prefix> for String {
    fn from(prefix: Prefix) -> Self {
        prefix.to_string()
    }
}

/// Addresses from the first to the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AddressRange {
    first: IpAddr,
    last: IpAddr,
}

/// A text that is no range.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadRange {
    #[error(
        "'{0}' is no range: expected two addresses with a hyphen, such as 10.0.0.100-10.0.0.199"
    )]
    Form(String),
    #[error("range '{0}' ends before it begins")]
    Backwards(String),
    #[error("range '{0}' has more than {most} addresses", most = AddressRange::LARGEST)]
    TooLarge(String),
}

impl AddressRange {
    /// A search for a free address must end.
    pub const LARGEST: u128 = 65_536;

    pub fn first(&self) -> IpAddr {
        self.first
    }

    pub fn last(&self) -> IpAddr {
        self.last
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        address.is_ipv4() == self.first.is_ipv4()
            && (bits(self.first)..=bits(self.last)).contains(&bits(address))
    }

    pub fn overlaps(&self, other: Self) -> bool {
        self.contains(other.first) || other.contains(self.first)
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)
    }
}

impl FromStr for AddressRange {
    type Err = BadRange;

    fn from_str(text: &str) -> Result<Self, BadRange> {
        let shown = || text.chars().take(100).collect::<String>();
        let form = || BadRange::Form(shown());
        let (first, last) = text.split_once('-').ok_or_else(form)?;
        let first: IpAddr = first.trim().parse().map_err(|_| form())?;
        let last: IpAddr = last.trim().parse().map_err(|_| form())?;
        if first.is_ipv4() != last.is_ipv4() {
            return Err(form());
        }
        match bits(last).checked_sub(bits(first)) {
            None => Err(BadRange::Backwards(shown())),
            Some(distance) if distance >= Self::LARGEST => Err(BadRange::TooLarge(shown())),
            Some(_) => Ok(Self { first, last }),
        }
    }
}

impl TryFrom<String> for AddressRange {
    type Error = BadRange;

    fn try_from(text: String) -> Result<Self, BadRange> {
        text.parse()
    }
}

impl From<AddressRange> for String {
    fn from(range: AddressRange) -> Self {
        range.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_says_what_is_inside() {
        let prefix: Prefix = "10.1.0.0/16".parse().unwrap();
        assert!(prefix.contains([10, 1, 255, 255].into()));
        assert!(!prefix.contains([10, 2, 0, 0].into()));
        assert!(!prefix.contains("::ffff:10.1.0.1".parse().unwrap()));
        assert!(prefix.overlaps(&"10.1.2.0/24".parse().unwrap()));
        assert!(prefix.overlaps(&"0.0.0.0/0".parse().unwrap()));
        assert!(!prefix.overlaps(&"10.2.0.0/16".parse().unwrap()));
        assert_eq!(
            prefix.edges(),
            [Ipv4Addr::new(10, 1, 0, 0), Ipv4Addr::new(10, 1, 255, 255)]
        );
        let six: Prefix = "fd00::/64".parse().unwrap();
        assert!(six.contains("fd00::1".parse().unwrap()));
        assert!("::/0".parse::<Prefix>().unwrap().overlaps(&six));
        let (first, last) = prefix.keys();
        let key = address_key([10, 1, 9, 9].into());
        assert!(first < key && key < last);
    }

    #[test]
    fn texts_that_are_no_prefix_are_refused() {
        for bad in [
            "",
            "10.0.0.0",
            "10.0.0.0/33",
            "fd00::/129",
            "x/8",
            "10.0.0.0/-1",
        ] {
            assert!(
                matches!(bad.parse::<Prefix>(), Err(BadPrefix::Form(_))),
                "{bad}"
            );
        }
        let why = "10.0.0.7/24".parse::<Prefix>().unwrap_err().to_string();
        assert!(why.contains("say 10.0.0.0/24"), "{why}");
    }

    #[test]
    fn ranges_are_bounded() {
        assert!("10.0.0.1-10.0.0.1".parse::<AddressRange>().is_ok());
        for (bad, word) in [
            ("10.0.0.9-10.0.0.1", "before it begins"),
            ("10.0.0.0-10.255.0.0", "more than"),
            ("10.0.0.1-fd00::1", "no range"),
            ("10.0.0.1", "no range"),
        ] {
            let why = bad.parse::<AddressRange>().unwrap_err().to_string();
            assert!(why.contains(word), "{why}");
        }
    }
}
