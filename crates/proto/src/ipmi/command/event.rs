//! What an event means: event/reading type codes and the states of each sensor type (IPMI 2.0 §42).
//!
//! The event log and platform event traps carry the same seven bytes: sensor type, sensor number,
//! event/reading type, and three bytes of data of which the first holds the state's number. The texts
//! are those of tables 42-2 and 42-3 in [`states`]; the standard has no severities for most of them, so
//! those are ours: what stops the machine or loses data is critical, what may lead there is a warning.

mod states;

use super::sensor::Conversion;

/// How bad a state is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    Ok,
    Warning,
    Critical,
}

/// A state of the standard's tables.
pub(crate) type State = (&'static str, Severity);

/// What kind of states an event is about (IPMI 2.0 table 42-1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    Threshold,
    /// States that many types of sensors share.
    Generic(u8),
    /// States of this type of sensor.
    SensorSpecific,
    /// A maker's own.
    Oem(u8),
    Unspecified,
}

impl EventKind {
    /// The kind that an event/reading type code stands for; its highest bit is the direction and no
    /// part of it.
    pub fn of_code(code: u8) -> Self {
        match code & 0x7f {
            0x01 => Self::Threshold,
            code @ 0x02..=0x0c => Self::Generic(code),
            0x6f => Self::SensorSpecific,
            code @ 0x70..=0x7f => Self::Oem(code),
            _ => Self::Unspecified,
        }
    }
}

/// An event of a sensor, as logs and traps carry it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SensorEvent {
    pub sensor_kind: u8,
    pub sensor: u8,
    /// The event/reading type code, without the direction.
    pub event_kind: u8,
    pub is_deassertion: bool,
    pub data: [u8; 3],
}

impl SensorEvent {
    /// The number of the state within its table.
    pub fn offset(&self) -> u8 {
        self.data[0] & 0x0f
    }

    fn state(&self) -> Option<State> {
        let table = match EventKind::of_code(self.event_kind) {
            EventKind::Threshold => states::THRESHOLD,
            EventKind::Generic(code) => states::generic(code),
            EventKind::SensorSpecific => states::of_sensor(self.sensor_kind),
            EventKind::Oem(_) | EventKind::Unspecified => return None,
        };
        let state = table.get(usize::from(self.offset()))?;
        // Numbers that the standard reserves have no text.
        (!state.0.is_empty()).then_some(*state)
    }

    /// How bad it is; none for what the standard does not know. A state that was left is no trouble.
    pub fn severity(&self) -> Option<Severity> {
        let (_, severity) = self.state()?;
        Some(if self.is_deassertion {
            Severity::Ok
        } else {
            severity
        })
    }

    /// The event in words, without its sensor. `conversion` turns raw numbers into those that the
    /// sensor measures.
    pub fn text(&self, conversion: Option<(&Conversion, &dyn std::fmt::Display)>) -> String {
        let mut text = match self.state() {
            Some((text, _)) => text.to_owned(),
            None => format!(
                "event type {:#04x}, state {}",
                self.event_kind,
                self.offset()
            ),
        };
        if let Some(more) = self.detail(conversion) {
            text.push_str(": ");
            text.push_str(&more);
        }
        if self.is_deassertion {
            text.push_str(" (no longer)");
        }
        text
    }

