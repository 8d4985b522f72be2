//! Readings of all sensors, in the words of ipmitool.
//!
//! Consumers of Ironic know what `ipmitool sdr -v` prints, so the fields have its names and
//! its texts. Records are read once for each request: they are few, and a copy would have to be
//! checked against the BMC anyway. Sensors that belong to other controllers than the BMC are left
//! out, and so are the lists of states that a sensor has or can have.

use super::{Talk, talk::Again};
use crate::DriverError;
use proto::ipmi::{
    command::{
        dcmi::{self, PowerReading},
        sdr::{self, Record, SensorRecord},
        sensor::{self, Conversion, Reading},
    },
    message::{BMC, Completion},
};
use serde_json::Value;
use std::collections::HashSet;
use types::{JsonMap, Node};

/// Where the power reading of DCMI stands among the sensors.
const POWER_KIND: &str = "Power";
const POWER_NAME: &str = "DCMI Power Reading";
/// How much of a record is asked for at once; BMCs that cannot are asked for less.
const PART: u8 = 64;
const LEAST_PART: u8 = 8;
/// How often a reservation may be lost before we give up.
const RESERVATIONS: u32 = 8;

/// What all sensors say.
pub(super) async fn read(talk: &Talk<'_>, node: &Node) -> Result<JsonMap, DriverError> {
    let mut by_kind = JsonMap::new();
    for record in Repository::read(talk).await? {
        let Record::Sensor(record) = record else {
            continue;
        };
        if record.owner != BMC || record.lun != 0 {
            continue;
        }
        let request = sensor::reading(record.number);
        let (code, data) = talk.try_ask(&request, Again::Yes).await?;
        let reading = if code == Completion::OK {
            Some(Reading::decode(&data).map_err(|error| talk.nonsense(error))?)
        } else {
            None
        };
        let kind = sensor::kind_name(record.kind);
        // As in Ironic: the first word.
        let kind = kind.split(' ').next().unwrap_or(kind);
        let fields = fields(&record, reading);
        let of_kind = by_kind
            .entry(kind)
            .or_insert_with(|| Value::Object(JsonMap::new()));
        if let Value::Object(of_kind) = of_kind {
            of_kind.insert(sensor_id(&record), Value::Object(fields));
        }
    }
    if let Some(power) = power(talk).await? {
        let of_kind = by_kind
            .entry(POWER_KIND)
            .or_insert_with(|| Value::Object(JsonMap::new()));
        if let Value::Object(of_kind) = of_kind {
            of_kind.insert(POWER_NAME.to_owned(), Value::Object(power));
        }
    }
    if by_kind.is_empty() {
        return Err(talk.rejected(format!("node {} has no sensor data", node.id)));
    }
    Ok(by_kind)
}

/// What the machine draws, where its BMC speaks DCMI; that is no sensor with a record.
async fn power(talk: &Talk<'_>) -> Result<Option<JsonMap>, DriverError> {
    // Once: a BMC that says nothing to what it does not know must not cost a minute.
    let (code, data) = match talk.try_ask(&dcmi::power(), Again::No).await {
        Ok(answer) => answer,
        Err(DriverError::LeaseLapsed) => return Err(DriverError::LeaseLapsed),
        Err(error) => {
            let error = types::error::chain(&error);
            tracing::debug!(bmc = talk.peer(), error, "no power reading by DCMI");
            return Ok(None);
        }
    };
    if code != Completion::OK {
        return Ok(None);
    }
    // What is no power reading is none; it is an extra.
    let reading = PowerReading::decode(&data).ok();
    Ok(reading
        .filter(|reading| reading.is_measuring)
        .map(power_fields))
}

fn power_fields(reading: PowerReading) -> JsonMap {
    let mut fields = JsonMap::new();
    for (key, watts) in [
        ("Sensor Reading", reading.current),
        ("Minimum", reading.minimum),
        ("Maximum", reading.maximum),
        ("Average", reading.average),
    ] {
        fields.insert(key.to_owned(), format!("{watts} Watts").into());
    }
    fields.insert("Sensor ID".to_owned(), POWER_NAME.into());
    let seconds = format!("{} seconds", reading.period / 1000);
    fields.insert("Sampling Period".to_owned(), seconds.into());
    fields.insert("Status".to_owned(), "ok".into());
    fields
}

fn sensor_id(record: &SensorRecord) -> String {
    format!("{} ({:#x})", record.name, record.number)
}

/// Whole numbers are shown as such.
fn short(value: f64) -> String {
    if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        format!("{value:.3}")
    }
}

