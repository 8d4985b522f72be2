//! The firmware's tables in the words of dmidecode, which services know.
//!
//! Firmware, processors and memory; of their fields those that are a text or a number. What needs a
//! table of names that grows with every edition of the standard is left out.

use super::smbios::{Structure, Tables, kind};
use serde_json::{Map, Value, json};

/// `bios`, `cpu` and `memory` with its `devices`.
pub(super) fn describe(tables: &Tables) -> Value {
    let bios = tables.of_kind(kind::BIOS).last().map(bios);
    let cpus: Vec<Value> = tables.of_kind(kind::PROCESSOR).map(processor).collect();
    let slots: Vec<Value> = tables.of_kind(kind::MEMORY_DEVICE).map(slot).collect();
    let mut arrays = tables.of_kind(kind::MEMORY_ARRAY).peekable();
    let mut memory = match arrays.peek() {
        Some(first) => array(first),
        None => json!({}),
    };
    let count: u64 = arrays
        .filter_map(|array| array.u16(0x0d))
        .map(u64::from)
        .sum();
    if count > 0 {
        memory["Number Of Devices"] = json!(count);
    }
    memory["devices"] = json!(slots);
    json!({"bios": bios.unwrap_or_else(|| json!({})), "cpu": cpus, "memory": memory})
}

/// Collects fields that are there.
struct Fields<'a>(&'a Structure, Map<String, Value>);

impl<'a> Fields<'a> {
    fn new(structure: &'a Structure) -> Self {
        let handle = format!(
            "Handle 0x{:04X}, DMI type {}, {} bytes",
            structure.handle,
            structure.kind,
            structure.data.len()
        );
        Self(structure, Map::new()).with("Handle", Some(handle))
    }

    fn with(mut self, name: &str, value: Option<String>) -> Self {
        if let Some(value) = value {
            self.1.insert(name.to_owned(), Value::from(value));
        }
        self
    }

    fn text(self, name: &str, at: usize) -> Self {
        let value = self.0.text(at).map(str::to_owned);
        // The structure is long enough for the field, so a missing text is one that nobody wrote.
        let value = value.or_else(|| self.0.u8(at).map(|_| "Not Specified".to_owned()));
        self.with(name, value)
    }

    fn end(self) -> Value {
        Value::Object(self.1)
    }
}

fn bios(bios: &Structure) -> Value {
    let rom = bios.u8(9).map(u64::from).and_then(|size| match size {
        0xff => match bios.u16(0x18)? {
            size if size >> 14 == 1 => Some(format!("{} GB", size & 0x3fff)),
            size => Some(format!("{} MB", size & 0x3fff)),
        },
        size => Some(bytes((size + 1) << 16)),
    });
    let revision = |at: usize| {
        let (major, minor) = (bios.u8(at)?, bios.u8(at + 1)?);
        (major != 0xff).then(|| format!("{major}.{minor}"))
    };
    Fields::new(bios)
        .text("Vendor", 4)
        .text("Version", 5)
        .text("Release Date", 8)
        .with("ROM Size", rom)
        .with("BIOS Revision", revision(0x14))
        .with("Firmware Revision", revision(0x16))
        .end()
}

fn processor(cpu: &Structure) -> Value {
    const KINDS: &[&str] = &[
        "Other",
        "Unknown",
        "Central Processor",
        "Math Processor",
        "DSP Processor",
        "Video Processor",
    ];
    let megahertz = |at: usize| {
        let value = cpu.u16(at).filter(|value| *value != 0);
        value.map_or_else(|| "Unknown".to_owned(), |value| format!("{value} MHz"))
    };
    // One byte, and where that is full two bytes elsewhere.
    let count = |short: usize, long: usize| {
        let value = match cpu.u8(short)? {
            0 => return None,
            0xff => cpu.u16(long).unwrap_or(0xff),
            value => value.into(),
        };
        Some(value.to_string())
    };
    let id = cpu.u64(8).map(|id| {
        let bytes = id.to_le_bytes().map(|byte| format!("{byte:02X}"));
        bytes.join(" ")
    });
    let status = cpu
        .u8(0x18)
        .map(|status| match (status & 0x40, status & 7) {
            (0, _) => "Unpopulated",
            (_, 1) => "Populated, Enabled",
            (_, 2) => "Populated, Disabled By User",
            (_, 3) => "Populated, Disabled By BIOS",
            (_, 4) => "Populated, Idle",
            _ => "Populated, Unknown",
        });
    Fields::new(cpu)
        .text("Socket Designation", 4)
        .with("Type", named(KINDS, cpu.u8(5)))
        .text("Manufacturer", 7)
        .with("ID", id)
        .text("Version", 0x10)
        .with("External Clock", Some(megahertz(0x12)))
        .with("Max Speed", Some(megahertz(0x14)))
        .with("Current Speed", Some(megahertz(0x16)))
        .with("Status", status.map(str::to_owned))
        .text("Serial Number", 0x20)
        .text("Asset Tag", 0x21)
        .text("Part Number", 0x22)
        .with("Core Count", count(0x23, 0x2a))
        .with("Core Enabled", count(0x24, 0x2c))
        .with("Thread Count", count(0x25, 0x2e))
        .end()
}

fn array(array: &Structure) -> Value {
    const USES: &[&str] = &[
        "Other",
        "Unknown",
        "System Memory",
        "Video Memory",
        "Flash Memory",
        "Non-volatile RAM",
        "Cache Memory",
    ];
    const CORRECTIONS: &[&str] = &[
        "Other",
        "Unknown",
        "None",
        "Parity",
        "Single-bit ECC",
        "Multi-bit ECC",
        "CRC",
    ];
    let capacity = match array.u32(7) {
        Some(0x8000_0000) => array.u64(0x0f),
        Some(kilobytes) => Some(u64::from(kilobytes) << 10),
        None => None,
    };
    let mut fields = Fields::new(array)
        .with("Use", named(USES, array.u8(5)))
        .with("Error Correction Type", named(CORRECTIONS, array.u8(6)))
        .with("Maximum Capacity", capacity.map(bytes))
        .end();
    // Several arrays are told as one, so no handle is right.
    if let Some(fields) = fields.as_object_mut() {
        fields.remove("Handle");
    }
    fields
}

