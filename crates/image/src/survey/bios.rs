//! Whether a BIOS would start something: it runs the first sector, and that must lead somewhere.
//!
//! GRUB's first sector says where its next part is, so that place is looked at. Any other code is
//! taken for one that starts the active partition, as those of Syslinux, Windows and DOS do.

use super::{Disk, Guest, TableKind, Verdict};
use proto::disk::{gpt::kind, mbr::Mbr, table::PartitionType};

/// Where the first sector of GRUB holds the number of the sector to go on with.
const GRUB_NEXT: usize = 0x5c;

pub(super) fn verdict(guest: &mut Guest<'_>, mbr: &Mbr, disk: &Disk) -> Verdict {
    if mbr.code.iter().all(|byte| *byte == 0) {
        return Verdict::fails("the first sector has no boot code");
    }
    if contains(&mbr.code, b"GRUB") {
        return grub(guest, mbr, disk);
    }
    let Some(active) = disk.partitions.iter().find(|part| part.entry.bootable) else {
        return Verdict::fails(match disk.table {
            TableKind::Gpt => {
                "no partition has the attribute \"legacy BIOS bootable\", and the boot code is not \
                 GRUB's"
            }
            TableKind::Msdos => "no partition is active, and the boot code is not GRUB's",
        });
    };
    let number = active.entry.number;
    let sector = guest.read(active.entry.offset, 512).unwrap_or_default();
    let has_mark = sector.get(510..) == Some(&[0x55, 0xaa]);
    let starts = sector.iter().take(3).any(|byte| *byte != 0);
    if has_mark && starts {
        Verdict::Boots(format!("boot code that starts partition {number}"))
    } else {
        Verdict::fails(format!("the active partition {number} has no boot sector"))
    }
}

fn grub(guest: &mut Guest<'_>, mbr: &Mbr, disk: &Disk) -> Verdict {
    let next = mbr.code.get(GRUB_NEXT..).and_then(|at| at.first_chunk());
    let sector = next.copied().map_or(0, u64::from_le_bytes);
    let Some(at) = sector
        .checked_mul(512)
        .filter(|at| *at > 0 && *at < guest.size())
    else {
        return Verdict::fails(format!(
            "GRUB's boot code goes on at sector {sector}, which the disk does not have"
        ));
    };
    let there = guest.read(at, 512).unwrap_or_default();
    if there.iter().all(|byte| *byte == 0) {
        return Verdict::fails(format!(
            "GRUB's boot code goes on at sector {sector}, where there is nothing"
        ));
    }
    let within = disk.partitions.iter().find(|part| {
        let entry = &part.entry;
        at >= entry.offset && at - entry.offset < entry.length
    });
    Verdict::Boots(match within {
        Some(part) if part.entry.kind == PartitionType::Gpt(kind::BIOS_BOOT) => {
            format!("GRUB in BIOS boot partition {}", part.entry.number)
        }
        Some(part) => format!("GRUB in partition {}", part.entry.number),
        None => "GRUB before the first partition".to_owned(),
    })
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|part| part == wanted)
}
