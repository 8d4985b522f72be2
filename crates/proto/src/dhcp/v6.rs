//! Messages of DHCPv6 (RFC 8415 §8 and §9), direct or through relays, with the boot options of
//! RFC 5970.

use super::{DecodeError, Reader};
use std::net::Ipv6Addr;

/// The codes of the options that we read or write, from IANA's registry of DHCPv6 options.
pub mod code {
    pub const CLIENT_ID: u16 = 1;
    pub const SERVER_ID: u16 = 2;
    pub const IA_NA: u16 = 3;
    pub const IA_ADDR: u16 = 5;
    pub const ORO: u16 = 6;
    pub const PREFERENCE: u16 = 7;
    pub const ELAPSED_TIME: u16 = 8;
    pub const RELAY_MESSAGE: u16 = 9;
    pub const STATUS: u16 = 13;
    pub const RAPID_COMMIT: u16 = 14;
    pub const USER_CLASS: u16 = 15;
    pub const VENDOR_CLASS: u16 = 16;
    pub const INTERFACE_ID: u16 = 18;
    pub const DNS: u16 = 23;
    pub const DOMAINS: u16 = 24;
    pub const BOOT_URL: u16 = 59;
    pub const BOOT_PARAMETERS: u16 = 60;
    pub const CLIENT_ARCH: u16 = 61;
    pub const CLIENT_LINK_LAYER: u16 = 79;
}

/// Message types (RFC 8415 §7.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageType {
    Solicit = 1,
    Advertise = 2,
    Request = 3,
    Confirm = 4,
    Renew = 5,
    Rebind = 6,
    Reply = 7,
    Release = 8,
    Decline = 9,
    Reconfigure = 10,
    Information = 11,
}

impl MessageType {
    fn of_code(code: u8) -> Option<Self> {
        [
            Self::Solicit,
            Self::Advertise,
            Self::Request,
            Self::Confirm,
            Self::Renew,
            Self::Rebind,
            Self::Reply,
            Self::Release,
            Self::Decline,
            Self::Reconfigure,
            Self::Information,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == code)
    }
}

/// Status codes (RFC 8415 §21.13).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Success = 0,
    NoAddresses = 2,
    NoBinding = 3,
    NotOnLink = 4,
    UseMulticast = 5,
}

/// Options in their order. Unlike in DHCPv4 a code may appear several times, each with its own
/// value: an IA_NA for each interface, for example.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options(pub Vec<(u16, Vec<u8>)>);

impl Options {
    /// The first option with this code.
    pub fn get(&self, code: u16) -> Option<&[u8]> {
        let found = self.0.iter().find(|(known, _)| *known == code)?;
        Some(&found.1)
    }

    /// Whether the option is there.
    pub fn has(&self, code: u16) -> bool {
        self.get(code).is_some()
    }

    /// The values of all options with this code.
    pub fn all(&self, code: u16) -> impl Iterator<Item = &[u8]> {
        let same = self.0.iter().filter(move |(known, _)| *known == code);
        same.map(|(_, value)| value.as_slice())
    }

    /// Appends an option; a value longer than 65,535 bytes is cut.
    pub fn push(&mut self, code: u16, value: impl Into<Vec<u8>>) {
        let mut value = value.into();
        value.truncate(usize::from(u16::MAX));
        self.0.push((code, value));
    }

    /// Whether the client lists an option in its Option Request (RFC 8415 §21.7).
    pub fn asks_for(&self, code: u16) -> bool {
        let (pairs, _) = self
            .get(self::code::ORO)
            .unwrap_or_default()
            .as_chunks::<2>();
        pairs.iter().any(|pair| u16::from_be_bytes(*pair) == code)
    }

    /// Decodes a list of options.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("DHCPv6 option", bytes);
        let mut options = Vec::new();
        while !reader.is_empty() {
            let code = reader.u16_be()?;
            let length = usize::from(reader.u16_be()?);
            options.push((code, reader.bytes(length)?.to_vec()));
        }
        Ok(Self(options))
    }

    /// Encodes the list.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (code, value) in &self.0 {
            let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
            bytes.extend(code.to_be_bytes());
            bytes.extend(length.to_be_bytes());
            bytes.extend_from_slice(&value[..usize::from(length)]);
        }
        bytes
    }
}

/// A message between a client and a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub kind: MessageType,
    pub transaction: [u8; 3],
    pub options: Options,
}

impl Message {
    /// Encodes the message without relays.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![self.kind as u8];
        bytes.extend(self.transaction);
        bytes.extend(self.options.encode());
        bytes
    }

    /// Decodes a message without relays.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("DHCPv6 message", bytes);
        let code = reader.u8()?;
        let kind = MessageType::of_code(code).ok_or(DecodeError::Value {
            what: "kind of DHCPv6 message",
            value: u32::from(code),
        })?;
        Ok(Self {
            kind,
            transaction: reader.array()?,
            options: Options::decode(reader.rest())?,
        })
    }
}

const RELAY_FORWARD: u8 = 12;
const RELAY_REPLY: u8 = 13;
/// HOP_COUNT_LIMIT (RFC 8415 §7.6). It also bounds how deeply a hostile packet can nest.
const HOPS: usize = 8;

