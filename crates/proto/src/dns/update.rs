//! What a server is asked to change (RFC 2136 §2).

use super::{kind, name::Name};
use std::net::IpAddr;

/// Opcode 5, in its place in the flags.
const OPCODE_UPDATE: u16 = 5 << 11;

/// What must hold before anything is changed (RFC 2136 §2.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Condition {
    /// The name has no records at all (§2.4.5).
    IsFree(Name),
    /// The name has this address (§2.4.2).
    HasAddress(Name, IpAddr),
}

/// A change (RFC 2136 §2.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds an address to a name (§2.5.1).
    AddAddress(Name, IpAddr),
    /// Takes one address from a name (§2.5.4).
    RemoveAddress(Name, IpAddr),
    /// Makes a reverse name lead to this host, and to no other one (§2.5.2 and §2.5.1).
    SetPointer(Name, Name),
    /// Ends that a reverse name leads to this host (§2.5.4).
    RemovePointer(Name, Name),
}

/// An update of one zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    pub zone: Name,
    pub conditions: Vec<Condition>,
    pub changes: Vec<Change>,
    /// How long others may remember what is added, in seconds.
    pub ttl: u32,
}

impl Update {
    /// The message, without a signature.
    pub fn encode(&self, id: u16) -> Vec<u8> {
        let mut records = Vec::new();
        for condition in &self.conditions {
            match condition {
                Condition::IsFree(name) => {
                    record(&mut records, name, kind::ANY, kind::CLASS_NONE, 0, &[]);
                }
                Condition::HasAddress(name, address) => {
                    let (kind, data) = address_data(*address);
                    record(&mut records, name, kind, kind::CLASS_IN, 0, &data);
                }
            }
        }
        let mut updates = 0_u16;
        for change in &self.changes {
            updates += match change {
                Change::AddAddress(name, address) => {
                    let (kind, data) = address_data(*address);
                    record(&mut records, name, kind, kind::CLASS_IN, self.ttl, &data);
                    1
                }
                Change::RemoveAddress(name, address) => {
                    let (kind, data) = address_data(*address);
                    record(&mut records, name, kind, kind::CLASS_NONE, 0, &data);
                    1
                }
                Change::SetPointer(reverse, host) => {
                    record(&mut records, reverse, kind::PTR, kind::CLASS_ANY, 0, &[]);
                    let data = name_data(host);
                    let class = kind::CLASS_IN;
                    record(&mut records, reverse, kind::PTR, class, self.ttl, &data);
                    2
                }
                Change::RemovePointer(reverse, host) => {
                    let (class, data) = (kind::CLASS_NONE, name_data(host));
                    record(&mut records, reverse, kind::PTR, class, 0, &data);
                    1
                }
            };
        }
        let conditions = u16::try_from(self.conditions.len()).unwrap_or(u16::MAX);
        let mut bytes = Vec::with_capacity(64 + records.len());
        // Header: one zone, the prerequisites, the updates, nothing additional (§2.2).
        for number in [id, OPCODE_UPDATE, 1, conditions, updates, 0] {
            bytes.extend(number.to_be_bytes());
        }
        self.zone.encode(&mut bytes);
        for number in [kind::SOA, kind::CLASS_IN] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(records);
        bytes
    }
}

fn record(bytes: &mut Vec<u8>, name: &Name, kind: u16, class: u16, ttl: u32, data: &[u8]) {
    name.encode(bytes);
    bytes.extend(kind.to_be_bytes());
    bytes.extend(class.to_be_bytes());
    bytes.extend(ttl.to_be_bytes());
    // Names and addresses are short.
    bytes.extend(u16::try_from(data.len()).unwrap_or(0).to_be_bytes());
    bytes.extend(data);
}

fn address_data(address: IpAddr) -> (u16, Vec<u8>) {
    match address {
        IpAddr::V4(address) => (kind::A, address.octets().to_vec()),
        IpAddr::V6(address) => (kind::AAAA, address.octets().to_vec()),
    }
}

fn name_data(name: &Name) -> Vec<u8> {
    let mut data = Vec::new();
    name.encode(&mut data);
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_is_written_as_the_standard_says() {
        let name: Name = "n.z".parse().unwrap();
        let update = Update {
            zone: "z".parse().unwrap(),
            conditions: vec![Condition::IsFree(name.clone())],
            changes: vec![Change::AddAddress(name, [10, 0, 0, 1].into())],
            ttl: 300,
        };
        let mut expected: Vec<u8> = vec![0, 7, 0x28, 0, 0, 1, 0, 1, 0, 1, 0, 0];
        expected.extend(b"\x01z\0\0\x06\0\x01");
        expected.extend(b"\x01n\x01z\0\0\xff\0\xfe\0\0\0\0\0\0");
        expected.extend(b"\x01n\x01z\0\0\x01\0\x01\0\0\x01\x2c\0\x04\x0a\0\0\x01");
        assert_eq!(update.encode(7), expected);
    }
}
