//! The value of an object: the types of RFC 2578 §7 and the exceptions of RFC 3416 §3.

use super::{
    DecodeError, Oid,
    ber::{self, Reader},
};
use std::fmt;

/// The value of an object, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Integer(i32),
    Octets(Vec<u8>),
    /// Also the placeholder for the value in a request.
    Null,
    ObjectId(Oid),
    IpAddress([u8; 4]),
    Counter32(u32),
    Gauge32(u32),
    TimeTicks(u32),
    Opaque(Vec<u8>),
    Counter64(u64),
    NoSuchObject,
    NoSuchInstance,
    /// There is no next object.
    EndOfMib,
}

const IP_ADDRESS: u8 = 0x40;
const COUNTER32: u8 = 0x41;
const GAUGE32: u8 = 0x42;
const TIME_TICKS: u8 = 0x43;
const OPAQUE: u8 = 0x44;
const COUNTER64: u8 = 0x46;
const NO_SUCH_OBJECT: u8 = 0x80;
const NO_SUCH_INSTANCE: u8 = 0x81;
const END_OF_MIB: u8 = 0x82;

impl Value {
    /// Whether it is one of the exceptions that say that the object does not exist.
    pub fn is_absent(&self) -> bool {
        matches!(
            self,
            Self::NoSuchObject | Self::NoSuchInstance | Self::EndOfMib
        )
    }

    /// The number, whatever numeric type the agent chose: makers are not consistent.
    pub fn as_number(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => Some((*number).into()),
            Self::Counter32(number) | Self::Gauge32(number) | Self::TimeTicks(number) => {
                Some((*number).into())
            }
            Self::Counter64(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Integer(number) => ber::put_signed(out, ber::INTEGER, *number),
            Self::Octets(bytes) => ber::put(out, ber::OCTETS, bytes),
            Self::Null => ber::put(out, ber::NULL, &[]),
            Self::ObjectId(oid) => oid.put(out),
            Self::IpAddress(bytes) => ber::put(out, IP_ADDRESS, bytes),
            Self::Counter32(number) => ber::put_unsigned(out, COUNTER32, (*number).into()),
            Self::Gauge32(number) => ber::put_unsigned(out, GAUGE32, (*number).into()),
            Self::TimeTicks(number) => ber::put_unsigned(out, TIME_TICKS, (*number).into()),
            Self::Opaque(bytes) => ber::put(out, OPAQUE, bytes),
            Self::Counter64(number) => ber::put_unsigned(out, COUNTER64, *number),
            Self::NoSuchObject => ber::put(out, NO_SUCH_OBJECT, &[]),
            Self::NoSuchInstance => ber::put(out, NO_SUCH_INSTANCE, &[]),
            Self::EndOfMib => ber::put(out, END_OF_MIB, &[]),
        }
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let what = "value";
        let (tag, contents) = reader.element(what)?;
        let bytes = contents.rest();
        let number = || {
            let number = ber::unsigned(bytes, what)?;
            u32::try_from(number).map_err(|_| DecodeError::Value { what })
        };
        let nothing = |value| contents.end(what).map(|()| value);
        match tag {
            ber::INTEGER => ber::signed(bytes, what).map(Self::Integer),
            ber::OCTETS => Ok(Self::Octets(bytes.to_vec())),
            ber::NULL => nothing(Self::Null),
            ber::OBJECT_ID => Oid::decode(bytes).map(Self::ObjectId),
            IP_ADDRESS => match bytes.try_into() {
                Ok(address) => Ok(Self::IpAddress(address)),
                Err(_) => Err(DecodeError::Value { what }),
            },
            COUNTER32 => number().map(Self::Counter32),
            GAUGE32 => number().map(Self::Gauge32),
            TIME_TICKS => number().map(Self::TimeTicks),
            OPAQUE => Ok(Self::Opaque(bytes.to_vec())),
            COUNTER64 => ber::unsigned(bytes, what).map(Self::Counter64),
            NO_SUCH_OBJECT => nothing(Self::NoSuchObject),
            NO_SUCH_INSTANCE => nothing(Self::NoSuchInstance),
            END_OF_MIB => nothing(Self::EndOfMib),
            tag => Err(DecodeError::Tag { what, tag }),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(number) => number.fmt(f),
            Self::Octets(bytes) | Self::Opaque(bytes) => {
                write!(f, "'{}'", String::from_utf8_lossy(bytes).escape_debug())
            }
            Self::Null => f.write_str("nothing"),
            Self::ObjectId(oid) => oid.fmt(f),
            Self::IpAddress(bytes) => std::net::Ipv4Addr::from(*bytes).fmt(f),
            Self::Counter32(number) | Self::Gauge32(number) | Self::TimeTicks(number) => {
                number.fmt(f)
            }
            Self::Counter64(number) => number.fmt(f),
            Self::NoSuchObject => f.write_str("no such object"),
            Self::NoSuchInstance => f.write_str("no such instance"),
            Self::EndOfMib => f.write_str("the end of all objects"),
        }
    }
}
