//! Round trips, and damaged tables.

use super::*;
use proptest::prelude::*;

const DISK: Guid = Guid([3; 16]);

fn read(parts: &[SectorWrite], header: usize, entries: usize) -> Result<Gpt, GptError> {
    let size = u32::try_from(parts[header].bytes.len()).unwrap();
    let header = GptHeader::decode(&parts[header].bytes)?;
    assert_eq!(header.entries_sector, parts[entries].sector);
    Gpt::decode(&header, &parts[entries].bytes, size)
}

#[test]
fn ids_are_written_as_everybody_writes_them() {
    let text = "c12a7328-f81f-11d2-ba4b-00a0c93ec93b";
    assert_eq!(kind::EFI_SYSTEM.to_string(), text);
    assert_eq!(text.parse(), Ok(kind::EFI_SYSTEM));
    assert_eq!(text.to_uppercase().parse(), Ok(kind::EFI_SYSTEM));
    for wrong in [
        "",
        "c12a7328",
        "c12a7328-f81f-11d2-ba4b-00a0c93ec93",
        "c12a7328f-81f-11d2-ba4b-00a0c93ec93b",
        "x12a7328-f81f-11d2-ba4b-00a0c93ec93b",
    ] {
        assert!(wrong.parse::<Guid>().is_err(), "{wrong}");
    }
}

#[test]
fn both_copies_say_the_same() {
    for size in [512, 4096] {
        let mut gpt = Gpt::create(DISK, size, 100_000).unwrap();
        gpt.add(kind::EFI_SYSTEM, Guid([1; 16]), "efi", 2048, 256)
            .unwrap();
        gpt.add(kind::LINUX, Guid([2; 16]), "Wurzel-ä", 5000, 256)
            .unwrap();
        let parts = gpt.encode();
        assert_eq!(parts.last().unwrap().sector, 99_999);
        assert_eq!(read(&parts, 1, 2).unwrap(), gpt);
        assert_eq!(read(&parts, 4, 3).unwrap(), gpt);
        let before = Mbr::decode(&parts[0].bytes).unwrap();
        assert!(before.protects_gpt());
    }
}

#[test]
fn a_changed_byte_is_noticed() {
    let mut gpt = Gpt::create(DISK, 512, 100_000).unwrap();
    gpt.add(kind::LINUX, DISK, "root", 5000, 1).unwrap();
    let mut parts = gpt.encode();
    parts[2].bytes[40] ^= 1;
    assert_eq!(read(&parts, 1, 2), Err(GptError::Checksum("entries")));
    parts[1].bytes[60] ^= 1;
    assert_eq!(read(&parts, 1, 2), Err(GptError::Checksum("header")));
}

#[test]
fn a_table_follows_the_disk_it_was_copied_to() {
    let mut gpt = Gpt::create(DISK, 512, 10_000).unwrap();
    gpt.add(kind::LINUX, DISK, "root", 5000, 1).unwrap();
    gpt.fit(50_000).unwrap();
    assert_eq!(gpt.encode()[4].sector, 49_999);
    assert_eq!(gpt.fit(5_000), Err(GptError::DoesNotFit(1)));
    assert_eq!(gpt.fit(20), Err(GptError::DiskTooSmall));
}

#[test]
fn the_last_partition_ends_with_the_disk() {
    let mut gpt = Gpt::create(DISK, 512, 1 << 21).unwrap();
    gpt.add(kind::LINUX, DISK, "root", 1 << 20, 2048).unwrap();
    let number = gpt
        .add_last(kind::LINUX, DISK, "config-2", 131_072, 2048)
        .unwrap();
    let found = &gpt.partitions[&number];
    assert_eq!(found.first % 2048, 0);
    assert_eq!(found.sectors(), 131_072);
    assert!(gpt.last_usable - found.last < 2048);
    assert_eq!(
        gpt.add(kind::LINUX, DISK, "", 1 << 20, 2048),
        Err(GptError::NoRoom(1 << 20))
    );
}

proptest! {
    #[test]
    fn partitions_never_overlap(sizes in proptest::collection::vec((1u64..9000, any::<bool>()), 0..20)) {
        let mut gpt = Gpt::create(DISK, 512, 60_000).unwrap();
        for (size, last) in sizes {
            let _ = if last {
                gpt.add_last(kind::LINUX, DISK, "x", size, 8)
            } else {
                gpt.add(kind::LINUX, DISK, "x", size, 8)
            };
        }
        let mut taken: Vec<_> = gpt.partitions.values().map(|p| (p.first, p.last)).collect();
        taken.sort_unstable();
        prop_assert!(taken.windows(2).all(|pair| pair[0].1 < pair[1].0));
        prop_assert!(taken.iter().all(|(first, last)| *first >= 34 && *last <= gpt.last_usable));
    }

    #[test]
    fn no_header_panics(bytes in proptest::collection::vec(any::<u8>(), 0..600), fix in any::<bool>()) {
        let mut bytes = bytes;
        if fix && bytes.len() >= 92 {
            bytes[..8].copy_from_slice(&SIGNATURE);
            bytes[12..16].copy_from_slice(&92u32.to_le_bytes());
            bytes[16..20].fill(0);
            let crc = crc32(&bytes[..92]);
            bytes[16..20].copy_from_slice(&crc.to_le_bytes());
        }
        if let Ok(header) = GptHeader::decode(&bytes) {
            let _ = Gpt::decode(&header, &bytes, 512);
        }
    }
}
