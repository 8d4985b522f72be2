//! Sensor readings and thresholds (IPMI 2.0 §35), and their conversion to values (§36.3).

use crate::ipmi::{
    DecodeError, Reader,
    message::{NetFn, Request},
};

/// Get Sensor Reading (IPMI 2.0 §35.14).
pub const GET_READING: u8 = 0x2d;
/// Get Sensor Thresholds (IPMI 2.0 §35.9).
pub const GET_THRESHOLDS: u8 = 0x27;

/// Asks for a reading.
pub fn reading(number: u8) -> Request {
    Request::new(NetFn::SENSOR, GET_READING, [number])
}

/// Asks for the thresholds.
pub fn thresholds(number: u8) -> Request {
    Request::new(NetFn::SENSOR, GET_THRESHOLDS, [number])
}

/// The response to Get Sensor Reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    pub raw: u8,
    /// Whether the reading is valid: scanning is enabled and the state is available.
    pub is_available: bool,
    /// Crossed thresholds, or asserted states.
    pub states: u16,
}

impl Reading {
    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("sensor reading", data);
        let [raw, flags] = reader.array()?;
        let low = reader.u8().unwrap_or(0);
        let high = reader.u8().unwrap_or(0);
        Ok(Self {
            raw,
            is_available: flags & 0x40 != 0 && flags & 0x20 == 0,
            states: u16::from_le_bytes([low, high & 0x7f]),
        })
    }

    /// Encodes the data of the response.
    pub fn encode(&self) -> Vec<u8> {
        let [low, high] = self.states.to_le_bytes();
        let flags = if self.is_available { 0xc0 } else { 0xe0 };
        vec![self.raw, flags, low, high | 0x80]
    }
}

/// Thresholds in raw numbers; `None` where the sensor does not have them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Thresholds {
    pub lower_non_critical: Option<u8>,
    pub lower_critical: Option<u8>,
    pub lower_non_recoverable: Option<u8>,
    pub upper_non_critical: Option<u8>,
    pub upper_critical: Option<u8>,
    pub upper_non_recoverable: Option<u8>,
}

impl Thresholds {
    /// Thresholds in the order of Get Sensor Thresholds: lower first, non-critical first.
    fn of(readable: u8, limits: [u8; 6]) -> Self {
        let limit = |bit: usize| (readable & (1 << bit) != 0).then_some(limits[bit]);
        Self {
            lower_non_critical: limit(0),
            lower_critical: limit(1),
            lower_non_recoverable: limit(2),
            upper_non_critical: limit(3),
            upper_critical: limit(4),
            upper_non_recoverable: limit(5),
        }
    }

    /// Decodes the data of the response.
    pub fn decode(data: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new("sensor thresholds", data);
        let readable = reader.u8()?;
        Ok(Self::of(readable, reader.array()?))
    }

    /// Encodes the data of the response.
    pub fn encode(&self) -> Vec<u8> {
        let limits = [
            self.lower_non_critical,
            self.lower_critical,
            self.lower_non_recoverable,
            self.upper_non_critical,
            self.upper_critical,
            self.upper_non_recoverable,
        ];
        let mut mask = 0;
        for (bit, limit) in limits.iter().enumerate() {
            if limit.is_some() {
                mask |= 1 << bit;
            }
        }
        let mut bytes = vec![mask];
        bytes.extend(limits.map(Option::unwrap_or_default));
        bytes
    }

    /// A full sensor record has the opposite order: upper first, non-recoverable first.
    pub(super) fn from_record(readable: u8, limits: [u8; 6]) -> Self {
        let [unr, uc, unc, lnr, lc, lnc] = limits;
        Self::of(readable, [lnc, lc, lnr, unc, uc, unr])
    }
}

