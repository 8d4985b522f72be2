//! Sensors: which there are, and what they show.
//!
//! A value comes from the seed and the power of the machine, unless somebody has set it.

use super::Machine;
use std::collections::BTreeMap;

/// What a sensor measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SensorKind {
    Temperature,
    Fan,
    Voltage,
    /// Watts.
    Power,
    /// Whether there is a power supply, and whether it works.
    Supply,
}

/// A sensor, the same in all machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sensor {
    pub number: u8,
    pub name: &'static str,
    pub kind: SensorKind,
    /// Where it is: the number of the entity in IPMI, and which of several.
    pub entity: (u8, u8),
    /// A raw number is worth `multiplier · 10^exponent`.
    pub multiplier: u8,
    pub exponent: i8,
    /// Raw numbers: what it shows while the machine is on, and how much that varies.
    pub usual: u8,
    pub spread: u8,
    /// Raw numbers, the mildest first.
    pub lower: [Option<u8>; 3],
    pub upper: [Option<u8>; 3],
    /// Whether it shows the same while the machine is off.
    pub is_always_on: bool,
}

const NONE: [Option<u8>; 3] = [None; 3];

const fn temperature(number: u8, name: &'static str, entity: (u8, u8), usual: u8) -> Sensor {
    Sensor {
        number,
        name,
        kind: SensorKind::Temperature,
        entity,
        multiplier: 1,
        exponent: 0,
        usual,
        spread: 8,
        lower: NONE,
        upper: [Some(85), Some(90), Some(95)],
        is_always_on: false,
    }
}

const fn fan(number: u8, name: &'static str, instance: u8) -> Sensor {
    Sensor {
        number,
        name,
        kind: SensorKind::Fan,
        entity: (0x1d, instance),
        multiplier: 100,
        exponent: 0,
        usual: 54,
        spread: 6,
        lower: [Some(8), Some(6), Some(4)],
        upper: NONE,
        is_always_on: false,
    }
}

impl Sensor {
    pub const ALL: &[Self] = &[
        Self {
            upper: [Some(42), Some(47), Some(50)],
            spread: 4,
            is_always_on: true,
            ..temperature(0x01, "Inlet Temp", (0x37, 1), 22)
        },
        temperature(0x02, "CPU1 Temp", (0x03, 1), 45),
        temperature(0x03, "CPU2 Temp", (0x03, 2), 46),
        temperature(0x04, "System Temp", (0x07, 1), 30),
        fan(0x10, "FAN1", 1),
        fan(0x11, "FAN2", 2),
        fan(0x12, "FAN3", 3),
        fan(0x13, "FAN4", 4),
        Self {
            number: 0x20,
            name: "12V",
            kind: SensorKind::Voltage,
            entity: (0x07, 1),
            multiplier: 63,
            exponent: -3,
            usual: 190,
            spread: 2,
            lower: [Some(170), Some(166), Some(162)],
            upper: [Some(210), Some(214), Some(218)],
            is_always_on: false,
        },
        Self {
            number: 0x21,
            name: "5VSB",
            kind: SensorKind::Voltage,
            entity: (0x07, 1),
            multiplier: 30,
            exponent: -3,
            usual: 167,
            spread: 2,
            lower: [Some(150), Some(147), Some(144)],
            upper: [Some(185), Some(188), Some(191)],
            is_always_on: true,
        },
        Self {
            number: 0x30,
            name: "Pwr Consumption",
            kind: SensorKind::Power,
            entity: (0x07, 1),
            multiplier: 4,
            exponent: 0,
            usual: 45,
            spread: 20,
            lower: NONE,
            upper: [Some(200), Some(225), None],
            is_always_on: false,
        },
        Self {
            number: 0x40,
            name: "PS1 Status",
            kind: SensorKind::Supply,
            entity: (0x0a, 1),
            multiplier: 1,
            exponent: 0,
            usual: 1,
            spread: 0,
            lower: NONE,
            upper: NONE,
            is_always_on: true,
        },
        Self {
            number: 0x41,
            name: "PS2 Status",
            kind: SensorKind::Supply,
            entity: (0x0a, 2),
            multiplier: 1,
            exponent: 0,
            usual: 1,
            spread: 0,
            lower: NONE,
            upper: NONE,
            is_always_on: true,
        },
    ];

    pub fn of_number(number: u8) -> Option<&'static Self> {
        Self::ALL.iter().find(|sensor| sensor.number == number)
    }

    pub fn value(&self, raw: u8) -> f64 {
        f64::from(raw) * f64::from(self.multiplier) * 10f64.powi(self.exponent.into())
    }
}

/// Overridden values and limits, by the number of the sensor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Readings {
    raw: BTreeMap<u8, u8>,
    limits: BTreeMap<u8, Limits>,
}

/// Raw numbers, the mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    pub lower: [Option<u8>; 3],
    pub upper: [Option<u8>; 3],
}

impl Limits {
    /// Which limits a raw number has crossed: bits 0–2 lower, 3–5 upper, the mildest first.
    pub fn crossed(&self, raw: u8) -> u8 {
        let mut bits = 0;
        for (bit, limit) in self.lower.iter().enumerate() {
            if limit.is_some_and(|limit| raw <= limit) {
                bits |= 1 << bit;
            }
        }
        for (bit, limit) in self.upper.iter().enumerate() {
            if limit.is_some_and(|limit| raw >= limit) {
                bits |= 8 << bit;
            }
        }
        bits
    }
}

impl Machine {
    /// What a sensor shows, in raw numbers; none while the machine is off.
    pub fn raw_reading(&self, sensor: &Sensor) -> Option<u8> {
        let state = self.state();
        let set = state
            .readings
            .as_ref()
            .and_then(|set| set.raw.get(&sensor.number));
        if let Some(raw) = set {
            return Some(*raw);
        }
        if !state.power.is_on && !sensor.is_always_on {
            return None;
        }
        drop(state);
        let range = u64::from(sensor.spread) + 1;
        let more = self.sensor_draw(sensor.number.into()) % range;
        Some(sensor.usual.saturating_add(u8::try_from(more).unwrap_or(0)))
    }

    /// What a sensor shows, in its unit; none while the machine is off.
    pub fn reading(&self, sensor: &Sensor) -> Option<f64> {
        self.raw_reading(sensor).map(|raw| sensor.value(raw))
    }

    /// Makes a sensor show a raw number; none goes back to what it would show by itself.
    pub fn set_reading(&self, sensor: &Sensor, raw: Option<u8>) {
        let mut state = self.state();
        let readings = state.readings.get_or_insert_default();
        match raw {
            Some(raw) => readings.raw.insert(sensor.number, raw),
            None => readings.raw.remove(&sensor.number),
        };
    }

    pub fn limits(&self, sensor: &Sensor) -> Limits {
        let state = self.state();
        let set = state
            .readings
            .as_ref()
            .and_then(|set| set.limits.get(&sensor.number));
        set.copied().unwrap_or(Limits {
            lower: sensor.lower,
            upper: sensor.upper,
        })
    }

    pub fn set_limits(&self, sensor: &Sensor, limits: Limits) {
        if self.ignores(crate::fault::Write::Other) {
            return;
        }
        let mut state = self.state();
        let readings = state.readings.get_or_insert_default();
        readings.limits.insert(sensor.number, limits);
    }
}
