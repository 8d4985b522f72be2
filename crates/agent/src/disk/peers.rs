//! What other programs make of the disks that are written here, and we of theirs.
//!
//! Where a program is not installed its tests say so and do nothing, except in CI, where they fail.

use super::{
    image::{self, Target, Written},
    lab::{Lab, MIB, OLD, Server, gpt_image, msdos_image},
    medium::{Disk, Medium, Window},
    probe::{self, Content},
    table::Table,
};
use crate::{AgentError, safety::Permit};
use ::image::checksum::{Algorithm, Hasher};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders
        .map(|folder| folder.join(program))
        .find(|path| path.is_file())
}

fn have(programs: &[&str]) -> bool {
    let missing: Vec<_> = programs.iter().filter(|p| find(p).is_none()).collect();
    if missing.is_empty() {
        return true;
    }
    assert!(
        std::env::var_os("CI").is_none(),
        "{missing:?} are not installed"
    );
    println!("SKIPPED: {missing:?} are not installed");
    false
}

#[track_caller]
fn run(program: &str, args: &[&str]) -> String {
    let output = Command::new(find(program).unwrap())
        .args(args)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{program} {args:?}: {said}");
    said
}

async fn write(lab: &Lab, image: Vec<u8>, more: Value) -> Result<Written, AgentError> {
    write_to(lab, &lab.disk, image, more).await
}

async fn write_to(
    lab: &Lab,
    disk: &Path,
    image: Vec<u8>,
    more: Value,
) -> Result<Written, AgentError> {
    let mut hasher = Hasher::new(Algorithm::Sha512);
    hasher.update(&image);
    let server = Server::of(image);
    let mut info = json!({"id": "image", "urls": [server.url()], "checksum": hasher.finish()});
    for (key, value) in more.as_object().unwrap() {
        info[key] = value.clone();
    }
    let Value::Object(info) = info else {
        unreachable!()
    };
    let permit = Permit::from_operator();
    let target = Target {
        device: disk,
        previous: None,
    };
    image::write(&permit, &info, target, &lab.context()).await
}

fn drive() -> String {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(&[5; 3000]).unwrap();
    STANDARD.encode(packer.finish().unwrap())
}

#[tokio::test]
async fn their_tools_find_no_fault_with_stretched_tables() {
    if !have(&["sgdisk", "parted"]) {
        return;
    }
    let lab = Lab::new(100);
    let disk = lab.disk.to_str().unwrap().to_owned();
    write(&lab, gpt_image(20), json!({"configdrive": drive()}))
        .await
        .unwrap();
    let said = run("sgdisk", &["-v", &disk]);
    assert!(said.contains("No problems found"), "{said}");
    let said = run("parted", &["-s", "-m", &disk, "unit", "MiB", "print"]);
    assert!(
        said.contains("1:1.00MiB:19.0MiB") && said.contains("2:35.0MiB:99.0MiB"),
        "{said}"
    );
    write(&lab, msdos_image(20, 2), json!({"configdrive": drive()}))
        .await
        .unwrap();
    let said = run("parted", &["-s", "-m", &disk, "unit", "MiB", "print"]);
    assert!(
        said.contains(":msdos:") && said.contains("3:36.0MiB:100MiB"),
        "{said}"
    );
}

/// What `blkid` says about a part of a file.
fn blkid(path: &Path, offset: u64) -> Content {
    let offset = offset.to_string();
    let said = run(
        "blkid",
        &["-p", "-o", "export", "-O", &offset, path.to_str().unwrap()],
    );
    let field = |key: &str| {
        let line = said.lines().find_map(|line| line.strip_prefix(key));
        line.map(|value| value.replace('\\', ""))
    };
    Content {
        kind: Box::leak(field("TYPE=").unwrap_or_default().into_boxed_str()),
        uuid: field("UUID="),
        label: field("LABEL="),
    }
}

