//! Partition tables, ours and others'.

use super::{have, run, text};
use proto::disk::{
    gpt::{Gpt, GptHeader, Guid, kind},
    mbr::{Mbr, MbrPartition},
};
use std::{fs::File, os::unix::fs::FileExt, path::Path};

const SECTORS: u64 = 200_000;

fn put(path: &Path, gpt: &Gpt) {
    let file = File::options()
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .unwrap();
    file.set_len(SECTORS * 512).unwrap();
    for part in gpt.encode() {
        file.write_all_at(&part.bytes, part.sector * 512).unwrap();
    }
}

fn get(path: &Path, sector: u64) -> Gpt {
    let file = File::open(path).unwrap();
    let mut bytes = vec![0; 512];
    file.read_exact_at(&mut bytes, sector * 512).unwrap();
    let header = GptHeader::decode(&bytes).unwrap();
    let mut entries = vec![0; header.entries_bytes()];
    file.read_exact_at(&mut entries, header.entries_sector * 512)
        .unwrap();
    Gpt::decode(&header, &entries, 512).unwrap()
}

fn sample() -> Gpt {
    let mut gpt = Gpt::create(Guid([9; 16]), 512, SECTORS).unwrap();
    gpt.add(kind::EFI_SYSTEM, Guid([1; 16]), "efi-part", 20_480, 2048)
        .unwrap();
    gpt.add(kind::LINUX, Guid([2; 16]), "root", 100_000, 2048)
        .unwrap();
    gpt.add_last(kind::LINUX, Guid([3; 16]), "config-2", 4096, 2048)
        .unwrap();
    gpt
}

#[test]
fn others_accept_our_gpt() {
    if !have(&["sgdisk", "sfdisk", "parted"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    put(&disk, &sample());
    let disk = disk.to_str().unwrap();
    let verdict = text("sgdisk", ["--verify", disk]);
    assert!(verdict.contains("No problems found"), "{verdict}");
    let info = text("sgdisk", ["--info=1", disk]);
    assert!(
        info.contains("EFI system partition") && info.contains("'efi-part'"),
        "{info}"
    );
    let listed = text("sfdisk", ["--dump", disk]);
    assert!(
        listed.contains("start=        2048, size=       20480"),
        "{listed}"
    );
    run("sfdisk", ["--verify", disk]);
    let listed = text("parted", ["-s", "-m", disk, "unit", "s", "print"]);
    assert!(
        listed.contains("1:2048s:22527s:20480s::efi-part:boot, esp;"),
        "{listed}"
    );
    assert!(
        listed.contains("3:194560s:198655s:4096s::config-2:;"),
        "{listed}"
    );
}

#[test]
fn we_accept_the_gpt_of_others() {
    if !have(&["sgdisk"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    File::create(&disk).unwrap().set_len(SECTORS * 512).unwrap();
    let name = disk.to_str().unwrap();
    run(
        "sgdisk",
        [
            "-n",
            "1:2048:+10M",
            "-t",
            "1:ef00",
            "-c",
            "1:ESP",
            "-n",
            "5:0:0",
            "-c",
            "5:Ende",
            name,
        ],
    );
    let front = get(&disk, 1);
    assert_eq!(front, get(&disk, SECTORS - 1));
    assert_eq!(front.partitions[&1].kind, kind::EFI_SYSTEM);
    assert_eq!(front.partitions[&1].sectors(), 20_480);
    assert_eq!(front.partitions[&5].name, "Ende");
    assert_eq!(front.partitions[&5].last, front.last_usable);
    // A larger disk: the copy at the end moves, and the others agree.
    let mut grown = front;
    File::options()
        .write(true)
        .open(&disk)
        .unwrap()
        .set_len((SECTORS + 5000) * 512)
        .unwrap();
    grown.fit(SECTORS + 5000).unwrap();
    let file = File::options().write(true).open(&disk).unwrap();
    for part in grown.encode() {
        file.write_all_at(&part.bytes, part.sector * 512).unwrap();
    }
    let verdict = text("sgdisk", ["--verify", name]);
    assert!(verdict.contains("No problems found"), "{verdict}");
}

#[test]
fn classic_tables_agree() {
    if !have(&["sfdisk"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    let file = File::create(&disk).unwrap();
    file.set_len(SECTORS * 512).unwrap();
    let root = MbrPartition {
        bootable: true,
        kind: 0x83,
        first: 2048,
        count: 100_000,
    };
    let drive = MbrPartition {
        bootable: false,
        kind: 0x0c,
        first: 102_048,
        count: 4096,
    };
    let mbr = Mbr {
        disk_id: 0xc0ff_ee01,
        partitions: [Some(root), None, Some(drive), None],
        ..Mbr::default()
    };
    file.write_all_at(&mbr.encode(), 0).unwrap();
    let listed = text("sfdisk", ["--dump", disk.to_str().unwrap()]);
    for part in [
        "label-id: 0xc0ffee01",
        "start=        2048, size=      100000, type=83, bootable",
        "start=      102048, size=        4096, type=c",
    ] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
}