    /// What the second and third byte add (IPMI 2.0 §29.7).
    fn detail(&self, conversion: Option<(&Conversion, &dyn std::fmt::Display)>) -> Option<String> {
        let [first, second, third] = self.data;
        let (second_use, third_use) = (first >> 6, first >> 4 & 3);
        match EventKind::of_code(self.event_kind) {
            EventKind::Threshold => {
                let number = |raw: u8| match conversion {
                    Some((conversion, unit)) => {
                        let value = conversion.value(raw)?;
                        // Three digits are more than sensors are exact to.
                        let rounded = (value * 1000.0).round() / 1000.0;
                        Some(format!("{rounded} {unit}"))
                    }
                    None => Some(format!("raw {raw:#04x}")),
                };
                let reading = (second_use == 1).then(|| number(second)).flatten();
                let limit = (third_use == 1).then(|| number(third)).flatten();
                match (reading, limit) {
                    (Some(reading), Some(limit)) => Some(format!("{reading}, limit {limit}")),
                    (Some(reading), None) => Some(reading),
                    (None, Some(limit)) => Some(format!("limit {limit}")),
                    (None, None) => None,
                }
            }
            EventKind::SensorSpecific => {
                let (second_says, third_says) = (second_use == 3, third_use == 3);
                match (self.sensor_kind, self.offset()) {
                    (states::MEMORY, _) if third_says => Some(format!("module {third}")),
                    (states::FIRMWARE, 0) if second_says => {
                        states::post_error(second).map(str::to_owned)
                    }
                    (states::FIRMWARE, 1 | 2) if second_says => {
                        states::firmware_progress(second).map(str::to_owned)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn event(sensor_kind: u8, event_kind: u8, data: [u8; 3]) -> SensorEvent {
        SensorEvent {
            sensor_kind,
            sensor: 1,
            event_kind,
            is_deassertion: false,
            data,
        }
    }

    #[test]
    fn events_are_decoded_by_sensor_type() {
        for (sensor_kind, event_kind, data, text, severity) in [
            (
                0x01,
                0x01,
                [0x09, 0, 0],
                "upper critical, going high",
                Some(Severity::Critical),
            ),
            (
                0x01,
                0x01,
                [0x07, 0, 0],
                "upper non-critical, going high",
                Some(Severity::Warning),
            ),
            (
                0x01,
                0x01,
                [0x59, 91, 90],
                "upper critical, going high: raw 0x5b, limit raw 0x5a",
                Some(Severity::Critical),
            ),
            (
                0x08,
                0x6f,
                [0x03, 0, 0],
                "power supply input lost",
                Some(Severity::Critical),
            ),
            (
                0x08,
                0x0b,
                [0x01, 0, 0],
                "redundancy lost",
                Some(Severity::Critical),
            ),
            (
                0x0c,
                0x6f,
                [0x31, 0, 4],
                "uncorrectable memory error: module 4",
                Some(Severity::Critical),
            ),
            (
                0x0f,
                0x6f,
                [0xc0, 1, 0],
                "system firmware error: no system memory installed",
                Some(Severity::Critical),
            ),
            (
                0x23,
                0x6f,
                [0x01, 0, 0],
                "watchdog: hard reset",
                Some(Severity::Critical),
            ),
            (0x07, 0x6f, [0x0f, 0, 0], "event type 0x6f, state 15", None),
            (0xc1, 0x70, [0x02, 0, 0], "event type 0x70, state 2", None),
            (0x23, 0x6f, [0x05, 0, 0], "event type 0x6f, state 5", None),
        ] {
            let event = event(sensor_kind, event_kind, data);
            assert_eq!(event.text(None), text);
            assert_eq!(event.severity(), severity, "{text}");
        }
    }

    #[test]
    fn a_state_that_was_left_is_no_trouble() {
        let mut event = event(0x05, 0x6f, [0, 0, 0]);
        assert_eq!(event.severity(), Some(Severity::Critical));
        event.is_deassertion = true;
        assert_eq!(event.severity(), Some(Severity::Ok));
        assert_eq!(event.text(None), "general chassis intrusion (no longer)");
    }

    #[test]
    fn thresholds_are_shown_in_the_units_of_the_sensor() {
        let volts = Conversion::new(0, 0, [63, 0, 0, 0, 0xd0]).unwrap();
        let event = event(0x02, 0x01, [0x52, 190, 200]);
        assert_eq!(
            event.text(Some((&volts, &"Volts"))),
            "lower critical, going low: 11.97 Volts, limit 12.6 Volts"
        );
    }

    #[test]
    fn no_table_has_more_states_than_there_are_numbers() {
        for code in 0..=u8::MAX {
            assert!(states::generic(code).len() <= 16);
            assert!(states::of_sensor(code).len() <= 16);
        }
    }

    proptest! {
        #[test]
        fn any_event_has_a_text(sensor_kind: u8, event_kind: u8, is_deassertion: bool, data: [u8; 3]) {
            let event = SensorEvent { is_deassertion, ..event(sensor_kind, event_kind, data) };
            prop_assert!(!event.text(None).is_empty());
            let _ = event.severity();
        }
    }
}