/// The conversion of raw readings to values (IPMI 2.0 §36.3):
/// `y = L((M · x + B · 10^K1) · 10^K2)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conversion {
    format: u8,
    linearization: u8,
    pub multiplier: i16,
    pub offset: i16,
    pub offset_exponent: i8,
    pub result_exponent: i8,
    pub tolerance: u8,
}

impl Conversion {
    /// From the bytes of a full sensor record; `None` for data format 3: no numeric reading.
    pub(super) fn new(flags: u8, linearization: u8, bytes: [u8; 5]) -> Option<Self> {
        let [m, m_tolerance, b, b_accuracy, exponents] = bytes;
        let format = flags >> 6;
        (format != 3).then(|| Self {
            format,
            linearization: linearization & 0x7f,
            multiplier: ten_bits(m, m_tolerance),
            offset: ten_bits(b, b_accuracy),
            offset_exponent: four_bits(exponents & 0x0f),
            result_exponent: four_bits(exponents >> 4),
            tolerance: m_tolerance & 0x3f,
        })
    }

    /// The value of a raw reading; `None` where the linearization has no result, such as 1/0.
    pub fn value(&self, raw: u8) -> Option<f64> {
        let raw = match self.format {
            // One's complement: 0xff is a second zero.
            1 if raw & 0x80 != 0 => -f64::from(!raw),
            2 => f64::from(i8::from_le_bytes([raw])),
            _ => f64::from(raw),
        };
        let power = |exponent: i8| 10f64.powi(i32::from(exponent));
        let linear = (f64::from(self.multiplier) * raw
            + f64::from(self.offset) * power(self.offset_exponent))
            * power(self.result_exponent);
        let value = match self.linearization {
            1 => linear.ln(),
            2 => linear.log10(),
            3 => linear.log2(),
            4 => linear.exp(),
            5 => 10f64.powf(linear),
            6 => linear.exp2(),
            7 => linear.recip(),
            8 => linear.powi(2),
            9 => linear.powi(3),
            10 => linear.sqrt(),
            11 => linear.cbrt(),
            _ => linear,
        };
        value.is_finite().then_some(value)
    }

    /// Whether a raw number is the minimum of its format, which means "not specified".
    pub fn is_least(&self, raw: u8) -> bool {
        raw == match self.format {
            1 => 0xff,
            2 => 0x80,
            _ => 0x00,
        }
    }

    /// Whether a raw number is the maximum of its format, which means "not specified".
    pub fn is_most(&self, raw: u8) -> bool {
        raw == match self.format {
            1 => 0x00,
            2 => 0x7f,
            _ => 0xff,
        }
    }

    /// The tolerance of a value: half raw counts in the record.
    pub fn tolerance(&self) -> f64 {
        f64::from(self.multiplier) * f64::from(self.tolerance) / 2.0
            * 10f64.powi(i32::from(self.result_exponent))
    }
}

/// Ten bits, two's complement: the low byte, and the two highest bits at the top of the next byte.
fn ten_bits(low: u8, high: u8) -> i16 {
    let value = i16::from(low) | i16::from(high >> 6) << 8;
    if value >= 512 { value - 1024 } else { value }
}

fn four_bits(value: u8) -> i8 {
    let value = i8::try_from(value & 0x0f).unwrap_or(0);
    if value >= 8 { value - 16 } else { value }
}

/// The unit of a sensor's values (IPMI 2.0 §43.17).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Unit {
    /// Percentage, rate, and how base and modifier combine.
    pub flags: u8,
    pub base: u8,
    pub modifier: u8,
}

