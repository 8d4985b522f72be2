//! What sensors show, and their limits.

use super::{Call, Outcome, byte_at};
use crate::machine::sensor::{Limits, Sensor, SensorKind};
use proto::ipmi::{
    command::{
        sel::SelEntry,
        sensor::{self, Reading, Thresholds},
    },
    message::{Completion, REMOTE_CONSOLE},
};

const PLATFORM_EVENT: u8 = 0x02;
const GET_FACTORS: u8 = 0x23;
const GET_HYSTERESIS: u8 = 0x25;
const SET_THRESHOLDS: u8 = 0x26;
const GET_EVENT_ENABLE: u8 = 0x29;
const GET_EVENT_STATUS: u8 = 0x2b;
const GET_TYPE: u8 = 0x2f;

pub(super) fn answer(call: &Call<'_>, command: u8, data: &[u8]) -> Outcome {
    if command == PLATFORM_EVENT {
        return platform_event(call, data);
    }
    let sensor = Sensor::of_number(byte_at(data, 0)?);
    let sensor = sensor.ok_or(Completion::NOT_PRESENT)?;
    match command {
        sensor::GET_READING => Ok(reading(call, sensor).encode()),
        sensor::GET_THRESHOLDS => Ok(thresholds(&call.machine.limits(sensor)).encode()),
        SET_THRESHOLDS => set_thresholds(call, sensor, data),
        GET_HYSTERESIS => Ok(vec![2, 2]),
        GET_FACTORS => {
            let exponent = u8::from_le_bytes(sensor.exponent.to_le_bytes()) << 4;
            Ok(vec![0xff, sensor.multiplier, 0, 0, 0, 0, exponent])
        }
        // All events are on, and none waits.
        GET_EVENT_ENABLE => Ok(vec![0xc0, 0, 0, 0, 0]),
        GET_EVENT_STATUS => {
            let [low, high] = reading(call, sensor).states.to_le_bytes();
            Ok(vec![0xc0, low, high, 0, 0])
        }
        GET_TYPE => Ok(vec![kind(sensor.kind), reading_kind(sensor.kind)]),
        _ => Err(Completion::INVALID_COMMAND),
    }
}

/// Platform Event Message: a client reports an event, which is written to the SEL.
fn platform_event(call: &Call<'_>, data: &[u8]) -> Outcome {
    let &[_revision, sensor_kind, sensor, event, a, b, c, ..] = data else {
        return Err(Completion::WRONG_LENGTH);
    };
    let entry = SelEntry {
        id: 0,
        kind: SelEntry::SYSTEM_EVENT,
        time: 0,
        generator: REMOTE_CONSOLE.into(),
        sensor_kind,
        sensor,
        is_deassertion: event & 0x80 != 0,
        event_kind: event & 0x7f,
        data: [a, b, c],
    };
    let logged = call.machine.log_event(entry);
    logged.map(|_| Vec::new()).ok_or(Completion::OUT_OF_SPACE)
}

/// What is measured, by its number in the standard.
pub(super) fn kind(kind: SensorKind) -> u8 {
    match kind {
        SensorKind::Temperature => 0x01,
        SensorKind::Voltage => 0x02,
        SensorKind::Fan => 0x04,
        SensorKind::Supply => 0x08,
        // "Other": watts have no number of their own.
        SensorKind::Power => 0x0b,
    }
}

/// Whether a sensor has limits, or the states of its kind.
pub(super) fn reading_kind(kind: SensorKind) -> u8 {
    match kind {
        SensorKind::Supply => 0x6f,
        _ => 0x01,
    }
}

/// The unit, by its number in the standard.
pub(super) fn unit(kind: SensorKind) -> u8 {
    match kind {
        SensorKind::Temperature => 1,
        SensorKind::Voltage => 4,
        SensorKind::Power => 6,
        SensorKind::Fan => 18,
        SensorKind::Supply => 0,
    }
}

pub(super) fn thresholds(limits: &Limits) -> Thresholds {
    let Limits {
        lower: [lower_non_critical, lower_critical, lower_non_recoverable],
        upper: [upper_non_critical, upper_critical, upper_non_recoverable],
    } = *limits;
    Thresholds {
        lower_non_critical,
        lower_critical,
        lower_non_recoverable,
        upper_non_critical,
        upper_critical,
        upper_non_recoverable,
    }
}

fn reading(call: &Call<'_>, sensor: &Sensor) -> Reading {
    let raw = call.machine.raw_reading(sensor);
    let states = match (sensor.kind, raw) {
        (_, None) => 0,
        (SensorKind::Supply, Some(states)) => u16::from(states),
        (_, Some(raw)) => u16::from(call.machine.limits(sensor).crossed(raw)),
    };
    Reading {
        // A sensor of states has no number.
        raw: match sensor.kind {
            SensorKind::Supply => 0,
            _ => raw.unwrap_or_default(),
        },
        is_available: raw.is_some(),
        states,
    }
}

fn set_thresholds(call: &Call<'_>, sensor: &Sensor, data: &[u8]) -> Outcome {
    let &[_, mask, lnc, lc, lnr, unc, uc, unr, ..] = data else {
        return Err(Completion::WRONG_LENGTH);
    };
    let mut limits = call.machine.limits(sensor);
    for (bit, value) in [lnc, lc, lnr, unc, uc, unr].into_iter().enumerate() {
        if mask & (1 << bit) == 0 {
            continue;
        }
        let limit = match bit {
            0..3 => &mut limits.lower[bit],
            _ => &mut limits.upper[bit - 3],
        };
        // What a sensor does not have cannot be set.
        *limit.as_mut().ok_or(Completion::INVALID_FIELD)? = value;
    }
    call.machine.set_limits(sensor, limits);
    Ok(Vec::new())
}