/// One relay on the way of a message (RFC 8415 §9).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relay {
    pub hops: u8,
    /// An address on the client's link. Only the relay next to the client must set it; the others
    /// may leave it unspecified.
    pub link: Ipv6Addr,
    pub peer: Ipv6Addr,
    /// Without the Relay Message option, which is the next relay or the message.
    pub options: Options,
}

/// A message, and the relays around it, outermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packet {
    pub relays: Vec<Relay>,
    pub message: Message,
}

impl Packet {
    /// Decodes a datagram, and unwraps the relays around the message.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut relays = Vec::new();
        let mut inner = bytes.to_vec();
        while matches!(inner.first(), Some(&(RELAY_FORWARD | RELAY_REPLY))) {
            if relays.len() == HOPS {
                return Err(DecodeError::Value {
                    what: "number of relays",
                    value: 9,
                });
            }
            let mut reader = Reader::new("relay message", &inner[1..]);
            let hops = reader.u8()?;
            let link = Ipv6Addr::from(reader.array::<16>()?);
            let peer = Ipv6Addr::from(reader.array::<16>()?);
            let mut options = Options::decode(reader.rest())?;
            let message = options
                .0
                .iter()
                .position(|(code, _)| *code == code::RELAY_MESSAGE);
            let message = message.ok_or(DecodeError::Short {
                what: "relay message",
            })?;
            let (_, message) = options.0.remove(message);
            // A relay message carries one Relay Message option; further ones are ignored.
            options.0.retain(|(code, _)| *code != code::RELAY_MESSAGE);
            relays.push(Relay {
                hops,
                link,
                peer,
                options,
            });
            inner = message;
        }
        Ok(Self {
            relays,
            message: Message::decode(&inner)?,
        })
    }

    /// Wraps a reply in the same relays. Each gets its Interface-Id back, by which it finds the
    /// link to send the reply to (RFC 8415 §19.3, §21.18).
    pub fn answer(&self, message: Message) -> Self {
        let relays = self.relays.iter().map(|relay| {
            let interface = relay
                .options
                .0
                .iter()
                .filter(|(code, _)| *code == code::INTERFACE_ID);
            Relay {
                options: Options(interface.cloned().collect()),
                ..relay.clone()
            }
        });
        Self {
            relays: relays.collect(),
            message,
        }
    }

    /// Writes the packet as a server sends it.
    pub fn encode_reply(&self) -> Vec<u8> {
        self.wrap(RELAY_REPLY)
    }

    /// Writes the packet as relays forward it.
    pub fn encode_forward(&self) -> Vec<u8> {
        self.wrap(RELAY_FORWARD)
    }

    fn wrap(&self, kind: u8) -> Vec<u8> {
        let mut inner = self.message.encode();
        for relay in self.relays.iter().rev() {
            let mut bytes = vec![kind, relay.hops];
            bytes.extend(relay.link.octets());
            bytes.extend(relay.peer.octets());
            let mut options = relay.options.clone();
            options.push(code::RELAY_MESSAGE, inner);
            bytes.extend(options.encode());
            inner = bytes;
        }
        inner
    }
}

/// An identity association for addresses (IA_NA, RFC 8415 §21.4).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Association {
    pub id: u32,
    pub renew_after: u32,
    pub rebind_after: u32,
    pub options: Options,
}

impl Association {
    /// Decodes the value of an IA_NA option.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("identity association", bytes);
        Ok(Self {
            id: reader.u32_be()?,
            renew_after: reader.u32_be()?,
            rebind_after: reader.u32_be()?,
            options: Options::decode(reader.rest())?,
        })
    }

    /// Encodes the value of an IA_NA option.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for number in [self.id, self.renew_after, self.rebind_after] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.extend(self.options.encode());
        bytes
    }

    /// The addresses in it; malformed ones are skipped.
    pub fn addresses(&self) -> Vec<Ipv6Addr> {
        let values = self.options.all(code::IA_ADDR);
        values
            .filter_map(|value| value.first_chunk::<16>().copied())
            .map(Ipv6Addr::from)
            .collect()
    }
}

/// The value of an IA Address option (RFC 8415 §21.6): an address and its lifetimes in seconds.
pub fn address(address: Ipv6Addr, preferred: u32, valid: u32) -> Vec<u8> {
    let mut bytes = address.octets().to_vec();
    bytes.extend(preferred.to_be_bytes());
    bytes.extend(valid.to_be_bytes());
    bytes
}

/// The value of a Status Code option (RFC 8415 §21.13).
pub fn status(status: Status, text: &str) -> Vec<u8> {
    let mut bytes = (status as u16).to_be_bytes().to_vec();
    bytes.extend_from_slice(text.as_bytes());
    bytes
}

/// A domain as labels with their lengths (RFC 8415 §10); empty where it is no name.
pub fn domain(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Ok(name) = text.parse::<crate::dns::name::Name>() {
        name.encode(&mut bytes);
    }
    bytes
}

