//! The system event log of a machine (SEL), as its BMC keeps it: of IPMI, or of a Redfish log service.
//!
//! Everything here was said by a BMC, so everything is bounded: [`MOST_ENTRIES`] and [`short`].

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// How many entries are read of the logs of a machine.
pub const MOST_ENTRIES: usize = 2048;
/// How many characters a text of an entry has.
const LONGEST_TEXT: usize = 512;

crate::wire_enum! {
    /// How bad an entry is, in the words of Redfish.
    pub enum LogSeverity {
        Ok = "OK",
        Warning = "Warning",
        Critical = "Critical",
    }
}

/// What the logs of a machine hold.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct HardwareLog {
    /// In the order of the log.
    pub entries: Vec<LogEntry>,
    /// Whether there are more entries than were read.
    pub is_cut: bool,
    /// Whether the BMC dropped entries because its log was full; none where it does not tell.
    pub has_overflown: Option<bool>,
}

/// An entry of a log.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// As the BMC counts or names it.
    pub id: String,
    /// The log it stands in; with IPMI there is only one.
    pub log: String,
    /// By the clock of the BMC; none where that was not set.
    pub at: Option<Timestamp>,
    /// None where neither BMC nor standard says how bad it is.
    pub severity: Option<LogSeverity>,
    pub sensor_type: Option<String>,
    /// The sensor's name, or its number where the name is not known.
    pub sensor: Option<String>,
    pub text: String,
    /// Whether the state was entered or left; none where that is not said.
    pub is_asserted: Option<bool>,
    /// The bytes of an IPMI entry, in hexadecimal digits.
    pub raw: Option<String>,
}

/// A text of a BMC, cut to the length that is kept of one, without control characters.
pub fn short(text: &str) -> String {
    let printable = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let text: String = printable.take(LONGEST_TEXT).collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_bmcs_are_bounded_and_printable() {
        assert_eq!(short(" Fan 1\r\nfailed\u{1b}[2J "), "Fan 1  failed [2J");
        assert_eq!(short(&"é".repeat(1000)).chars().count(), LONGEST_TEXT);
    }
}