fn fields(record: &SensorRecord, reading: Option<Reading>) -> JsonMap {
    let mut fields = JsonMap::new();
    let mut add = |key: &str, value: String| {
        fields.insert(key.to_owned(), Value::String(value));
    };
    add("Sensor ID", sensor_id(record));
    let (entity, instance) = record.entity;
    let part = sensor::entity_name(entity);
    add("Entity ID", format!("{entity}.{instance} ({part})"));
    let kind = format!("{} ({:#04x})", sensor::kind_name(record.kind), record.kind);
    let available = reading.filter(|reading| reading.is_available);
    let numbers = record.conversion.filter(|_| record.has_thresholds());
    let Some(numbers) = numbers else {
        add("Sensor Type (Discrete)", kind);
        let shown = available.map_or("No Reading".to_owned(), |reading| {
            format!("{:x}h", reading.raw)
        });
        add("Sensor Reading", shown);
        add("Event Message Control", events(record).to_owned());
        return fields;
    };
    add("Sensor Type (Threshold)", kind);
    let value = |reading: Reading| {
        let value = numbers.value(reading.raw)?;
        let off = short(numbers.tolerance());
        Some(format!("{} (+/- {off}) {}", short(value), record.units))
    };
    let shown = available.and_then(value);
    add("Sensor Reading", shown.unwrap_or("No Reading".to_owned()));
    let status = available.map_or("Not Available", |reading| status(reading.states));
    add("Status", status.to_owned());
    for (key, text) in limits(record, &numbers) {
        add(key, text);
    }
    add("Event Message Control", events(record).to_owned());
    let readable = record.thresholds.map_or(0, |t| t.encode()[0]);
    for (key, mask) in [
        ("Readable Thresholds", readable),
        ("Settable Thresholds", record.settable),
    ] {
        let names = threshold_names(mask);
        if !names.is_empty() {
            add(key, names);
        }
    }
    fields
}

/// Nominal values, thresholds, hysteresis and range.
fn limits(record: &SensorRecord, numbers: &Conversion) -> Vec<(&'static str, String)> {
    let t = record.thresholds.unwrap_or_default();
    let raw = [
        ("Nominal Reading", record.nominal),
        ("Normal Minimum", record.normal_minimum),
        ("Normal Maximum", record.normal_maximum),
        ("Upper non-recoverable", t.upper_non_recoverable),
        ("Upper critical", t.upper_critical),
        ("Upper non-critical", t.upper_non_critical),
        ("Lower non-recoverable", t.lower_non_recoverable),
        ("Lower critical", t.lower_critical),
        ("Lower non-critical", t.lower_non_critical),
    ];
    let exact = |raw: u8| numbers.value(raw).map(|value| format!("{value:.3}"));
    let mut all: Vec<(&'static str, String)> = raw
        .into_iter()
        .filter_map(|(key, raw)| Some((key, exact(raw?)?)))
        .collect();
    if let Some((positive, negative)) = record.hysteresis {
        for (key, raw) in [
            ("Positive Hysteresis", positive),
            ("Negative Hysteresis", negative),
        ] {
            let text = if raw == 0 || raw == 0xff {
                Some("Unspecified".to_owned())
            } else {
                exact(raw)
            };
            all.extend(text.map(|text| (key, text)));
        }
    }
    if let Some((least, most)) = record.range {
        let or = |is_unspecified: bool, raw| {
            if is_unspecified {
                Some("Unspecified".to_owned())
            } else {
                exact(raw)
            }
        };
        let least = or(numbers.is_least(least), least);
        let most = or(numbers.is_most(most), most);
        all.extend(least.map(|text| ("Minimum sensor range", text)));
        all.extend(most.map(|text| ("Maximum sensor range", text)));
    }
    all
}

fn events(record: &SensorRecord) -> &'static str {
    match record.capabilities & 3 {
        0 => "Per-threshold",
        1 => "Entire Sensor Only",
        2 => "Global Disable Only",
        _ => "No Events From Sensor",
    }
}

/// The worst threshold that is crossed.
fn status(states: u16) -> &'static str {
    [
        (0x04, "Lower Non-Recoverable"),
        (0x20, "Upper Non-Recoverable"),
        (0x02, "Lower Critical"),
        (0x10, "Upper Critical"),
        (0x01, "Lower Non-Critical"),
        (0x08, "Upper Non-Critical"),
    ]
    .into_iter()
    .find(|(bit, _)| states & bit != 0)
    .map_or("ok", |(_, name)| name)
}

fn threshold_names(mask: u8) -> String {
    let names = [
        (0x04, "lnr"),
        (0x02, "lcr"),
        (0x01, "lnc"),
        (0x08, "unc"),
        (0x10, "ucr"),
        (0x20, "unr"),
    ];
    let set = names.into_iter().filter(|(bit, _)| mask & bit != 0);
    set.map(|(_, name)| name).collect::<Vec<_>>().join(" ")
}

/// The records of a BMC, while they are read.
pub(super) struct Repository<'t, 'a> {
    talk: &'t Talk<'a>,
    reservation: u16,
    lost: u32,
    part: u8,
}

impl<'t, 'a> Repository<'t, 'a> {
    /// All records.
    pub(super) async fn read(talk: &'t Talk<'a>) -> Result<Vec<Record>, DriverError> {
        Self::open(talk).await?.records().await
    }

    async fn open(talk: &'t Talk<'a>) -> Result<Self, DriverError> {
        let mut repository = Self {
            talk,
            reservation: 0,
            lost: 0,
            part: PART,
        };
        repository.reserve().await?;
        Ok(repository)
    }

