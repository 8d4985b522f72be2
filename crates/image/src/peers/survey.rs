//! Images that others made, looked at by us.

use super::{have, run};
use crate::{
    source::FileSource,
    survey::{Contents, Verdict, survey},
};
use std::fs;

#[test]
fn partitions_within_qcow2_are_seen() {
    if !have(&["qemu-img", "sfdisk", "mkfs.ext4"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [raw, root] = ["disk.raw", "root"].map(|name| folder.path().join(name));
    let (raw_name, root_name) = (raw.to_str().unwrap(), root.to_str().unwrap());
    fs::write(&root, vec![0; 6 << 20]).unwrap();
    run("mkfs.ext4", ["-q", "-L", "theirs", root_name]);
    fs::write(&raw, vec![0; 16 << 20]).unwrap();
    // One primary partition and a logical one.
    let script = folder.path().join("layout");
    fs::write(
        &script,
        "label: dos\nstart=2048, size=12288, type=83\nstart=14336, size=16384, type=5\n\
         start=16384, size=2048, type=82\n",
    )
    .unwrap();
    let input = fs::File::open(&script).unwrap();
    let made = std::process::Command::new(super::find("sfdisk").unwrap())
        .args(["--quiet", raw_name])
        .stdin(input)
        .status()
        .unwrap();
    assert!(made.success());
    let mut bytes = fs::read(&raw).unwrap();
    bytes[1 << 20..7 << 20].copy_from_slice(&fs::read(&root).unwrap());
    fs::write(&raw, bytes).unwrap();
    for options in [&["-O", "qcow2"][..], &["-c", "-O", "qcow2"], &["-O", "raw"]] {
        let out = folder.path().join("image");
        let mut arguments = vec!["convert", "-f", "raw"];
        arguments.extend(options);
        arguments.extend([raw_name, out.to_str().unwrap()]);
        run("qemu-img", arguments);
        let found = survey(&FileSource::open(&out).unwrap()).unwrap();
        assert!(found.refusal.is_none(), "{found:?}");
        assert_eq!(found.virtual_size, Some(16 << 20));
        let Contents::Disk(disk) = &found.contents else {
            panic!("{found:?}");
        };
        let numbers: Vec<u32> = disk.partitions.iter().map(|p| p.entry.number).collect();
        assert_eq!(numbers, [1, 2, 5]);
        let content = disk.partitions[0].content.as_ref().unwrap();
        assert_eq!(content.kind, "ext4");
        assert_eq!(content.label.as_deref(), Some("theirs"));
        assert!(matches!(found.bios, Verdict::Fails(_)));
    }
    let backed = folder.path().join("backed");
    let arguments = ["create", "-q", "-f", "qcow2", "-F", "raw", "-b", raw_name];
    run(
        "qemu-img",
        arguments.into_iter().chain([backed.to_str().unwrap()]),
    );
    let found = survey(&FileSource::open(&backed).unwrap()).unwrap();
    assert!(found.refusal.is_some());
}

#[test]
fn discs_tell_what_they_boot() {
    if !have(&["xorriso"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("files");
    fs::create_dir_all(&files).unwrap();
    fs::write(files.join("boot.img"), vec![7; 4096]).unwrap();
    let disc = folder.path().join("disc.iso");
    run(
        "xorriso",
        [
            "-as",
            "mkisofs",
            "-quiet",
            "-V",
            "THEIRS",
            "-b",
            "boot.img",
            "-no-emul-boot",
            "-o",
            disc.to_str().unwrap(),
            files.to_str().unwrap(),
        ],
    );
    let found = survey(&FileSource::open(&disc).unwrap()).unwrap();
    assert!(matches!(found.bios, Verdict::Boots(_)), "{found:?}");
    assert!(matches!(found.uefi, Verdict::Fails(_)), "{found:?}");
    assert!(matches!(&found.contents, Contents::Disc { label: Some(label) } if label == "THEIRS"));
}
