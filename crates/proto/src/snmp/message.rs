//! Datagrams: the envelope of a PDU in each version (RFC 1157 §4, RFC 1901, RFC 3412 §6).
//!
//! Of version 3 this is only the layout; [`super::usm`] authenticates and encrypts.

use super::{
    DecodeError, Pdu,
    ber::{self, Reader},
};
use std::fmt;

/// The versions that carry a community.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    V1,
    V2c,
}

const V1: i32 = 0;
const V2C: i32 = 1;
const V3: i32 = 3;

/// A community: the clear-text password of versions 1 and 2c. Its `Debug` output hides the value.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Community(pub Vec<u8>);

impl fmt::Debug for Community {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Community(…)")
    }
}

/// A message of version 1 or 2c.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommunityMessage {
    pub version: Version,
    pub community: Community,
    pub pdu: Pdu,
}

impl CommunityMessage {
    /// Encodes a datagram.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        ber::put_with(&mut out, ber::SEQUENCE, |out| {
            let version = match self.version {
                Version::V1 => V1,
                Version::V2c => V2C,
            };
            ber::put_signed(out, ber::INTEGER, version);
            ber::put(out, ber::OCTETS, &self.community.0);
            self.pdu.put(out);
        });
        out
    }
}

/// A datagram, as far as it can be decoded without keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message {
    Community(CommunityMessage),
    Usm(UsmMessage),
}

impl Message {
    /// Decodes a datagram of any version.
    pub fn decode(datagram: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(datagram);
        let mut message = reader.sequence("message")?;
        reader.end("message")?;
        let version = match message.integer("version")? {
            V1 => Version::V1,
            V2C => Version::V2c,
            V3 => return UsmMessage::read(message).map(Self::Usm),
            other => return Err(DecodeError::Version(other)),
        };
        let community = Community(message.octets("community")?.to_vec());
        let pdu = Pdu::read(&mut message)?;
        message.end("message")?;
        Ok(Self::Community(CommunityMessage {
            version,
            community,
            pdu,
        }))
    }
}

/// `msgFlags` of a message of version 3 (RFC 3412 §6.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Flags {
    pub is_signed: bool,
    pub is_hidden: bool,
    /// Whether the receiver may answer an unacceptable message with a Report.
    pub wants_report: bool,
}

impl Flags {
    fn byte(self) -> u8 {
        u8::from(self.is_signed) | u8::from(self.is_hidden) << 1 | u8::from(self.wants_report) << 2
    }

    fn of_byte(byte: u8) -> Result<Self, DecodeError> {
        let flags = Self {
            is_signed: byte & 1 != 0,
            is_hidden: byte & 2 != 0,
            wants_report: byte & 4 != 0,
        };
        // RFC 3412 §6.4: privacy without authentication is not a valid level.
        if flags.is_hidden && !flags.is_signed {
            return Err(DecodeError::Value { what: "flags" });
        }
        Ok(flags)
    }
}

/// `msgSecurityModel` of USM (RFC 3411 §5).
const USM: i32 = 3;
/// The largest message that we accept: the payload of a UDP datagram over IPv4.
const MAX_SIZE: i32 = 65507;

/// A message of version 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsmMessage {
    pub id: i32,
    /// The largest message that the sender accepts.
    pub max_size: i32,
    pub flags: Flags,
    pub security: Security,
    pub body: Body,
}

/// `msgSecurityParameters` of USM: who sent a message, and when (RFC 3414 §2.4).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Security {
    /// The authoritative engine, whose clock and localized keys count: the agent's.
    pub engine_id: Vec<u8>,
    pub boots: i32,
    pub time: i32,
    pub user: Vec<u8>,
    /// The authentication code over the whole message, computed with zeros in this place.
    pub code: Vec<u8>,
    pub salt: Vec<u8>,
}

/// The payload of a message of version 3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    Plain(ScopedPdu),
    Hidden(Vec<u8>),
}

/// A PDU with the context that its objects belong to (RFC 3412 §6.8).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopedPdu {
    pub engine_id: Vec<u8>,
    pub context: Vec<u8>,
    pub pdu: Pdu,
}