fn slot(slot: &Structure) -> Value {
    const FORMS: &[&str] = &[
        "Other",
        "Unknown",
        "SIMM",
        "SIP",
        "Chip",
        "DIP",
        "ZIP",
        "Proprietary Card",
        "DIMM",
        "TSOP",
        "Row Of Chips",
        "RIMM",
        "SODIMM",
        "SRIMM",
        "FB-DIMM",
        "Die",
    ];
    const TYPES: &[&str] = &[
        "Other",
        "Unknown",
        "DRAM",
        "EDRAM",
        "VRAM",
        "SRAM",
        "RAM",
        "ROM",
        "Flash",
        "EEPROM",
        "FEPROM",
        "EPROM",
        "CDRAM",
        "3DRAM",
        "SDRAM",
        "SGRAM",
        "RDRAM",
        "DDR",
        "DDR2",
        "DDR2 FB-DIMM",
        "Reserved",
        "Reserved",
        "Reserved",
        "DDR3",
        "FBD2",
        "DDR4",
        "LPDDR",
        "LPDDR2",
        "LPDDR3",
        "LPDDR4",
        "Logical non-volatile device",
        "HBM",
        "HBM2",
        "DDR5",
        "LPDDR5",
        "HBM3",
    ];
    let width = |at: usize| {
        let bits = slot.u16(at).filter(|bits| *bits != 0 && *bits != 0xffff);
        bits.map_or_else(|| "Unknown".to_owned(), |bits| format!("{bits} bits"))
    };
    let speed = |at: usize| {
        let speed = slot.u16(at)?;
        let known = speed != 0 && speed != 0xffff;
        Some(if known {
            format!("{speed} MT/s")
        } else {
            "Unknown".to_owned()
        })
    };
    let size = slot
        .memory_bytes()
        .map_or_else(|| "No Module Installed".to_owned(), bytes);
    let rank = slot
        .u8(0x1b)
        .map(|rank| rank & 0x0f)
        .filter(|rank| *rank != 0);
    Fields::new(slot)
        .with(
            "Array Handle",
            slot.u16(4).map(|handle| format!("0x{handle:04X}")),
        )
        .with("Total Width", Some(width(8)))
        .with("Data Width", Some(width(0x0a)))
        .with("Size", Some(size))
        .with("Form Factor", named(FORMS, slot.u8(0x0e)))
        .text("Locator", 0x10)
        .text("Bank Locator", 0x11)
        .with("Type", named(TYPES, slot.u8(0x12)))
        .with("Speed", speed(0x15))
        .text("Manufacturer", 0x17)
        .text("Serial Number", 0x18)
        .text("Asset Tag", 0x19)
        .text("Part Number", 0x1a)
        .with("Rank", rank.map(|rank| rank.to_string()))
        .with("Configured Memory Speed", speed(0x20))
        .end()
}

/// The names of the standard's enumerations start with one.
fn named(names: &[&str], value: Option<u8>) -> Option<String> {
    let value = usize::from(value?);
    let name = names.get(value.checked_sub(1)?);
    Some((*name.unwrap_or(&"Unknown")).to_owned())
}

/// In the largest unit that gives a whole number.
fn bytes(count: u64) -> String {
    const UNITS: &[&str] = &["bytes", "kB", "MB", "GB", "TB", "PB"];
    let mut count = count;
    let mut unit = 0;
    while count != 0 && count.is_multiple_of(1024) && unit + 1 < UNITS.len() {
        count /= 1024;
        unit += 1;
    }
    format!("{count} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::{
        super::smbios::tests::{encode, slot},
        *,
    };

    #[test]
    fn in_the_words_of_dmidecode() {
        let mut firmware = vec![1, 2, 0, 0, 3, 0x0f];
        firmware.extend([0; 10]);
        firmware.extend([1, 5, 0xff, 0xff]);
        let mut array = vec![3, 3, 6];
        array.extend((16u32 << 20).to_le_bytes());
        array.extend([0xfe, 0xff, 2, 0]);
        let table = [
            encode(kind::BIOS, &firmware, &["Maker", "1.2", "04/01/2014"]),
            encode(kind::MEMORY_ARRAY, &array, &[]),
            slot(8192, 0),
            slot(0, 0),
        ]
        .concat();
        let found = describe(&Tables::parse(&table));
        let bios = &found["bios"];
        assert_eq!(bios["Vendor"], "Maker");
        assert_eq!(bios["Release Date"], "04/01/2014");
        assert_eq!(bios["ROM Size"], "1 MB");
        assert_eq!(bios["BIOS Revision"], "1.5");
        assert_eq!(bios.get("Firmware Revision"), None);
        let memory = &found["memory"];
        assert_eq!(memory["Maximum Capacity"], "16 GB");
        assert_eq!(memory["Error Correction Type"], "Multi-bit ECC");
        assert_eq!(memory["Number Of Devices"], 2);
        assert_eq!(memory["devices"][0]["Size"], "8 GB");
        assert_eq!(memory["devices"][0]["Locator"], "DIMM 0");
        assert_eq!(memory["devices"][1]["Size"], "No Module Installed");
        assert_eq!(
            describe(&Tables::default())["memory"],
            json!({"devices": []})
        );
    }
}
