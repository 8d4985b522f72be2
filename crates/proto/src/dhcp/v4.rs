//! Messages of DHCPv4 (RFC 2131 §2), with the areas that options may overflow into.

use super::{
    DecodeError, EncodeError, Reader,
    options::{Options, code},
};
use std::net::Ipv4Addr;

/// Where the options begin.
const HEADER: usize = 240;
/// RFC 2131 §3: the first four octets of the options field, 99.130.83.99.
const COOKIE: [u8; 4] = [99, 130, 83, 99];
const SNAME: usize = 64;
const FILE: usize = 128;
/// The length of a BOOTP message; relays and old clients drop shorter ones (RFC 1542 §2.1).
const MINIMUM: usize = 300;
/// What every client must accept: 576 bytes (RFC 2131 §2), less the headers of IP and UDP.
pub const DEFAULT_ROOM: usize = 548;

/// The client cannot receive unicast before it has an address (RFC 2131 §4.1): broadcast the reply.
pub const FLAG_BROADCAST: u16 = 0x8000;

/// The BOOTP operation: client to server, or server to client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Request = 1,
    Reply = 2,
}

/// The DHCP message type (option 53, RFC 2132 §9.6).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageType {
    Discover = 1,
    Offer = 2,
    Request = 3,
    Decline = 4,
    Ack = 5,
    Nak = 6,
    Release = 7,
    Inform = 8,
}

impl MessageType {
    /// The message type with this code.
    pub fn of_code(code: u8) -> Option<Self> {
        [
            Self::Discover,
            Self::Offer,
            Self::Request,
            Self::Decline,
            Self::Ack,
            Self::Nak,
            Self::Release,
            Self::Inform,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == code)
    }
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub op: Op,
    pub htype: u8,
    /// How much of `chaddr` is the hardware address, at most 16.
    pub hlen: u8,
    pub hops: u8,
    pub xid: u32,
    pub secs: u16,
    pub flags: u16,
    pub ciaddr: Ipv4Addr,
    pub yiaddr: Ipv4Addr,
    pub siaddr: Ipv4Addr,
    pub giaddr: Ipv4Addr,
    pub chaddr: [u8; 16],
    /// Empty when the field holds options.
    pub sname: Vec<u8>,
    /// Empty when the field holds options.
    pub file: Vec<u8>,
    pub options: Options,
}

impl Message {
    /// A message of a client with an Ethernet address.
    pub fn request(kind: MessageType, xid: u32, mac: [u8; 6]) -> Self {
        let mut chaddr = [0; 16];
        chaddr[..6].copy_from_slice(&mac);
        let mut options = Options::default();
        options.set(code::MESSAGE_TYPE, [kind as u8]);
        Self {
            op: Op::Request,
            htype: 1,
            hlen: 6,
            hops: 0,
            xid,
            secs: 0,
            flags: 0,
            ciaddr: Ipv4Addr::UNSPECIFIED,
            yiaddr: Ipv4Addr::UNSPECIFIED,
            siaddr: Ipv4Addr::UNSPECIFIED,
            giaddr: Ipv4Addr::UNSPECIFIED,
            chaddr,
            sname: Vec::new(),
            file: Vec::new(),
            options,
        }
    }

    /// A reply with the fields that RFC 2131 §4.3.1 table 3 copies from the request.
    ///
    /// The client identifier is copied as RFC 6842 requires, and the UUID (option 97) for PXE
    /// clients (RFC 4578). The relay agent option (82) is left to the server, which puts it last.
    pub fn reply(&self, kind: MessageType, server: Ipv4Addr) -> Self {
        let mut options = Options::default();
        options.set(code::MESSAGE_TYPE, [kind as u8]);
        options.set_address(code::SERVER_ID, server);
        for repeated in [code::CLIENT_UUID, code::CLIENT_ID] {
            if let Some(value) = self.options.get(repeated) {
                options.set(repeated, value);
            }
        }
        let ciaddr = if matches!(kind, MessageType::Ack) {
            self.ciaddr
        } else {
            Ipv4Addr::UNSPECIFIED
        };
        Self {
            op: Op::Reply,
            hops: 0,
            secs: 0,
            ciaddr,
            yiaddr: Ipv4Addr::UNSPECIFIED,
            siaddr: Ipv4Addr::UNSPECIFIED,
            sname: Vec::new(),
            file: Vec::new(),
            options,
            ..self.clone()
        }
    }

