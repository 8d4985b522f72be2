//! The system event log, as log services tell it (Redfish schema `LogService`, `LogEntry`).
//!
//! A system, its managers and its chassis have any number of log services. Those that say they are a
//! system event log (`LogEntryType` or `Id` is `SEL`) are read and cleared; where none says so, the
//! first that has entries, in the order system, chassis, manager. That leaves out journals of the
//! BMC's own doings where there is anything else.

use crate::{
    DriverError,
    redfish::{Info, Redfish, RedfishError, Resource, Talk, resource},
};
use serde_json::Value;
use std::{collections::HashSet, time::Duration};
use types::{
    JsonMap, Timestamp,
    hardware_log::{HardwareLog, LogEntry, LogSeverity, MOST_ENTRIES, short},
};

/// How many log services are looked at, and how many pages of one.
const MOST_SERVICES: usize = 32;
const MOST_PAGES: usize = 256;
/// How long a service may take to clear a log.
const PATIENCE: Duration = Duration::from_secs(60);
const SEL: &str = "SEL";

pub(super) async fn read(redfish: &Redfish, info: &Info) -> Result<HardwareLog, DriverError> {
    let talk = redfish.talk(info, "reading the event log").await?;
    let mut log = HardwareLog::default();
    for service in services(&talk).await? {
        read_service(&talk, &service, &mut log).await?;
    }
    // Services tell the newest or the oldest first. Times that are not known stay in front.
    log.entries.sort_by_key(|entry| entry.at);
    Ok(log)
}

pub(super) async fn clear(redfish: &Redfish, info: &Info) -> Result<(), DriverError> {
    let mut talk = redfish.talk(info, "clearing the event log").await?;
    for service in services(&talk).await? {
        let before = first_page(&talk, &service).await?;
        let posted = talk
            .action(&service, "#LogService.ClearLog", &JsonMap::new())
            .await?;
        if let Some(task) = posted.task {
            talk.wait_task(&task, PATIENCE).await?;
        }
        let after = first_page(&talk, &service).await?;
        // Clearing is itself logged by many, so an entry that is there need not be an old one.
        let kept = after.intersection(&before).count();
        if kept > 0 {
            return Err(DriverError::NotKept {
                peer: talk.peer().to_owned(),
                what: "empty event log",
                asked: "no entries".to_owned(),
                found: format!("{kept} of the old ones in {}", service.path),
            });
        }
    }
    Ok(())
}

/// The log services that are a machine's event log.
async fn services(talk: &Talk<'_>) -> Result<Vec<Resource>, DriverError> {
    let system = talk.system().await?;
    let mut owners = vec![system.clone()];
    owners.extend(talk.chassis(&system).await?);
    owners.extend(talk.managers(&system).await?);
    let (mut all, mut seen) = (Vec::new(), HashSet::new());
    for owner in owners {
        let Some(collection) = talk.look(&owner, "LogServices").await? else {
            continue;
        };
        for reference in collection.links("Members") {
            if all.len() >= MOST_SERVICES || !seen.insert(talk.path(reference)?) {
                continue;
            }
            all.push(talk.get(reference).await?);
        }
    }
    all.retain(|service| service.link("Entries").is_some());
    if all.is_empty() {
        return Err(talk.rejected("it has no log service with entries"));
    }
    Ok(chosen(all))
}

fn chosen(all: Vec<Resource>) -> Vec<Resource> {
    let (event_logs, mut others): (Vec<_>, Vec<_>) = all.into_iter().partition(|service| {
        let kind = service.str("LogEntryType");
        kind == Some(SEL) || service.id().eq_ignore_ascii_case(SEL)
    });
    if event_logs.is_empty() {
        others.truncate(1);
        others
    } else {
        event_logs
    }
}

/// What tells the entries on the first page of a log from others: an id may be used again.
async fn first_page(
    talk: &Talk<'_>,
    service: &Resource,
) -> Result<HashSet<(String, Option<String>)>, RedfishError> {
    let page = talk.follow(service, "Entries").await?;
    let mut all = HashSet::new();
    for entry in page.list("Members") {
        let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
        if let Some(path) = text("@odata.id") {
            all.insert((path, text("Created")));
        }
    }
    Ok(all)
}

