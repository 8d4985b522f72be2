//! Images made here, looked at; those of others are looked at in `peers`.

use super::*;
use proptest::prelude::*;
use proto::{
    disk::{
        gpt::{Gpt, Guid},
        mbr::MbrPartition,
    },
    fat::Fat,
    volume::{Content as FileContent, Segment, Tree},
};

const MIB: usize = 1 << 20;

/// An EFI program for a machine.
fn program(machine: u16) -> Vec<u8> {
    let mut bytes = vec![0; 512];
    bytes[..2].copy_from_slice(b"MZ");
    bytes[0x3c] = 0x80;
    bytes[0x80..0x84].copy_from_slice(b"PE\0\0");
    bytes[0x84..0x86].copy_from_slice(&machine.to_le_bytes());
    bytes
}

fn volume(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut tree = Tree::new();
    for (path, bytes) in files {
        tree.add(path, FileContent::Bytes(bytes.clone())).unwrap();
    }
    let fat = Fat {
        label: "ESP".to_owned(),
        size: Some(4 << 20),
        ..Fat::default()
    };
    let mut bytes = Vec::new();
    for segment in fat.layout(&tree).unwrap().segments() {
        match segment {
            Segment::Bytes(part) => bytes.extend(part),
            other => bytes.resize(bytes.len() + usize::try_from(other.length()).unwrap(), 0),
        }
    }
    bytes
}

/// A disk with a BIOS boot partition at 1 MiB and an EFI system partition at 2 MiB.
fn disk(esp: &[u8]) -> Vec<u8> {
    let mut bytes = vec![0; 8 * MIB];
    let mut gpt = Gpt::create(Guid([1; 16]), 512, 16384).unwrap();
    gpt.add(kind::BIOS_BOOT, Guid([2; 16]), "", 2048, 2048)
        .unwrap();
    gpt.add(kind::EFI_SYSTEM, Guid([3; 16]), "", 8192, 2048)
        .unwrap();
    for part in gpt.encode() {
        let at = usize::try_from(part.sector * 512).unwrap();
        bytes[at..at + part.bytes.len()].copy_from_slice(&part.bytes);
    }
    bytes[2 * MIB..2 * MIB + esp.len()].copy_from_slice(esp);
    bytes
}

fn with_grub(mut bytes: Vec<u8>, sector: u64) -> Vec<u8> {
    bytes[0x5c..0x64].copy_from_slice(&sector.to_le_bytes());
    bytes[0x180..0x184].copy_from_slice(b"GRUB");
    bytes
}

fn look(bytes: &[u8]) -> Survey {
    survey(&MemorySource::new(bytes.to_vec())).unwrap()
}

#[track_caller]
fn fails(verdict: &Verdict, text: &str) {
    match verdict {
        Verdict::Fails(why) if why.contains(text) => {}
        other => panic!("{other:?} instead of {text}"),
    }
}

#[test]
fn a_disk_for_both_firmwares() {
    let esp = volume(&[("EFI/BOOT/BOOTX64.EFI", program(0x8664))]);
    let mut bytes = with_grub(disk(&esp), 2048);
    bytes[MIB] = 1;
    let found = look(&bytes);
    assert_eq!(found.format, Format::Gpt);
    assert_eq!(found.virtual_size, Some(8 << 20));
    assert!(found.refusal.is_none(), "{:?}", found.refusal);
    assert_eq!(
        found.bios,
        Verdict::Boots("GRUB in BIOS boot partition 1".to_owned())
    );
    assert_eq!(
        found.uefi,
        Verdict::Boots("EFI/BOOT/BOOTX64.EFI (x86_64) in partition 2".to_owned())
    );
    let Contents::Disk(disk) = &found.contents else {
        panic!("{found:?}");
    };
    assert_eq!(disk.table, TableKind::Gpt);
    assert_eq!(disk.partitions[1].purpose(), "EFI system");
    let content = disk.partitions[1].content.as_ref().unwrap();
    assert_eq!(
        (content.kind, content.label.as_deref()),
        ("vfat", Some("ESP"))
    );
}

