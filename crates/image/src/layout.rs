//! The partitions that a partition image gets: which ones, in which order, of which size.
//!
//! The order is Ironic's: what firmware needs first, the root last, so that it can grow. Everything
//! starts on whole MiB. This computes places and the bytes of the table; writing them, telling the
//! kernel and making filesystems is left to whoever has the disk.

use proto::disk::{
    gpt::{Gpt, GptError, Guid, SectorWrite, kind},
    mbr::{Mbr, MbrPartition},
};

const MIB: u64 = 1 << 20;
/// The EFI system partition, where nobody says otherwise.
pub const EFI_MIB: u64 = 550;
const BIOS_BOOT_MIB: u64 = 1;
const PREP_MIB: u64 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Firmware {
    Uefi,
    Bios,
    /// Machines with POWER processors, which start from a partition of their own.
    Power,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Gpt,
    Msdos,
}

impl Label {
    /// The one for a firmware if nothing else was asked for.
    pub fn usual(firmware: Firmware) -> Self {
        match firmware {
            Firmware::Uefi => Self::Gpt,
            Firmware::Bios | Firmware::Power => Self::Msdos,
        }
    }
}

/// What is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    pub firmware: Firmware,
    pub label: Label,
    pub root_mib: u64,
    pub swap_mib: u64,
    pub ephemeral_mib: u64,
    /// Of the EFI system partition.
    pub efi_mib: u64,
    /// Whether the machine starts from the disk. Otherwise the network gives it its kernel, and the
    /// disk has nothing for firmware.
    pub boots_locally: bool,
    /// The size of the config drive's image, if there is one.
    pub config_drive_bytes: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    EfiSystem,
    BiosBoot,
    PrepBoot,
    Ephemeral,
    Swap,
    ConfigDrive,
    Root,
}

/// A partition and its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Planned {
    pub role: Role,
    /// From 1.
    pub number: u32,
    /// In bytes.
    pub offset: u64,
    pub length: u64,
    /// Whether a table of the old kind marks it as the one to start from.
    pub is_active: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    #[error("the partitions need {needed} bytes; the disk has {capacity}")]
    TooSmall { needed: u64, capacity: u64 },
    #[error("a table of the old kind has room for four partitions, not for {0}")]
    TooMany(usize),
    #[error("a table of the old kind cannot describe so large a disk")]
    TooLarge,
    #[error(transparent)]
    Gpt(#[from] GptError),
}

/// Decides which partitions there are and where.
pub fn plan(request: &Request, capacity: u64) -> Result<Vec<Planned>, LayoutError> {
    let boot = match (request.firmware, request.label) {
        _ if !request.boots_locally => None,
        (Firmware::Uefi, _) => Some((Role::EfiSystem, request.efi_mib)),
        (Firmware::Bios, Label::Gpt) => Some((Role::BiosBoot, BIOS_BOOT_MIB)),
        (Firmware::Bios, Label::Msdos) => None,
        (Firmware::Power, _) => Some((Role::PrepBoot, PREP_MIB)),
    };
    let drive_mib = request
        .config_drive_bytes
        .map_or(0, |bytes| bytes.div_ceil(MIB));
    let wanted = [
        boot,
        Some((Role::Ephemeral, request.ephemeral_mib)),
        Some((Role::Swap, request.swap_mib)),
        Some((Role::ConfigDrive, drive_mib)),
        Some((Role::Root, request.root_mib)),
    ];
    let mut offset = MIB;
    let mut planned = Vec::new();
    for ((role, mib), number) in wanted
        .into_iter()
        .flatten()
        .filter(|(_, mib)| *mib > 0)
        .zip(1..)
    {
        let length = mib.saturating_mul(MIB);
        planned.push(Planned {
            role,
            number,
            offset,
            length,
            is_active: match role {
                Role::EfiSystem | Role::PrepBoot => true,
                Role::Root => request.boots_locally && request.firmware == Firmware::Bios,
                _ => false,
            },
        });
        offset = offset.saturating_add(length);
    }
    // The last MiB holds the copy of a GPT.
    let needed = offset.saturating_add(if request.label == Label::Gpt { MIB } else { 0 });
    if needed > capacity {
        return Err(LayoutError::TooSmall { needed, capacity });
    }
    if request.label == Label::Msdos && planned.len() > 4 {
        return Err(LayoutError::TooMany(planned.len()));
    }
    Ok(planned)
}

/// The bytes of the table. `random` gives the ids, of the disk first, then of each partition.
pub fn table(
    planned: &[Planned],
    label: Label,
    sector_size: u32,
    capacity: u64,
    mut random: impl FnMut() -> [u8; 16],
) -> Result<Vec<SectorWrite>, LayoutError> {
    let sector = u64::from(sector_size.max(1));
    match label {
        Label::Gpt => {
            let id = Guid::from_uuid(random());
            let mut gpt = Gpt::create(id, sector_size, capacity / sector)?;
            for part in planned {
                let (kind, name) = part.role.gpt();
                let id = Guid::from_uuid(random());
                gpt.add(kind, id, name, part.length / sector, MIB / sector)?;
            }
            Ok(gpt.encode())
        }
        Label::Msdos => {
            let [a, b, c, d, ..] = random();
            let mut mbr = Mbr {
                disk_id: u32::from_le_bytes([a, b, c, d]),
                ..Mbr::default()
            };
            if planned.len() > mbr.partitions.len() {
                return Err(LayoutError::TooMany(planned.len()));
            }
            for (slot, part) in mbr.partitions.iter_mut().zip(planned) {
                let in_sectors =
                    |bytes: u64| u32::try_from(bytes / sector).map_err(|_| LayoutError::TooLarge);
                *slot = Some(MbrPartition {
                    bootable: part.is_active,
                    kind: part.role.msdos(),
                    first: in_sectors(part.offset)?,
                    count: in_sectors(part.length)?,
                });
            }
            Ok(vec![SectorWrite {
                sector: 0,
                bytes: mbr.encode().to_vec(),
            }])
        }
    }
}

