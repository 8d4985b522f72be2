//! Requests and responses (IPMI 2.0 §13.8), and bridging to controllers behind the BMC.
//!
//! A message to another controller on the machine's internal bus (IPMB) travels inside a
//! `Send Message` request to the BMC (§22.7), and inside two of them if the controller is behind
//! another one. The BMC is asked to track the request, so the response arrives as if the BMC itself
//! had been asked; some BMCs put it into their response to `Send Message` instead, which
//! [`bridged_answer`] unpacks.

use super::{DecodeError, Reader};

/// The address of the BMC on the IPMB.
pub const BMC: u8 = 0x20;
/// The software id of a remote console (IPMI 2.0 §5.5).
pub const REMOTE_CONSOLE: u8 = 0x81;

/// Network function codes (IPMI 2.0 §5.1). Requests are even; the response has the next odd number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct NetFn(pub u8);

impl NetFn {
    pub const CHASSIS: Self = Self(0x00);
    pub const SENSOR: Self = Self(0x04);
    pub const APP: Self = Self(0x06);
    pub const STORAGE: Self = Self(0x0a);
    pub const TRANSPORT: Self = Self(0x0c);
    /// Group extensions, of which the first byte of the data names the group.
    pub const GROUP: Self = Self(0x2c);
    const ALL_BITS: u8 = 0x3f;

    /// Whether it is the function of a response.
    pub fn is_answer(self) -> bool {
        self.0 & 1 == 1
    }

    fn answer(self) -> Self {
        Self(self.0 | 1)
    }
}

/// Send Message (IPMI 2.0 §22.7).
pub const SEND_MESSAGE: u8 = 0x34;
/// Track Request: the BMC remembers the request and sends its response back to this session.
const TRACK: u8 = 0x40;

/// Completion codes (IPMI 2.0 Table 5-2): the first byte of a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Completion(pub u8);

impl Completion {
    pub const OK: Self = Self(0x00);
    pub const NODE_BUSY: Self = Self(0xc0);
    pub const INVALID_COMMAND: Self = Self(0xc1);
    pub const TIMEOUT: Self = Self(0xc3);
    pub const OUT_OF_SPACE: Self = Self(0xc4);
    pub const RESERVATION_LOST: Self = Self(0xc5);
    pub const TRUNCATED: Self = Self(0xc6);
    pub const WRONG_LENGTH: Self = Self(0xc7);
    pub const TOO_LONG: Self = Self(0xc8);
    pub const OUT_OF_RANGE: Self = Self(0xc9);
    pub const CANNOT_RETURN_SO_MUCH: Self = Self(0xca);
    pub const NOT_PRESENT: Self = Self(0xcb);
    pub const INVALID_FIELD: Self = Self(0xcc);
    pub const INITIALIZING: Self = Self(0xd2);
    pub const UNREACHABLE: Self = Self(0xd3);
    pub const PRIVILEGE: Self = Self(0xd4);
    pub const WRONG_STATE: Self = Self(0xd5);
    pub const UNSPECIFIED: Self = Self(0xff);

    /// Whether a retry of the same request may succeed: the BMC is busy or still starting.
    pub fn is_passing(self) -> bool {
        matches!(
            self,
            Self::NODE_BUSY | Self::TIMEOUT | Self::OUT_OF_SPACE | Self::INITIALIZING
        )
    }
}

impl std::fmt::Display for Completion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let meaning = match *self {
            Self::OK => "success",
            Self::NODE_BUSY => "node busy",
            Self::INVALID_COMMAND => "invalid command",
            Self(0xc2) => "invalid command on this LUN",
            Self::TIMEOUT => "timeout",
            Self::OUT_OF_SPACE => "out of space",
            Self::RESERVATION_LOST => "reservation cancelled or invalid",
            Self::TRUNCATED => "request data truncated",
            Self::WRONG_LENGTH => "wrong length of the request",
            Self::TOO_LONG => "request data too long",
            Self::OUT_OF_RANGE => "parameter out of range",
            Self::CANNOT_RETURN_SO_MUCH => "cannot return that many bytes",
            Self::NOT_PRESENT => "no such sensor, record or data",
            Self::INVALID_FIELD => "invalid data field in the request",
            Self(0xcd) => "command illegal for this sensor or record",
            Self(0xce) => "the answer could not be provided",
            Self(0xcf) => "duplicated request",
            Self(0xd0) => "SDR repository in update mode",
            Self(0xd1) => "device in firmware update mode",
            Self::INITIALIZING => "BMC initialization in progress",
            Self::UNREACHABLE => "destination unavailable",
            Self::PRIVILEGE => "insufficient privilege level",
            Self::WRONG_STATE => "not supported in the present state",
            Self(0xd6) => "sub-function disabled or unavailable",
            _ => "unspecified error",
        };
        write!(f, "{meaning} (completion code {:#04x})", self.0)
    }
}

/// A request without its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub netfn: NetFn,
    pub command: u8,
    pub data: Vec<u8>,
}