const UNITS: &[&str] = &[
    "unspecified",
    "degrees C",
    "degrees F",
    "degrees K",
    "Volts",
    "Amps",
    "Watts",
    "Joules",
    "Coulombs",
    "VA",
    "Nits",
    "lumen",
    "lux",
    "Candela",
    "kPa",
    "PSI",
    "Newton",
    "CFM",
    "RPM",
    "Hz",
    "microsecond",
    "millisecond",
    "second",
    "minute",
    "hour",
    "day",
    "week",
    "mil",
    "inches",
    "feet",
    "cu in",
    "cu feet",
    "mm",
    "cm",
    "m",
    "cu cm",
    "cu m",
    "liters",
    "fluid ounce",
    "radians",
    "steradians",
    "revolutions",
    "cycles",
    "gravities",
    "ounce",
    "pound",
    "ft-lb",
    "oz-in",
    "gauss",
    "gilberts",
    "henry",
    "millihenry",
    "farad",
    "microfarad",
    "ohms",
    "siemens",
    "mole",
    "becquerel",
    "PPM",
    "reserved",
    "Decibels",
    "DbA",
    "DbC",
    "gray",
    "sievert",
    "color temp deg K",
    "bit",
    "kilobit",
    "megabit",
    "gigabit",
    "byte",
    "kilobyte",
    "megabyte",
    "gigabyte",
    "word",
    "dword",
    "qword",
    "line",
    "hit",
    "miss",
    "retry",
    "reset",
    "overflow",
    "underrun",
    "collision",
    "packets",
    "messages",
    "characters",
    "error",
    "correctable error",
    "uncorrectable error",
];

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = |code: u8| UNITS.get(usize::from(code)).copied().unwrap_or("unknown");
        if self.flags & 1 != 0 {
            f.write_str("% ")?;
        }
        match self.flags >> 1 & 3 {
            1 => write!(f, "{}/{}", name(self.base), name(self.modifier)),
            2 => write!(f, "{} * {}", name(self.base), name(self.modifier)),
            // A percentage without a base unit, as ipmitool prints it.
            _ if self.base == 0 && self.flags & 1 != 0 => f.write_str("unspecified"),
            _ => f.write_str(name(self.base)),
        }
    }
}

/// The name of an entity id (IPMI 2.0 §43.14), as ipmitool prints it.
pub fn entity_name(entity: u8) -> &'static str {
    const ENTITIES: &[&str] = &[
        "Unspecified",
        "Other",
        "Unknown",
        "Processor",
        "Disk or Disk Bay",
        "Peripheral Bay",
        "System Management Module",
        "System Board",
        "Memory Module",
        "Processor Module",
        "Power Supply",
        "Add-in Card",
        "Front Panel Board",
        "Back Panel Board",
        "Power System Board",
        "Drive Backplane",
        "System Internal Expansion Board",
        "Other System Board",
        "Processor Board",
        "Power Unit",
        "Power Module",
        "Power Management",
        "Chassis Back Panel Board",
        "System Chassis",
        "Sub-Chassis",
        "Other Chassis Board",
        "Disk Drive Bay",
        "Peripheral Bay",
        "Device Bay",
        "Fan Device",
        "Cooling Unit",
        "Cable/Interconnect",
        "Memory Device",
        "System Management Software",
        "BIOS",
        "Operating System",
        "System Bus",
        "Group",
        "Remote Management Device",
        "External Environment",
        "Battery",
        "Processing Blade",
        "Connectivity Switch",
        "Processor/Memory Module",
        "I/O Module",
        "Processor/IO Module",
        "Management Controller Firmware",
        "IPMI Channel",
        "PCI Bus",
        "PCI Express Bus",
        "SCSI Bus (parallel)",
        "SATA/SAS Bus",
        "Processor/Front-Side Bus",
        "Real Time Clock(RTC)",
        "Reserved",
        "Air Inlet",
    ];
    match entity {
        0x40 => "Air Inlet",
        0x41 => "Processor",
        0x42 => "Baseboard/Main System Board",
        other => ENTITIES
            .get(usize::from(other))
            .copied()
            .unwrap_or("Unknown"),
    }
}

