//! `corten node inventory show`: what inspection found, for people.

use clap::Args;
use serde_json::Value;

use super::about;
use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::output::{self, ListOutput};
use crate::watch::status::text;

pub(super) fn leaf() -> Leaf {
    Leaf::new(
        "node inventory show",
        "Show processors, memory, disks and network cards as inspection found them",
        Show::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
  corten node inspect m1 --wait
  corten node inventory show m1
  corten node inventory save m1 --file m1.json    everything, for programs
")]
struct Show {
    /// Name or UUID
    node: String,
    #[command(flatten)]
    output: ListOutput,
}

impl Show {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        let answer = get(session, &self.node).await?;
        let rows = parts(answer.get("inventory").unwrap_or(&Value::Null));
        let titles = ["Part", "Name", "Size", "Details"];
        output::print_list(&mut session.console, &self.output, &titles, rows)
    }
}

/// Everything that inspection found in a machine.
pub(super) async fn get(session: &Session, node: &str) -> Result<Value, Error> {
    let call = Call::get(&["nodes", node, "inventory"])?;
    match session.client.send(&call).await {
        Ok(found) => Ok(found),
        // Ironic's words for a node without an inventory name neither its name nor its UUID.
        Err(error) if error.status() == Some(404) => {
            let there = Call::get(&["nodes", node])?;
            let error = match session.client.send(&there).await {
                Ok(_) => Error::failed("there is no inventory: it was not inspected yet")
                    .with_hint(format!("corten node inspect {node} --wait")),
                Err(_) => error,
            };
            Err(about(error, node))
        }
        Err(error) => Err(about(error, node)),
    }
}

/// A line for each part.
pub(super) fn parts(inventory: &Value) -> Vec<Vec<Value>> {
    let part = |key: &str| inventory.get(key).unwrap_or(&Value::Null);
    let list = |key: &str| part(key).as_array().into_iter().flatten();
    let mut rows = Vec::new();
    let mut add = |kind: &str, name: String, size: String, details: Vec<String>| {
        let details: Vec<String> = details.into_iter().filter(|one| !one.is_empty()).collect();
        if !(name.is_empty() && size.is_empty() && details.is_empty()) {
            rows.push(
                [kind.to_owned(), name, size, details.join(", ")]
                    .map(Value::from)
                    .to_vec(),
            );
        }
    };
    let vendor = part("system_vendor");
    add(
        "machine",
        text(vendor, "product_name"),
        String::new(),
        vec![
            text(vendor, "manufacturer"),
            labelled("serial", text(vendor, "serial_number")),
            labelled("firmware", text(&vendor["firmware"], "version")),
        ],
    );
    let cpu = part("cpu");
    let cores = number(cpu, "count").map(|count| match count {
        1 => "1 core".to_owned(),
        count => format!("{count} cores"),
    });
    add(
        "processor",
        text(cpu, "model_name"),
        cores.unwrap_or_default(),
        vec![text(cpu, "architecture")],
    );
    let memory = number(part("memory"), "physical_mb").map(|mb| mb.saturating_mul(1 << 20));
    add(
        "memory",
        String::new(),
        memory.map(binary).unwrap_or_default(),
        Vec::new(),
    );
    for disk in list("disks") {
        let spins = match disk.get("rotational").and_then(Value::as_bool) {
            Some(true) => "rotating".to_owned(),
            Some(false) => "solid state".to_owned(),
            None => String::new(),
        };
        add(
            "disk",
            text(disk, "name"),
            number(disk, "size").map(decimal).unwrap_or_default(),
            vec![
                text(disk, "model"),
                labelled("serial", text(disk, "serial")),
                spins,
            ],
        );
    }
    for card in list("interfaces") {
        let speed = number(card, "speed_mbps").map(|mbps| format!("{mbps} Mbit/s"));
        let link = match card.get("has_carrier").and_then(Value::as_bool) {
            Some(true) => "link up".to_owned(),
            Some(false) => "no link".to_owned(),
            None => String::new(),
        };
        add(
            "network",
            text(card, "name"),
            speed.unwrap_or_default(),
            vec![
                text(card, "mac_address"),
                text(card, "ipv4_address"),
                text(card, "ipv6_address"),
                link,
            ],
        );
    }
    let boot = part("boot");
    add(
        "boot",
        text(boot, "current_boot_mode"),
        String::new(),
        vec![labelled("booted from", text(boot, "pxe_interface"))],
    );
    let bmc = [
        text(inventory, "bmc_address"),
        text(inventory, "bmc_v6address"),
    ];
    // The agent says 0.0.0.0 where a machine has no BMC.
    let bmc = bmc
        .into_iter()
        .filter(|address| !matches!(address.as_str(), "0.0.0.0" | "::/0"));
    add(
        "bmc",
        bmc.collect::<Vec<_>>().join(" ").trim().to_owned(),
        String::new(),
        Vec::new(),
    );
    rows
}

pub(super) fn number(value: &Value, key: &str) -> Option<u64> {
    value.get(key).and_then(Value::as_u64)
}

fn labelled(label: &str, text: String) -> String {
    if text.is_empty() {
        text
    } else {
        format!("{label} {text}")
    }
}

/// Disks are sold by powers of ten.
pub(super) fn decimal(bytes: u64) -> String {
    scaled(bytes, 1000, &["B", "kB", "MB", "GB", "TB", "PB"])
}

/// Memory comes in powers of two.
pub(super) fn binary(bytes: u64) -> String {
    scaled(bytes, 1024, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"])
}

/// With one digit after the point, unless that is a zero.
fn scaled(bytes: u64, step: u64, units: &[&str]) -> String {
    let mut whole = bytes;
    let mut tenths = 0;
    let mut used = 0;
    while whole >= step && used + 1 < units.len() {
        tenths = whole % step * 10 / step;
        whole /= step;
        used += 1;
    }
    let unit = units.get(used).copied().unwrap_or_default();
    match tenths {
        0 => format!("{whole} {unit}"),
        tenths => format!("{whole}.{tenths} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canned::Answer;
    use crate::tests::ran;
    use serde_json::json;

    #[test]
    fn people_see_what_a_machine_has() {
        let inventory = json!({"inventory": {
            "system_vendor": {"product_name": "R650", "manufacturer": "ACME", "serial_number": "S1",
                "firmware": {"version": "2.1"}},
            "cpu": {"count": 8, "architecture": "x86_64", "model_name": "Fast \u{1b}[2JCPU"},
            "memory": {"physical_mb": 16384},
            "disks": [{"name": "/dev/sda", "size": 480_103_981_056_u64, "model": "SSD",
                "serial": "D1", "rotational": false}],
            "interfaces": [{"name": "eno1", "mac_address": "52:54:00:00:00:01",
                "ipv4_address": "192.0.2.5", "has_carrier": true, "speed_mbps": 10000},
                {"name": "eno2", "mac_address": "52:54:00:00:00:02", "has_carrier": false}],
            "boot": {"current_boot_mode": "uefi", "pxe_interface": "52:54:00:00:00:01"},
            "bmc_address": "192.0.2.9", "bmc_v6address": "::/0",
        }, "plugin_data": {}});
        let (shown, asked) = ran(
            "node inventory show m1 -f value",
            [Answer::new(200, inventory)],
        );
        assert_eq!(asked[0].line, "GET /v1/nodes/m1/inventory");
        assert_eq!(
            shown.out,
            "machine R650  ACME, serial S1, firmware 2.1\n\
             processor Fast \\u{1b}[2JCPU 8 cores x86_64\n\
             memory  16 GiB \n\
             disk /dev/sda 480.1 GB SSD, serial D1, solid state\n\
             network eno1 10000 Mbit/s 52:54:00:00:00:01, 192.0.2.5, link up\n\
             network eno2  52:54:00:00:00:02, no link\n\
             boot uefi  booted from 52:54:00:00:00:01\n\
             bmc 192.0.2.9  \n"
        );
    }

    #[test]
    fn a_machine_that_tells_little_is_shown_all_the_same() {
        assert_eq!(parts(&Value::Null), Vec::<Vec<Value>>::new());
        let one = parts(&json!({"cpu": {"count": 1}, "bmc_address": "0.0.0.0"}));
        assert_eq!(
            one,
            [["processor", "", "1 core", ""].map(Value::from).to_vec()]
        );
    }
}
