//! Sensor data records (SDR, IPMI 2.0 §33 and §43): which sensors there are, and how to convert
//! their readings.
//!
//! Records are read in parts under a reservation, which the BMC cancels when the repository changes
//! (§33.11). Records of sensors and of field-replaceable units are decoded; of others only id and
//! type are kept. [`encode`] is the other direction, for simulators.

pub mod encode;

use super::sensor::{Conversion, Thresholds, Unit};
use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Reserve SDR Repository (IPMI 2.0 §33.11).
pub const RESERVE: u8 = 0x22;
/// Get SDR (IPMI 2.0 §33.12).
pub const GET: u8 = 0x23;
/// Get SDR Repository Info (IPMI 2.0 §33.9).
pub const GET_INFO: u8 = 0x20;

/// The record id that stands for the first record.
pub const FIRST: u16 = 0x0000;
/// The id of the next record after the last one.
pub const END: u16 = 0xffff;
/// The length of a record's header.
pub const HEADER: usize = 5;

/// Requests a reservation, which [`get`] needs to read a record in parts.
pub fn reserve() -> Request {
    Request::new(NetFn::STORAGE, RESERVE, [])
}

/// Asks for a part of a record (IPMI 2.0 §33.12).
pub fn get(reservation: u16, record: u16, offset: u8, count: u8) -> Request {
    let [r0, r1] = reservation.to_le_bytes();
    let [i0, i1] = record.to_le_bytes();
    Request::new(NetFn::STORAGE, GET, [r0, r1, i0, i1, offset, count])
}

/// Decodes the response to [`reserve`].
pub fn reservation(data: &[u8]) -> Result<u16, DecodeError> {
    Ok(Reader::new("SDR reservation", data).u16_le()?)
}

/// Decodes the response to [`get`]: the id of the next record, and the bytes.
pub fn part(data: &[u8]) -> Result<(u16, &[u8]), DecodeError> {
    let mut reader = Reader::new("part of an SDR", data);
    let next = reader.u16_le()?;
    Ok((next, reader.rest()))
}

/// The length of a record's body, from its header.
pub fn body_length(header: &[u8]) -> Result<usize, DecodeError> {
    header.get(4).map(|length| usize::from(*length)).ok_or(
        // The BMC sent less than the header that was requested.
        DecodeError::Short { what: "SDR header" },
    )
}

/// A record.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    Sensor(SensorRecord),
    Fru(FruRecord),
    Other { id: u16, kind: u8 },
}

/// A sensor: full (IPMI 2.0 §43.1), compact (§43.2) or event-only (§43.3).
#[derive(Debug, Clone, PartialEq)]
pub struct SensorRecord {
    pub id: u16,
    pub owner: u8,
    pub lun: u8,
    pub number: u8,
    pub entity: (u8, u8),
    /// The sensor type: temperature, voltage, …
    pub kind: u8,
    /// The event/reading type: 1 for thresholds, anything else for discrete states.
    pub reading_kind: u8,
    pub name: String,
    pub units: Unit,
    /// `None` where there are no numbers, only states.
    pub conversion: Option<Conversion>,
    /// From the record, in raw numbers; [`super::sensor::thresholds`] asks for the current ones.
    pub thresholds: Option<Thresholds>,
    pub nominal: Option<u8>,
    pub normal_minimum: Option<u8>,
    pub normal_maximum: Option<u8>,
    /// The minimum and the maximum raw reading.
    pub range: Option<(u8, u8)>,
    pub hysteresis: Option<(u8, u8)>,
    /// Sensor capabilities: re-arming, hysteresis, threshold access, event control.
    pub capabilities: u8,
    /// The settable threshold mask.
    pub settable: u8,
}

impl SensorRecord {
    /// Whether the sensor has thresholds, and so a numeric reading.
    pub fn has_thresholds(&self) -> bool {
        self.reading_kind == 1
    }
}

/// A FRU device locator (IPMI 2.0 §43.8): where the inventory of a part of the machine is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FruRecord {
    pub id: u16,
    pub device: u8,
    /// Whether it is read with the FRU commands of the BMC, and not on a bus.
    pub is_logical: bool,
    pub entity: (u8, u8),
    pub name: String,
}