/// The name of a sensor type (IPMI 2.0 Table 42-3), as ipmitool prints it.
pub fn kind_name(kind: u8) -> &'static str {
    const KINDS: &[&str] = &[
        "reserved",
        "Temperature",
        "Voltage",
        "Current",
        "Fan",
        "Physical Security",
        "Platform Security",
        "Processor",
        "Power Supply",
        "Power Unit",
        "Cooling Device",
        "Other",
        "Memory",
        "Drive Slot / Bay",
        "POST Memory Resize",
        "System Firmwares",
        "Event Logging Disabled",
        "Watchdog1",
        "System Event",
        "Critical Interrupt",
        "Button",
        "Module / Board",
        "Microcontroller",
        "Add-in Card",
        "Chassis",
        "Chip Set",
        "Other FRU",
        "Cable / Interconnect",
        "Terminator",
        "System Boot Initiated",
        "Boot Error",
        "OS Boot",
        "OS Critical Stop",
        "Slot / Connector",
        "System ACPI Power State",
        "Watchdog2",
        "Platform Alert",
        "Entity Presence",
        "Monitor ASIC",
        "LAN",
        "Management Subsys Health",
        "Battery",
        "Session Audit",
        "Version Change",
        "FRU State",
    ];
    match kind {
        0xc0.. => "OEM reserved",
        kind => KINDS.get(usize::from(kind)).copied().unwrap_or("reserved"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_become_values() {
        // A typical 12 V sensor: 0.063 V a step.
        let volts = Conversion::new(0, 0, [63, 0, 0, 0, 0xd0]).unwrap();
        assert!((volts.value(190).unwrap() - 11.97).abs() < 1e-9);
        // Two's complement temperatures.
        let degrees = Conversion::new(0x80, 0, [1, 0, 0, 0, 0]).unwrap();
        assert_eq!(degrees.value(0xf6), Some(-10.0));
        // One's complement.
        let ones = Conversion::new(0x40, 0, [1, 0, 0, 0, 0]).unwrap();
        assert_eq!(ones.value(0xfe), Some(-1.0));
        // A negative offset.
        let shifted = Conversion::new(0, 0, [2, 0, 0x9c, 0xc0, 0]).unwrap();
        assert_eq!(shifted.value(60), Some(20.0));
        // One over nothing.
        let inverse = Conversion::new(0, 7, [1, 0, 0, 0, 0]).unwrap();
        assert_eq!(inverse.value(0), None);
        assert_eq!(inverse.value(4), Some(0.25));
        assert_eq!(Conversion::new(0xc0, 0, [1, 0, 0, 0, 0]), None);
    }

    #[test]
    fn answers_survive_the_wire() {
        let reading = Reading {
            raw: 42,
            is_available: true,
            states: 0x00c0,
        };
        assert_eq!(Reading::decode(&reading.encode()), Ok(reading));
        assert!(!Reading::decode(&[0, 0x60]).unwrap().is_available);
        let thresholds = Thresholds {
            lower_critical: Some(5),
            upper_non_recoverable: Some(90),
            ..Thresholds::default()
        };
        assert_eq!(Thresholds::decode(&thresholds.encode()), Ok(thresholds));
    }

    #[test]
    fn units_have_names() {
        let unit = |flags, base, modifier| Unit {
            flags,
            base,
            modifier,
        };
        assert_eq!(unit(0, 18, 0).to_string(), "RPM");
        assert_eq!(unit(1, 0, 0).to_string(), "% unspecified");
        assert_eq!(unit(2, 6, 24).to_string(), "Watts/hour");
        assert_eq!(unit(0, 250, 0).to_string(), "unknown");
    }

    proptest! {
        #[test]
        fn any_bytes_are_an_answer_or_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..10), raw: u8) {
            let _ = Reading::decode(&bytes);
            let _ = Thresholds::decode(&bytes);
            if let [a, b, c, d, e, f, g, ..] = bytes[..]
                && let Some(conversion) = Conversion::new(a, b, [c, d, e, f, g])
            {
                let _ = conversion.value(raw);
            }
        }
    }
}