/// The items of a user class (option 15) or of boot parameters (option 60).
pub fn items(bytes: &[u8]) -> Result<Vec<&[u8]>, DecodeError> {
    let mut reader = Reader::new("list", bytes);
    let mut items = Vec::new();
    while !reader.is_empty() {
        let length = usize::from(reader.u16_be()?);
        items.push(reader.bytes(length)?);
    }
    Ok(items)
}

/// Encodes such a list.
pub fn write_items<'a>(items: impl IntoIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for item in items {
        let length = u16::try_from(item.len()).unwrap_or(u16::MAX);
        bytes.extend(length.to_be_bytes());
        bytes.extend_from_slice(&item[..usize::from(length)]);
    }
    bytes
}

/// The Ethernet address inside a DUID-LLT or a DUID-LL (RFC 8415 §11.2, §11.4).
pub fn mac_of_duid(duid: &[u8]) -> Option<[u8; 6]> {
    match duid {
        // Type 1 has four bytes of time before the address; hardware type 1 is Ethernet.
        [0, 1, 0, 1, _, _, _, _, mac @ ..] | [0, 3, 0, 1, mac @ ..] => mac.try_into().ok(),
        _ => None,
    }
}

/// The Ethernet address from which an interface made its link-local address, by the modified
/// EUI-64 of RFC 4291 appendix A: `ff:fe` in the middle, and the universal/local bit inverted.
pub fn mac_of_link_local(address: Ipv6Addr) -> Option<[u8; 6]> {
    let octets = address.octets();
    let [
        0xfe,
        0x80,
        0,
        0,
        0,
        0,
        0,
        0,
        first,
        b,
        c,
        0xff,
        0xfe,
        d,
        e,
        f,
    ] = octets
    else {
        return None;
    };
    Some([first ^ 2, b, c, d, e, f])
}

/// A DUID-LL (RFC 8415 §11.4) from an Ethernet address.
pub fn duid_of_mac(mac: [u8; 6]) -> Vec<u8> {
    let mut duid = vec![0, 3, 0, 1];
    duid.extend(mac);
    duid
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    const MAC: [u8; 6] = [0x52, 0x54, 0, 1, 2, 3];

    fn any_options() -> impl Strategy<Value = Options> {
        let option = (any::<u16>(), vec(any::<u8>(), 0..40));
        let option = option.prop_filter("the message itself", |(code, _)| {
            *code != code::RELAY_MESSAGE
        });
        vec(option, 0..5).prop_map(Options)
    }

    fn any_packet() -> impl Strategy<Value = Packet> {
        let relay = (any::<(u8, [u16; 8], [u16; 8])>(), any_options());
        let relay = relay.prop_map(|((hops, link, peer), options)| Relay {
            hops,
            link: link.into(),
            peer: peer.into(),
            options,
        });
        let message = (1_u8..=11, any::<[u8; 3]>(), any_options());
        (vec(relay, 0..3), message).prop_map(|(relays, (kind, transaction, options))| Packet {
            relays,
            message: Message {
                kind: MessageType::of_code(kind).unwrap(),
                transaction,
                options,
            },
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(packet in any_packet()) {
            prop_assert_eq!(Packet::decode(&packet.encode_reply()), Ok(packet.clone()));
            prop_assert_eq!(Packet::decode(&packet.encode_forward()), Ok(packet));
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in vec(any::<u8>(), 0..200)) {
            let _ = Packet::decode(&bytes);
            let _ = items(&bytes);
            if let Ok(association) = Association::decode(&bytes) {
                let _ = association.addresses();
                prop_assert_eq!(Association::decode(&association.encode()), Ok(association));
            }
        }

        #[test]
        fn lists_are_read_as_they_were_written(list in vec(vec(any::<u8>(), 0..20), 0..4)) {
            let bytes = write_items(list.iter().map(Vec::as_slice));
            prop_assert_eq!(items(&bytes).unwrap(), list);
        }
    }

    #[test]
    fn relays_that_go_in_circles_are_refused() {
        let message = Message {
            kind: MessageType::Solicit,
            transaction: [0; 3],
            options: Options::default(),
        };
        let relay = Relay {
            hops: 0,
            link: Ipv6Addr::UNSPECIFIED,
            peer: Ipv6Addr::UNSPECIFIED,
            options: Options::default(),
        };
        let packet = Packet {
            relays: vec![relay; 9],
            message,
        };
        assert!(Packet::decode(&packet.encode_forward()).is_err());
    }

    #[test]
    fn an_ethernet_address_is_found_where_there_is_one() {
        assert_eq!(mac_of_duid(&duid_of_mac(MAC)), Some(MAC));
        assert_eq!(
            mac_of_duid(&[0, 1, 0, 1, 9, 9, 9, 9, 0x52, 0x54, 0, 1, 2, 3]),
            Some(MAC)
        );
        assert_eq!(mac_of_duid(&[0, 4, 0, 1, 0x52, 0x54, 0, 1, 2, 3]), None);
        assert_eq!(
            mac_of_link_local("fe80::5054:ff:fe01:203".parse().unwrap()),
            Some(MAC)
        );
        assert_eq!(mac_of_link_local("fe80::1".parse().unwrap()), None);
    }
}