pub(crate) const FULL: u8 = 0x01;
pub(crate) const COMPACT: u8 = 0x02;
const EVENT_ONLY: u8 = 0x03;
pub(crate) const FRU_LOCATOR: u8 = 0x11;
pub(crate) const CONTROLLER_LOCATOR: u8 = 0x12;

impl Record {
    /// Decodes a whole record, header and body.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("SDR", bytes);
        let id = reader.u16_le()?;
        let [_version, kind, length] = reader.array()?;
        let body = reader.bytes(usize::from(length))?;
        match kind {
            FULL => full(id, body).map(Self::Sensor),
            COMPACT => compact(id, body).map(Self::Sensor),
            EVENT_ONLY => event_only(id, body).map(Self::Sensor),
            FRU_LOCATOR => fru_locator(id, body).map(Self::Fru),
            kind => Ok(Self::Other { id, kind }),
        }
    }
}

fn full(id: u16, body: &[u8]) -> Result<SensorRecord, DecodeError> {
    let mut reader = Reader::new("full sensor record", body);
    let mut record = key(id, &mut reader)?;
    let [_init, capabilities, kind, reading_kind] = reader.array()?;
    let _assertions: [u8; 4] = reader.array()?;
    let [readable, settable] = reader.array()?;
    let [flags, base, modifier] = reader.array()?;
    let [
        linearization,
        m,
        m_tolerance,
        b,
        b_accuracy,
        _accuracy,
        exponents,
    ] = reader.array()?;
    let [analog, nominal, normal_maximum, normal_minimum, most, least] = reader.array()?;
    let limits: [u8; 6] = reader.array()?;
    let [positive, negative] = reader.array()?;
    let _reserved: [u8; 3] = reader.array()?;
    record.kind = kind;
    record.reading_kind = reading_kind;
    record.units = Unit {
        flags,
        base,
        modifier,
    };
    record.conversion = Conversion::new(
        flags,
        linearization,
        [m, m_tolerance, b, b_accuracy, exponents],
    );
    record.thresholds = Some(Thresholds::from_record(readable, limits));
    record.nominal = (analog & 1 != 0).then_some(nominal);
    record.normal_maximum = (analog & 2 != 0).then_some(normal_maximum);
    record.normal_minimum = (analog & 4 != 0).then_some(normal_minimum);
    record.range = Some((least, most));
    record.hysteresis = Some((positive, negative));
    record.capabilities = capabilities;
    record.settable = settable;
    record.name = name(&mut reader)?;
    Ok(record)
}

fn compact(id: u16, body: &[u8]) -> Result<SensorRecord, DecodeError> {
    let mut reader = Reader::new("compact sensor record", body);
    let mut record = key(id, &mut reader)?;
    let [_init, capabilities, kind, reading_kind] = reader.array()?;
    let _masks: [u8; 6] = reader.array()?;
    let [flags, base, modifier] = reader.array()?;
    let _sharing: [u8; 2] = reader.array()?;
    let [positive, negative] = reader.array()?;
    let _reserved: [u8; 4] = reader.array()?;
    record.kind = kind;
    record.reading_kind = reading_kind;
    record.units = Unit {
        flags,
        base,
        modifier,
    };
    record.hysteresis = Some((positive, negative));
    record.capabilities = capabilities;
    record.name = name(&mut reader)?;
    Ok(record)
}

fn event_only(id: u16, body: &[u8]) -> Result<SensorRecord, DecodeError> {
    let mut reader = Reader::new("event-only sensor record", body);
    let mut record = key(id, &mut reader)?;
    let [kind, reading_kind] = reader.array()?;
    let _sharing: [u8; 4] = reader.array()?;
    record.kind = kind;
    record.reading_kind = reading_kind;
    record.name = name(&mut reader)?;
    Ok(record)
}

/// The key bytes with which all sensor records begin.
fn key(id: u16, reader: &mut Reader<'_>) -> Result<SensorRecord, DecodeError> {
    let [owner, lun, number, entity, instance] = reader.array()?;
    Ok(SensorRecord {
        id,
        owner,
        lun: lun & 3,
        number,
        entity: (entity, instance & 0x7f),
        kind: 0,
        reading_kind: 0,
        name: String::new(),
        units: Unit::default(),
        conversion: None,
        thresholds: None,
        nominal: None,
        normal_minimum: None,
        normal_maximum: None,
        range: None,
        hysteresis: None,
        capabilities: 0,
        settable: 0,
    })
}

