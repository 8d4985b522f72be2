//! Protocol data units: requests and responses (RFC 3416 §3; RFC 1157 §4.1 for version 1).

use super::{
    DecodeError, Oid, Value,
    ber::{self, Reader},
};
use std::fmt;

/// The type of a PDU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PduKind {
    Get,
    GetNext,
    Response,
    Set,
    GetBulk,
    Inform,
    Trap,
    /// An engine's report about the message itself, in version 3.
    Report,
}

impl PduKind {
    const ALL: [(Self, u8); 8] = [
        (Self::Get, 0xa0),
        (Self::GetNext, 0xa1),
        (Self::Response, 0xa2),
        (Self::Set, 0xa3),
        (Self::GetBulk, 0xa5),
        (Self::Inform, 0xa6),
        (Self::Trap, 0xa7),
        (Self::Report, 0xa8),
    ];

    fn tag(self) -> u8 {
        let mut all = Self::ALL.into_iter();
        all.find(|(kind, _)| *kind == self)
            .map_or(0, |(_, tag)| tag)
    }

    fn of_tag(tag: u8) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|(_, known)| *known == tag).map(|(kind, _)| kind)
    }
}

/// `error-status` of a response (RFC 3416 §3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorStatus(pub i32);

impl ErrorStatus {
    pub const NONE: Self = Self(0);
    pub const TOO_BIG: Self = Self(1);
    pub const NO_SUCH_NAME: Self = Self(2);
    pub const BAD_VALUE: Self = Self(3);
    pub const READ_ONLY: Self = Self(4);
    pub const GENERAL: Self = Self(5);
    pub const NO_ACCESS: Self = Self(6);
    pub const WRONG_TYPE: Self = Self(7);
    pub const WRONG_VALUE: Self = Self(10);
    pub const AUTHORIZATION: Self = Self(16);
    pub const NOT_WRITABLE: Self = Self(17);
}

impl fmt::Display for ErrorStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            0 => "noError",
            1 => "tooBig",
            2 => "noSuchName",
            3 => "badValue",
            4 => "readOnly",
            5 => "genErr",
            6 => "noAccess",
            7 => "wrongType",
            8 => "wrongLength",
            9 => "wrongEncoding",
            10 => "wrongValue",
            11 => "noCreation",
            12 => "inconsistentValue",
            13 => "resourceUnavailable",
            14 => "commitFailed",
            15 => "undoFailed",
            16 => "authorizationError",
            17 => "notWritable",
            18 => "inconsistentName",
            other => return write!(f, "error {other}"),
        })
    }
}

/// A request or a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pdu {
    pub kind: PduKind,
    /// Matches a response to its request.
    pub id: i32,
    /// In GetBulk this field is `non-repeaters` (RFC 3416 §3): how many objects are read once only.
    pub status: ErrorStatus,
    /// Which object the status is about, counted from one. In GetBulk it is `max-repetitions`.
    pub index: i32,
    pub bindings: Vec<(Oid, Value)>,
}

impl Pdu {
    /// A request without values.
    pub fn ask(kind: PduKind, id: i32, oids: impl IntoIterator<Item = Oid>) -> Self {
        Self {
            kind,
            id,
            status: ErrorStatus::NONE,
            index: 0,
            bindings: oids.into_iter().map(|oid| (oid, Value::Null)).collect(),
        }
    }

    /// A Set request for one object.
    pub fn set(id: i32, oid: Oid, value: Value) -> Self {
        Self {
            bindings: vec![(oid, value)],
            ..Self::ask(PduKind::Set, id, [])
        }
    }

    pub(crate) fn put(&self, out: &mut Vec<u8>) {
        ber::put_with(out, self.kind.tag(), |out| {
            ber::put_signed(out, ber::INTEGER, self.id);
            ber::put_signed(out, ber::INTEGER, self.status.0);
            ber::put_signed(out, ber::INTEGER, self.index);
            ber::put_with(out, ber::SEQUENCE, |out| {
                for (oid, value) in &self.bindings {
                    ber::put_with(out, ber::SEQUENCE, |out| {
                        oid.put(out);
                        value.put(out);
                    });
                }
            });
        });
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (tag, mut pdu) = reader.element("PDU")?;
        let kind = PduKind::of_tag(tag).ok_or(DecodeError::Tag { what: "PDU", tag })?;
        let id = pdu.integer("request id")?;
        let status = ErrorStatus(pdu.integer("error status")?);
        let index = pdu.integer("error index")?;
        let bindings = read_values(&mut pdu)?;
        pdu.end("PDU")?;
        Ok(Self {
            kind,
            id,
            status,
            index,
            bindings,
        })
    }
}

/// Reads the objects of a PDU, each with its value.
pub(crate) fn read_values(pdu: &mut Reader<'_>) -> Result<Vec<(Oid, Value)>, DecodeError> {
    let mut list = pdu.sequence("list of objects")?;
    let mut bindings = Vec::new();
    while !list.is_empty() {
        let mut pair = list.sequence("object")?;
        let oid = pair.expect(ber::OBJECT_ID, "name of an object")?;
        let oid = Oid::decode(oid.rest())?;
        let value = Value::read(&mut pair)?;
        pair.end("object")?;
        bindings.push((oid, value));
    }
    Ok(bindings)
}
