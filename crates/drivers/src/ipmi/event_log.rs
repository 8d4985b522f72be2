//! The system event log (SEL): reading it with the names of its sensors, and clearing it.
//!
//! Sensors are named by the sensor records, which are only read when the log has entries. A BMC that
//! does not give them out has a log with numbers in the place of names. The clock of a BMC says no
//! time zone; it is taken for UTC.

use super::{Talk, sensors::Repository, talk::Again};
use crate::DriverError;
use proto::ipmi::{
    DecodeError,
    command::{
        event::{EventKind, Severity},
        sdr::{self, SensorRecord},
        sel::{self, LogInfo, Record, SelEntry},
        sensor,
    },
    message::Completion,
};
use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};
use types::{
    Timestamp,
    hardware_log::{HardwareLog, LogEntry, LogSeverity, MOST_ENTRIES, short},
    hex,
};

/// What the log of IPMI is called; a BMC has one.
const LOG: &str = "SEL";
/// How often a reservation may be lost before we give up.
const RESERVATIONS: u32 = 8;
/// The least part of an entry that is asked for.
const LEAST_PART: u8 = 4;
/// How long a BMC may take to erase its log, and how long to wait between two looks.
const ERASURE_LOOKS: u32 = 60;
const ERASURE_PAUSE: Duration = Duration::from_millis(500);

/// What the log holds, the oldest entry first. Of a log that is too long the newest entries.
pub(super) async fn read(talk: &Talk<'_>) -> Result<HardwareLog, DriverError> {
    let info = talk.read(&sel::info(), LogInfo::decode).await?;
    let mut log = HardwareLog {
        has_overflown: Some(info.has_overflown),
        ..HardwareLog::default()
    };
    if info.entries == 0 {
        return Ok(log);
    }
    let mut reader = Reader {
        talk,
        reservation: None,
        lost: 0,
        part: None,
    };
    let first = reader.first(usize::from(info.entries)).await?;
    log.is_cut = first != sel::FIRST;
    let mut records = Vec::new();
    let (mut id, mut seen) = (first, HashSet::new());
    while id != sel::LAST && seen.insert(id) {
        if records.len() >= MOST_ENTRIES {
            log.is_cut = true;
            break;
        }
        let Some((next, bytes)) = reader.entry(id).await? else {
            // It was cleared or deleted meanwhile.
            break;
        };
        records.push((bytes, Record::from_bytes(bytes)));
        id = next;
    }
    let names = match Repository::read(talk).await {
        Ok(records) => Names::of(records),
        Err(DriverError::LeaseLapsed) => return Err(DriverError::LeaseLapsed),
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::debug!(
                bmc = talk.peer(),
                error,
                "the sensors of a log have no names"
            );
            Names::default()
        }
    };
    for (bytes, record) in records {
        match record {
            Ok(record) => log.entries.push(names.entry(&record, &bytes)),
            // One bad entry is no reason to know nothing of the others.
            Err(error) => {
                tracing::debug!(bmc = talk.peer(), %error, "an entry of the event log");
            }
        }
    }
    Ok(log)
}

/// Empties the log, and looks whether it is empty.
pub(super) async fn clear(talk: &Talk<'_>) -> Result<(), DriverError> {
    let before = talk.read(&sel::info(), LogInfo::decode).await?;
    if before.entries == 0 && !before.has_overflown {
        return Ok(());
    }
    let mut lost = 0;
    let reservation = loop {
        let reservation = talk.read(&sel::reserve(), sel::reservation).await?;
        let request = sel::clear(reservation, true);
        match talk.try_ask(&request, Again::Yes).await? {
            (Completion::OK, _) => break reservation,
            (Completion::RESERVATION_LOST, _) if lost < RESERVATIONS => lost += 1,
            (code, _) => return Err(talk.answered(code)),
        }
    };
    let mut looks = 0;
    loop {
        let request = sel::clear(reservation, false);
        let (code, data) = talk.try_ask(&request, Again::Yes).await?;
        // An erased log has lost its reservations, and some do not know how to tell the progress; the
        // number of entries decides.
        if code != Completion::OK || sel::is_erased(&data).map_err(|error| talk.nonsense(error))? {
            break;
        }
        looks += 1;
        if looks >= ERASURE_LOOKS {
            return Err(talk.rejected("the BMC did not finish erasing its event log".to_owned()));
        }
        tokio::time::sleep(ERASURE_PAUSE).await;
    }
    let after = talk.read(&sel::info(), LogInfo::decode).await?;
    // Many log the erasure itself.
    if after.entries >= before.entries.max(2) && after.last_erase == before.last_erase {
        return Err(DriverError::NotKept {
            peer: talk.peer().to_owned(),
            what: "empty event log",
            asked: "no entries".to_owned(),
            found: format!("{} entries", after.entries),
        });
    }
    Ok(())
}