impl Request {
    /// A request with its data.
    pub fn new(netfn: NetFn, command: u8, data: impl Into<Vec<u8>>) -> Self {
        Self {
            netfn,
            command,
            data: data.into(),
        }
    }
}

/// A message with its envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message<'a> {
    pub to: u8,
    pub to_lun: u8,
    pub from: u8,
    pub from_lun: u8,
    pub netfn: NetFn,
    /// Six bits.
    pub sequence: u8,
    pub command: u8,
    /// The data; in a response it begins with the completion code.
    pub body: &'a [u8],
}

impl<'a> Message<'a> {
    /// Decodes a message and checks both of its checksums.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let what = "message";
        let mut reader = Reader::new(what, bytes);
        let head: [u8; 3] = reader.array()?;
        let [from, sequence, command] = reader.array()?;
        let (end, body) = reader
            .rest()
            .split_last()
            .ok_or(DecodeError::Short { what })?;
        if checksum(&head[..2]) != head[2] || checksum(&bytes[3..bytes.len() - 1]) != *end {
            return Err(DecodeError::Checksum { what });
        }
        Ok(Self {
            to: head[0],
            to_lun: head[1] & 3,
            from,
            from_lun: sequence & 3,
            netfn: NetFn(head[1] >> 2),
            sequence: sequence >> 2,
            command,
            body,
        })
    }

    /// Encodes a message with its checksums.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![
            self.to,
            (self.netfn.0 & NetFn::ALL_BITS) << 2 | self.to_lun & 3,
        ];
        bytes.push(checksum(&bytes));
        bytes.extend([
            self.from,
            self.sequence << 2 | self.from_lun & 3,
            self.command,
        ]);
        bytes.extend(self.body);
        bytes.push(checksum(&bytes[3..]));
        bytes
    }

    /// The response to this request: addresses and LUNs swapped, `body` as its data.
    pub fn answer_with<'b>(&self, body: &'b [u8]) -> Message<'b> {
        Message {
            to: self.from,
            to_lun: self.from_lun,
            from: self.to,
            from_lun: self.to_lun,
            netfn: self.netfn.answer(),
            sequence: self.sequence,
            command: self.command,
            body,
        }
    }

    /// The completion code and the data of a response.
    pub fn answer(&self) -> Result<(Completion, &'a [u8]), DecodeError> {
        let what = "answer";
        if !self.netfn.is_answer() {
            return Err(DecodeError::Value {
                what: "function of an answer",
                value: self.netfn.0,
            });
        }
        let (code, data) = self.body.split_first().ok_or(DecodeError::Short { what })?;
        Ok((Completion(*code), data))
    }
}

/// The two's complement checksum of IPMI 2.0 §13.8: with it, all bytes add up to zero.
pub fn checksum(bytes: &[u8]) -> u8 {
    bytes
        .iter()
        .fold(0u8, |sum, byte| sum.wrapping_add(*byte))
        .wrapping_neg()
}

/// A controller behind another, and the channel that leads to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hop {
    pub channel: u8,
    pub address: u8,
}

/// The path from the BMC to the controller that a request is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// The BMC itself.
    Direct,
    /// A controller on one of the BMC's channels.
    Single { local: u8, target: Hop },
    /// A controller behind another one.
    Dual {
        local: u8,
        transit: Hop,
        target: Hop,
    },
}

impl Route {
    /// How many `Send Message` envelopes a request needs.
    pub fn bridges(&self) -> usize {
        match self {
            Self::Direct => 0,
            Self::Single { .. } => 1,
            Self::Dual { .. } => 2,
        }
    }

    /// Encodes the message to the BMC that carries the request to its controller.
    ///
    /// All envelopes have the same sequence number, so that a response matches whichever of them
    /// the BMC answers.
    pub fn envelope(&self, request: &Request, sequence: u8) -> Vec<u8> {
        let message = |to, from, netfn, command, body: &[u8]| {
            Message {
                to,
                to_lun: 0,
                from,
                from_lun: 0,
                netfn,
                sequence,
                command,
                body,
            }
            .encode()
        };
        let send = |to, from, channel: u8, inner: Vec<u8>| {
            let mut body = vec![TRACK | channel & 0x0f];
            body.extend(inner);
            message(to, from, NetFn::APP, SEND_MESSAGE, &body)
        };
        let asked = |to, from| message(to, from, request.netfn, request.command, &request.data);
        match *self {
            Self::Direct => asked(BMC, REMOTE_CONSOLE),
            Self::Single { local, target } => send(
                BMC,
                REMOTE_CONSOLE,
                target.channel,
                asked(target.address, local),
            ),
            Self::Dual {
                local,
                transit,
                target,
            } => {
                let inner = asked(target.address, transit.address);
                let middle = send(transit.address, local, target.channel, inner);
                send(BMC, REMOTE_CONSOLE, transit.channel, middle)
            }
        }
    }
}

/// What a response to `Send Message` says about the bridged request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bridged {
    /// It was forwarded; its response arrives as a separate message.
    Forwarded,
    /// It could not be forwarded.
    Refused(Completion),
    /// The response itself: completion code and data.
    Answered(Completion, Vec<u8>),
}

