//! What a disk is called by its maker: model, vendor, serial number and world wide name.
//!
//! SCSI disks tell it in pages of vital product data, which the kernel keeps in sysfs; behind SATA
//! one of these pages is what the disk itself says. NVMe and virtio have files of their own.

use super::{BlockDevice, text};
use std::{collections::BTreeMap, fs, path::Path};
use types::hex;

pub(super) fn fill(root: &Path, dir: &Path, device: &mut BlockDevice) {
    let udev = udev(root, device.device_number);
    let udev = |key: &str| udev.get(key).cloned();
    let ata = page(dir, "vpd_pg89").and_then(|page| Ata::decode(&page));
    let name = page(dir, "vpd_pg83").and_then(|page| naa(&page));
    let ata = ata.as_ref();

    device.vendor = text(&dir.join("device/vendor"));
    device.model = udev("ID_MODEL_ENC")
        .map(|model| unescape(&model))
        .or_else(|| ata.map(|ata| ata.model.clone()))
        .or_else(|| text(&dir.join("device/model")));

    let own = text(&dir.join("serial"))
        .or_else(|| text(&dir.join("device/serial")))
        .or_else(|| ata.map(|ata| ata.serial.clone()))
        .or_else(|| page(dir, "vpd_pg80").and_then(|page| unit_serial(&page)));
    // The order is that of lsblk and, after it, of udev's two forms.
    let serials = [
        udev("ID_SCSI_SERIAL"),
        udev("ID_SERIAL_SHORT"),
        udev("DM_SERIAL"),
        own,
        udev("ID_SERIAL"),
    ];
    device.serials = distinct(serials.into_iter().flatten());
    device.serial = device.serials.first().cloned();

    let name = name.or_else(|| ata.and_then(|ata| ata.name.clone()));
    let (short, extension) = match &name {
        Some(digits) if digits.len() == 32 => {
            let (short, extension) = digits.split_at(16);
            (Some(format!("0x{short}")), Some(format!("0x{extension}")))
        }
        Some(digits) => (Some(format!("0x{digits}")), None),
        None => (wwid(dir), None),
    };
    let long = name.map(|digits| format!("0x{digits}"));
    device.wwn_with_extension =
        udev("ID_WWN_WITH_EXTENSION").or_else(|| long.clone().or_else(|| short.clone()));
    device.wwn_vendor_extension = udev("ID_WWN_VENDOR_EXTENSION").or(extension);
    let names = [
        udev("ID_WWN_WITH_EXTENSION"),
        udev("ID_WWN"),
        udev("DM_WWN"),
        long,
        short,
    ];
    device.wwns = distinct(names.into_iter().flatten());
    device.wwn = device.wwns.first().cloned();
}

