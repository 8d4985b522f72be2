//! The system event log (SEL, IPMI 2.0 §31 and §32).

use super::event::SensorEvent;
use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Get SEL Info (IPMI 2.0 §31.2).
pub const GET_INFO: u8 = 0x40;
/// Reserve SEL (IPMI 2.0 §31.4).
pub const RESERVE: u8 = 0x42;
/// Get SEL Entry (IPMI 2.0 §31.5).
pub const GET_ENTRY: u8 = 0x43;
/// Add SEL Entry (IPMI 2.0 §31.6).
pub const ADD_ENTRY: u8 = 0x44;
/// Clear SEL (IPMI 2.0 §31.9).
pub const CLEAR: u8 = 0x47;

/// The record id that stands for the first entry.
pub const FIRST: u16 = 0x0000;
/// The id of the next entry after the last one.
pub const LAST: u16 = 0xffff;
/// The length of every entry.
pub const ENTRY: usize = 16;

/// Asks for the size and state of the log.
pub fn info() -> Request {
    Request::new(NetFn::STORAGE, GET_INFO, [])
}

/// Requests a reservation, which [`clear`] needs.
pub fn reserve() -> Request {
    Request::new(NetFn::STORAGE, RESERVE, [])
}

/// Requests an entry. Reading it whole needs no reservation (IPMI 2.0 §31.5).
pub fn entry(id: u16) -> Request {
    let [low, high] = id.to_le_bytes();
    Request::new(NetFn::STORAGE, GET_ENTRY, [0, 0, low, high, 0, 0xff])
}

/// Requests a part of an entry, for BMCs whose answers have no room for a whole one. A part that does
/// not begin at 0 needs a reservation (IPMI 2.0 §31.5).
pub fn entry_part(reservation: u16, id: u16, offset: u8, count: u8) -> Request {
    let [r0, r1] = reservation.to_le_bytes();
    let [i0, i1] = id.to_le_bytes();
    Request::new(NetFn::STORAGE, GET_ENTRY, [r0, r1, i0, i1, offset, count])
}

/// Decodes the response to [`reserve`].
pub fn reservation(data: &[u8]) -> Result<u16, DecodeError> {
    Ok(Reader::new("event log reservation", data).u16_le()?)
}

/// Decodes the response to [`entry`] or [`entry_part`]: the id of the next entry, and the bytes.
pub fn part(data: &[u8]) -> Result<(u16, &[u8]), DecodeError> {
    let mut reader = Reader::new("part of an event log entry", data);
    let next = reader.u16_le()?;
    Ok((next, reader.rest()))
}

/// Decodes the response to [`clear`]: whether the log is erased by now (IPMI 2.0 §31.9).
pub fn is_erased(data: &[u8]) -> Result<bool, DecodeError> {
    Ok(Reader::new("event log erasure", data).u8()? & 0x0f == 1)
}

/// Starts to erase the log (`begin`), or asks for the progress. The letters `CLR` are required
/// (IPMI 2.0 §31.9).
pub fn clear(reservation: u16, begin: bool) -> Request {
    let [low, high] = reservation.to_le_bytes();
    let action = if begin { 0xaa } else { 0x00 };
    Request::new(NetFn::STORAGE, CLEAR, [low, high, b'C', b'L', b'R', action])
}

/// The answer to [`info`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogInfo {
    pub entries: u16,
    pub free_bytes: u16,
    /// Seconds since 1970.
    pub last_addition: u32,
    pub last_erase: u32,
    pub has_overflown: bool,
}

impl LogInfo {
    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("event log info", data);
        let _version = reader.u8()?;
        Ok(Self {
            entries: reader.u16_le()?,
            free_bytes: reader.u16_le()?,
            last_addition: reader.u32_le()?,
            last_erase: reader.u32_le()?,
            has_overflown: reader.u8()? & 0x80 != 0,
        })
    }

    /// Encodes the data of the response.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![0x51];
        bytes.extend(self.entries.to_le_bytes());
        bytes.extend(self.free_bytes.to_le_bytes());
        bytes.extend(self.last_addition.to_le_bytes());
        bytes.extend(self.last_erase.to_le_bytes());
        // Supported: Delete SEL, Reserve SEL, Get SEL Allocation Information.
        bytes.push(u8::from(self.has_overflown) << 7 | 0x0b);
        bytes
    }
}

/// An event record (IPMI 2.0 §32.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelEntry {
    pub id: u16,
    pub kind: u8,
    /// Seconds since 1970. Up to 0x20000000 it counts from the start of the BMC, whose clock was
    /// not set yet (IPMI 2.0 §37.1).
    pub time: u32,
    pub generator: u16,
    pub sensor_kind: u8,
    pub sensor: u8,
    pub is_deassertion: bool,
    pub event_kind: u8,
    pub data: [u8; 3],
}

impl SelEntry {
    /// The record type of events of sensors (IPMI 2.0 §32.1).
    pub const SYSTEM_EVENT: u8 = 0x02;

    /// Decodes the response to [`entry`]: the id of the next entry, and this one.
    pub fn decode(data: &[u8]) -> Result<(u16, Self), DecodeError> {
        let mut reader = Reader::new("event log entry", data);
        let next = reader.u16_le()?;
        let bytes: [u8; ENTRY] = reader.array()?;
        Ok((next, Self::from_bytes(bytes)?))
    }

