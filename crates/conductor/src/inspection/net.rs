//! IP networks, as far as rules and hooks compare addresses with them.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

/// A range of addresses: `192.0.2.0/24`, `192.0.2.0/255.255.255.0`, `2001:db8::/32`, or one
/// address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Network {
    address: IpAddr,
    prefix: u32,
}

/// A text that is no network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NotANetwork;

impl Network {
    pub(super) fn contains(&self, other: IpAddr) -> bool {
        match (self.address, other) {
            (IpAddr::V4(_), IpAddr::V4(_)) | (IpAddr::V6(_), IpAddr::V6(_)) => {
                bits(self.address) & self.mask() == bits(other) & self.mask()
            }
            _ => false,
        }
    }

    /// Whether the address given was the first of the range.
    pub(super) fn is_exact(&self) -> bool {
        bits(self.address) & !self.mask() == 0
    }

    /// The bits that all addresses share. Those of IPv4 stand in the upper 32.
    fn mask(&self) -> u128 {
        match self.prefix {
            0 => 0,
            prefix => u128::MAX << (128 - prefix),
        }
    }
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => u128::from(v4.to_bits()) << 96,
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NotANetwork)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => most,
            Some(text) => match text.parse::<u32>() {
                Ok(prefix) if prefix <= most => prefix,
                Ok(_) => return Err(NotANetwork),
                Err(_) => prefix_of_mask(text, address.is_ipv4()).ok_or(NotANetwork)?,
            },
        };
        Ok(Self { address, prefix })
    }
}

/// The length of a mask such as 255.255.255.0.
fn prefix_of_mask(text: &str, v4: bool) -> Option<u32> {
    let (ones, total) = if v4 {
        let bits = text.parse::<Ipv4Addr>().ok()?.to_bits();
        (bits.leading_ones(), bits.count_ones())
    } else {
        let bits = text.parse::<Ipv6Addr>().ok()?.to_bits();
        (bits.leading_ones(), bits.count_ones())
    };
    (ones == total).then_some(ones)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ranges_contain_what_they_should() {
        for (network, address, inside) in [
            ("192.0.2.0/24", "192.0.2.255", true),
            ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.9/24", "192.0.2.1", true),
            ("192.0.2.0/255.255.255.0", "192.0.2.7", true),
            ("192.0.2.7", "192.0.2.7", true),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("::/0", "203.0.113.9", false),
            ("2001:db8::/64", "2001:db8::5", true),
            ("2001:db8::/64", "2001:db8:1::5", false),
        ] {
            let network: Network = network.parse().unwrap();
            assert_eq!(
                network.contains(address.parse().unwrap()),
                inside,
                "{network:?} {address}"
            );
        }
        for bad in [
            "",
            "bad",
            "192.0.2.0/33",
            "192.0/16",
            "192.0.2.0/255.0.255.0",
            "::/129",
            "/8",
        ] {
            assert_eq!(bad.parse::<Network>(), Err(NotANetwork), "{bad}");
        }
        assert!("192.0.2.0/24".parse::<Network>().unwrap().is_exact());
        assert!(!"192.0.2.1/24".parse::<Network>().unwrap().is_exact());
    }

    proptest! {
        #[test]
        fn a_network_contains_its_own_address(address: u32, prefix in 0u32..=32) {
            let address = Ipv4Addr::from_bits(address);
            let network: Network = format!("{address}/{prefix}").parse().unwrap();
            prop_assert!(network.contains(address.into()));
        }
    }
}