    /// The message type; `None` for a plain BOOTP message, which has none.
    pub fn kind(&self) -> Option<MessageType> {
        MessageType::of_code(self.options.u8(code::MESSAGE_TYPE)?)
    }

    /// The first `hlen` bytes of `chaddr`.
    pub fn hardware_address(&self) -> &[u8] {
        let length = usize::from(self.hlen).min(self.chaddr.len());
        &self.chaddr[..length]
    }

    /// The Ethernet address, if it is one.
    ///
    /// A client on InfiniBand sends no hardware address: 20 bytes do not fit (RFC 4390 §2.1).
    pub fn mac(&self) -> Option<[u8; 6]> {
        self.hardware_address().try_into().ok()
    }

    /// The largest reply that the sender of this message accepts (option 57, RFC 2132 §9.10).
    pub fn room(&self) -> usize {
        let told = self.options.u16(code::MAX_SIZE).map_or(0, usize::from);
        // The option includes the headers of IP and UDP. Some clients name 64 KiB; a reply stays
        // within one Ethernet frame all the same, since boot firmware may not reassemble fragments.
        told.min(1500).saturating_sub(28).max(DEFAULT_ROOM)
    }

    /// Decodes a datagram, with the options that overflow into `file` and `sname`.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("DHCP header", bytes);
        let op = match reader.u8()? {
            1 => Op::Request,
            2 => Op::Reply,
            value => {
                return Err(DecodeError::Value {
                    what: "kind of BOOTP message",
                    value: u32::from(value),
                });
            }
        };
        let (htype, hlen, hops) = (reader.u8()?, reader.u8()?, reader.u8()?);
        if hlen > 16 {
            return Err(DecodeError::Value {
                what: "length of the hardware address",
                value: u32::from(hlen),
            });
        }
        let xid = reader.u32_be()?;
        let (secs, flags) = (reader.u16_be()?, reader.u16_be()?);
        let mut address = || reader.array::<4>().map(Ipv4Addr::from);
        let (ciaddr, yiaddr) = (address()?, address()?);
        let (siaddr, giaddr) = (address()?, address()?);
        let chaddr = reader.array()?;
        let (sname, file) = (reader.bytes(SNAME)?, reader.bytes(FILE)?);
        let cookie: [u8; 4] = reader.array()?;
        if cookie != COOKIE {
            return Err(DecodeError::Value {
                what: "magic cookie",
                value: u32::from_be_bytes(cookie),
            });
        }
        let mut options = Options::default();
        options.read(reader.rest())?;
        let overload = options.take_overload();
        // RFC 2131 §4.1: first the options field, then `file`, then `sname`.
        if overload & 1 != 0 {
            options.read(file)?;
        }
        if overload & 2 != 0 {
            options.read(sname)?;
        }
        // Option 52 inside `file` or `sname` has no meaning; ignore it.
        options.remove(code::OVERLOAD);
        let field = |bytes: &[u8], taken: bool| if taken { Vec::new() } else { text(bytes) };
        Ok(Self {
            op,
            htype,
            hlen,
            hops,
            xid,
            secs,
            flags,
            ciaddr,
            yiaddr,
            siaddr,
            giaddr,
            chaddr,
            sname: field(sname, overload & 2 != 0),
            file: field(file, overload & 1 != 0),
            options,
        })
    }

    /// Writes the message in at most `room` bytes.
    ///
    /// Options that do not fit behind the header go into `file` and `sname`, if those are empty
    /// (option overload, RFC 2132 §9.3).
    pub fn encode(&self, room: usize) -> Result<Vec<u8>, EncodeError> {
        let pieces = self.options.pieces();
        let room = room.max(MINIMUM);
        let needed: usize = pieces.iter().map(Vec::len).sum();
        let mut areas = vec![Area::new(room - HEADER, 1)];
        if needed + 1 > room - HEADER {
            // Option 52 itself needs three bytes.
            areas[0].reserved += 3;
            if self.file.is_empty() {
                areas.push(Area {
                    bit: 1,
                    ..Area::new(FILE, 1)
                });
            }
            if self.sname.is_empty() {
                areas.push(Area {
                    bit: 2,
                    ..Area::new(SNAME, 1)
                });
            }
        }
        let mut current = 0;
        for piece in &pieces {
            while !areas
                .get(current)
                .ok_or(EncodeError::TooLong { room })?
                .takes(piece)
            {
                current += 1;
            }
            areas[current].bytes.extend_from_slice(piece);
        }
        let overload = areas[1..].iter().filter(|area| !area.bytes.is_empty());
        let overload = overload.fold(0, |bits, area| bits | area.bit);

        let mut bytes = Vec::with_capacity(room.min(1024));
        bytes.extend([self.op as u8, self.htype, self.hlen.min(16), self.hops]);
        bytes.extend(self.xid.to_be_bytes());
        bytes.extend(self.secs.to_be_bytes());
        bytes.extend(self.flags.to_be_bytes());
        for address in [self.ciaddr, self.yiaddr, self.siaddr, self.giaddr] {
            bytes.extend(address.octets());
        }
        bytes.extend(self.chaddr);
        for (field, length, bit) in [(&self.sname, SNAME, 2), (&self.file, FILE, 1)] {
            let area = areas[1..]
                .iter()
                .find(|area| area.bit == bit && overload & bit != 0);
            let start = bytes.len();
            match area {
                Some(area) => {
                    bytes.extend_from_slice(&area.bytes);
                    bytes.push(code::END);
                }
                None if field.len() > length => {
                    return Err(EncodeError::Field {
                        length: field.len(),
                        room: length,
                    });
                }
                None => bytes.extend_from_slice(field),
            }
            bytes.resize(start + length, 0);
        }
        bytes.extend(COOKIE);
        bytes.extend_from_slice(&areas[0].bytes);
        if overload != 0 {
            bytes.extend([code::OVERLOAD, 1, overload]);
        }
        bytes.push(code::END);
        if bytes.len() < MINIMUM {
            bytes.resize(MINIMUM, 0);
        }
        Ok(bytes)
    }
}