fn distinct(values: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for value in values {
        let value = value.trim().to_owned();
        if !value.is_empty() && !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

/// What udev keeps about a device.
fn udev(root: &Path, (major, minor): (u32, u32)) -> BTreeMap<String, String> {
    let path = root.join(format!("run/udev/data/b{major}:{minor}"));
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.strip_prefix("E:")?.split_once('='))
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}

/// Undoes udev's `\x20`.
fn unescape(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let code = tail
            .strip_prefix(b"x")
            .and_then(|tail| tail.first_chunk::<2>())
            .and_then(|digits| hex::byte(*digits));
        match code {
            Some(byte) if first == b'\\' => {
                out.push(byte);
                rest = tail.get(3..).unwrap_or_default();
            }
            _ => {
                out.push(first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).trim().to_owned()
}

fn page(dir: &Path, name: &str) -> Option<Vec<u8>> {
    fs::read(dir.join("device").join(name)).ok()
}

/// Page 0x80: the serial number of the unit.
fn unit_serial(page: &[u8]) -> Option<String> {
    let text = printable(page.get(4..)?);
    (!text.is_empty()).then_some(text)
}

/// Page 0x83: names of the device, of which the one counts that belongs to the unit and is of the
/// kind NAA. The longer form is preferred, as udev does.
fn naa(page: &[u8]) -> Option<String> {
    let mut rest = page.get(4..)?;
    let mut best: Option<String> = None;
    while let Some(header) = rest.get(..4) {
        let length = usize::from(header[3]);
        let Some(name) = rest.get(4..4 + length) else {
            break;
        };
        let of_unit = header[1] & 0x30 == 0;
        if header[1] & 0x0f == 3 && of_unit && matches!(length, 8 | 16) {
            let digits = hex::encode(name);
            if best.as_ref().is_none_or(|best| best.len() < digits.len()) {
                best = Some(digits);
            }
        }
        rest = rest.get(4 + length..).unwrap_or_default();
    }
    best
}

/// What the kernel calls the device where it is no NAA name, as with NVMe.
fn wwid(dir: &Path) -> Option<String> {
    let id = text(&dir.join("wwid")).or_else(|| text(&dir.join("device/wwid")))?;
    match id.strip_prefix("naa.") {
        Some(digits) => Some(format!("0x{digits}")),
        None if id.starts_with("eui.") || id.starts_with("nvme.") || id.starts_with("uuid.") => {
            Some(id)
        }
        None => None,
    }
}

/// What a SATA disk says about itself.
struct Ata {
    model: String,
    serial: String,
    name: Option<String>,
}

impl Ata {
    /// Page 0x89 has the disk's own answer from byte 60 on: words whose letters are swapped.
    fn decode(page: &[u8]) -> Option<Self> {
        let words = page.get(60..60 + 512)?;
        let letters = |from: usize, to: usize| {
            let swapped: Vec<u8> = words
                .get(from * 2..to * 2)
                .unwrap_or_default()
                .chunks_exact(2)
                .flat_map(|pair| [pair[1], pair[0]])
                .collect();
            printable(&swapped)
        };
        let (serial, model) = (letters(10, 20), letters(27, 47));
        if model.is_empty() {
            return None;
        }
        let word = |at: usize| u64::from(words[at * 2]) | u64::from(words[at * 2 + 1]) << 8;
        // Bit 8 of word 87 says that there is a name.
        let named = word(87) & 0x0100 != 0;
        let name = word(108) << 48 | word(109) << 32 | word(110) << 16 | word(111);
        Some(Self {
            model,
            serial,
            name: (named && name != 0).then(|| format!("{name:016x}")),
        })
    }
}

fn printable(bytes: &[u8]) -> String {
    let text: String = bytes
        .iter()
        .map(|byte| char::from(*byte))
        .filter(|c| c.is_ascii_graphic() || *c == ' ')
        .collect();
    text.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn udevs_escapes_are_undone() {
        assert_eq!(unescape(r"QEMU\x20HARDDISK\x20\x20"), "QEMU HARDDISK");
        assert_eq!(unescape(r"a\b\x4"), r"a\b\x4");
    }

    #[test]
    fn the_longer_name_of_the_unit_counts() {
        let mut page = vec![0, 0x83, 0, 0];
        page.extend([1, 3, 0, 8, 0x50, 0, 0xc5, 0, 1, 2, 3, 4]);
        // The name of the port, which is not the unit's.
        page.extend([1, 0x93, 0, 8, 0x51, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(naa(&page).unwrap(), "5000c50001020304");
        page.extend([1, 3, 0, 16]);
        page.extend([0x60; 16]);
        assert_eq!(naa(&page).unwrap(), "60".repeat(16));
    }

    #[test]
    fn a_sata_disk_speaks_for_itself() {
        let mut page = vec![0; 60 + 512];
        for (at, text) in [(10, "S1        "), (27, "ACME Disk 1000")] {
            for (index, letter) in text.bytes().enumerate() {
                page[60 + at * 2 + (index ^ 1)] = letter;
            }
        }
        page[60 + 87 * 2 + 1] = 1;
        page[60 + 108 * 2..60 + 112 * 2].copy_from_slice(&[0, 0x50, 2, 1, 4, 3, 6, 5]);
        let ata = Ata::decode(&page).unwrap();
        assert_eq!(
            (ata.model, ata.serial),
            ("ACME Disk 1000".into(), "S1".into())
        );
        assert_eq!(ata.name.unwrap(), "5000010203040506");
    }

    proptest! {
        #[test]
        fn no_page_panics(page: Vec<u8>, long in proptest::collection::vec(any::<u8>(), 572)) {
            let _ = (naa(&page), unit_serial(&page), Ata::decode(&page), Ata::decode(&long));
        }
    }
}
