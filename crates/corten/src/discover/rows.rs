//! What was found, as rows of a table for `corten node enrol`.
//!
//! A machine is called by its serial number, which is also on its label, unless another one claims
//! the same: then by the address of its BMC.

use super::report::Report;
use crate::args;
use ::discover::{Bmc, Credentials, System};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

/// One row for each machine that was logged in to, with the address to name it by.
pub(super) fn rows(
    report: &Report,
    credentials: &Credentials,
    args: &args::Discover,
) -> Vec<(String, Map<String, Value>)> {
    let mut claims: HashMap<String, usize> = HashMap::new();
    for bmc in report.bmcs() {
        for name in bmc.systems.iter().filter_map(by_serial) {
            *claims.entry(name).or_default() += 1;
        }
    }
    let mut rows = Vec::new();
    for bmc in report.bmcs() {
        let Some(login) = credentials.of(bmc.address) else {
            continue;
        };
        for (index, system) in bmc.systems.iter().enumerate() {
            let name = by_serial(system).filter(|name| claims.get(name) == Some(&1));
            let name = name.unwrap_or_else(|| by_address(bmc, index));
            let mut row = place(bmc, system, &args.verify_ca);
            row.insert("name".into(), json!(name));
            row.insert("username".into(), json!(login.user));
            row.insert("password".into(), json!(login.password));
            if let Some(class) = &args.resource_class {
                row.insert("resource_class".into(), json!(class));
            }
            rows.push((bmc.address.to_string(), row));
        }
    }
    rows
}

/// Where the machine is, and what is known of it.
fn place(bmc: &Bmc, system: &System, verify_ca: &str) -> Map<String, Value> {
    let macs: Vec<String> = system.macs.iter().map(ToString::to_string).collect();
    let mut row = Map::from_iter([("macs".to_owned(), json!(macs))]);
    let mut set = |key: &str, value: Value| row.insert(key.to_owned(), value);
    match (&bmc.redfish, bmc.ipmi) {
        (Some(address), _) => {
            set("driver", json!("redfish"));
            set("address", json!(address));
            if let Some(path) = &system.path {
                set("system_id", json!(path));
            }
            match verify_ca {
                "true" | "True" => {}
                "false" | "False" => {
                    set("verify_ca", json!(false));
                }
                path => {
                    set("verify_ca", json!(path));
                }
            }
        }
        (None, at) => {
            set("driver", json!("ipmi"));
            set("address", json!(bmc.address));
            let port = at.map(|(at, _)| at.port()).filter(|port| *port != 623);
            if let Some(port) = port {
                set("port", json!(port));
            }
        }
    }
    if let Some(uuid) = system.uuid {
        set("extra.system_uuid", json!(uuid.to_string()));
    }
    if let Some(serial) = &system.serial {
        set("extra.serial_number", json!(serial));
    }
    row
}

/// A serial number that can be a name: letters, digits and dashes, at least four of them.
fn by_serial(system: &System) -> Option<String> {
    let serial = system.serial.as_ref()?.to_lowercase();
    let is_name = serial
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b == b'-');
    let has_ends = !serial.starts_with('-') && !serial.ends_with('-');
    (is_name && has_ends && serial.len() >= 4).then_some(serial)
}

fn by_address(bmc: &Bmc, index: usize) -> String {
    let address = bmc.address.to_string().replace(['.', ':'], "-");
    match index {
        0 => format!("bmc-{address}"),
        more => format!("bmc-{address}-{more}"),
    }
}
