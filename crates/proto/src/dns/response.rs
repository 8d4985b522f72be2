//! What a server answers to an update (RFC 2136 §2.2 and §3.8), with its signature.

use super::{DecodeError, kind, name, tsig::Signature};
use crate::reader::Reader;

/// What came of an update (RFC 1035 §4.1.1, RFC 2136 §2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// A name exists that must not (YXDOMAIN), or the other way round.
    NameExists,
    NameMissing,
    RecordExists,
    RecordMissing,
    Refused,
    /// The server does not serve the zone, or does not accept the signature.
    NotAuthorized,
    /// The name is not in the zone.
    NotInZone,
    ServerFailed,
    NotImplemented,
    FormatError,
    Other(u8),
}

impl Outcome {
    fn of_code(code: u8) -> Self {
        match code {
            0 => Self::Done,
            1 => Self::FormatError,
            2 => Self::ServerFailed,
            3 => Self::NameMissing,
            4 => Self::NotImplemented,
            5 => Self::Refused,
            6 => Self::NameExists,
            7 => Self::RecordExists,
            8 => Self::RecordMissing,
            9 => Self::NotAuthorized,
            10 => Self::NotInZone,
            other => Self::Other(other),
        }
    }
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub id: u16,
    pub outcome: Outcome,
    pub signature: Option<Signature>,
    /// Where the signature's record begins.
    pub(super) signed: usize,
}

impl Response {
    pub fn decode(message: &[u8]) -> Result<Self, DecodeError> {
        let mut header = Reader::new("DNS header", message);
        let (id, flags) = (header.u16_be()?, header.u16_be()?);
        // An answer (QR) to an update (opcode 5).
        if flags >> 11 != 0b1_0101 {
            return Err(DecodeError::NotAnAnswer);
        }
        let counts = [
            header.u16_be()?,
            header.u16_be()?,
            header.u16_be()?,
            header.u16_be()?,
        ];
        let mut at = 12;
        for _ in 0..counts[0] {
            // A zone: name, type, class.
            at = name::read(message, at)?.1 + 4;
        }
        let records: u32 = counts[1..].iter().copied().map(u32::from).sum();
        let mut response = Self {
            id,
            outcome: Outcome::of_code((flags & 0xf) as u8),
            signature: None,
            signed: message.len(),
        };
        for number in 1..=records {
            let record = Record::read(message, at)?;
            if record.kind == kind::TSIG {
                // RFC 8945 §5.1: the last record of the additional section.
                if number != records || counts[3] == 0 {
                    return Err(DecodeError::TsigPlace);
                }
                response.signature = Some(Signature::decode(message, &record)?);
                response.signed = at;
            }
            at = record.end;
        }
        Ok(response)
    }
}

/// Where a record's parts are.
pub(super) struct Record {
    pub(super) name: Vec<u8>,
    pub(super) kind: u16,
    pub(super) data: usize,
    pub(super) end: usize,
}

impl Record {
    fn read(message: &[u8], start: usize) -> Result<Self, DecodeError> {
        let (name, at) = name::read(message, start)?;
        let mut rest = Reader::new("DNS record", message.get(at..).unwrap_or_default());
        let (kind, _class, _ttl) = (rest.u16_be()?, rest.u16_be()?, rest.u32_be()?);
        let length = usize::from(rest.u16_be()?);
        rest.bytes(length)?;
        let data = at + 10;
        Ok(Self {
            name,
            kind,
            data,
            end: data + length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    #[test]
    fn an_answer_is_read() {
        let mut bytes: Vec<u8> = vec![0, 7, 0xa8, 6, 0, 1, 0, 0, 0, 0, 0, 0];
        bytes.extend(b"\x01z\0\0\x06\0\x01");
        let response = Response::decode(&bytes).unwrap();
        assert_eq!((response.id, response.outcome), (7, Outcome::NameExists));
        assert_eq!(response.signature, None);
        bytes[2] = 0x28;
        assert_eq!(Response::decode(&bytes), Err(DecodeError::NotAnAnswer));
        assert!(Response::decode(&bytes[..11]).is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in vec(any::<u8>(), 0..200)) {
            let _ = Response::decode(&bytes);
            let mut answer = vec![0, 7, 0xa8, 0];
            answer.extend(bytes);
            let _ = Response::decode(&answer);
        }
    }
}