#[tokio::test]
async fn every_filesystem_of_a_partition_image_is_sound() {
    if !have(&["mkfs.ext4", "blkid", "fsck.fat", "e2fsck", "sgdisk"]) {
        return;
    }
    let lab = Lab::sparse(700);
    let root = lab.disk.with_extension("root");
    fs::write(&root, vec![0; 16 * MIB]).unwrap();
    run("mkfs.ext4", &["-q", "-L", "rootfs", root.to_str().unwrap()]);
    let image = fs::read(&root).unwrap();
    let more = json!({"image_type": "partition", "deploy_boot_mode": "uefi", "root_mb": 20,
        "swap_mb": 8, "ephemeral_mb": 16, "ephemeral_format": "ext4", "configdrive": drive()});
    let written = write(&lab, image, more.clone()).await.unwrap();
    let said = run("sgdisk", &["-v", lab.disk.to_str().unwrap()]);
    assert!(said.contains("No problems found"), "{said}");
    let mut disk = Disk::open(&lab.disk).unwrap();
    let entries = Table::read(&disk).unwrap().unwrap().entries(&disk);
    assert_eq!(entries.len(), 5);
    for (entry, kind, label) in [
        (&entries[0], "vfat", "efi-part"),
        (&entries[1], "ext4", "ephemeral0"),
        (&entries[2], "swap", "swap1"),
        (&entries[4], "ext4", "rootfs"),
    ] {
        let ours = {
            let window = Window::new(&mut disk, entry.offset, entry.length).unwrap();
            probe::probe(&window).unwrap()
        };
        let theirs = blkid(&lab.disk, entry.offset);
        assert_eq!(ours, theirs);
        assert_eq!((ours.kind, ours.label.as_deref()), (kind, Some(label)));
        let mut bytes = vec![0; usize::try_from(entry.length).unwrap()];
        disk.read_at(entry.offset, &mut bytes).unwrap();
        fs::write(&root, bytes).unwrap();
        match kind {
            "vfat" => drop(run("fsck.fat", &["-n", root.to_str().unwrap()])),
            "ext4" => drop(run("e2fsck", &["-fn", root.to_str().unwrap()])),
            _ => {}
        }
    }
    assert_eq!(written.root_uuid, blkid(&lab.disk, entries[4].offset).uuid);
    assert_eq!(written.efi_uuid, blkid(&lab.disk, entries[0].offset).uuid);

    // Again with the ephemeral partition kept: what is on it is what it was.
    let before = blkid(&lab.disk, entries[1].offset);
    drop(disk);
    let mut more = more;
    more["preserve_ephemeral"] = json!(true);
    let image = fs::read(&root).unwrap();
    write(&lab, image, more).await.unwrap();
    assert_eq!(blkid(&lab.disk, entries[1].offset), before);
}

