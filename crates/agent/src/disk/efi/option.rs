//! Load options: a name, and the way to a file on a partition, as firmware stores them.

use std::fmt::Write;
use types::hex;

const ACTIVE: u32 = 1;
const END: [u8; 4] = [0x7f, 0xff, 4, 0];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadOption {
    pub label: String,
    /// The device path in its binary form.
    path: Vec<u8>,
}

impl LoadOption {
    /// A file on a partition of a GPT. `id` is the partition's as it is on disk, `place` its first
    /// sector and how many there are.
    pub fn on_gpt(label: &str, number: u32, id: [u8; 16], place: (u64, u64), file: &str) -> Self {
        Self::on_disk(label, number, id, place, (2, 2), file)
    }

    /// A file on a partition of an old table, which is known by the disk's number.
    pub fn on_msdos(label: &str, number: u32, disk: u32, place: (u64, u64), file: &str) -> Self {
        let mut id = [0; 16];
        id[..4].copy_from_slice(&disk.to_le_bytes());
        Self::on_disk(label, number, id, place, (1, 1), file)
    }

    fn on_disk(
        label: &str,
        number: u32,
        id: [u8; 16],
        (first, sectors): (u64, u64),
        (table, signature): (u8, u8),
        file: &str,
    ) -> Self {
        let mut path = vec![4, 1, 42, 0];
        path.extend(number.to_le_bytes());
        path.extend(first.to_le_bytes());
        path.extend(sectors.to_le_bytes());
        path.extend(id);
        path.extend([table, signature]);
        let file: Vec<u8> = file
            .encode_utf16()
            .chain([0])
            .flat_map(u16::to_le_bytes)
            .collect();
        let length = u16::try_from(file.len() + 4).unwrap_or(u16::MAX);
        path.extend([4, 4]);
        path.extend(length.to_le_bytes());
        path.extend(file);
        path.extend(END);
        Self {
            label: label.to_owned(),
            path,
        }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = ACTIVE.to_le_bytes().to_vec();
        let length = u16::try_from(self.path.len()).unwrap_or(u16::MAX);
        bytes.extend(length.to_le_bytes());
        let label = self.label.encode_utf16().chain([0]);
        bytes.extend(label.flat_map(u16::to_le_bytes));
        bytes.extend(&self.path);
        bytes
    }

    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let length: [u8; 2] = bytes.get(4..6)?.try_into().ok()?;
        let length = usize::from(u16::from_le_bytes(length));
        let rest = bytes.get(6..)?;
        let units: Vec<u16> = rest
            .chunks_exact(2)
            .map(|pair| u16::from_le_bytes([pair[0], pair[1]]))
            .take_while(|unit| *unit != 0)
            .collect();
        let start = (units.len() + 1) * 2;
        Some(Self {
            label: String::from_utf16_lossy(&units),
            path: rest.get(start..start.checked_add(length)?)?.to_vec(),
        })
    }

    /// The device path in words, as `efibootmgr` shows it. What has no word here is told by numbers.
    pub fn path_text(&self) -> String {
        let mut text = String::new();
        let mut rest = self.path.as_slice();
        while let Some(header) = rest.get(..4) {
            let length = usize::from(u16::from_le_bytes([header[2], header[3]]));
            let Some(node) = rest.get(4..length) else {
                break;
            };
            if header[0] == 0x7f {
                break;
            }
            if !text.is_empty() {
                text.push('/');
            }
            node_text(&mut text, header[0], header[1], node);
            rest = rest.get(length..).unwrap_or_default();
        }
        text
    }
}

fn node_text(text: &mut String, kind: u8, sub: u8, node: &[u8]) {
    let word = |at: usize| {
        let bytes = node.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(bytes))
    };
    let long = |at: usize| {
        let bytes = node.get(at..at + 8)?.try_into().ok()?;
        Some(u64::from_le_bytes(bytes))
    };
    let id = |at: usize| {
        let bytes = node.get(at..at + 16)?.try_into().ok()?;
        Some(proto::disk::gpt::Guid(bytes))
    };
    let wide = |bytes: &[u8]| {
        let units = bytes
            .chunks_exact(2)
            .map(|p| u16::from_le_bytes([p[0], p[1]]));
        let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        String::from_utf16_lossy(&units)
    };
    let told = match (kind, sub) {
        // An ACPI device, of which the root of PCI has a name of its own.
        (2, 1) => word(0).zip(word(4)).map(|(hid, uid)| match hid {
            0x0a03_41d0 => format!("PciRoot(0x{uid:x})"),
            _ => format!("ACPI({hid:x},{uid:x})"),
        }),
        (1, 1) => match node {
            [function, device, ..] => Some(format!("Pci(0x{device:x},0x{function:x})")),
            _ => None,
        },
        (1, 4) => id(0).map(|id| format!("VenHw({id})")),
        (3, 10) => id(0).map(|id| format!("VenMsg({id})")),
        (3, 11) => node.get(..6).map(|mac| {
            let digits = hex::encode(mac);
            format!("MAC({digits},{})", node.get(32).copied().unwrap_or(0))
        }),
        (3, 12) => Some("IPv4()".to_owned()),
        (3, 13) => Some("IPv6()".to_owned()),
        (3, 15) => Some("UsbClass()".to_owned()),
        (3, 24) => Some(format!("Uri({})", String::from_utf8_lossy(node))),
        (4, 1) => (|| {
            let (number, first, sectors) = (word(0)?, long(4)?, long(12)?);
            let name = match node.get(36)? {
                2 => format!("GPT,{}", id(20)?),
                _ => format!("MBR,0x{:x}", word(20)?),
            };
            Some(format!("HD({number},{name},0x{first:x},0x{sectors:x})"))
        })(),
        (4, 4) => Some(format!("File({})", wide(node))),
        (4, 6) => id(0).map(|id| format!("FvFile({id})")),
        (4, 7) => id(0).map(|id| format!("FvVol({id})")),
        (5, 1) => Some("BBS()".to_owned()),
        _ => None,
    };
    match told {
        Some(told) => text.push_str(&told),
        None => {
            let _ = write!(text, "Path({kind},{sub})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_entry_is_told_as_efibootmgr_tells_it() {
        let id = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b"
            .parse::<proto::disk::gpt::Guid>()
            .unwrap();
        let option = LoadOption::on_gpt("debian", 1, id.0, (0x800, 0x100000), "\\EFI\\shimx64.efi");
        let text = "HD(1,GPT,c12a7328-f81f-11d2-ba4b-00a0c93ec93b,0x800,0x100000)/File(\\EFI\\shimx64.efi)";
        assert_eq!(option.path_text(), text);
        assert_eq!(LoadOption::decode(&option.encode()).unwrap(), option);
        let old = LoadOption::on_msdos("x", 2, 0xabcd, (1, 2), "\\a");
        assert_eq!(old.path_text(), "HD(2,MBR,0xabcd,0x1,0x2)/File(\\a)");
        // As `efibootmgr` wrote it: attributes, lengths, the name, the partition.
        let bytes = option.encode();
        assert_eq!(bytes[..8], [1, 0, 0, 0, 84, 0, b'd', 0]);
        assert_eq!(bytes[20..28], [4, 1, 42, 0, 1, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn no_variable_panics(bytes: Vec<u8>) {
            if let Some(option) = LoadOption::decode(&bytes) {
                let _ = option.path_text();
            }
        }
    }
}