#[test]
fn a_disk_that_does_not_boot_says_why() {
    let esp = volume(&[("EFI/debian/shimx64.efi", program(0x8664))]);
    let found = look(&disk(&esp));
    fails(&found.bios, "no boot code");
    fails(&found.uefi, "there are EFI/debian/shimx64.efi");
    fails(
        &look(&with_grub(disk(&esp), 2048)).bios,
        "where there is nothing",
    );
    fails(&look(&with_grub(disk(&esp), 1 << 60)).bios, "does not have");
    let wrong = volume(&[("EFI/BOOT/BOOTX64.EFI", program(0xaa64))]);
    fails(&look(&disk(&wrong)).uefi, "a program for aarch64");
    let text = volume(&[("efi/boot/bootx64.efi", b"#!/bin/sh".to_vec())]);
    fails(&look(&disk(&text)).uefi, "no EFI program");
    fails(&look(&disk(&[])).uefi, "no FAT filesystem");
    let mut damaged = disk(&esp);
    damaged[512 + 60] ^= 1;
    let end = damaged.len() - 512;
    damaged[end + 60] ^= 1;
    let Contents::Disk(disk) = look(&damaged).contents else {
        panic!("no disk");
    };
    assert!(disk.damage.unwrap().contains("checksum"));
}

#[test]
fn old_tables_need_an_active_partition_with_a_boot_sector() {
    let make = |bootable: bool, sector: bool| {
        let mut mbr = Mbr::default();
        mbr.code[0] = 0xeb;
        mbr.partitions[0] = Some(MbrPartition {
            bootable,
            kind: 0x83,
            first: 2048,
            count: 2048,
        });
        let mut bytes = vec![0; 2 * MIB];
        bytes[..512].copy_from_slice(&mbr.encode());
        if sector {
            bytes[MIB] = 0xeb;
            bytes[MIB + 510..MIB + 512].copy_from_slice(&[0x55, 0xaa]);
        }
        look(&bytes)
    };
    fails(&make(false, true).bios, "no partition is active");
    fails(&make(true, false).bios, "no boot sector");
    let found = make(true, true);
    assert!(matches!(found.bios, Verdict::Boots(_)), "{found:?}");
    fails(&found.uefi, "no EFI system partition");
}

#[test]
fn what_is_no_disk_is_named() {
    let mut kernel = program(0x8664);
    kernel.resize(1024, 0);
    kernel[0x202..0x206].copy_from_slice(b"HdrS");
    kernel[510..512].copy_from_slice(&[0x55, 0xaa]);
    assert!(matches!(look(&kernel).contents, Contents::Kernel(_)));
    assert!(!look(&kernel).is_deployable());
    assert!(matches!(look(b"070701").contents, Contents::Initramfs));
    assert!(matches!(
        look(&program(0x8664)).contents,
        Contents::Program(_)
    ));
    assert!(matches!(look(&[0; 4096]).contents, Contents::Unknown));
    let esp = look(&volume(&[("EFI/BOOT/BOOTAA64.EFI", program(0xaa64))]));
    assert!(matches!(&esp.contents, Contents::Volume(content) if content.kind == "vfat"));
    assert!(matches!(esp.uefi, Verdict::Boots(_)), "{esp:?}");
    let backed = [&b"QFI\xfb\0\0\0\x03\0\0\0\0\0\0\0\x68"[..], &[0; 600]].concat();
    let found = look(&backed);
    assert!(matches!(found.refusal, Some(ImageError::Unsafe { .. })));
    assert!(matches!(found.bios, Verdict::Unknown(_)));
}

#[test]
fn of_packed_disks_the_table_is_seen() {
    use std::io::Write;
    let esp = volume(&[("EFI/BOOT/BOOTX64.EFI", program(0x8664))]);
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(&disk(&esp)).unwrap();
    let found = look(&writer.finish().unwrap());
    assert_eq!(found.packing, Some(Packing::Gzip));
    assert!(found.refusal.is_none());
    assert!(matches!(found.uefi, Verdict::Unknown(_)), "{found:?}");
    let Contents::Disk(disk) = found.contents else {
        panic!("no disk");
    };
    assert_eq!(disk.partitions.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_change_makes_it_panic(
        changes in proptest::collection::vec((0usize..8 * MIB, any::<u8>()), 1..60),
        near in proptest::collection::vec((0usize..80_000, any::<u8>()), 1..60),
        inside in proptest::collection::vec((2 * MIB..2 * MIB + 40_000, any::<u8>()), 1..60),
    ) {
        let esp = volume(&[("EFI/BOOT/BOOTX64.EFI", program(0x8664))]);
        let mut bytes = with_grub(disk(&esp), 2048);
        for (at, byte) in changes.into_iter().chain(near).chain(inside) {
            bytes[at] = byte;
        }
        let _ = survey(&MemorySource::new(bytes));
    }
}