async fn read_service(
    talk: &Talk<'_>,
    service: &Resource,
    log: &mut HardwareLog,
) -> Result<(), DriverError> {
    let mut seen = HashSet::new();
    let mut next = service.link("Entries").map(str::to_owned);
    while let Some(reference) = next {
        if seen.len() >= MOST_PAGES || !seen.insert(talk.path(&reference)?) {
            let text = format!("the log {} has no end", service.path);
            return Err(talk.protocol(text));
        }
        let page = talk.get(&reference).await?;
        for member in page.list("Members") {
            if log.entries.len() >= MOST_ENTRIES {
                log.is_cut = true;
                return Ok(());
            }
            // Services may tell entries themselves or only where they are.
            if member.contains_key("Message") || member.contains_key("Created") {
                log.entries.push(entry(member, service.id()));
                continue;
            }
            let Some(reference) = member.get("@odata.id").and_then(Value::as_str) else {
                continue;
            };
            match talk.get(reference).await {
                Ok(found) => log.entries.push(entry(&found.body, service.id())),
                // It was cleared meanwhile.
                Err(error) if error.is_missing() => {}
                Err(error) => return Err(error.into()),
            }
        }
        next = page.next().map(str::to_owned);
    }
    Ok(())
}

fn entry(body: &JsonMap, log: &str) -> LogEntry {
    let text = |key: &str| {
        let found = resource::at(body, key).and_then(Value::as_str).map(short);
        found.filter(|text| !text.is_empty())
    };
    let sensor = resource::at(body, "SensorNumber").and_then(Value::as_u64);
    LogEntry {
        id: text("Id").unwrap_or_default(),
        log: short(log),
        at: text("Created").and_then(|created| Timestamp::parse(&created)),
        severity: text("Severity").and_then(|severity| severity.parse::<LogSeverity>().ok()),
        sensor_type: text("SensorType"),
        sensor: sensor.map(|number| format!("#{number:#04x}")),
        text: text("Message")
            .or_else(|| text("MessageId"))
            .unwrap_or_default(),
        is_asserted: match text("EntryCode").as_deref() {
            Some("Assert") => Some(true),
            Some("Deassert") => Some(false),
            _ => None,
        },
        raw: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn service(id: &str, kind: &str) -> Resource {
        let body = json!({"Id": id, "LogEntryType": kind, "Entries": {"@odata.id": "/e"}});
        Resource::new(format!("/l/{id}"), None, body.as_object().cloned().unwrap())
    }

    #[test]
    fn the_event_log_is_told_from_other_logs() {
        let ids = |all: Vec<Resource>| -> Vec<String> {
            let chosen = chosen(all);
            chosen.iter().map(|one| one.id().to_owned()).collect()
        };
        let journal = || service("Journal", "Event");
        assert_eq!(ids(vec![journal(), service("Sel", "Multiple")]), ["Sel"]);
        assert_eq!(ids(vec![journal(), service("Log1", "SEL")]), ["Log1"]);
        assert_eq!(ids(vec![service("IML", "OEM"), journal()]), ["IML"]);
    }

    #[test]
    fn entries_are_read_as_far_as_they_are_told() {
        let body = json!({
            "Id": "7", "Created": "2026-01-01T01:00:00+01:00", "Severity": "Critical",
            "Message": "Fan 1\nfailed", "SensorType": "Fan", "SensorNumber": 48,
            "EntryCode": "Assert",
        });
        assert_eq!(
            entry(body.as_object().unwrap(), "SEL"),
            LogEntry {
                id: "7".into(),
                log: "SEL".into(),
                at: Timestamp::parse("2026-01-01T00:00:00Z"),
                severity: Some(LogSeverity::Critical),
                sensor_type: Some("Fan".into()),
                sensor: Some("#0x30".into()),
                text: "Fan 1 failed".into(),
                is_asserted: Some(true),
                raw: None,
            }
        );
        let odd = json!({"Id": 3, "Created": "soon", "Severity": "Bad", "MessageId": "X.1.0.Y"});
        let odd = entry(odd.as_object().unwrap(), "L");
        assert_eq!((odd.at, odd.severity, &*odd.text), (None, None, "X.1.0.Y"));
    }
}