    /// Decodes the sixteen bytes of an entry.
    pub fn from_bytes(bytes: [u8; ENTRY]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("event log entry", &bytes);
        let id = reader.u16_le()?;
        let kind = reader.u8()?;
        let time = reader.u32_le()?;
        let generator = reader.u16_le()?;
        let [_revision, sensor_kind, sensor, event] = reader.array()?;
        Ok(Self {
            id,
            kind,
            time,
            generator,
            sensor_kind,
            sensor,
            is_deassertion: event & 0x80 != 0,
            event_kind: event & 0x7f,
            data: reader.array()?,
        })
    }

    /// Encodes the sixteen bytes of an entry.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.id.to_le_bytes().to_vec();
        bytes.push(self.kind);
        bytes.extend(self.time.to_le_bytes());
        bytes.extend(self.generator.to_le_bytes());
        bytes.extend([
            0x04,
            self.sensor_kind,
            self.sensor,
            self.event_kind & 0x7f | u8::from(self.is_deassertion) << 7,
        ]);
        bytes.extend(self.data);
        bytes
    }
}

/// The first record type that has a time and no form of the standard (IPMI 2.0 §32.2).
const OEM_TIMED: u8 = 0xc0;
/// The first that has no time either (IPMI 2.0 §32.3).
const OEM_PLAIN: u8 = 0xe0;

/// An entry of any type, by the type that it says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Record {
    /// What all types but those of makers are read as.
    Event(SelEntry),
    OemTimed {
        id: u16,
        kind: u8,
        time: u32,
        manufacturer: u32,
        data: [u8; 6],
    },
    OemPlain {
        id: u16,
        kind: u8,
        data: [u8; 13],
    },
}

impl Record {
    /// Decodes the sixteen bytes of an entry.
    pub fn from_bytes(bytes: [u8; ENTRY]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("event log entry", &bytes);
        let id = reader.u16_le()?;
        match reader.u8()? {
            kind @ OEM_PLAIN.. => Ok(Self::OemPlain {
                id,
                kind,
                data: reader.array()?,
            }),
            kind @ OEM_TIMED.. => {
                let time = reader.u32_le()?;
                let [a, b, c] = reader.array()?;
                Ok(Self::OemTimed {
                    id,
                    kind,
                    time,
                    manufacturer: u32::from_le_bytes([a, b, c, 0]),
                    data: reader.array()?,
                })
            }
            _ => SelEntry::from_bytes(bytes).map(Self::Event),
        }
    }

    pub fn id(&self) -> u16 {
        match self {
            Self::Event(entry) => entry.id,
            Self::OemTimed { id, .. } | Self::OemPlain { id, .. } => *id,
        }
    }
}

/// Seconds since 1970 that a time of the log means; none where the clock of the BMC was not set
/// (IPMI 2.0 §37.1).
pub fn known_time(time: u32) -> Option<u32> {
    const FIRST_KNOWN: u32 = 0x2000_0000;
    (time > FIRST_KNOWN && time != u32::MAX).then_some(time)
}

impl SelEntry {
    /// What happened, without when and who logged it.
    pub fn event(&self) -> SensorEvent {
        SensorEvent {
            sensor_kind: self.sensor_kind,
            sensor: self.sensor,
            event_kind: self.event_kind,
            is_deassertion: self.is_deassertion,
            data: self.data,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn infos_survive_the_wire() {
        let info = LogInfo {
            entries: 3,
            free_bytes: 9000,
            last_addition: 5,
            last_erase: 4,
            has_overflown: true,
        };
        assert_eq!(LogInfo::decode(&info.encode()), Ok(info));
    }

    #[test]
    fn records_of_makers_are_told_apart() {
        let mut bytes = [0; ENTRY];
        bytes[..3].copy_from_slice(&[7, 0, 0xc1]);
        bytes[3..7].copy_from_slice(&0x6000_0000_u32.to_le_bytes());
        bytes[7..10].copy_from_slice(&[0xa2, 0x02, 0]);
        let record = Record::from_bytes(bytes).unwrap();
        assert_eq!(record.id(), 7);
        assert!(matches!(
            record,
            Record::OemTimed {
                kind: 0xc1,
                time: 0x6000_0000,
                manufacturer: 674,
                ..
            }
        ));
        bytes[2] = 0xe0;
        let record = Record::from_bytes(bytes).unwrap();
        assert!(matches!(
            record,
            Record::OemPlain {
                id: 7,
                kind: 0xe0,
                ..
            }
        ));
        bytes[2] = 2;
        assert!(matches!(Record::from_bytes(bytes), Ok(Record::Event(_))));
    }

    #[test]
    fn a_clock_that_was_not_set_tells_no_time() {
        assert_eq!(known_time(17), None);
        assert_eq!(known_time(0x2000_0000), None);
        assert_eq!(known_time(u32::MAX), None);
        assert_eq!(known_time(0x6000_0000), Some(0x6000_0000));
    }

    #[test]
    fn erasure_is_told_in_half_a_byte() {
        assert_eq!(is_erased(&[0xf1]), Ok(true));
        assert_eq!(is_erased(&[0x00]), Ok(false));
        assert!(is_erased(&[]).is_err());
    }

    proptest! {
        #[test]
        fn entries_survive_the_wire(bytes: [u8; 16], next: u16) {
            let mut data = next.to_le_bytes().to_vec();
            data.extend(bytes);
            let (read, entry) = SelEntry::decode(&data).unwrap();
            prop_assert_eq!(read, next);
            let mut expected = bytes;
            // The revision of the event format is always the same.
            expected[9] = 4;
            prop_assert_eq!(entry.to_bytes(), expected);
        }

        #[test]
        fn any_bytes_are_an_entry_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..20)) {
            let _ = SelEntry::decode(&bytes);
            let _ = LogInfo::decode(&bytes);
        }
    }
}
