//! What a BMC says by itself: SNMP traps, and platform events among them, in words.
//!
//! Only the datagram is looked at here. Whose it is, and whether there have been too many, is the
//! receiver's affair.

use crate::bmc_account::Account;
use proto::{
    ipmi::{
        self,
        command::{event::Severity, sensor},
        pet::PlatformEvent,
    },
    snmp::{self, Value, trap::Trap},
};
use serde_json::json;
use std::net::IpAddr;
use types::{
    JsonMap,
    hardware_log::{LogSeverity, short},
    hex,
};

/// How many values of a trap are told.
const MOST_VALUES: usize = 8;

/// What was said.
#[derive(Debug, Clone, PartialEq)]
pub struct Alert {
    /// One line for people.
    pub text: String,
    /// The same for programs.
    pub data: JsonMap,
    /// What the machine's UUID can be, in the orders of bytes that are in use; none if it is not told.
    pub uuids: Vec<String>,
    /// What tells it from the alert before: BMCs send an alert again that nobody confirms.
    pub mark: Option<Mark>,
}

/// The count of a BMC and the event that it counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    sequence: u16,
    event: ipmi::command::event::SensorEvent,
}

/// Why a datagram is no alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAlert {
    #[error("it is no SNMP trap of version 1 or 2c")]
    Trap(#[source] snmp::DecodeError),
    #[error("it is a platform event trap that makes no sense")]
    PlatformEvent(#[source] ipmi::DecodeError),
}

impl Alert {
    /// Decodes a datagram.
    pub fn decode(datagram: &[u8]) -> Result<Self, NoAlert> {
        let trap = Trap::decode(datagram).map_err(NoAlert::Trap)?;
        match PlatformEvent::of(&trap).map_err(NoAlert::PlatformEvent)? {
            Some(event) => Ok(Self::of_event(&event)),
            None => Ok(Self::of_trap(&trap)),
        }
    }

    fn of_event(told: &PlatformEvent) -> Self {
        let event = &told.event;
        let kind = sensor::kind_name(event.sensor_kind);
        let severity = told.severity.or_else(|| event.severity()).map(severity);
        let (entity, instance) = told.entity;
        let text = format!(
            "{kind} sensor {:#04x} ({} {instance}): {}",
            event.sensor,
            sensor::entity_name(entity),
            event.text(None)
        );
        let data = json!({
            "protocol": "pet",
            "severity": severity,
            "sensor_type": kind,
            "sensor": event.sensor,
            "is_asserted": !event.is_deassertion,
            "sequence": told.sequence,
            "manufacturer": told.manufacturer,
        });
        Self {
            text,
            data: object(data),
            uuids: told.guid.map(uuids).unwrap_or_default(),
            mark: Some(Mark {
                sequence: told.sequence,
                event: *event,
            }),
        }
    }

    fn of_trap(trap: &Trap) -> Self {
        let name = match trap.standard_name() {
            Some(name) => name.to_owned(),
            None => trap.id.to_string(),
        };
        let told: Vec<(String, String)> = trap
            .values
            .iter()
            .take(MOST_VALUES)
            .map(|(oid, value)| (oid.to_string(), plain(value)))
            .collect();
        let words: Vec<&str> = told
            .iter()
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
            .collect();
        let text = match words.as_slice() {
            [] => format!("SNMP trap {name}"),
            words => format!("SNMP trap {name}: {}", words.join(", ")),
        };
        let data = json!({
            "protocol": "snmp",
            "trap": trap.id.to_string(),
            "values": told.into_iter().collect::<std::collections::BTreeMap<_, _>>(),
        });
        Self {
            text: short(&text),
            data: object(data),
            uuids: Vec::new(),
            mark: None,
        }
    }
}

fn object(value: serde_json::Value) -> JsonMap {
    match value {
        serde_json::Value::Object(map) => map,
        _ => JsonMap::new(),
    }
}

/// A value without quotes around it; bytes that are no text in hexadecimal digits.
fn plain(value: &Value) -> String {
    match value {
        Value::Octets(bytes) | Value::Opaque(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => short(text),
            Err(_) => short(&hex::encode(&bytes[..bytes.len().min(256)])),
        },
        other => short(&other.to_string()),
    }
}

fn severity(severity: Severity) -> LogSeverity {
    match severity {
        Severity::Ok => LogSeverity::Ok,
        Severity::Warning => LogSeverity::Warning,
        Severity::Critical => LogSeverity::Critical,
    }
}

/// The texts of a GUID: as it stands there (RFC 4122), with its first three parts the other way round
/// as in SMBIOS, and wholly the other way round as IPMI 2.0 §20.8 has it. BMCs differ.
fn uuids(guid: [u8; 16]) -> Vec<String> {
    let mut smbios = guid;
    smbios[..4].reverse();
    smbios[4..6].reverse();
    smbios[6..8].reverse();
    let mut reversed = guid;
    reversed.reverse();
    [guid, smbios, reversed].iter().map(uuid).collect()
}

fn uuid(bytes: &[u8; 16]) -> String {
    let digits = hex::encode(bytes);
    let parts = [0..8, 8..12, 12..16, 16..20, 20..32];
    let parts: Vec<&str> = parts.into_iter().map(|range| &digits[range]).collect();
    parts.join("-")
}

/// Whether a node's BMC is at an address, by what its `driver_info` says. Names are not looked up.
pub fn has_bmc_at(driver_info: &JsonMap, address: IpAddr) -> bool {
    let accounts = Account::all_in(driver_info);
    let mut hosts = accounts.iter().map(|account| account.host.parse());
    hosts.any(|host| host == Ok(address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::snmp::{Oid, message::Community};

    fn oid(text: &str) -> Oid {
        text.parse().unwrap()
    }

    fn trap(id: &str, values: Vec<(Oid, Value)>) -> Vec<u8> {
        let trap = Trap {
            community: Community(b"s3cret".to_vec()),
            id: oid(id),
            values,
        };
        trap.encode(1)
    }

    #[test]
    fn platform_events_are_told_in_words() {
        let mut bytes = (1..=16).collect::<Vec<u8>>();
        bytes.extend([0x01, 0x02, 0, 0, 0, 0, 0xff, 0xff, 0x20, 0x20, 0x10]);
        bytes.extend([0x20, 0x61, 0x0a, 2, 0x03, 0, 0, 0, 0, 0, 0, 0, 0x19]);
        bytes.extend([0, 0, 0x02, 0xa2, 0, 0]);
        let value = (oid("1.3.6.1.4.1.3183.1.1.1"), Value::Octets(bytes));
        let number = 0x0008_6f03;
        let datagram = trap(&format!("1.3.6.1.4.1.3183.1.1.0.{number}"), vec![value]);
        let alert = Alert::decode(&datagram).unwrap();
        assert_eq!(
            alert.text,
            "Power Supply sensor 0x61 (Power Supply 2): power supply input lost"
        );
        assert_eq!(alert.data["severity"], "Critical");
        assert_eq!(alert.data["is_asserted"], true);
        assert_eq!(
            alert.uuids,
            [
                "01020304-0506-0708-090a-0b0c0d0e0f10",
                "04030201-0605-0807-090a-0b0c0d0e0f10",
                "100f0e0d-0c0b-0a09-0807-060504030201",
            ]
        );
        assert!(alert.mark.is_some());
    }

    #[test]
    fn traps_of_makers_are_told_with_their_values_and_without_the_community() {
        let values = vec![
            (
                oid("1.3.6.1.4.1.674.1"),
                Value::Octets(b"Fan 1\nfailed".to_vec()),
            ),
            (oid("1.3.6.1.4.1.674.2"), Value::Integer(4)),
            (oid("1.3.6.1.4.1.674.3"), Value::Octets(vec![0xff, 0xfe])),
        ];
        let alert = Alert::decode(&trap("1.3.6.1.4.1.674.0.7", values)).unwrap();
        assert_eq!(
            alert.text,
            "SNMP trap 1.3.6.1.4.1.674.0.7: Fan 1 failed, 4, fffe"
        );
        assert!(!format!("{alert:?}").contains("s3cret"));
        let alert = Alert::decode(&trap("1.3.6.1.6.3.1.1.5.1", Vec::new())).unwrap();
        assert_eq!(alert.text, "SNMP trap cold start");
        let large = (oid("1.3.6.1"), Value::Octets(vec![b'x'; 4000]));
        let alert = Alert::decode(&trap("1.3.6.1.4.1.1", vec![large; 60])).unwrap();
        assert!(alert.text.len() < 600);
        assert!(Alert::decode(b"hello").is_err());
    }

    #[test]
    fn a_bmc_is_known_by_its_address() {
        let info = |value: serde_json::Value| object(value);
        let at = |text: &str| text.parse::<IpAddr>().unwrap();
        assert!(has_bmc_at(
            &info(json!({"ipmi_address": "10.0.0.7"})),
            at("10.0.0.7")
        ));
        let redfish = info(json!({"redfish_address": "https://[fd00:0::7]:8443"}));
        assert!(has_bmc_at(&redfish, at("fd00::7")));
        assert!(!has_bmc_at(&redfish, at("fd00::8")));
        assert!(!has_bmc_at(
            &info(json!({"ipmi_address": "bmc-1"})),
            at("10.0.0.7")
        ));
    }
}
