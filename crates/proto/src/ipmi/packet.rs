//! Datagrams: the RMCP header and what stands around a payload.
//!
//! Nothing is verified or decrypted here, only taken apart; see [`super::session`].

use super::{DecodeError, Reader};

const VERSION: u8 = 6;
/// RMCP's own acknowledgements are not used with IPMI.
const NO_SEQUENCE: u8 = 0xff;
const CLASS_ASF: u8 = 6;
const CLASS_IPMI: u8 = 7;
/// What the authentication type says when the packet is of version 2.0.
const FORMAT_RMCP_PLUS: u8 = 6;

const ENCRYPTED: u8 = 0x80;
const AUTHENTICATED: u8 = 0x40;
const TYPE: u8 = 0x3f;

/// A datagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packet<'a> {
    /// Presence ping, with the tag that the answer repeats.
    Ping {
        tag: u8,
    },
    /// The answer to it; `ipmi` tells whether there is a BMC behind the address.
    Pong {
        tag: u8,
        ipmi: bool,
    },
    V15(V15<'a>),
    V20(V20<'a>),
}

/// How a packet of version 1.5 is authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum V15Auth {
    None = 0,
    Md2 = 1,
    Md5 = 2,
    Straight = 4,
    Oem = 5,
}

impl V15Auth {
    pub fn of_code(code: u8) -> Option<Self> {
        [Self::None, Self::Md2, Self::Md5, Self::Straight, Self::Oem]
            .into_iter()
            .find(|auth| *auth as u8 == code)
    }
}

/// A packet of version 1.5.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct V15<'a> {
    pub auth: V15Auth,
    pub sequence: u32,
    pub session: u32,
    /// Not there when `auth` is none.
    pub code: Option<[u8; 16]>,
    pub payload: &'a [u8],
}

/// What a payload of version 2.0 is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PayloadType {
    Ipmi = 0x00,
    Sol = 0x01,
    OpenSessionRequest = 0x10,
    OpenSessionResponse = 0x11,
    Rakp1 = 0x12,
    Rakp2 = 0x13,
    Rakp3 = 0x14,
    Rakp4 = 0x15,
}

impl PayloadType {
    fn of_code(code: u8) -> Option<Self> {
        [
            Self::Ipmi,
            Self::Sol,
            Self::OpenSessionRequest,
            Self::OpenSessionResponse,
            Self::Rakp1,
            Self::Rakp2,
            Self::Rakp3,
            Self::Rakp4,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == code)
    }
}

/// A packet of version 2.0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct V20<'a> {
    pub kind: PayloadType,
    pub encrypted: bool,
    pub session: u32,
    pub sequence: u32,
    /// As it was sent: hidden, if the packet is encrypted.
    pub payload: &'a [u8],
    /// What protects the packet, if it is protected.
    pub trailer: Option<Trailer<'a>>,
}

/// The end of a protected packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trailer<'a> {
    /// Everything that the code was made of.
    pub covered: &'a [u8],
    /// The filling, its length and the code: how long the code is depends on the session.
    pub rest: &'a [u8],
}

impl<'a> Packet<'a> {
    pub fn decode(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let mut header = Reader::new("RMCP header", bytes);
        let [version, _reserved, _sequence, class] = header.array()?;
        if version != VERSION {
            return Err(DecodeError::Value {
                what: "RMCP version",
                value: version,
            });
        }
        let body = header.rest();
        match class {
            CLASS_ASF => decode_asf(body),
            CLASS_IPMI if body.first() == Some(&FORMAT_RMCP_PLUS) => {
                decode_v20(body).map(Self::V20)
            }
            CLASS_IPMI => decode_v15(body).map(Self::V15),
            value => Err(DecodeError::Value {
                what: "RMCP class",
                value,
            }),
        }
    }
}

const ASF_IANA: [u8; 4] = [0, 0, 0x11, 0xbe];
const ASF_PING: u8 = 0x80;
const ASF_PONG: u8 = 0x40;

