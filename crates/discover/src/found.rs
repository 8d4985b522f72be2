//! What was found at an address.

use std::net::{IpAddr, SocketAddr};
use types::port::MacAddress;
use uuid::Uuid;

/// Longer than any name, model or version that a maker chose; what is longer is cut.
const LONGEST_TEXT: usize = 64;

/// What answered at an address; addresses where nothing does are not told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeResult {
    Bmc(Box<Bmc>),
    /// Something listens, and it is no BMC.
    Other {
        address: IpAddr,
        why: String,
    },
}

impl ProbeResult {
    pub fn address(&self) -> IpAddr {
        match self {
            Self::Bmc(bmc) => bmc.address,
            Self::Other { address, .. } => *address,
        }
    }
}

/// A BMC, and the machines behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bmc {
    pub address: IpAddr,
    /// The address of its Redfish service, if it has one.
    pub redfish: Option<String>,
    /// Which version of Redfish that is, where it says so.
    pub redfish_version: Option<String>,
    /// Where it speaks IPMI, and which version.
    pub ipmi: Option<(SocketAddr, IpmiVersion)>,
    /// Whether it has an account without a name, whose password is often empty or well known.
    pub has_nameless_account: bool,
    /// What is known of the BMC itself.
    pub maker: Option<String>,
    pub model: Option<String>,
    pub firmware: Option<String>,
    /// As the BMC tells it without a login.
    pub uuid: Option<Uuid>,
    /// What is known of the machines; empty without a login.
    pub systems: Vec<System>,
    /// Why less is known than could be.
    pub remarks: Vec<String>,
}

impl Bmc {
    pub(crate) fn new(address: IpAddr) -> Self {
        Self {
            address,
            redfish: None,
            redfish_version: None,
            ipmi: None,
            has_nameless_account: false,
            maker: None,
            model: None,
            firmware: None,
            uuid: None,
            systems: Vec::new(),
            remarks: Vec::new(),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpmiVersion {
    V15,
    V20,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Power {
    On,
    Off,
}

/// A machine, as far as its BMC describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct System {
    /// Its resource, if the BMC has more than one machine.
    pub path: Option<String>,
    pub maker: Option<String>,
    pub model: Option<String>,
    pub serial: Option<String>,
    pub uuid: Option<Uuid>,
    pub bios: Option<String>,
    pub power: Option<Power>,
    /// Of its network cards.
    pub macs: Vec<MacAddress>,
}

/// A text of a machine that can be shown: short, without what would move a terminal's cursor;
/// nothing if nothing is left.
pub(crate) fn shown(text: &str) -> Option<String> {
    let clean = text.trim().chars().filter(|c| !c.is_control());
    let clean: String = clean.take(LONGEST_TEXT).collect();
    (!clean.is_empty()).then_some(clean)
}

/// A UUID that tells machines apart: makers that set none leave zeros, ones, or the example of the
/// firmware's own sources.
pub(crate) fn telling(uuid: Uuid) -> Option<Uuid> {
    const EXAMPLE: Uuid = Uuid::from_u128(0x0300_0200_0400_0500_0006_0007_0008_0009);
    (!uuid.is_nil() && !uuid.is_max() && uuid != EXAMPLE).then_some(uuid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_machines_are_short_and_plain() {
        assert_eq!(
            shown("  PowerEdge \u{1b}[2J\n").as_deref(),
            Some("PowerEdge [2J")
        );
        assert_eq!(shown(" \u{7} "), None);
        assert_eq!(shown(&"x".repeat(5000)).unwrap().len(), LONGEST_TEXT);
    }

    #[test]
    fn uuids_that_many_machines_share_tell_nothing() {
        let example = "03000200-0400-0500-0006-000700080009";
        assert_eq!(telling(example.parse().unwrap()), None);
        assert_eq!(telling(Uuid::nil()), None);
        assert_eq!(telling(Uuid::max()), None);
        let real = Uuid::from_u128(7);
        assert_eq!(telling(real), Some(real));
    }
}
