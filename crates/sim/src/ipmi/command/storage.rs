//! Sensor records, the event log and the inventory.

use super::{Call, Outcome, byte_at, sensor, u16_at};
use crate::machine::{
    Machine, inventory,
    log::{CAPACITY, EventLog},
    sensor::{Sensor, SensorKind},
};
use proto::ipmi::{
    command::{
        fru,
        sdr::{
            self,
            encode::{CompactSensor, FullSensor, controller_locator, fru_locator},
        },
        sel::{self, LogInfo, SelEntry},
    },
    message::{BMC, Completion},
};

const GET_SDR_ALLOCATION: u8 = 0x21;
const GET_SDR_TIME: u8 = 0x28;
const GET_SEL_ALLOCATION: u8 = 0x41;
const DELETE_SEL_ENTRY: u8 = 0x46;
const GET_SEL_TIME: u8 = 0x48;
const SET_SEL_TIME: u8 = 0x49;
/// How many there are room for while answers are small.
const SMALL: u8 = 8;
/// The most bytes of a record or an inventory that one answer has room for.
const MOST: u8 = 64;
const ENTRY: u16 = 16;

pub(super) fn answer(call: &mut Call<'_>, command: u8, data: &[u8]) -> Outcome {
    match command {
        fru::GET_INFO => match byte_at(data, 0)? {
            0 => {
                let [low, high] = u16::try_from(inventory::SIZE).unwrap_or(0).to_le_bytes();
                Ok(vec![low, high, 0])
            }
            _ => Err(Completion::NOT_PRESENT),
        },
        fru::READ => read_fru(call.machine, data),
        fru::WRITE => write_fru(call.machine, data),
        sdr::GET_INFO => Ok(sdr_info()),
        GET_SDR_ALLOCATION => Err(Completion::INVALID_COMMAND),
        sdr::RESERVE => Ok(reserve(&mut call.memory.sdr_reservation)),
        sdr::GET => record(call, data),
        GET_SDR_TIME | GET_SEL_TIME => Ok(crate::machine::log::now().to_le_bytes().to_vec()),
        // There is one clock, and it is right.
        SET_SEL_TIME => Ok(Vec::new()),
        sel::GET_INFO => Ok(log_info(&call.machine.event_log()).encode()),
        GET_SEL_ALLOCATION => {
            let units = u16::try_from(CAPACITY).unwrap_or(u16::MAX).to_le_bytes();
            let unit = ENTRY.to_le_bytes();
            Ok([&units[..], &unit, &units, &units, &[1]].concat())
        }
        sel::RESERVE => Ok(reserve(&mut call.memory.sel_reservation)),
        sel::GET_ENTRY => entry(call, data),
        sel::ADD_ENTRY => add_entry(call.machine, data),
        DELETE_SEL_ENTRY => delete_entry(call, data),
        sel::CLEAR => clear(call, data),
        _ => Err(Completion::INVALID_COMMAND),
    }
}

/// The most bytes that an answer has room for.
fn most(machine: &Machine) -> u8 {
    if machine.faults().small_answers {
        SMALL
    } else {
        MOST
    }
}

fn reserve(reservation: &mut u16) -> Vec<u8> {
    *reservation = reservation.checked_add(1).unwrap_or(1);
    reservation.to_le_bytes().to_vec()
}

fn read_fru(machine: &Machine, data: &[u8]) -> Outcome {
    if byte_at(data, 0)? != 0 {
        return Err(Completion::NOT_PRESENT);
    }
    let offset = usize::from(u16_at(data, 1)?);
    let count = byte_at(data, 3)?.min(MOST);
    let all = machine.fru();
    let rest = all
        .get(offset..)
        .filter(|rest| !rest.is_empty())
        .ok_or(Completion::OUT_OF_RANGE)?;
    let part = &rest[..rest.len().min(usize::from(count))];
    Ok([&[u8::try_from(part.len()).unwrap_or(0)], part].concat())
}

fn write_fru(machine: &Machine, data: &[u8]) -> Outcome {
    if byte_at(data, 0)? != 0 {
        return Err(Completion::NOT_PRESENT);
    }
    let offset = usize::from(u16_at(data, 1)?);
    let bytes = &data[3..];
    match machine.write_fru(offset, bytes) {
        0 if !bytes.is_empty() => Err(Completion::OUT_OF_RANGE),
        count => Ok(vec![u8::try_from(count).unwrap_or(0)]),
    }
}

/// All records, by their place; ids are counted from one.
fn records() -> Vec<Vec<u8>> {
    let mut records = vec![
        controller_locator(1, BMC, 0xbf, "BMC"),
        fru_locator(2, 0, (0x07, 1), "Builtin FRU"),
    ];
    for (id, sensor) in (3..).zip(Sensor::ALL) {
        records.push(match sensor.kind {
            SensorKind::Supply => CompactSensor {
                number: sensor.number,
                name: sensor.name,
                kind: sensor::kind(sensor.kind),
                reading_kind: sensor::reading_kind(sensor.kind),
                // There, failed, about to fail, without input.
                states: 0x000f,
                entity: sensor.entity,
            }
            .encode(id),
            _ => FullSensor {
                number: sensor.number,
                name: sensor.name,
                kind: sensor::kind(sensor.kind),
                unit: sensor::unit(sensor.kind),
                entity: sensor.entity,
                multiplier: sensor.multiplier,
                exponent: sensor.exponent,
                nominal: sensor.usual,
                thresholds: sensor::thresholds(&crate::machine::sensor::Limits {
                    lower: sensor.lower,
                    upper: sensor.upper,
                }),
            }
            .encode(id),
        });
    }
    records
}