/// Reads entries one by one, in parts where the BMC cannot answer with a whole one.
struct Reader<'t, 'a> {
    talk: &'t Talk<'a>,
    reservation: Option<u16>,
    lost: u32,
    /// How much is asked for at once; none asks for all.
    part: Option<u8>,
}

impl Reader<'_, '_> {
    /// The id to begin with: of a log that is too long that of the newest entries, as far as the BMC
    /// counts its entries without gaps.
    async fn first(&mut self, count: usize) -> Result<u16, DriverError> {
        if count <= MOST_ENTRIES {
            return Ok(sel::FIRST);
        }
        let Some((_, bytes)) = self.entry(sel::LAST).await? else {
            return Ok(sel::FIRST);
        };
        let [low, high, ..] = bytes;
        let back = u16::try_from(MOST_ENTRIES - 1).unwrap_or(u16::MAX);
        let start = u16::from_le_bytes([low, high]).checked_sub(back);
        let Some(start) = start.filter(|start| *start != sel::FIRST) else {
            return Ok(sel::FIRST);
        };
        let found = self.entry(start).await?;
        Ok(found.map_or(sel::FIRST, |_| start))
    }

    /// An entry and the id of the next; none where there is no such entry.
    async fn entry(&mut self, id: u16) -> Result<Option<(u16, [u8; sel::ENTRY])>, DriverError> {
        'anew: loop {
            let (mut bytes, mut next) = (Vec::with_capacity(sel::ENTRY), sel::LAST);
            while bytes.len() < sel::ENTRY {
                let left = sel::ENTRY - bytes.len();
                let request = match self.part {
                    None => sel::entry(id),
                    Some(part) => {
                        let reservation = self.reservation().await?;
                        let offset = u8::try_from(bytes.len()).unwrap_or(u8::MAX);
                        let count = part.min(u8::try_from(left).unwrap_or(u8::MAX));
                        sel::entry_part(reservation, id, offset, count)
                    }
                };
                match self.talk.try_ask(&request, Again::Yes).await? {
                    (Completion::OK, data) => {
                        let (after, part) =
                            sel::part(&data).map_err(|error| self.talk.nonsense(error))?;
                        if part.is_empty() || self.part.is_none() && part.len() < sel::ENTRY {
                            let what = "event log entry";
                            return Err(self.talk.nonsense(DecodeError::Short { what }));
                        }
                        next = after;
                        // More than was asked for belongs to nothing.
                        bytes.extend_from_slice(&part[..part.len().min(left)]);
                    }
                    (Completion::NOT_PRESENT | Completion::OUT_OF_RANGE, _) => return Ok(None),
                    (Completion::RESERVATION_LOST, _) if self.lost < RESERVATIONS => {
                        self.lost += 1;
                        self.reservation = None;
                        continue 'anew;
                    }
                    (
                        Completion::CANNOT_RETURN_SO_MUCH
                        | Completion::WRONG_LENGTH
                        | Completion::TOO_LONG,
                        _,
                    ) if self.part.is_none_or(|part| part > LEAST_PART) => {
                        self.part = Some(self.part.map_or(8, |part| (part / 2).max(LEAST_PART)));
                        continue 'anew;
                    }
                    (code, _) => return Err(self.talk.answered(code)),
                }
            }
            let whole = bytes.first_chunk().copied();
            return Ok(whole.map(|bytes| (next, bytes)));
        }
    }

    async fn reservation(&mut self) -> Result<u16, DriverError> {
        if let Some(reservation) = self.reservation {
            return Ok(reservation);
        }
        let reservation = self.talk.read(&sel::reserve(), sel::reservation).await?;
        self.reservation = Some(reservation);
        Ok(reservation)
    }
}

/// The sensors of a machine, by owner and number.
#[derive(Default)]
struct Names(HashMap<(u8, u8), SensorRecord>);

impl Names {
    fn of(records: Vec<sdr::Record>) -> Self {
        let sensors = records.into_iter().filter_map(|record| match record {
            sdr::Record::Sensor(record) => Some(((record.owner, record.number), record)),
            _ => None,
        });
        Self(sensors.collect())
    }