impl Role {
    fn gpt(self) -> (Guid, &'static str) {
        match self {
            Self::EfiSystem => (kind::EFI_SYSTEM, "efi-part"),
            Self::BiosBoot => (kind::BIOS_BOOT, "bios-boot"),
            Self::PrepBoot => (kind::PREP_BOOT, "prep-boot"),
            Self::Ephemeral => (kind::LINUX, "ephemeral0"),
            Self::Swap => (kind::LINUX_SWAP, "swap1"),
            Self::ConfigDrive => (kind::LINUX, "config-2"),
            Self::Root => (kind::LINUX, "root"),
        }
    }

    fn msdos(self) -> u8 {
        match self {
            Self::EfiSystem => 0xef,
            Self::PrepBoot => 0x41,
            Self::Swap => 0x82,
            Self::BiosBoot | Self::Ephemeral | Self::ConfigDrive | Self::Root => 0x83,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn request(firmware: Firmware, label: Label) -> Request {
        Request {
            firmware,
            label,
            root_mib: 2048,
            swap_mib: 512,
            ephemeral_mib: 100,
            efi_mib: EFI_MIB,
            boots_locally: true,
            config_drive_bytes: Some(MIB + 1),
        }
    }

    fn places(request: &Request) -> Vec<(Role, u64, u64)> {
        let planned = plan(request, 10 * GIB).unwrap();
        planned
            .iter()
            .map(|part| (part.role, part.offset / MIB, part.length / MIB))
            .collect()
    }

    #[test]
    fn the_root_comes_last() {
        use Role::*;
        let rest = |from: u64| {
            [
                (Ephemeral, from, 100),
                (Swap, from + 100, 512),
                (ConfigDrive, from + 612, 2),
                (Root, from + 614, 2048),
            ]
        };
        let uefi = places(&request(Firmware::Uefi, Label::Gpt));
        assert_eq!(uefi[0], (EfiSystem, 1, 550));
        assert_eq!(uefi[1..], rest(551));
        assert_eq!(places(&request(Firmware::Bios, Label::Msdos)), rest(1));
        assert_eq!(
            places(&request(Firmware::Bios, Label::Gpt))[0],
            (BiosBoot, 1, 1)
        );
        assert_eq!(
            places(&request(Firmware::Power, Label::Gpt))[0],
            (PrepBoot, 1, 8)
        );
        let bare = Request {
            swap_mib: 0,
            ephemeral_mib: 0,
            config_drive_bytes: None,
            ..request(Firmware::Bios, Label::Msdos)
        };
        assert_eq!(places(&bare), [(Root, 1, 2048)]);
        // Who gets the kernel from the network starts nothing from the disk.
        let from_network = Request {
            boots_locally: false,
            ..request(Firmware::Uefi, Label::Gpt)
        };
        assert_eq!(places(&from_network), rest(1));
    }

    #[test]
    fn the_old_kind_of_table_marks_what_firmware_starts() {
        let active = |firmware, boots_locally| {
            let request = Request {
                boots_locally,
                ephemeral_mib: 0,
                ..request(firmware, Label::Msdos)
            };
            let planned = plan(&request, 10 * GIB).unwrap();
            let active = planned.iter().filter(|part| part.is_active);
            active.map(|part| part.role).collect::<Vec<_>>()
        };
        assert_eq!(active(Firmware::Bios, true), [Role::Root]);
        assert_eq!(active(Firmware::Power, true), [Role::PrepBoot]);
        assert_eq!(active(Firmware::Uefi, true), [Role::EfiSystem]);
        assert_eq!(active(Firmware::Bios, false), []);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let asked = request(Firmware::Uefi, Label::Gpt);
        assert!(matches!(
            plan(&asked, 2 * GIB),
            Err(LayoutError::TooSmall { .. })
        ));
        assert_eq!(
            plan(&request(Firmware::Power, Label::Msdos), 10 * GIB),
            Err(LayoutError::TooMany(5))
        );
        let huge = Request {
            root_mib: u64::MAX,
            ..asked
        };
        assert!(plan(&huge, u64::MAX - 1).is_err());
    }

    #[test]
    fn the_table_says_what_was_planned() {
        for (firmware, label, size) in [
            (Firmware::Uefi, Label::Gpt, 512),
            (Firmware::Bios, Label::Gpt, 4096),
            (Firmware::Bios, Label::Msdos, 512),
        ] {
            let planned = plan(&request(firmware, label), 10 * GIB).unwrap();
            let parts = table(&planned, label, size, 10 * GIB, || [7; 16]).unwrap();
            let sector = u64::from(size);
            let found: Vec<(u64, u64)> = if label == Label::Gpt {
                let header = proto::disk::gpt::GptHeader::decode(&parts[1].bytes).unwrap();
                let gpt = Gpt::decode(&header, &parts[2].bytes, size).unwrap();
                gpt.partitions
                    .values()
                    .map(|part| (part.first * sector, part.sectors() * sector))
                    .collect()
            } else {
                let mbr = Mbr::decode(&parts[0].bytes).unwrap();
                assert_eq!(mbr.disk_id, 0x0707_0707);
                assert!(mbr.partitions[3].unwrap().bootable);
                let both = mbr.partitions.iter().flatten();
                both.map(|part| (u64::from(part.first) * 512, u64::from(part.count) * 512))
                    .collect()
            };
            let expected: Vec<(u64, u64)> = planned
                .iter()
                .map(|part| (part.offset, part.length))
                .collect();
            assert_eq!(found, expected);
        }
    }
}