/// Decodes a response to `Send Message`.
pub fn bridged_answer(answer: &Message<'_>) -> Result<Bridged, DecodeError> {
    let (code, data) = answer.answer()?;
    if code != Completion::OK {
        return Ok(Bridged::Refused(code));
    }
    if data.is_empty() {
        return Ok(Bridged::Forwarded);
    }
    let inner = Message::decode(data)?;
    if inner.command == SEND_MESSAGE && inner.netfn == NetFn::APP.answer() {
        return bridged_answer(&inner);
    }
    let (code, data) = inner.answer()?;
    Ok(Bridged::Answered(code, data.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const STATUS: u8 = 0x01;

    #[test]
    fn a_request_looks_as_in_the_standard() {
        let request = Request::new(NetFn::CHASSIS, STATUS, []);
        let bytes = Route::Direct.envelope(&request, 1);
        assert_eq!(bytes, [0x20, 0x00, 0xe0, 0x81, 0x04, 0x01, 0x7a]);
    }

    #[test]
    fn answers_go_back_where_requests_came_from() {
        let request = Request::new(NetFn::CHASSIS, STATUS, []);
        let bytes = Route::Direct.envelope(&request, 9);
        let asked = Message::decode(&bytes).unwrap();
        let bytes = asked.answer_with(&[0, 0x21]).encode();
        let answer = Message::decode(&bytes).unwrap();
        assert_eq!((answer.to, answer.from), (REMOTE_CONSOLE, BMC));
        assert_eq!(answer.sequence, 9);
        assert_eq!(answer.answer(), Ok((Completion::OK, &[0x21][..])));
        assert!(asked.answer().is_err(), "a request is no answer");
    }

    #[test]
    fn bridges_are_envelopes_in_envelopes() {
        let request = Request::new(NetFn::APP, 0x01, []);
        let target = Hop {
            channel: 6,
            address: 0x2c,
        };
        let transit = Hop {
            channel: 7,
            address: 0x82,
        };
        let local = 0x20;
        let single = Route::Single { local, target }.envelope(&request, 3);
        let outer = Message::decode(&single).unwrap();
        assert_eq!(
            (outer.to, outer.command, outer.body[0]),
            (BMC, SEND_MESSAGE, 0x46)
        );
        let inner = Message::decode(&outer.body[1..]).unwrap();
        assert_eq!((inner.to, inner.from, inner.command), (0x2c, 0x20, 0x01));

        let dual = Route::Dual {
            local,
            transit,
            target,
        }
        .envelope(&request, 3);
        let outer = Message::decode(&dual).unwrap();
        assert_eq!(outer.body[0], 0x47);
        let middle = Message::decode(&outer.body[1..]).unwrap();
        assert_eq!(
            (middle.to, middle.command, middle.body[0]),
            (0x82, SEND_MESSAGE, 0x46)
        );
        let inner = Message::decode(&middle.body[1..]).unwrap();
        assert_eq!((inner.to, inner.from), (0x2c, 0x82));
    }

    #[test]
    fn answers_inside_of_answers_are_found() {
        let request = Request::new(NetFn::APP, 0x01, []);
        let asked = Message {
            to: 0x2c,
            to_lun: 0,
            from: BMC,
            from_lun: 0,
            netfn: request.netfn,
            sequence: 1,
            command: request.command,
            body: &[],
        };
        let inner = asked.answer_with(&[0, 5]).encode();
        let send = Message {
            to: BMC,
            command: SEND_MESSAGE,
            from: REMOTE_CONSOLE,
            ..asked.clone()
        };
        let read = |body: &[u8]| {
            let bytes = send.answer_with(body).encode();
            bridged_answer(&Message::decode(&bytes).unwrap()).unwrap()
        };
        let full: Vec<u8> = [vec![0], inner].concat();
        assert_eq!(read(&full), Bridged::Answered(Completion::OK, vec![5]));
        assert_eq!(read(&[0]), Bridged::Forwarded);
        assert_eq!(read(&[0xd3]), Bridged::Refused(Completion::UNREACHABLE));
    }

    proptest! {
        #[test]
        fn messages_survive_the_wire(
            to: u8, from: u8, netfn in 0u8..64, sequence in 0u8..64, command: u8,
            body in proptest::collection::vec(any::<u8>(), 0..40),
        ) {
            let message = Message {
                to, to_lun: 1, from, from_lun: 2, netfn: NetFn(netfn), sequence, command,
                body: &body,
            };
            let bytes = message.encode();
            prop_assert_eq!(Message::decode(&bytes), Ok(message));
        }

        #[test]
        fn a_changed_byte_is_noticed(at in 0usize..8, change in 1u8..) {
            let request = Request::new(NetFn::APP, 1, [1]);
            let mut bytes = Route::Direct.envelope(&request, 1);
            bytes[at] ^= change;
            prop_assert!(Message::decode(&bytes).is_err());
        }

        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Ok(message) = Message::decode(&bytes) {
                let _ = bridged_answer(&message);
            }
        }
    }
}
