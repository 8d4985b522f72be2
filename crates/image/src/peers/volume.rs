//! Discs and FAT filesystems, read by the programs that others use for them.

use super::{have, run, text, written};
use crate::{
    bootiso::{Architecture, BootIso, Efi, EfiLoader, Inject, Isolinux, parameters_floppy},
    configdrive,
};
use proto::{
    fat::Fat,
    volume::{Content, Stamp, Tree},
};
use serde_json::json;
use std::{fs, path::Path};

const STAMP: Stamp = Stamp {
    year: 2026,
    month: 11,
    day: 15,
    hour: 12,
    minute: 30,
    second: 10,
};

#[test]
fn a_config_drive_is_read_by_everybody() {
    if !have(&["isoinfo", "xorriso", "bsdtar", "blkid"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive.iso");
    let object = json!({
        "meta_data": {"hostname": "wurzel", "keys": []},
        "user_data": "#cloud-config\nxyz\n",
        "network_data": {"links": []},
        "vendor_data": {"a": 1},
    });
    let image =
        configdrive::build(object.as_object().unwrap().clone(), "1be26c0b", None, STAMP).unwrap();
    fs::write(&path, image).unwrap();
    let name = path.to_str().unwrap();
    assert_eq!(
        text("blkid", ["-p", "-o", "value", "-s", "LABEL", name]).trim(),
        "config-2"
    );
    let described = text("isoinfo", ["-d", "-i", name]);
    for part in [
        "Volume id: config-2",
        "Joliet with UCS level 3",
        "Rock Ridge signatures version 1 found",
    ] {
        assert!(described.contains(part), "{part}: {described}");
    }
    let data = "openstack/latest/user_data";
    for option in ["-R", "-J"] {
        let found = text("isoinfo", [option, "-i", name, "-x", &format!("/{data}")]);
        assert_eq!(found, "#cloud-config\nxyz\n", "isoinfo {option}");
        let listed = text("isoinfo", [option, "-f", "-i", name]);
        for file in [
            "2012-08-10/meta_data.json",
            "latest/network_data.json",
            "latest/vendor_data2.json",
        ] {
            assert!(listed.contains(file), "isoinfo {option} {file}: {listed}");
        }
    }
    assert_eq!(text("bsdtar", ["-xOf", name, data]), "#cloud-config\nxyz\n");
    let out = folder.path().join("out");
    run(
        "xorriso",
        [
            "-osirrox",
            "on",
            "-indev",
            name,
            "-extract",
            "/",
            out.to_str().unwrap(),
        ],
    );
    let meta = fs::read_to_string(out.join("openstack/latest/meta_data.json")).unwrap();
    assert_eq!(meta, r#"{"hostname":"wurzel","keys":[],"uuid":"1be26c0b"}"#);
}

fn put(folder: &Path, name: &str, size: usize) -> std::path::PathBuf {
    let path = folder.join(name);
    fs::write(&path, name.bytes().cycle().take(size).collect::<Vec<_>>()).unwrap();
    path
}

#[test]
fn a_boot_disc_has_what_firmware_and_ramdisk_look_for() {
    if !have(&["isoinfo", "xorriso", "mdir", "mtype", "fsck.fat"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("boot.iso");
    let disc = BootIso {
        kernel: put(folder.path(), "kernel", 100_001),
        ramdisk: put(folder.path(), "ramdisk", 3_000_000),
        parameters: "nofb ipa-api-url=http://[fd00::1]:6385 BOOTIF=52:54".into(),
        publisher: "node-1".into(),
        inject: vec![(
            "etc/ironic-python-agent.d/ironic-tls.conf".into(),
            Inject::Bytes(b"[x]".to_vec()),
        )],
        bios: Some(Isolinux {
            program: put(folder.path(), "isolinux.bin", 40_000),
            library: Some(put(folder.path(), "ldlinux.c32", 100_000)),
            template: None,
        }),
        efi: Some(Efi {
            loader: EfiLoader::Programs {
                architecture: Architecture::X86_64,
                shim: Some(put(folder.path(), "shim", 900_000)),
                grub: put(folder.path(), "grub", 2_500_000),
            },
            config_path: "EFI/BOOT/grub.cfg".into(),
            template: None,
        }),
        stamp: STAMP,
    };
    disc.write(&path).unwrap();
    let name = path.to_str().unwrap();
    let described = text("isoinfo", ["-d", "-i", name]);
    assert!(
        described.contains("Volume id: VMEDIA_BOOT_ISO")
            && described.contains("El Torito VD version 1 found"),
        "{described}"
    );
    let report = text("xorriso", ["-indev", name, "-report_el_torito", "plain"]);
    assert!(
        report.contains("BIOS")
            && report.contains("UEFI")
            && report.contains("/boot/grub/efiboot.img"),
        "{report}"
    );
    assert!(report.contains("boot-info-table"), "{report}");
    let out = folder.path().join("out");
    run(
        "xorriso",
        [
            "-osirrox",
            "on",
            "-indev",
            name,
            "-extract",
            "/",
            out.to_str().unwrap(),
        ],
    );
    assert_eq!(
        fs::read(out.join("vmlinuz")).unwrap(),
        fs::read(&disc.kernel).unwrap()
    );
    assert_eq!(
        fs::read(out.join("initrd")).unwrap(),
        fs::read(&disc.ramdisk).unwrap()
    );
    let config = fs::read_to_string(out.join("EFI/BOOT/grub.cfg")).unwrap();
    assert!(
        config.contains("linux /vmlinuz nofb ipa-api-url=http://[fd00::1]:6385 BOOTIF=52:54 --"),
        "{config}"
    );
    let config = fs::read_to_string(out.join("isolinux/isolinux.cfg")).unwrap();
    assert!(
        config.contains("append initrd=/initrd text nofb ipa-api-url"),
        "{config}"
    );

    let efi = out.join("boot/grub/efiboot.img");
    let efi = efi.to_str().unwrap();
    run("fsck.fat", ["-n", "-v", efi]);
    let listed = text("mdir", ["-b", "-/", "-i", efi, "::"]);
    for file in [
        "::/EFI/BOOT/BOOTX64.EFI",
        "::/EFI/BOOT/grubx64.efi",
        "::/EFI/debian/grub.cfg",
    ] {
        assert!(listed.contains(file), "{file}: {listed}");
    }
    let config = text("mtype", ["-i", efi, "::/EFI/debian/grub.cfg"]);
    let marker = config
        .split("--file /")
        .nth(1)
        .unwrap()
        .lines()
        .next()
        .unwrap();
    assert!(out.join(marker).is_file(), "{config}");

    // The same again is the same, byte for byte.
    let again = folder.path().join("again.iso");
    disc.write(&again).unwrap();
    assert!(fs::read(&path).unwrap() == fs::read(&again).unwrap());
    let mut broken = disc;
    broken.parameters = "a\nb".into();
    assert!(broken.write(&again).is_err());
}

#[test]
fn filesystems_of_every_size_are_sound() {
    if !have(&["fsck.fat", "mdir", "mtype", "mcopy"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut tree = Tree::new();
    for index in 0..100 {
        let path = format!(
            "Folder with a long name {}/file number {index}.conf",
            index % 3
        );
        tree.add(
            &path,
            Content::Bytes(format!("content {index}").repeat(index * 3).into_bytes()),
        )
        .unwrap();
    }
    tree.add("EFI/BOOT/BOOTX64.EFI", Content::Bytes(vec![7; 700_000]))
        .unwrap();
    tree.add("ünïcode/ß.txt", Content::Bytes(b"u".to_vec()))
        .unwrap();
    tree.add("EMPTY", Content::Bytes(Vec::new())).unwrap();
    // Disks whose sectors are large.
    for size in [33 << 20, 300 << 20] {
        let path = folder.path().join("large");
        let fat = Fat {
            size: Some(size),
            sector_size: Some(4096),
            ..Fat::default()
        };
        written(fat.layout(&tree).unwrap().segments(), &path);
        let said = text("fsck.fat", ["-n", "-v", path.to_str().unwrap()]);
        assert!(said.contains("4096 bytes per logical sector"), "{said}");
    }
    for size in [
        None,
        Some(1440 << 10),
        Some(5 << 20),
        Some(33 << 20),
        Some(260 << 20),
        Some(600 << 20),
    ] {
        let path = folder.path().join("fat");
        let fat = Fat {
            label: "TEST".into(),
            serial: 0x1234_abcd,
            stamp: STAMP,
            size,
            sector_size: None,
        };
        let layout = fat.layout(&tree).unwrap();
        written(layout.segments(), &path);
        let name = path.to_str().unwrap();
        run("fsck.fat", ["-n", "-v", name]);
        let found = text(
            "mtype",
            [
                "-i",
                name,
                "::/Folder with a long name 1/file number 97.conf",
            ],
        );
        assert_eq!(found, "content 97".repeat(97 * 3), "{size:?}");
        let listed = text("mdir", ["-i", name, "::/EFI/BOOT"]);
        assert!(listed.contains("700000 2026-11-15  12:30"), "{listed}");
    }
}

#[test]
fn parameters_travel_on_a_floppy() {
    if !have(&["fsck.fat", "mtype", "blkid"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("floppy");
    let parameters = [
        ("ipa-api-url".to_owned(), "http://x".to_owned()),
        ("a".into(), "b".into()),
    ];
    fs::write(&path, parameters_floppy(&parameters, STAMP).unwrap()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), 1440 * 1024);
    let name = path.to_str().unwrap();
    run("fsck.fat", ["-n", name]);
    assert_eq!(
        text("mtype", ["-i", name, "::/parameters.txt"]),
        "ipa-api-url=http://x\na=b"
    );
    assert_eq!(
        text("blkid", ["-p", "-o", "value", "-s", "LABEL", name]).trim(),
        "ir-vfd-dev"
    );
}