fn decode_asf(body: &[u8]) -> Result<Packet<'_>, DecodeError> {
    let mut reader = Reader::new("ASF message", body);
    let iana: [u8; 4] = reader.array()?;
    let [kind, tag, _reserved, length] = reader.array()?;
    if iana != ASF_IANA {
        return Err(DecodeError::Value {
            what: "ASF enterprise",
            value: iana[3],
        });
    }
    match kind {
        ASF_PING => Ok(Packet::Ping { tag }),
        ASF_PONG => {
            let data = reader.bytes(usize::from(length))?;
            let entities = data.get(8).copied().unwrap_or_default();
            Ok(Packet::Pong {
                tag,
                ipmi: entities & 0x80 != 0,
            })
        }
        value => Err(DecodeError::Value {
            what: "ASF message type",
            value,
        }),
    }
}

fn rmcp(class: u8) -> Vec<u8> {
    vec![VERSION, 0, NO_SEQUENCE, class]
}

/// A presence ping.
pub fn ping(tag: u8) -> Vec<u8> {
    let mut bytes = rmcp(CLASS_ASF);
    bytes.extend(ASF_IANA);
    bytes.extend([ASF_PING, tag, 0, 0]);
    bytes
}

/// The answer of something that has a BMC.
pub fn pong(tag: u8) -> Vec<u8> {
    let mut bytes = rmcp(CLASS_ASF);
    bytes.extend(ASF_IANA);
    bytes.extend([ASF_PONG, tag, 0, 16]);
    bytes.extend(ASF_IANA);
    bytes.extend([0; 4]);
    // IPMI is supported, and so is version 1.0 of ASF; no interactions; reserved.
    bytes.extend([0x81, 0, 0, 0, 0, 0, 0, 0]);
    bytes
}

fn decode_v15(body: &[u8]) -> Result<V15<'_>, DecodeError> {
    let mut reader = Reader::new("session header", body);
    let auth = reader.u8()?;
    let auth = V15Auth::of_code(auth).ok_or(DecodeError::Value {
        what: "authentication type",
        value: auth,
    })?;
    let sequence = reader.u32()?;
    let session = reader.u32()?;
    let code = match auth {
        V15Auth::None => None,
        _ => Some(reader.array()?),
    };
    let length = usize::from(reader.u8()?);
    Ok(V15 {
        auth,
        sequence,
        session,
        code,
        // A byte of filling may follow.
        payload: reader.bytes(length)?,
    })
}

/// Lengths at which some network cards of old cut packets; one more byte avoids it.
const UNLUCKY_LENGTHS: [usize; 5] = [56, 84, 112, 128, 156];

impl V15<'_> {
    /// The datagram; the payload must not be longer than 255 bytes.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = rmcp(CLASS_IPMI);
        bytes.push(self.auth as u8);
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend(self.session.to_le_bytes());
        if let Some(code) = self.code {
            bytes.extend(code);
        }
        let length = u8::try_from(self.payload.len()).unwrap_or(u8::MAX);
        bytes.push(length);
        bytes.extend(&self.payload[..usize::from(length)]);
        if UNLUCKY_LENGTHS.contains(&bytes.len()) {
            bytes.push(0);
        }
        bytes
    }
}

fn decode_v20(body: &[u8]) -> Result<V20<'_>, DecodeError> {
    let mut reader = Reader::new("session header", body);
    let _format = reader.u8()?;
    let flags = reader.u8()?;
    let kind = PayloadType::of_code(flags & TYPE).ok_or(DecodeError::Value {
        what: "payload type",
        value: flags & TYPE,
    })?;
    let session = reader.u32()?;
    let sequence = reader.u32()?;
    let length = usize::from(reader.u16()?);
    let payload = reader.bytes(length)?;
    let trailer = (flags & AUTHENTICATED != 0).then(|| Trailer {
        covered: body,
        rest: reader.rest(),
    });
    Ok(V20 {
        kind,
        encrypted: flags & ENCRYPTED != 0,
        session,
        sequence,
        payload,
        trailer,
    })
}

