//! The machine as a list of facts in four words each, in the manner of the program
//! `hardware-detect`.
//!
//! The facts that rules are written about: system, firmware, processors, memory, disks, interfaces.
//! Its benchmarks are left out, and so is the kernel's command line, which holds secrets.

use super::{
    Files,
    smbios::{Tables, kind},
};
use serde_json::{Value, json};

/// `inventory` has the rest.
pub(super) fn facts(files: &Files<'_>, tables: &Tables, inventory: &Value) -> Vec<Value> {
    let mut facts = Vec::new();
    let mut add = |kind: &str, which: &str, name: &str, value: Value| {
        let value = match value {
            Value::Null => return,
            Value::String(text) if text.is_empty() => return,
            Value::String(text) => text,
            Value::Bool(is) => if is { "yes" } else { "no" }.to_owned(),
            other => other.to_string(),
        };
        facts.push(json!([kind, which, name, value]));
    };
    let vendor = &inventory["system_vendor"];
    add("system", "product", "name", vendor["product_name"].clone());
    add(
        "system",
        "product",
        "vendor",
        vendor["manufacturer"].clone(),
    );
    add(
        "system",
        "product",
        "serial",
        vendor["serial_number"].clone(),
    );
    for (name, file) in [("version", "product_version"), ("uuid", "product_uuid")] {
        let value = files.text(format!("sys/class/dmi/id/{file}"));
        add("system", "product", name, json!(value));
    }
    let firmware = &vendor["firmware"];
    add("firmware", "bios", "vendor", firmware["vendor"].clone());
    add("firmware", "bios", "version", firmware["version"].clone());
    add("firmware", "bios", "date", firmware["build_date"].clone());
    for (name, file) in [
        ("name", "board_name"),
        ("vendor", "board_vendor"),
        ("serial", "board_serial"),
    ] {
        let value = files.text(format!("sys/class/dmi/id/{file}"));
        add("system", "motherboard", name, json!(value));
    }
    let release = files.text("proc/sys/kernel/osrelease");
    add("system", "kernel", "version", json!(release));
    add(
        "system",
        "kernel",
        "arch",
        inventory["cpu"]["architecture"].clone(),
    );

    let cpu = &inventory["cpu"];
    add("cpu", "physical", "number", cpu["socket_count"].clone());
    add("cpu", "logical", "number", cpu["count"].clone());
    for (number, socket) in tables.of_kind(kind::PROCESSOR).enumerate() {
        let which = format!("physical_{number}");
        add("cpu", &which, "vendor", json!(socket.text(7)));
        add("cpu", &which, "product", json!(socket.text(0x10)));
        add(
            "cpu",
            &which,
            "cores",
            json!(socket.u8(0x23).filter(|cores| *cores > 0)),
        );
        add(
            "cpu",
            &which,
            "threads",
            json!(socket.u8(0x25).filter(|threads| *threads > 0)),
        );
    }
    add(
        "memory",
        "total",
        "size",
        inventory["memory"]["total"].clone(),
    );
    for (number, slot) in tables.of_kind(kind::MEMORY_DEVICE).enumerate() {
        let which = format!("bank:{number}");
        let Some(bytes) = slot.memory_bytes() else {
            continue;
        };
        add("memory", &which, "size", json!(bytes));
        add("memory", &which, "slot", json!(slot.text(0x10)));
        add("memory", &which, "vendor", json!(slot.text(0x17)));
        add("memory", &which, "serial", json!(slot.text(0x18)));
        add("memory", &which, "product", json!(slot.text(0x1a)));
    }
    let disks = inventory["disks"].as_array().map_or(&[][..], Vec::as_slice);
    add("disk", "logical", "count", json!(disks.len()));
    for disk in disks {
        let which = short(&disk["name"]);
        let gigabytes = disk["size"].as_u64().map(|bytes| bytes / 1_000_000_000);
        add("disk", &which, "size", json!(gigabytes));
        for name in ["vendor", "model", "wwn", "serial", "rotational"] {
            add("disk", &which, name, disk[name].clone());
        }
        add("disk", &which, "id", disk["by_path"].clone());
    }
    for interface in inventory["interfaces"].as_array().into_iter().flatten() {
        let which = short(&interface["name"]);
        add(
            "network",
            &which,
            "serial",
            interface["mac_address"].clone(),
        );
        add("network", &which, "ipv4", interface["ipv4_address"].clone());
        add("network", &which, "link", interface["has_carrier"].clone());
        add("network", &which, "driver", interface["driver"].clone());
        add(
            "network",
            &which,
            "businfo",
            interface["pci_address"].clone(),
        );
        add("network", &which, "speed", interface["speed_mbps"].clone());
    }
    facts
}

fn short(name: &Value) -> String {
    let name = name.as_str().unwrap_or_default();
    name.trim_start_matches("/dev/").to_owned()
}