    fn entry(&self, record: &Record, bytes: &[u8; sel::ENTRY]) -> LogEntry {
        let entry = LogEntry {
            id: record.id().to_string(),
            log: LOG.to_owned(),
            raw: Some(hex::encode(bytes)),
            ..LogEntry::default()
        };
        match record {
            Record::Event(event) => self.event(event, entry),
            Record::OemTimed {
                kind,
                time,
                manufacturer,
                data,
                ..
            } => LogEntry {
                at: at(*time),
                text: format!(
                    "record type {kind:#04x} of manufacturer {manufacturer}: {}",
                    hex::encode(data)
                ),
                ..entry
            },
            Record::OemPlain { kind, data, .. } => LogEntry {
                text: format!("record type {kind:#04x}: {}", hex::encode(data)),
                ..entry
            },
        }
    }

    fn event(&self, logged: &SelEntry, entry: LogEntry) -> LogEntry {
        let event = logged.event();
        let [owner, _] = logged.generator.to_le_bytes();
        let sensor = self.0.get(&(owner, event.sensor));
        let is_threshold = EventKind::of_code(event.event_kind) == EventKind::Threshold;
        let measured = sensor.filter(|_| is_threshold).and_then(|sensor| {
            let conversion = sensor.conversion.as_ref()?;
            Some((conversion, &sensor.units as &dyn std::fmt::Display))
        });
        let name = match sensor.map(|sensor| short(&sensor.name)) {
            Some(name) if !name.is_empty() => name,
            _ => format!("#{:#04x}", event.sensor),
        };
        LogEntry {
            at: at(logged.time),
            severity: event.severity().map(severity),
            sensor_type: Some(sensor::kind_name(event.sensor_kind).to_owned()),
            sensor: Some(name),
            text: event.text(measured),
            is_asserted: Some(!event.is_deassertion),
            ..entry
        }
    }
}

fn at(time: u32) -> Option<Timestamp> {
    let seconds = sel::known_time(time)?;
    Some(Timestamp(0).plus_seconds(seconds.into()))
}

fn severity(severity: Severity) -> LogSeverity {
    match severity {
        Severity::Ok => LogSeverity::Ok,
        Severity::Warning => LogSeverity::Warning,
        Severity::Critical => LogSeverity::Critical,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::ipmi::command::sdr::encode::encode_plain_sensor;

    fn logged(sensor: u8, time: u32) -> SelEntry {
        SelEntry {
            id: 3,
            kind: 2,
            time,
            generator: 0x20,
            sensor_kind: 1,
            sensor,
            is_deassertion: false,
            event_kind: 1,
            data: [0x59, 91, 90],
        }
    }

    #[test]
    fn entries_have_the_names_and_units_of_their_sensors() {
        let bytes = encode_plain_sensor(1, 3, "CPU Temp", 1, 1);
        let names = Names::of(vec![sdr::Record::decode(&bytes).unwrap()]);
        let event = logged(3, 0x6000_0000);
        let bytes: [u8; sel::ENTRY] = event.to_bytes().try_into().unwrap();
        let entry = names.entry(&Record::Event(event), &bytes);
        assert_eq!(
            entry,
            LogEntry {
                id: "3".into(),
                log: "SEL".into(),
                at: Timestamp::parse("2021-01-14T08:25:36Z"),
                severity: Some(LogSeverity::Critical),
                sensor_type: Some("Temperature".into()),
                sensor: Some("CPU Temp".into()),
                text: "upper critical, going high: 91 degrees C, limit 90 degrees C".into(),
                is_asserted: Some(true),
                raw: Some("03000200000060200004010301595b5a".into()),
            }
        );
    }

    #[test]
    fn what_is_not_known_is_a_number() {
        let event = logged(9, 17);
        let bytes: [u8; sel::ENTRY] = event.to_bytes().try_into().unwrap();
        let entry = Names::default().entry(&Record::Event(event), &bytes);
        assert_eq!(entry.sensor.as_deref(), Some("#0x09"));
        assert_eq!(entry.at, None, "the clock was not set");
        let mut bytes = [0xab; sel::ENTRY];
        bytes[2] = 0xe1;
        let entry = Names::default().entry(&Record::from_bytes(bytes).unwrap(), &bytes);
        assert_eq!(entry.text, format!("record type 0xe1: {}", "ab".repeat(13)));
        assert_eq!(entry.severity, None);
    }
}