const NEXT_HEADER: u8 = 7;

/// Makes the code at the end of a packet.
pub type Protect<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

impl V20<'_> {
    /// The datagram. `protect` makes the code at its end from everything before it.
    pub fn encode(&self, protect: Option<Protect<'_>>) -> Vec<u8> {
        let mut bytes = rmcp(CLASS_IPMI);
        let start = bytes.len();
        let mut flags = self.kind as u8;
        if self.encrypted {
            flags |= ENCRYPTED;
        }
        if protect.is_some() {
            flags |= AUTHENTICATED;
        }
        bytes.extend([FORMAT_RMCP_PLUS, flags]);
        bytes.extend(self.session.to_le_bytes());
        bytes.extend(self.sequence.to_le_bytes());
        let length = u16::try_from(self.payload.len()).unwrap_or(u16::MAX);
        bytes.extend(length.to_le_bytes());
        bytes.extend(&self.payload[..usize::from(length)]);
        if let Some(protect) = protect {
            let mut filling = 0u8;
            // The length of the filling and the next header are covered as well.
            while !(bytes.len() - start + 2).is_multiple_of(4) {
                bytes.push(0xff);
                filling += 1;
            }
            bytes.extend([filling, NEXT_HEADER]);
            let code = protect(&bytes[start..]);
            bytes.extend(code);
        }
        bytes
    }
}

impl<'a> Trailer<'a> {
    /// The covered bytes and the code, given how long the session's codes are.
    pub fn split(&self, code_length: usize) -> Result<(&'a [u8], &'a [u8]), DecodeError> {
        let what = "session trailer";
        let at = self
            .covered
            .len()
            .checked_sub(code_length)
            .filter(|_| self.rest.len() >= code_length + 2)
            .ok_or(DecodeError::Short { what })?;
        Ok(self.covered.split_at(at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pings_are_answered() {
        assert_eq!(Packet::decode(&ping(7)), Ok(Packet::Ping { tag: 7 }));
        assert_eq!(
            Packet::decode(&pong(7)),
            Ok(Packet::Pong { tag: 7, ipmi: true })
        );
    }

    #[test]
    fn a_request_of_ipmitool_is_taken_apart() {
        // Get Channel Authentication Capabilities, as ipmitool sends it first.
        let bytes = b"\x06\x00\xff\x07\x00\x00\x00\x00\x00\x00\x00\x00\x00\x09\x20\x18\xc8\x81\x00\x38\x8e\x04\xb5";
        let Ok(Packet::V15(packet)) = Packet::decode(bytes) else {
            panic!("not understood");
        };
        assert_eq!((packet.session, packet.sequence), (0, 0));
        assert_eq!(packet.payload.len(), 9);
        assert_eq!(packet.encode(), bytes);
    }

    #[test]
    fn protected_packets_have_a_whole_number_of_words() {
        for length in 0..9 {
            let payload = vec![1; length];
            let packet = V20 {
                kind: PayloadType::Ipmi,
                encrypted: false,
                session: 1,
                sequence: 2,
                payload: &payload,
                trailer: None,
            };
            let bytes = packet.encode(Some(&|covered| {
                assert_eq!(covered.len() % 4, 0);
                vec![9; 12]
            }));
            let Ok(Packet::V20(read)) = Packet::decode(&bytes) else {
                panic!("not understood");
            };
            assert_eq!(read.payload, payload);
            let (covered, code) = read.trailer.unwrap().split(12).unwrap();
            assert_eq!(code, [9; 12]);
            assert_eq!(covered.len(), bytes.len() - 4 - 12);
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_packet_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            let _ = Packet::decode(&bytes);
            let mut framed = vec![6, 0, 0xff, 7];
            framed.extend(&bytes);
            if let Ok(Packet::V20(packet)) = Packet::decode(&framed)
                && let Some(trailer) = packet.trailer
            {
                let _ = trailer.split(12);
            }
        }
    }
}
