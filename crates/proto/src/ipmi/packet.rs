//! Datagrams: the RMCP header, and the session header and trailer around a payload (IPMI 2.0 §13.6,
//! Table 13-8).
//!
//! Nothing is authenticated or decrypted here, only decoded; see [`super::session`].

use super::{DecodeError, Reader};

const VERSION: u8 = 6;
/// RMCP sequence number 0xff asks for no RMCP acknowledgement; IPMI does not use them.
const NO_SEQUENCE: u8 = 0xff;
const CLASS_ASF: u8 = 6;
const CLASS_IPMI: u8 = 7;
/// The authentication type that marks a packet of version 2.0 (RMCP+).
const FORMAT_RMCP_PLUS: u8 = 6;

const ENCRYPTED: u8 = 0x80;
const AUTHENTICATED: u8 = 0x40;
const TYPE: u8 = 0x3f;

/// A datagram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Packet<'a> {
    /// ASF Presence Ping; the Pong repeats its tag.
    Ping {
        tag: u8,
    },
    /// ASF Presence Pong; `ipmi` says whether the address has a BMC.
    Pong {
        tag: u8,
        ipmi: bool,
    },
    V15(V15<'a>),
    V20(V20<'a>),
}

/// Authentication types of version 1.5.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum V15Auth {
    None = 0,
    Md2 = 1,
    Md5 = 2,
    Straight = 4,
    Oem = 5,
}

impl V15Auth {
    /// The authentication type with this code.
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
    /// The AuthCode; absent when `auth` is none.
    pub code: Option<[u8; 16]>,
    pub payload: &'a [u8],
}

/// Payload types of version 2.0 (IPMI 2.0 §13.27.3).
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
    /// As received: ciphertext, if the packet is encrypted.
    pub payload: &'a [u8],
    /// The session trailer, if the packet is authenticated.
    pub trailer: Option<Trailer<'a>>,
}

/// The session trailer of an authenticated packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trailer<'a> {
    /// The whole session part of the packet. The AuthCode at its end covers what stands before it.
    pub covered: &'a [u8],
    /// Padding, pad length, next header and AuthCode. The length of the AuthCode depends on the
    /// session's algorithm.
    pub rest: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Decodes a datagram of either version, or an ASF ping or pong.
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

/// An ASF Presence Ping (IPMI 2.0 §13.2.3).
pub fn ping(tag: u8) -> Vec<u8> {
    let mut bytes = rmcp(CLASS_ASF);
    bytes.extend(ASF_IANA);
    bytes.extend([ASF_PING, tag, 0, 0]);
    bytes
}

/// An ASF Presence Pong of a machine with a BMC (IPMI 2.0 §13.2.4).
pub fn pong(tag: u8) -> Vec<u8> {
    let mut bytes = rmcp(CLASS_ASF);
    bytes.extend(ASF_IANA);
    bytes.extend([ASF_PONG, tag, 0, 16]);
    bytes.extend(ASF_IANA);
    bytes.extend([0; 4]);
    // Supported entities: IPMI and ASF 1.0. Supported interactions: none. Then reserved bytes.
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
    let sequence = reader.u32_le()?;
    let session = reader.u32_le()?;
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
        // The legacy pad byte may follow.
        payload: reader.bytes(length)?,
    })
}

/// Legacy PAD (IPMI 2.0 Table 13-8): some early network controllers could not receive packets of
/// these lengths, so a pad byte is added.
const UNLUCKY_LENGTHS: [usize; 5] = [56, 84, 112, 128, 156];

impl V15<'_> {
    /// Encodes a datagram; the payload must not be longer than 255 bytes.
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
    let session = reader.u32_le()?;
    let sequence = reader.u32_le()?;
    let length = usize::from(reader.u16_le()?);
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

/// Computes the AuthCode of a packet.
pub type Protect<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

impl V20<'_> {
    /// Encodes a datagram. `protect` computes the AuthCode from everything before it, from the
    /// authentication type on (IPMI 2.0 Table 13-8).
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
            // The integrity pad makes the covered part, with pad length and next header, a multiple
            // of four bytes.
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
    /// Splits into the covered bytes and the AuthCode, given the length of the session's codes.
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