fn sdr_info() -> Vec<u8> {
    let count = u16::try_from(records().len()).unwrap_or(0).to_le_bytes();
    let mut info = vec![0x51, count[0], count[1]];
    // No room for more; never changed.
    info.extend([0, 0]);
    info.extend([0; 8]);
    // Reservations are known; the repository does not change while it is read.
    info.push(0x22);
    info
}

fn record(call: &Call<'_>, data: &[u8]) -> Outcome {
    let (reservation, id) = (u16_at(data, 0)?, u16_at(data, 2)?);
    let (offset, count) = (byte_at(data, 4)?, byte_at(data, 5)?);
    // Parts need a reservation, and the newest one.
    let needs_reservation = offset != 0;
    if needs_reservation && reservation != call.memory.sdr_reservation {
        return Err(Completion::RESERVATION_LOST);
    }
    let records = records();
    let at = match id {
        sdr::FIRST => 0,
        sdr::END => records.len() - 1,
        id => usize::from(id) - 1,
    };
    let record = records.get(at).ok_or(Completion::NOT_PRESENT)?;
    let next = match u16::try_from(at + 2) {
        Ok(next) if at + 1 < records.len() => next,
        _ => sdr::END,
    };
    let rest = record
        .get(usize::from(offset)..)
        .ok_or(Completion::OUT_OF_RANGE)?;
    let wanted = match count {
        0xff => rest.len(),
        count => rest.len().min(usize::from(count)),
    };
    if wanted > usize::from(most(call.machine)) {
        return Err(Completion::CANNOT_RETURN_SO_MUCH);
    }
    Ok([&next.to_le_bytes()[..], &rest[..wanted]].concat())
}

fn log_info(log: &EventLog) -> LogInfo {
    let used = log.entries.len();
    LogInfo {
        entries: u16::try_from(used).unwrap_or(u16::MAX),
        free_bytes: u16::try_from((CAPACITY - used) * usize::from(ENTRY)).unwrap_or(u16::MAX),
        last_addition: log.last_addition,
        last_erase: log.last_erase,
        has_overflown: log.has_overflown,
    }
}

fn position(log: &EventLog, id: u16) -> Result<usize, Completion> {
    let found = match id {
        sel::FIRST => (!log.entries.is_empty()).then_some(0),
        sel::LAST => log.entries.len().checked_sub(1),
        id => log.entries.iter().position(|entry| entry.id == id),
    };
    found.ok_or(Completion::NOT_PRESENT)
}

fn entry(call: &Call<'_>, data: &[u8]) -> Outcome {
    let id = u16_at(data, 2)?;
    let (offset, count) = (byte_at(data, 4)?, byte_at(data, 5)?);
    // Parts need a reservation.
    if offset != 0 {
        check_log_reservation(call, data)?;
    }
    let log = call.machine.event_log();
    let at = position(&log, id)?;
    let next = log.entries.get(at + 1).map_or(sel::LAST, |next| next.id);
    let bytes = log.entries[at].to_bytes();
    let rest = bytes
        .get(usize::from(offset)..)
        .ok_or(Completion::OUT_OF_RANGE)?;
    let rest = &rest[..rest.len().min(usize::from(count))];
    if rest.len() > usize::from(most(call.machine)) {
        return Err(Completion::CANNOT_RETURN_SO_MUCH);
    }
    Ok([&next.to_le_bytes()[..], rest].concat())
}

fn add_entry(machine: &Machine, data: &[u8]) -> Outcome {
    let bytes = data.first_chunk().ok_or(Completion::WRONG_LENGTH)?;
    let entry = SelEntry::from_bytes(*bytes).map_err(|_| Completion::WRONG_LENGTH)?;
    let id = machine.log_event(entry).ok_or(Completion::OUT_OF_SPACE)?;
    Ok(id.to_le_bytes().to_vec())
}

fn delete_entry(call: &Call<'_>, data: &[u8]) -> Outcome {
    check_log_reservation(call, data)?;
    let id = u16_at(data, 2)?;
    let deleted = call.machine.delete_event(id);
    let id = deleted.ok_or(Completion::NOT_PRESENT)?;
    Ok(id.to_le_bytes().to_vec())
}

fn check_log_reservation(call: &Call<'_>, data: &[u8]) -> Result<(), Completion> {
    match u16_at(data, 0)? {
        given if given == call.memory.sel_reservation => Ok(()),
        _ => Err(Completion::RESERVATION_LOST),
    }
}

fn clear(call: &Call<'_>, data: &[u8]) -> Outcome {
    check_log_reservation(call, data)?;
    match data.get(2..6) {
        Some([b'C', b'L', b'R', 0xaa]) => call.machine.clear_event_log(),
        Some([b'C', b'L', b'R', 0x00]) => {}
        _ => return Err(Completion::INVALID_FIELD),
    }
    // Done.
    Ok(vec![0x01])
}
