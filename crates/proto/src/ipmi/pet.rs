//! Platform event traps (PET): events of a BMC as SNMP traps of version 1.
//!
//! The format is Intel's "IPMI Platform Event Trap Format Specification" 1.0. The sensor type, the
//! event type and the state are the number of the trap (§2.2); the rest is one string of bytes (§2.3).

use super::{
    DecodeError, Reader,
    command::event::{SensorEvent, Severity},
};
use crate::snmp::{Value, trap::Trap};

/// The enterprise of platform event traps, and the zero before the trap's number
/// (RFC 3584 §3.1).
const NAME: [u32; 10] = [1, 3, 6, 1, 4, 1, 3183, 1, 1, 0];

/// A platform event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlatformEvent {
    pub event: SensorEvent,
    /// The machine's, in the order in which it stands there; nothing where it is empty.
    pub guid: Option<[u8; 16]>,
    /// Counted by the BMC; a trap that is sent again has the same.
    pub sequence: u16,
    /// As the BMC judges it; none if it does not.
    pub severity: Option<Severity>,
    pub entity: (u8, u8),
    pub manufacturer: u32,
}

impl PlatformEvent {
    /// Reads a trap; none if it is another than a platform event.
    pub fn of(trap: &Trap) -> Result<Option<Self>, DecodeError> {
        let Some([number]) = trap.id.path().strip_prefix(&NAME) else {
            return Ok(None);
        };
        let what = "platform event";
        let bytes = trap.values.iter().find_map(|(_, value)| match value {
            Value::Octets(bytes) => Some(bytes),
            _ => None,
        });
        let bytes = bytes.ok_or(DecodeError::Short { what })?;
        let mut reader = Reader::new(what, bytes);
        let guid: [u8; 16] = reader.array()?;
        let sequence = u16::from_be_bytes(reader.array()?);
        let _local_time: [u8; 4] = reader.array()?;
        let _offset: [u8; 2] = reader.array()?;
        let [_trap_source, _event_source, severity] = reader.array()?;
        let [_device, sensor, entity, instance] = reader.array()?;
        let [a, b, c, ..]: [u8; 8] = reader.array()?;
        let _language = reader.u8()?;
        let manufacturer = u32::from_be_bytes(reader.array()?);
        let [_, sensor_kind, event_kind, state] = number.to_be_bytes();
        // Some leave the event data empty; the state is the number's own.
        let first = a & 0xf0 | state & 0x0f;
        Ok(Some(Self {
            event: SensorEvent {
                sensor_kind,
                sensor,
                event_kind: event_kind & 0x7f,
                is_deassertion: state & 0x80 != 0,
                data: [first, b, c],
            },
            guid: (guid != [0; 16] && guid != [0xff; 16]).then_some(guid),
            sequence,
            severity: judged(severity),
            entity: (entity, instance),
            manufacturer,
        }))
    }
}

/// The severity that a BMC gives an event (§2.3, byte 27).
fn judged(severity: u8) -> Option<Severity> {
    match severity {
        0x01 | 0x02 | 0x04 => Some(Severity::Ok),
        0x08 => Some(Severity::Warning),
        0x10 | 0x20 => Some(Severity::Critical),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snmp::message::Community;
    use proptest::prelude::*;

    fn trap(number: u32, bytes: Vec<u8>) -> Trap {
        let name = [&NAME[..], &[number]].concat();
        Trap {
            community: Community(b"public".to_vec()),
            id: crate::snmp::Oid::new(&name).unwrap(),
            values: vec![(
                "1.3.6.1.4.1.3183.1.1.1".parse().unwrap(),
                Value::Octets(bytes),
            )],
        }
    }

    fn bytes() -> Vec<u8> {
        let mut bytes = (1..=16).collect::<Vec<u8>>();
        bytes.extend([0x01, 0x02, 0, 0, 0, 0, 0xff, 0xff, 0x20, 0x20, 0x10]);
        bytes.extend([0x20, 0x30, 0x07, 1, 0x59, 91, 90, 0, 0, 0, 0, 0, 0x19]);
        bytes.extend([0, 0, 0x02, 0xa2, 0, 0]);
        bytes
    }

    #[test]
    fn platform_events_are_decoded() {
        let event = PlatformEvent::of(&trap(0x0001_0109, bytes()))
            .unwrap()
            .unwrap();
        assert_eq!(event.event.sensor_kind, 1);
        assert_eq!(event.event.sensor, 0x30);
        assert_eq!(
            event.event.text(None),
            "upper critical, going high: raw 0x5b, limit raw 0x5a"
        );
        assert_eq!(event.severity, Some(Severity::Critical));
        assert_eq!(event.sequence, 0x0102);
        assert_eq!(event.manufacturer, 674);
        assert_eq!(event.guid.unwrap()[15], 16);
        // The state was left.
        let event = PlatformEvent::of(&trap(0x0001_0189, bytes()))
            .unwrap()
            .unwrap();
        assert!(event.event.is_deassertion);
    }

    #[test]
    fn what_is_no_platform_event_is_told_apart() {
        let mut other = trap(0x0001_0109, bytes());
        other.id = "1.3.6.1.4.1.674.0.1".parse().unwrap();
        assert_eq!(PlatformEvent::of(&other), Ok(None));
        let short = trap(0x0001_0109, vec![0; 30]);
        assert!(PlatformEvent::of(&short).is_err());
        let mut empty = trap(0x0001_0109, bytes());
        empty.values.clear();
        assert!(PlatformEvent::of(&empty).is_err());
        let mut nameless = bytes();
        nameless[..16].fill(0xff);
        let event = PlatformEvent::of(&trap(0x0001_0109, nameless));
        assert_eq!(event.unwrap().unwrap().guid, None);
    }

    /// What net-snmp's `snmptrap -v 1` sends.
    const OF_NET_SNMP: &str = "306902010004067075626c6963a45c06092b06010401986f010140047f000001\
        0201060203086f0343012a303e303c060a2b06010401986f010101042e040302\
        0106050807090a0b0c0d0e0f10000700000000ffff2020102061070203000000\
        0000000019000002a20000";

    #[test]
    fn a_trap_of_net_snmp_is_decoded() {
        let datagram = types::hex::decode(OF_NET_SNMP).unwrap();
        let trap = Trap::decode(&datagram).unwrap();
        assert_eq!(trap.community.0, b"public");
        let event = PlatformEvent::of(&trap).unwrap().unwrap();
        assert_eq!(event.event.text(None), "power supply input lost");
        assert_eq!((event.sequence, event.entity), (7, (7, 2)));
        assert_eq!(event.manufacturer, 674);
    }

    proptest! {
        #[test]
        fn any_bytes_are_a_platform_event_or_an_error(
            number: u32,
            bytes in proptest::collection::vec(any::<u8>(), 0..70),
        ) {
            if let Ok(Some(event)) = PlatformEvent::of(&trap(number, bytes)) {
                prop_assert!(!event.event.text(None).is_empty());
            }
        }
    }
}