#[test]
fn signatures_are_read_as_blkid_reads_them() {
    if !have(&["blkid", "mkfs.ext4", "mkfs.vfat", "mkswap", "genisoimage"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("volume");
    let name = path.to_str().unwrap();
    let makers: [(&str, &[&str]); 7] = [
        ("mkfs.ext4", &["-q", "-F", "-t", "ext2", "-L", "two"]),
        ("mkfs.ext4", &["-q", "-F", "-t", "ext3", "-L", "three"]),
        ("mkfs.ext4", &["-q", "-F"]),
        ("mkfs.vfat", &["-F", "12", "-n", "SMALL"]),
        ("mkfs.vfat", &["-F", "32", "-n", "LARGE"]),
        ("mkfs.vfat", &[]),
        ("mkswap", &["-L", "swappy"]),
    ];
    for (program, args) in makers {
        fs::write(&path, vec![0; 40 * MIB]).unwrap();
        run(program, &[args, &[name]].concat());
        let ours = probe::probe(&Disk::open(&path).unwrap());
        assert_eq!(ours.unwrap(), blkid(&path, 0), "{program} {args:?}");
    }
    let tree = dir.path().join("tree");
    fs::create_dir(&tree).unwrap();
    let tree = tree.to_str().unwrap();
    run(
        "genisoimage",
        &["-quiet", "-V", "config-2", "-o", name, tree],
    );
    let ours = probe::probe(&Disk::open(&path).unwrap());
    assert_eq!(ours.unwrap(), blkid(&path, 0));
}

#[tokio::test]
async fn a_sparse_image_leaves_nothing_of_the_earlier_owner() {
    if !have(&["qemu-img"]) {
        return;
    }
    let lab = Lab::new(40);
    let raw = gpt_image(30);
    let (from, to) = (
        lab.disk.with_extension("raw"),
        lab.disk.with_extension("qcow2"),
    );
    fs::write(&from, &raw).unwrap();
    let (from, to) = (from.to_str().unwrap(), to.to_str().unwrap());
    for option in ["compression_type=zlib", "compression_type=zstd"] {
        fs::write(&lab.disk, vec![OLD; 40 * MIB]).unwrap();
        run(
            "qemu-img",
            &["convert", "-c", "-O", "qcow2", "-o", option, from, to],
        );
        let image = fs::read(to).unwrap();
        assert!(image.len() < raw.len() / 4, "it is sparse");
        write(&lab, image, json!({"disk_format": "qcow2"}))
            .await
            .unwrap();
        let bytes = lab.read();
        assert!(bytes[MIB..29 * MIB] == raw[MIB..29 * MIB]);
        assert!(
            !bytes[..30 * MIB].contains(&OLD),
            "a byte of the earlier owner is left"
        );
    }
}

/// A file as a disk whose sectors have 4,096 bytes, for as long as this is there.
struct LargeSectors(PathBuf);

impl LargeSectors {
    /// `None` where no such disk can be made.
    fn of(file: &Path) -> Option<Self> {
        let arguments = ["--sector-size", "4096", "--show", "--find"];
        let made = Command::new(find("losetup")?)
            .args(arguments)
            .arg(file)
            .output()
            .ok()?;
        let path = String::from_utf8(made.stdout).ok()?.trim().to_owned();
        (made.status.success() && !path.is_empty()).then(|| Self(path.into()))
    }
}

impl Drop for LargeSectors {
    fn drop(&mut self) {
        run("losetup", &["--detach", self.0.to_str().unwrap()]);
    }
}

#[tokio::test]
async fn a_partition_image_suits_a_disk_of_large_sectors() {
    if !have(&["losetup", "mkfs.ext4", "fsck.fat", "sgdisk"]) {
        return;
    }
    let lab = Lab::sparse(700);
    let Some(large) = LargeSectors::of(&lab.disk) else {
        println!("SKIPPED: only root can make such a disk");
        return;
    };
    let part = lab.disk.with_extension("part");
    fs::write(&part, vec![0; 16 * MIB]).unwrap();
    let name = part.to_str().unwrap().to_owned();
    run("mkfs.ext4", &["-q", "-b", "4096", "-L", "rootfs", &name]);
    let image = fs::read(&part).unwrap();
    let more = json!({"image_type": "partition", "deploy_boot_mode": "uefi", "root_mb": 20,
        "configdrive": drive()});
    write_to(&lab, &large.0, image, more).await.unwrap();
    let said = run("sgdisk", &["-v", large.0.to_str().unwrap()]);
    assert!(said.contains("No problems found"), "{said}");
    let mut disk = Disk::open(&large.0).unwrap();
    assert_eq!(disk.sector_size(), 4096);
    let entries = Table::read(&disk).unwrap().unwrap().entries(&disk);
    assert_eq!(entries.len(), 3);
    for (entry, kind) in [(&entries[0], "vfat"), (&entries[2], "ext4")] {
        let window = Window::new(&mut disk, entry.offset, entry.length).unwrap();
        assert_eq!(probe::probe(&window).unwrap().kind, kind);
    }
    let mut bytes = vec![0; usize::try_from(entries[0].length).unwrap()];
    disk.read_at(entries[0].offset, &mut bytes).unwrap();
    fs::write(&part, bytes).unwrap();
    let said = run("fsck.fat", &["-n", "-v", &name]);
    assert!(said.contains("4096 bytes per logical sector"), "{said}");
}
