//! Encodes sensor data records, for simulated BMCs.

use super::{COMPACT, CONTROLLER_LOCATOR, FRU_LOCATOR, FULL};
use crate::ipmi::{command::sensor::Thresholds, message::BMC};

/// A sensor with readings and thresholds: a full sensor record (IPMI 2.0 §43.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FullSensor<'a> {
    pub number: u8,
    pub name: &'a str,
    /// The sensor type: temperature, voltage, …
    pub kind: u8,
    pub unit: u8,
    pub entity: (u8, u8),
    /// A raw reading `n` is the value `n · multiplier · 10^exponent`.
    pub multiplier: u8,
    pub exponent: i8,
    pub nominal: u8,
    pub thresholds: Thresholds,
}

/// A sensor with discrete states: a compact sensor record (IPMI 2.0 §43.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactSensor<'a> {
    pub number: u8,
    pub name: &'a str,
    pub kind: u8,
    /// The event/reading type; 0x6f means the states of the sensor type.
    pub reading_kind: u8,
    /// The mask of states that it can have.
    pub states: u16,
    pub entity: (u8, u8),
}

fn record(id: u16, kind: u8, body: &[u8], name: &str) -> Vec<u8> {
    let name = &name.as_bytes()[..name.len().min(16)];
    let length = u8::try_from(body.len() + 1 + name.len()).unwrap_or(0);
    let mut record = id.to_le_bytes().to_vec();
    record.extend([0x51, kind, length]);
    record.extend(body);
    record.push(0xc0 | u8::try_from(name.len()).unwrap_or(0));
    record.extend(name);
    record
}

impl FullSensor<'_> {
    /// Encodes the record with this id.
    pub fn encode(&self, id: u16) -> Vec<u8> {
        let bytes = self.thresholds.encode();
        let (mask, [lnc, lc, lnr, unc, uc, unr]) = match bytes[..] {
            [mask, a, b, c, d, e, f] => (mask, [a, b, c, d, e, f]),
            _ => (0, [0; 6]),
        };
        let mut body = vec![BMC, 0, self.number, self.entity.0, self.entity.1];
        // Initialized and scanned; automatic re-arm, readable and settable thresholds.
        body.extend([0x7f, 0x68, self.kind, 1]);
        // Events when a threshold is crossed: each has a bit for going low and one for going high.
        let mut events = 0u16;
        for limit in 0..6 {
            if mask & (1 << limit) != 0 {
                let goes_high = limit >= 3;
                events |= 1 << (limit * 2 + u16::from(goes_high));
            }
        }
        body.extend(events.to_le_bytes());
        body.extend(events.to_le_bytes());
        body.extend([mask, mask]);
        body.extend([0, self.unit, 0]);
        let exponent = u8::from_le_bytes(self.exponent.to_le_bytes()) << 4;
        body.extend([0, self.multiplier, 0, 0, 0, 0, exponent]);
        // Analog characteristic flags: only the nominal reading, if it is known.
        body.extend([u8::from(self.nominal != 0), self.nominal, 0, 0, 0xff, 0]);
        body.extend([unr, uc, unc, lnr, lc, lnc]);
        body.extend([2, 2, 0, 0, 0]);
        record(id, FULL, &body, self.name)
    }
}

impl CompactSensor<'_> {
    /// Encodes the record with this id.
    pub fn encode(&self, id: u16) -> Vec<u8> {
        let mut body = vec![BMC, 0, self.number, self.entity.0, self.entity.1];
        body.extend([0x67, 0x40, self.kind, self.reading_kind]);
        for _ in ["assertions", "deassertions", "readings"] {
            body.extend(self.states.to_le_bytes());
        }
        // No unit, not shared, no hysteresis.
        body.extend([0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        record(id, COMPACT, &body, self.name)
    }
}

/// A FRU device locator record (IPMI 2.0 §43.8).
pub fn fru_locator(id: u16, device: u8, entity: (u8, u8), name: &str) -> Vec<u8> {
    let body = [BMC, device, 0x80, 0, 0, 0x10, 0, entity.0, entity.1, 0];
    record(id, FRU_LOCATOR, &body, name)
}

/// A management controller device locator record (IPMI 2.0 §43.9).
pub fn controller_locator(id: u16, address: u8, capabilities: u8, name: &str) -> Vec<u8> {
    let body = [address, 0, 0, capabilities, 0, 0, 0, 7, 1, 0];
    record(id, CONTROLLER_LOCATOR, &body, name)
}

/// A full record of the simplest kind: raw readings are the values.
pub fn encode_plain_sensor(id: u16, number: u8, name: &str, kind: u8, unit: u8) -> Vec<u8> {
    let sensor = FullSensor {
        number,
        name,
        kind,
        unit,
        entity: (3, 1),
        multiplier: 1,
        exponent: 0,
        nominal: 0,
        thresholds: Thresholds {
            upper_non_critical: Some(85),
            upper_critical: Some(90),
            upper_non_recoverable: Some(95),
            ..Thresholds::default()
        },
    };
    sensor.encode(id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ipmi::command::sdr::Record;

    #[test]
    fn sensors_are_read_back() {
        let sensor = FullSensor {
            number: 0x20,
            name: "12V",
            kind: 2,
            unit: 4,
            entity: (7, 1),
            multiplier: 63,
            exponent: -3,
            nominal: 190,
            thresholds: Thresholds {
                lower_critical: Some(166),
                upper_non_critical: Some(210),
                ..Thresholds::default()
            },
        };
        let Ok(Record::Sensor(read)) = Record::decode(&sensor.encode(9)) else {
            panic!("not understood");
        };
        assert_eq!((read.id, read.number, read.name.as_str()), (9, 0x20, "12V"));
        assert_eq!(read.thresholds, Some(sensor.thresholds));
        assert_eq!(read.nominal, Some(190));
        let value = read.conversion.and_then(|c| c.value(190)).unwrap();
        assert!((value - 11.97).abs() < 1e-9, "{value}");
    }

    #[test]
    fn states_and_locators_are_read_back() {
        let supply = CompactSensor {
            number: 0x40,
            name: "PS1 Status",
            kind: 8,
            reading_kind: 0x6f,
            states: 3,
            entity: (10, 1),
        };
        let Ok(Record::Sensor(read)) = Record::decode(&supply.encode(2)) else {
            panic!("not understood");
        };
        assert_eq!((read.kind, read.reading_kind), (8, 0x6f));
        assert_eq!(read.name, "PS1 Status");
        let Ok(Record::Fru(fru)) = Record::decode(&fru_locator(3, 0, (7, 1), "Builtin FRU")) else {
            panic!("not understood");
        };
        assert!(fru.is_logical);
        assert_eq!(fru.name, "Builtin FRU");
        let bmc = Record::decode(&controller_locator(4, BMC, 0xbf, "BMC"));
        assert_eq!(bmc, Ok(Record::Other { id: 4, kind: 0x12 }));
    }
}
