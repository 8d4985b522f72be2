//! What a scan found, as a table for people and as JSON for programs.

use crate::console;
use ::discover::{Bmc, IpmiVersion, Power, ProbeResult, System};
use serde_json::{Value, json};
use std::time::Duration;

pub(super) struct Report {
    pub(super) found: Vec<ProbeResult>,
    pub(super) asked: usize,
    pub(super) took: Duration,
}

const HEAD: [&str; 8] = [
    "ADDRESS", "SPEAKS", "MAKER", "MODEL", "SERIAL", "FIRMWARE", "POWER", "MACS",
];

impl Report {
    pub(super) fn bmcs(&self) -> impl Iterator<Item = &Bmc> {
        self.found.iter().filter_map(|found| match found {
            ProbeResult::Bmc(bmc) => Some(&**bmc),
            ProbeResult::Other { .. } => None,
        })
    }

    pub(super) fn table(&self) -> String {
        let mut rows = vec![HEAD.map(str::to_owned)];
        for bmc in self.bmcs() {
            match bmc.systems.is_empty() {
                true => rows.push(row(bmc, &System::default())),
                false => rows.extend(bmc.systems.iter().map(|system| row(bmc, system))),
            }
        }
        let mut text = match rows.len() {
            1 => "No BMC was found.\n".to_owned(),
            _ => console::aligned(&rows),
        };
        let notes: Vec<[String; 2]> = self.notes().collect();
        if !notes.is_empty() {
            text += "\nNotes:\n";
            text += &console::aligned(&notes);
        }
        text.trim_end().to_owned()
    }

    fn notes(&self) -> impl Iterator<Item = [String; 2]> {
        self.found.iter().flat_map(|found| {
            let address = found.address().to_string();
            let remarks = match found {
                ProbeResult::Other { why, .. } => vec![why.clone()],
                ProbeResult::Bmc(bmc) => remarks(bmc),
            };
            remarks
                .into_iter()
                .map(move |remark| [address.clone(), remark])
        })
    }

    pub(super) fn summary(&self) -> String {
        let bmcs = self.bmcs().count();
        let others = self.found.len() - bmcs;
        let others = match others {
            0 => String::new(),
            1 => ", 1 that is none".to_owned(),
            more => format!(", {more} that are none"),
        };
        format!(
            "{} addresses asked in {:.1} s: {bmcs} BMCs{others}",
            self.asked,
            self.took.as_secs_f64()
        )
    }

    pub(super) fn json(&self) -> Value {
        let others = self.found.iter().filter_map(|found| match found {
            ProbeResult::Other { address, why } => Some(json!({"address": address, "why": why})),
            ProbeResult::Bmc(_) => None,
        });
        json!({
            "addresses": self.asked,
            "seconds": self.took.as_secs_f64(),
            "bmcs": self.bmcs().map(of_bmc).collect::<Vec<_>>(),
            "others": others.collect::<Vec<_>>(),
        })
    }
}

fn remarks(bmc: &Bmc) -> Vec<String> {
    let mut remarks = bmc.remarks.clone();
    if bmc.has_nameless_account {
        remarks.push("it has an account without a name for IPMI; remove it".to_owned());
    }
    remarks
}

fn speaks(bmc: &Bmc) -> String {
    let redfish = bmc.redfish.as_ref().map(|_| match &bmc.redfish_version {
        Some(version) => format!("redfish {version}"),
        None => "redfish".to_owned(),
    });
    let ipmi = bmc
        .ipmi
        .map(|(_, version)| format!("ipmi {}", of_version(version)));
    let both: Vec<String> = redfish.into_iter().chain(ipmi).collect();
    both.join(", ")
}

fn of_version(version: IpmiVersion) -> &'static str {
    match version {
        IpmiVersion::V15 => "1.5",
        IpmiVersion::V20 => "2.0",
    }
}

fn of_power(power: Power) -> &'static str {
    match power {
        Power::On => "on",
        Power::Off => "off",
    }
}

fn row(bmc: &Bmc, system: &System) -> [String; 8] {
    let first = |one: &Option<String>, other: &Option<String>| {
        one.clone().or_else(|| other.clone()).unwrap_or_default()
    };
    let macs: Vec<String> = system.macs.iter().map(ToString::to_string).collect();
    [
        bmc.address.to_string(),
        speaks(bmc),
        first(&system.maker, &bmc.maker),
        first(&system.model, &bmc.model),
        first(&system.serial, &None),
        first(&bmc.firmware, &None),
        system.power.map(of_power).unwrap_or_default().to_owned(),
        macs.join(" "),
    ]
}

fn of_bmc(bmc: &Bmc) -> Value {
    let systems = bmc.systems.iter().map(|system| {
        json!({
            "path": system.path,
            "maker": system.maker,
            "model": system.model,
            "serial": system.serial,
            "uuid": system.uuid.map(|uuid| uuid.to_string()),
            "bios": system.bios,
            "power": system.power.map(of_power),
            "macs": system.macs.iter().map(ToString::to_string).collect::<Vec<_>>(),
        })
    });
    json!({
        "address": bmc.address,
        "redfish": bmc.redfish,
        "redfish_version": bmc.redfish_version,
        "ipmi": bmc.ipmi.map(|(at, version)| {
            json!({"port": at.port(), "version": of_version(version)})
        }),
        "maker": bmc.maker,
        "model": bmc.model,
        "firmware": bmc.firmware,
        "uuid": bmc.uuid.map(|uuid| uuid.to_string()),
        "systems": systems.collect::<Vec<_>>(),
        "notes": remarks(bmc),
    })
}
