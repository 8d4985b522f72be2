//! The system event log: the one that IPMI tells of as well. Dell's is a log of the manager, the
//! others' one of the system.

use crate::{
    machine::{event::stamp, sensor::Sensor},
    redfish::{
        answer::Answer,
        body::Fields,
        call::{Call, add, healthy, link},
        message::Problem,
    },
};
use proto::ipmi::command::{
    event::Severity,
    sel::{self, SelEntry},
};
use serde_json::{Value, json};
use std::time::Duration;

const ID: &str = "SEL";
const CLEAR: &str = "LogService.ClearLog";

/// Adds the link to the log services to the resource that has them.
pub(crate) fn add_to(call: &Call<'_>, body: &mut Value, is_manager: bool) {
    if call.quirks.has_dell_oem == is_manager {
        let services = format!("{}/LogServices", call.path);
        add(body, json!({"LogServices": link(&services)}));
    }
}

/// The log is where the maker has it, and nowhere else.
fn check(call: &Call<'_>) -> Result<(), Problem> {
    let is_manager = !call.param("manager").is_empty();
    let log = call.param("log");
    if is_manager != call.quirks.has_dell_oem || !(log.is_empty() || log == ID) {
        return Err(call.absent());
    }
    Ok(())
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    check(call)?;
    Ok(call.collection("LogServiceCollection", "Log Services", [ID]))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    check(call)?;
    let mut body = call.resource("#LogService.v1_4_0.LogService", ID, "System Event Log");
    add(
        &mut body,
        json!({
            "MaxNumberOfRecords": crate::machine::log::CAPACITY,
            "OverWritePolicy": "NeverOverWrites",
            "LogEntryType": "SEL",
            "ServiceEnabled": true,
            "DateTime": stamp(call.now),
            "DateTimeLocalOffset": "+00:00",
            "Status": healthy(),
            "Entries": link(&format!("{}/Entries", call.path)),
            "Actions": {"#LogService.ClearLog": {
                "target": format!("{}/Actions/{CLEAR}", call.path),
            }},
        }),
    );
    Ok(body)
}

pub(crate) fn entries(call: &Call<'_>) -> Result<Value, Problem> {
    check(call)?;
    let mut body = call.list("LogEntryCollection", "System Event Log Entries", Vec::new());
    let log = call.machine.event_log();
    let all = log.entries.iter().rev();
    // The newest first, each as a whole.
    let members: Vec<Value> = all
        .map(|logged| entry(&format!("{}/{}", call.path, logged.id), logged))
        .collect();
    body["Members@odata.count"] = json!(members.len());
    body["Members"] = Value::Array(members);
    Ok(body)
}

pub(crate) fn show_entry(call: &Call<'_>) -> Result<Value, Problem> {
    check(call)?;
    let id: u16 = call.param("entry").parse().map_err(|_| call.absent())?;
    let log = call.machine.event_log();
    let found = log.entries.iter().find(|logged| logged.id == id);
    Ok(entry(call.path, found.ok_or_else(|| call.absent())?))
}

fn entry(path: &str, logged: &SelEntry) -> Value {
    let event = logged.event();
    let sensor = Sensor::of_number(logged.sensor);
    let name = match sensor {
        Some(sensor) => sensor.name.to_owned(),
        None => format!("Sensor {:#04x}", logged.sensor),
    };
    let severity = match event.severity() {
        Some(Severity::Critical) => "Critical",
        Some(Severity::Warning) => "Warning",
        Some(Severity::Ok) | None => "OK",
    };
    let mut body = json!({
        "@odata.id": path,
        "@odata.type": "#LogEntry.v1_11_0.LogEntry",
        "Id": logged.id.to_string(),
        "Name": format!("Log Entry {}", logged.id),
        "EntryType": "SEL",
        "EntryCode": if logged.is_deassertion { "Deassert" } else { "Assert" },
        "Severity": severity,
        "Message": format!("{name}: {}", event.text(None)),
        "SensorNumber": logged.sensor,
    });
    if let Some(seconds) = sel::known_time(logged.time) {
        let created = stamp(Duration::from_secs(seconds.into()));
        add(&mut body, json!({"Created": created}));
    }
    if let Some(kind) = sensor_type(logged.sensor_kind) {
        add(&mut body, json!({"SensorType": kind}));
    }
    body
}

/// The sensor types that the schema has the same words for as IPMI, by their numbers there.
fn sensor_type(kind: u8) -> Option<&'static str> {
    Some(match kind {
        0x01 => "Temperature",
        0x02 => "Voltage",
        0x03 => "Current",
        0x04 => "Fan",
        0x05 => "Physical Chassis Security",
        0x07 => "Processor",
        0x0c => "Memory",
        0x12 => "System Event",
        0x13 => "Critical Interrupt",
        0x23 => "Watchdog",
        0x29 => "Battery",
        _ => return None,
    })
}

pub(crate) fn clear(call: &Call<'_>) -> Result<Answer, Problem> {
    check(call)?;
    let fields = Fields::of(call.body)?;
    fields.end_action(CLEAR)?;
    call.machine.clear_event_log();
    Ok(Answer::nothing())
}