impl ScopedPdu {
    /// Encodes the scoped PDU, which is what privacy protocols encrypt.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        ber::put_with(&mut out, ber::SEQUENCE, |out| {
            ber::put(out, ber::OCTETS, &self.engine_id);
            ber::put(out, ber::OCTETS, &self.context);
            self.pdu.put(out);
        });
        out
    }

    /// Decodes one from the front; padding of the cipher may follow.
    pub fn decode_prefix(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::read(&mut Reader::new(bytes))
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let mut scoped = reader.sequence("scoped PDU")?;
        let engine_id = scoped.octets("context engine id")?.to_vec();
        let context = scoped.octets("context name")?.to_vec();
        let pdu = Pdu::read(&mut scoped)?;
        scoped.end("scoped PDU")?;
        Ok(Self {
            engine_id,
            context,
            pdu,
        })
    }
}

impl UsmMessage {
    /// A message with our own `max_size`.
    pub fn new(id: i32, flags: Flags, security: Security, body: Body) -> Self {
        Self {
            id,
            max_size: MAX_SIZE,
            flags,
            security,
            body,
        }
    }

    /// Encodes a datagram; the authentication code is written as it is given.
    pub fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        ber::put_with(&mut out, ber::SEQUENCE, |out| {
            ber::put_signed(out, ber::INTEGER, V3);
            ber::put_with(out, ber::SEQUENCE, |out| {
                ber::put_signed(out, ber::INTEGER, self.id);
                ber::put_signed(out, ber::INTEGER, self.max_size);
                ber::put(out, ber::OCTETS, &[self.flags.byte()]);
                ber::put_signed(out, ber::INTEGER, USM);
            });
            ber::put_with(out, ber::OCTETS, |out| {
                let security = &self.security;
                ber::put_with(out, ber::SEQUENCE, |out| {
                    ber::put(out, ber::OCTETS, &security.engine_id);
                    ber::put_signed(out, ber::INTEGER, security.boots);
                    ber::put_signed(out, ber::INTEGER, security.time);
                    ber::put(out, ber::OCTETS, &security.user);
                    ber::put(out, ber::OCTETS, &security.code);
                    ber::put(out, ber::OCTETS, &security.salt);
                });
            });
            match &self.body {
                Body::Plain(scoped) => out.extend(scoped.encode()),
                Body::Hidden(bytes) => ber::put(out, ber::OCTETS, bytes),
            }
        });
        out
    }

    fn read(mut message: Reader<'_>) -> Result<Self, DecodeError> {
        let mut header = message.sequence("header")?;
        let id = header.integer("message id")?;
        let max_size = header.integer("largest size")?;
        let flags = match header.octets("flags")? {
            [byte] => Flags::of_byte(*byte)?,
            _ => return Err(DecodeError::Value { what: "flags" }),
        };
        if header.integer("security model")? != USM {
            let what = "security model";
            return Err(DecodeError::Value { what });
        }
        header.end("header")?;
        let mut octets = message.expect(ber::OCTETS, "security parameters")?;
        let mut parameters = octets.sequence("security parameters")?;
        octets.end("security parameters")?;
        let security = Security {
            engine_id: parameters.octets("engine id")?.to_vec(),
            boots: parameters.integer("engine boots")?,
            time: parameters.integer("engine time")?,
            user: parameters.octets("user name")?.to_vec(),
            code: parameters.octets("authentication code")?.to_vec(),
            salt: parameters.octets("salt")?.to_vec(),
        };
        parameters.end("security parameters")?;
        let body = if flags.is_hidden {
            Body::Hidden(message.octets("hidden PDU")?.to_vec())
        } else {
            Body::Plain(ScopedPdu::read(&mut message)?)
        };
        message.end("message")?;
        Ok(Self {
            id,
            max_size,
            flags,
            security,
            body,
        })
    }

    /// Where the authentication code is in the datagram.
    pub(super) fn code_place(datagram: &[u8]) -> Result<std::ops::Range<usize>, DecodeError> {
        let mut message = Reader::new(datagram).sequence("message")?;
        message.integer("version")?;
        message.sequence("header")?;
        let mut octets = message.expect(ber::OCTETS, "security parameters")?;
        let mut parameters = octets.sequence("security parameters")?;
        for what in ["engine id", "engine boots", "engine time", "user name"] {
            parameters.element(what)?;
        }
        let code = parameters.expect(ber::OCTETS, "authentication code")?;
        Ok(code.offset()..code.offset() + code.rest().len())
    }
}

#[cfg(test)]
#[path = "message/tests.rs"]
mod tests;