    async fn reserve(&mut self) -> Result<(), DriverError> {
        self.reservation = self.talk.read(&sdr::reserve(), sdr::reservation).await?;
        Ok(())
    }

    async fn records(mut self) -> Result<Vec<Record>, DriverError> {
        let mut all = Vec::new();
        let mut seen = HashSet::new();
        let mut id = sdr::FIRST;
        while id != sdr::END && seen.insert(id) {
            let (next, bytes) = self.record(id).await?;
            match Record::decode(&bytes) {
                Ok(record) => all.push(record),
                // One bad record is no reason to know nothing of the others.
                Err(error) => {
                    tracing::debug!(bmc = self.talk.peer(), id, %error, "a sensor record");
                }
            }
            id = next;
        }
        Ok(all)
    }

    /// A whole record, and the id of the next.
    async fn record(&mut self, id: u16) -> Result<(u16, Vec<u8>), DriverError> {
        let header_length = u8::try_from(sdr::HEADER).unwrap_or(5);
        'anew: loop {
            let Some((next, mut bytes)) = self.part(id, 0, header_length).await? else {
                continue;
            };
            let body = sdr::body_length(&bytes).map_err(|error| self.talk.nonsense(error))?;
            let whole = sdr::HEADER + body;
            while bytes.len() < whole {
                let left = u8::try_from(whole - bytes.len()).unwrap_or(u8::MAX);
                let Ok(offset) = u8::try_from(bytes.len()) else {
                    break;
                };
                let Some((_, part)) = self.part(id, offset, left.min(self.part)).await? else {
                    continue 'anew;
                };
                if part.is_empty() {
                    break;
                }
                bytes.extend(part);
            }
            return Ok((next, bytes));
        }
    }

    /// A part of a record. `None` when the reservation was lost, and there is a new one.
    async fn part(
        &mut self,
        id: u16,
        offset: u8,
        mut count: u8,
    ) -> Result<Option<(u16, Vec<u8>)>, DriverError> {
        loop {
            let request = sdr::get(self.reservation, id, offset, count);
            let (code, data) = self.talk.try_ask(&request, Again::Yes).await?;
            match code {
                Completion::OK => {
                    let (next, part) =
                        sdr::part(&data).map_err(|error| self.talk.nonsense(error))?;
                    // More than was asked for belongs to nothing.
                    let part = &part[..part.len().min(usize::from(count))];
                    return Ok(Some((next, part.to_vec())));
                }
                Completion::RESERVATION_LOST if self.lost < RESERVATIONS => {
                    self.lost += 1;
                    self.reserve().await?;
                    return Ok(None);
                }
                Completion::CANNOT_RETURN_SO_MUCH
                | Completion::WRONG_LENGTH
                | Completion::TOO_LONG
                | Completion::UNSPECIFIED
                    if count > LEAST_PART =>
                {
                    count = (count / 2).max(LEAST_PART);
                    self.part = count;
                }
                code => return Err(self.talk.answered(code)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> SensorRecord {
        let bytes = sdr::encode::encode_plain_sensor(1, 3, "CPU Temp", 1, 1);
        match Record::decode(&bytes) {
            Ok(Record::Sensor(record)) => record,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_reading_is_shown_as_ipmitool_does() {
        let reading = Reading {
            raw: 91,
            is_available: true,
            states: 0x18,
        };
        let fields = fields(&record(), Some(reading));
        for (key, value) in [
            ("Sensor ID", "CPU Temp (0x3)"),
            ("Entity ID", "3.1 (Processor)"),
            ("Sensor Type (Threshold)", "Temperature (0x01)"),
            ("Sensor Reading", "91 (+/- 0) degrees C"),
            ("Status", "Upper Critical"),
            ("Upper critical", "90.000"),
            ("Positive Hysteresis", "2.000"),
            ("Minimum sensor range", "Unspecified"),
            ("Readable Thresholds", "unc ucr unr"),
        ] {
            assert_eq!(fields[key], value, "{key}");
        }
        assert!(!fields.contains_key("Lower critical"));
    }

    #[test]
    fn a_sensor_that_says_nothing_has_no_reading() {
        let fields = fields(&record(), None);
        assert_eq!(fields["Sensor Reading"], "No Reading");
        assert_eq!(fields["Status"], "Not Available");
    }

    #[test]
    fn the_power_is_a_number_for_metrics_too() {
        let fields = power_fields(PowerReading {
            current: 220,
            minimum: 180,
            maximum: 310,
            average: 240,
            period: 60_000,
            is_measuring: true,
        });
        assert_eq!(fields["Maximum"], "310 Watts");
        assert_eq!(fields["Sampling Period"], "60 seconds");
        let payload = serde_json::json!({POWER_KIND: {POWER_NAME: fields}});
        let payload = payload.as_object().unwrap();
        let readings = types::sensor::readings(payload);
        assert_eq!(
            (readings[0].value, readings[0].unit.as_str()),
            (220.0, "Watts")
        );
    }

    #[test]
    fn fractions_have_three_digits() {
        assert_eq!(short(11.97), "11.970");
        assert_eq!(short(-10.0), "-10");
    }
}
