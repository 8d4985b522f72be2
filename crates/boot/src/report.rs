//! The timeline of a machine with what it means, as a document for those who ask.

use crate::{
    doctor::diagnose,
    log::{BootLog, BootLogEntry, Event},
};
use serde_json::{Value, json};
use std::fmt;
use types::{JsonMap, port::MacAddress, time::Timestamp};

/// Everything that is known about the boots of the ports of a machine.
pub fn report(log: &BootLog, ports: &[MacAddress], now: Timestamp) -> JsonMap {
    let all = log.timeline_of_all(ports);
    let entries: Vec<BootLogEntry> = all.iter().map(|(_, entry)| entry.clone()).collect();
    let events = all.iter().map(|(port, entry)| shown(port, entry));
    let mut report = JsonMap::new();
    report.insert("diagnosis".to_owned(), json!(diagnose(&entries, now)));
    report.insert("events".to_owned(), events.collect());
    report
}

fn shown(port: &MacAddress, entry: &BootLogEntry) -> Value {
    let time = |at: Timestamp| format!("{}Z", at.naive());
    let mut shown = json!({
        "at": time(entry.at),
        "last": time(entry.last),
        "times": entry.times,
        "port": port,
        "text": entry.event.to_string(),
    });
    if let (Value::Object(shown), Ok(Value::Object(fields))) =
        (&mut shown, serde_json::to_value(&entry.event))
    {
        shown.extend(fields);
    }
    shown
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Published { boot } => write!(f, "is to boot ({boot})"),
            Self::SwitchedToDisk => f.write_str("is to boot from its disk"),
            Self::Withdrawn => f.write_str("is no longer booted from here"),
            Self::Discover {
                arch, ipxe, boots, ..
            } => {
                let what = match (ipxe, boots) {
                    (true, _) => "iPXE",
                    (false, true) => "firmware",
                    (false, false) => "a system",
                };
                write!(f, "{what} asks for an address")?;
                arch.iter().try_for_each(|arch| write!(f, ", {arch}"))
            }
            Self::Ignored { why } => write!(f, "was not answered: {why}"),
            Self::WrongFirmware { machine, node } => {
                write!(f, "is {machine}, but the node is set to {node}")
            }
            Self::Offer {
                address,
                file,
                proxy,
            } => {
                f.write_str(if *proxy {
                    "was offered, as a proxy"
                } else {
                    "was offered"
                })?;
                address
                    .iter()
                    .try_for_each(|address| write!(f, " {address}"))?;
                file.iter().try_for_each(|file| write!(f, " with {file}"))
            }
            Self::TookOther { server } => write!(f, "took the offer of {server}"),
            Self::Ack { address, file } => {
                f.write_str("has")?;
                address
                    .iter()
                    .try_for_each(|address| write!(f, " {address}"))?;
                file.iter().try_for_each(|file| write!(f, " with {file}"))
            }
            Self::Nak { why } => write!(f, "was refused its address: {why}"),
            Self::Declined { address } => write!(f, "found {address} in use"),
            Self::Released { address } => write!(f, "gave {address} back"),
            Self::Asked { protocol, path, .. } => write!(f, "asks for {path} by {protocol}"),
            Self::NotFound { protocol, path, .. } => {
                write!(f, "asks for {path} by {protocol}, which is not there")
            }
            Self::Refused {
                protocol,
                path,
                why,
            } => {
                write!(f, "asks for {path} by {protocol}, which is refused: {why}")
            }
            Self::Sent {
                path,
                bytes,
                resent,
                ..
            } => {
                write!(f, "has {path}, {bytes} bytes")?;
                if *resent > 0 {
                    write!(f, ", {resent} packets sent again")?;
                }
                Ok(())
            }
            Self::Stalled {
                path,
                bytes,
                size,
                block_size,
                ..
            } => write!(
                f,
                "fell silent after {bytes} of {size} bytes of {path} (blocks of {block_size})"
            ),
            Self::Aborted {
                path, bytes, why, ..
            } => {
                write!(f, "broke {path} off after {bytes} bytes: {why}")
            }
            Self::Agent { what } => write!(f, "its ramdisk called ({what})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::{Protocol, Role};

    #[test]
    fn a_report_says_what_happened_and_what_it_means() {
        let log = BootLog::default();
        let (one, two) = (MacAddress::from([2; 6]), MacAddress::from([4; 6]));
        log.note_at(&two, Event::Withdrawn, Timestamp(2_000_000));
        let missing = Event::NotFound {
            protocol: Protocol::Tftp,
            role: Role::Loader,
            path: "snponly.efi".to_owned(),
        };
        log.note_at(&one, missing, Timestamp(1_000_000));
        let report = report(&log, &[two, one], Timestamp(9_000_000));
        assert_eq!(report["diagnosis"]["cause"], "loader_missing");
        let first = &report["events"][0];
        assert_eq!(first["at"], "1970-01-01T00:00:01.000000Z");
        assert_eq!(first["port"], "02:02:02:02:02:02");
        assert_eq!(first["event"], "not_found");
        assert_eq!(
            first["text"],
            "asks for snponly.efi by TFTP, which is not there"
        );
        assert_eq!(report["events"][1]["event"], "withdrawn");
    }
}
