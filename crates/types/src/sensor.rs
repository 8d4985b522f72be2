//! Readings of sensors: as consumers of Ironic's notifications know them, and as numbers.

use crate::{JsonMap, NodeId, Timestamp};
use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A message about sensors, as Ironic's notifier sends it.
#[derive(Debug, Clone, PartialEq)]
pub struct SensorMessage {
    /// `hardware.<driver>.metrics`, or `ironic.metrics` for the conductor itself.
    pub event_type: String,
    /// The payload of the notification; its own `event_type` ends in `.update`.
    pub payload: JsonMap,
}

/// Where messages about sensors go.
#[async_trait]
pub trait SensorSink: Send + Sync + std::fmt::Debug {
    /// Sends a message, or says why it was not sent. It is not tried again: the next reading is
    /// worth more than an old one.
    async fn send(&self, message: SensorMessage) -> Result<(), String>;
}

/// The newest readings of a machine that are numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NodeReadings {
    pub node: NodeId,
    pub node_name: Option<String>,
    pub driver: String,
    pub at: Timestamp,
    pub readings: Vec<Reading>,
}

/// What a sensor measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The type of sensor: `Temperature`, `Fan`, …
    pub kind: String,
    pub sensor: String,
    pub value: f64,
    /// In the words of the hardware; empty where it says none.
    pub unit: String,
}

/// The numbers in a payload: by type and sensor, the fields that drivers give.
///
/// IPMI has a text with a number, a tolerance and a unit; Redfish has a number whose unit stands in
/// the name of the field or in a field beside it. What says nothing or is a set of bits is left out.
pub fn readings(payload: &JsonMap) -> Vec<Reading> {
    let of_kind = |(kind, sensors): (&String, &Value)| {
        let sensors = sensors.as_object().cloned().unwrap_or_default();
        let kind = kind.clone();
        sensors.into_iter().filter_map(move |(sensor, fields)| {
            let (value, unit) = measured(fields.as_object()?)?;
            let kind = kind.clone();
            Some(Reading {
                kind,
                sensor,
                value,
                unit,
            })
        })
    };
    payload.iter().flat_map(of_kind).collect()
}

fn measured(fields: &JsonMap) -> Option<(f64, String)> {
    if let Some(text) = fields.get("Sensor Reading") {
        let mut words = text.as_str()?.split_whitespace();
        let value = words.next()?.parse().ok()?;
        // The tolerance stands in brackets between the number and its unit: "(+/- 0.5)".
        let unit: Vec<&str> = words
            .filter(|word| !word.starts_with('(') && !word.ends_with(')'))
            .collect();
        return Some((value, unit.join(" ")));
    }
    for (field, unit) in [
        ("reading_celsius", Some("degrees C")),
        ("reading", None),
        ("last_power_output_watts", Some("Watts")),
    ] {
        if let Some(value) = fields.get(field).and_then(Value::as_f64) {
            let beside = || fields.get("reading_units").and_then(Value::as_str);
            let unit = unit.or_else(beside).unwrap_or_default();
            return Some((value, unit.to_owned()));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(fields: Value, expected: Option<(f64, &str)>) {
        let payload = json!({"Kind": {"one": fields}});
        let found = readings(payload.as_object().unwrap());
        let found: Vec<_> = found.iter().map(|r| (r.value, r.unit.as_str())).collect();
        assert_eq!(found, Vec::from_iter(expected));
    }

    #[test]
    fn numbers_are_found_with_their_units() {
        let ipmi = |text: &str| json!({"Sensor ID": "x", "Sensor Reading": text});
        check(ipmi("91 (+/- 0) degrees C"), Some((91.0, "degrees C")));
        check(ipmi("-1.5 (+/- 0.500) Volts"), Some((-1.5, "Volts")));
        check(ipmi("5280 RPM"), Some((5280.0, "RPM")));
        check(ipmi("No Reading"), None);
        check(ipmi("0h"), None);
        check(
            json!({"reading": 5600, "reading_units": "RPM"}),
            Some((5600.0, "RPM")),
        );
        check(json!({"reading_celsius": 21.5}), Some((21.5, "degrees C")));
        check(
            json!({"last_power_output_watts": 300}),
            Some((300.0, "Watts")),
        );
        check(json!({"reading": null, "state": "Absent"}), None);
        check(json!("no object"), None);
    }
}