/// A part of the message that holds options.
struct Area {
    bytes: Vec<u8>,
    room: usize,
    reserved: usize,
    bit: u8,
}

impl Area {
    fn new(room: usize, reserved: usize) -> Self {
        Self {
            bytes: Vec::new(),
            room,
            reserved,
            bit: 0,
        }
    }

    fn takes(&self, piece: &[u8]) -> bool {
        self.bytes.len() + piece.len() + self.reserved <= self.room
    }
}

/// The text in a field that is padded with zeros.
fn text(field: &[u8]) -> Vec<u8> {
    let end = field
        .iter()
        .position(|byte| *byte == 0)
        .unwrap_or(field.len());
    field[..end].to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    const MAC: [u8; 6] = [0x52, 0x54, 0, 1, 2, 3];

    fn any_message() -> impl Strategy<Value = Message> {
        let field = |length| vec(1_u8..=255, 0..=length);
        (
            any::<[u32; 4]>(),
            any::<([u8; 16], u32, u16, u16, u8)>(),
            (0_u8..=16, field(SNAME), field(FILE)),
            vec((1_u8..255, vec(any::<u8>(), 0..300)), 0..6),
            any::<bool>(),
        )
            .prop_map(
                |(addresses, (chaddr, xid, secs, flags, hops), rest, options, asked)| {
                    let (hlen, sname, file) = rest;
                    Message {
                        op: if asked { Op::Request } else { Op::Reply },
                        hlen,
                        hops,
                        xid,
                        secs,
                        flags,
                        ciaddr: addresses[0].into(),
                        yiaddr: addresses[1].into(),
                        siaddr: addresses[2].into(),
                        giaddr: addresses[3].into(),
                        chaddr,
                        sname,
                        file,
                        options: options.into_iter().collect(),
                        ..Message::request(MessageType::Discover, 0, MAC)
                    }
                },
            )
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(message in any_message(), room in 300_usize..2000) {
            if let Ok(bytes) = message.encode(room) {
                prop_assert!(bytes.len() <= room);
                prop_assert_eq!(Message::decode(&bytes), Ok(message));
            }
        }

        #[test]
        fn everything_fits_somewhere(message in any_message()) {
            prop_assert!(message.encode(4000).is_ok());
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in vec(any::<u8>(), 0..400), options in vec(any::<u8>(), 0..300)) {
            let _ = Message::decode(&bytes);
            let mut real = Message::request(MessageType::Discover, 1, MAC).encode(DEFAULT_ROOM).unwrap();
            real.truncate(HEADER);
            real.extend(options);
            if let Ok(message) = Message::decode(&real) {
                let again = message.encode(65_000).unwrap();
                prop_assert_eq!(Message::decode(&again), Ok(message));
            }
        }
    }

    #[test]
    fn options_overflow_into_the_empty_fields() {
        let mut message = Message::request(MessageType::Discover, 7, MAC);
        message.options.set(code::DOMAIN, vec![b'd'; 100]);
        message.options.set(code::HOST_NAME, vec![b'h'; 60]);
        let bytes = message.encode(MINIMUM).unwrap();
        assert_eq!(bytes.len(), MINIMUM);
        // The domain is in the field of the file, the name in the field of the server.
        assert_eq!(bytes[108], code::DOMAIN);
        assert_eq!(bytes[44], code::HOST_NAME);
        assert_eq!(Message::decode(&bytes), Ok(message.clone()));
        message.file = b"pxelinux.0".to_vec();
        assert_eq!(
            message.encode(MINIMUM),
            Err(EncodeError::TooLong { room: MINIMUM })
        );
    }

    #[test]
    fn an_answer_repeats_what_it_must() {
        let mut ask = Message::request(MessageType::Discover, 7, MAC);
        ask.giaddr = [10, 0, 0, 1].into();
        ask.flags = FLAG_BROADCAST;
        ask.options.set(code::CLIENT_UUID, [0; 17]);
        ask.options.set(code::HOST_NAME, *b"x");
        let offer = ask.reply(MessageType::Offer, [10, 0, 0, 2].into());
        assert_eq!(
            (offer.xid, offer.flags, offer.giaddr),
            (7, FLAG_BROADCAST, ask.giaddr)
        );
        assert_eq!(offer.kind(), Some(MessageType::Offer));
        assert_eq!(offer.mac(), Some(MAC));
        assert!(offer.options.has(code::CLIENT_UUID) && !offer.options.has(code::HOST_NAME));
    }

    #[test]
    fn the_room_of_a_client_is_never_less_than_the_standard_one() {
        let mut ask = Message::request(MessageType::Discover, 7, MAC);
        assert_eq!(ask.room(), 548);
        ask.options.set(code::MAX_SIZE, 100_u16.to_be_bytes());
        assert_eq!(ask.room(), 548);
        ask.options.set(code::MAX_SIZE, 1472_u16.to_be_bytes());
        assert_eq!(ask.room(), 1444);
        ask.options.set(code::MAX_SIZE, u16::MAX.to_be_bytes());
        assert_eq!(ask.room(), 1472);
    }
}
