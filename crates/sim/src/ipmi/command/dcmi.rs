//! The power reading of DCMI. It tells what the sensor of the power shows, and knows no other times
//! than now.

use super::{Outcome, byte_at};
use crate::machine::{
    Machine, log,
    sensor::{Sensor, SensorKind},
};
use proto::ipmi::{
    command::dcmi::{self, PowerReading},
    message::Completion,
};

pub(super) fn answer(machine: &Machine, command: u8, data: &[u8]) -> Outcome {
    if byte_at(data, 0)? != dcmi::GROUP || command != dcmi::GET_POWER {
        return Err(Completion::INVALID_COMMAND);
    }
    if byte_at(data, 1)? != dcmi::STATISTICS {
        return Err(Completion::INVALID_FIELD);
    }
    let mut sensors = Sensor::ALL.iter();
    let sensor = sensors.find(|sensor| sensor.kind == SensorKind::Power);
    let shown = sensor.and_then(|sensor| machine.reading(sensor));
    // A sensor shows less than a thousand watts.
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates"
    )]
    let watts = shown.unwrap_or_default() as u16;
    let reading = PowerReading {
        current: watts,
        minimum: watts,
        maximum: watts,
        average: watts,
        period: 1000,
        is_measuring: shown.is_some(),
    };
    Ok(reading.encode(log::now()))
}