fn fru_locator(id: u16, body: &[u8]) -> Result<FruRecord, DecodeError> {
    let mut reader = Reader::new("FRU locator", body);
    let [
        _address,
        device,
        access,
        _channel,
        _reserved,
        _kind,
        _modifier,
    ] = reader.array()?;
    let [entity, instance, _oem] = reader.array()?;
    Ok(FruRecord {
        id,
        device,
        is_logical: access & 0x80 != 0,
        entity: (entity, instance & 0x7f),
        name: name(&mut reader)?,
    })
}

/// Decodes a name after its type/length byte (IPMI 2.0 §43.15).
fn name(reader: &mut Reader<'_>) -> Result<String, DecodeError> {
    let head = reader.u8()?;
    let length = usize::from(head & 0x1f);
    // Some firmware announces more characters than it sends.
    let bytes = reader.rest();
    let bytes = bytes.get(..length).unwrap_or(bytes);
    Ok(match head >> 6 {
        1 => packed(bytes, |nibble| {
            char::from(b"0123456789 -.:,_"[usize::from(nibble)])
        }),
        2 => six_bit(bytes),
        _ => latin(bytes),
    })
}

/// 8-bit ASCII and Latin-1, up to a zero byte.
pub(super) fn latin(bytes: &[u8]) -> String {
    let text = bytes.iter().map(|byte| char::from(*byte));
    text.take_while(|letter| *letter != '\0').collect()
}

/// BCD plus: four bits a character, the high half of a byte first.
pub(super) fn packed(bytes: &[u8], letter: impl Fn(u8) -> char) -> String {
    bytes
        .iter()
        .flat_map(|byte| [letter(byte >> 4), letter(byte & 0x0f)])
        .collect()
}

/// 6-bit packed ASCII: the low bits of a byte first.
pub(super) fn six_bit(bytes: &[u8]) -> String {
    let mut text = String::new();
    let (mut bits, mut count) = (0u32, 0);
    for byte in bytes {
        bits |= u32::from(*byte) << count;
        count += 8;
        while count >= 6 {
            // Code 0 is the space.
            text.push(char::from(b' ' + u8::try_from(bits & 0x3f).unwrap_or(0)));
            bits >>= 6;
            count -= 6;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{encode::encode_plain_sensor, *};
    use proptest::prelude::*;

    #[test]
    fn our_own_records_are_understood() {
        let bytes = encode_plain_sensor(7, 3, "CPU Temp", 1, 1);
        let Ok(Record::Sensor(sensor)) = Record::decode(&bytes) else {
            panic!("not understood");
        };
        assert_eq!((sensor.id, sensor.number, sensor.kind), (7, 3, 1));
        assert_eq!(sensor.name, "CPU Temp");
        assert!(sensor.has_thresholds());
        assert_eq!(sensor.conversion.unwrap().value(42), Some(42.0));
        let thresholds = sensor.thresholds.unwrap();
        assert_eq!(thresholds.upper_critical, Some(90));
        assert_eq!(thresholds.lower_critical, None);
    }

    #[test]
    fn texts_of_every_kind_are_read() {
        assert_eq!(six_bit(&[0x29, 0xdc, 0xa6]), "IPMI");
        assert_eq!(
            packed(&[0x12, 0x3a], |n| char::from(
                b"0123456789 -.:,_"[usize::from(n)]
            )),
            "123 "
        );
        assert_eq!(latin(b"FAN1\0\0"), "FAN1");
    }

    #[test]
    fn other_records_are_kept_apart() {
        assert_eq!(
            Record::decode(&[1, 0, 0x51, 0xc0, 1, 9]),
            Ok(Record::Other { id: 1, kind: 0xc0 })
        );
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_record_or_an_error(kind in prop_oneof![Just(1u8), Just(2), Just(3), Just(0x11), any::<u8>()], body in proptest::collection::vec(any::<u8>(), 0..70)) {
            let mut bytes = vec![1, 0, 0x51, kind, u8::try_from(body.len()).unwrap()];
            bytes.extend(&body);
            let _ = Record::decode(&bytes);
        }
    }
}
