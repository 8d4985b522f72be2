//! Disks that stand in files, and what other programs make of them.
//!
//! Where a program is not installed its part says so and is left out, except in CI, where it fails.

use super::*;
use image::{
    layout::{Firmware, Label, Request},
    source::FileSource,
};
use proptest::prelude::*;
use serde_json::Value;
use std::{
    fs,
    ops::ControlFlow,
    os::unix::fs::FileExt,
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
};
use tempfile::TempDir;

const MIB: u64 = 1 << 20;

/// A file that stands for a disk, with what an owner before left on it.
struct FileDisk(File);

impl Medium for FileDisk {
    fn size(&self) -> u64 {
        self.0.metadata().unwrap().len()
    }

    fn sector_size(&self) -> u32 {
        512
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.0.read_exact_at(bytes, offset)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all_at(bytes, offset)
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.write_at(offset, &vec![0; usize::try_from(length).unwrap()])
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

struct Lab {
    dir: TempDir,
}

impl Lab {
    fn new(mib: u64) -> Self {
        let lab = Self {
            dir: tempfile::tempdir().unwrap(),
        };
        let old = vec![0xa5; usize::try_from(mib * MIB).unwrap()];
        fs::write(lab.path("disk"), old).unwrap();
        lab
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn disk(&self) -> FileDisk {
        let path = self.path("disk");
        FileDisk(File::options().read(true).write(true).open(path).unwrap())
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.path("disk")).unwrap()
    }

    fn image(&self, bytes: &[u8]) -> FileSource {
        fs::write(self.path("image"), bytes).unwrap();
        FileSource::open(&self.path("image")).unwrap()
    }

    fn write(&self, image: &[u8], plan: Plan) -> Result<Written, WriteError> {
        let image = self.image(image);
        let mut watch = |_| ControlFlow::Continue(());
        run(
            self.disk(),
            &|| true,
            &image,
            &Options::default(),
            plan,
            None,
            &mut watch,
        )
    }
}

fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    let found = folders
        .map(|folder| folder.join(program))
        .find(|path| path.is_file());
    if found.is_none() {
        assert!(
            std::env::var_os("CI").is_none(),
            "{program} is not installed"
        );
        println!("SKIPPED: {program} is not installed");
    }
    found
}

#[track_caller]
fn ran(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(find(program)?)
        .args(arguments)
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    Some(said)
}

/// A root that has an id: the superblock of ext2 and nothing else.
fn root(id: u8) -> Vec<u8> {
    let mut image = vec![id; 3 * usize::try_from(MIB).unwrap()];
    image[..4096].fill(0);
    image[1024 + 56..1024 + 58].copy_from_slice(&0xef53u16.to_le_bytes());
    image[1024 + 104..1024 + 120].fill(id);
    image
}

fn root_uuid(id: u8) -> String {
    let hex = format!("{id:02x}").repeat(16);
    format!(
        "{}-{}-{}-{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[12..16],
        &hex[16..20],
        &hex[20..]
    )
}

fn request(firmware: Firmware, label: Label) -> Request {
    Request {
        firmware,
        label,
        root_mib: 8,
        swap_mib: 4,
        ephemeral_mib: 40,
        efi_mib: 36,
        boots_locally: true,
        config_drive_bytes: None,
    }
}

fn plan(request: Request, keep: bool, drive: Option<Vec<u8>>) -> Plan {
    let ephemeral = match (request.ephemeral_mib, keep) {
        (0, _) => EphemeralAction::None,
        (_, true) => EphemeralAction::Kept,
        (_, false) => EphemeralAction::Fat,
    };
    Plan {
        drive,
        partitions: Some(Partitions {
            request,
            keep,
            ephemeral,
        }),
    }
}

/// What `sfdisk` calls a partition: type, start and size in MiB, bootable.
type Listed = (String, u64, u64, bool);

/// The kind of table of the disk, and its partitions.
fn partitions(lab: &Lab) -> Option<(String, Vec<Listed>)> {
    let path = lab.path("disk");
    let path = path.to_str().unwrap();
    ran("sfdisk", &["--verify", path])?;
    let told: Value = serde_json::from_str(&ran("sfdisk", &["-J", path])?).unwrap();
    let table = &told["partitiontable"];
    let parts = table["partitions"].as_array().unwrap().iter().map(|part| {
        let mib = |key: &str| part[key].as_u64().unwrap() * 512 / MIB;
        (
            part["type"].as_str().unwrap().to_owned(),
            mib("start"),
            mib("size"),
            part["bootable"] == true,
        )
    });
    Some((table["label"].as_str().unwrap().to_owned(), parts.collect()))
}

const LINUX: &str = "0FC63DAF-8483-4772-8E79-3D69D8477DE4";
const SWAP: &str = "0657FD6D-A4AB-43C4-84E5-0933C84B4F4F";

#[test]
fn disks_are_divided_as_ironic_did_and_other_programs_agree() {
    let drive = || Some(vec![0x11; 2 * 1024 * 1024 - 7]);
    type Parts<'a> = &'a [(&'a str, u64, u64, bool)];
    let cases: [(Firmware, Label, Parts<'_>); 4] = [
        (
            Firmware::Uefi,
            Label::Gpt,
            &[
                ("C12A7328-F81F-11D2-BA4B-00A0C93EC93B", 1, 36, false),
                (LINUX, 37, 40, false),
                (SWAP, 77, 4, false),
                (LINUX, 81, 2, false),
                (LINUX, 83, 8, false),
            ],
        ),
        (
            Firmware::Bios,
            Label::Gpt,
            &[
                ("21686148-6449-6E6F-744E-656564454649", 1, 1, false),
                (LINUX, 2, 40, false),
                (SWAP, 42, 4, false),
                (LINUX, 46, 2, false),
                (LINUX, 48, 8, false),
            ],
        ),
        (
            Firmware::Bios,
            Label::Msdos,
            &[
                ("83", 1, 40, false),
                ("82", 41, 4, false),
                ("83", 45, 2, false),
                ("83", 47, 8, true),
            ],
        ),
        (
            Firmware::Power,
            Label::Gpt,
            &[
                ("9E1A2D38-C612-4316-AA26-8B49521E5A8B", 1, 8, false),
                (LINUX, 9, 40, false),
                (SWAP, 49, 4, false),
                (LINUX, 53, 2, false),
                (LINUX, 55, 8, false),
            ],
        ),
    ];
    for (firmware, label, expected) in cases {
        let lab = Lab::new(96);
        let written = lab.write(&root(7), plan(request(firmware, label), false, drive()));
        let Written::Partitions(ids) = written.unwrap() else {
            panic!("{firmware:?} {label:?}");
        };
        assert_eq!(ids.root, Some(root_uuid(7)));
        assert_eq!(ids.efi.is_some(), firmware == Firmware::Uefi);
        assert_eq!(ids.prep.is_some(), firmware == Firmware::Power);
        let Some((kind, found)) = partitions(&lab) else {
            continue;
        };
        assert_eq!(kind, if label == Label::Gpt { "gpt" } else { "dos" });
        let found: Vec<_> = found
            .iter()
            .map(|(t, s, l, b)| (t.as_str(), *s, *l, *b))
            .collect();
        assert_eq!(found, expected, "{firmware:?} {label:?}");
        let disk = lab.path("disk");
        let disk = disk.to_str().unwrap();
        if label == Label::Gpt
            && let Some(said) = ran("sgdisk", &["-v", disk])
        {
            assert!(said.contains("No problems found"), "{said}");
        }
        let blkid = |number: usize| {
            let (_, start, length, _) = expected[number];
            let (start, length) = ((start * MIB).to_string(), (length * MIB).to_string());
            ran(
                "blkid",
                &["-p", "-O", &start, "-S", &length, "-o", "export", disk],
            )
        };
        let last = expected.len() - 1;
        if let Some(said) = blkid(last - 3) {
            assert!(
                said.contains("LABEL_FATBOOT=ephemeral0") || said.contains("LABEL=EPHEMERAL0"),
                "{said}"
            );
        }
        if let Some(said) = blkid(last - 2) {
            assert!(
                said.contains("TYPE=swap") && said.contains("LABEL=swap1"),
                "{said}"
            );
        }
        if firmware == Firmware::Uefi
            && let Some(said) = blkid(0)
        {
            assert!(said.contains("TYPE=vfat"), "{said}");
            let (start, length) = (MIB, 36 * MIB);
            let esp =
                &lab.bytes()[usize::try_from(start).unwrap()..][..usize::try_from(length).unwrap()];
            fs::write(lab.path("esp"), esp).unwrap();
            ran("fsck.vfat", &["-n", lab.path("esp").to_str().unwrap()]);
        }
        let (_, start, _, _) = expected[last];
        let at = usize::try_from(start * MIB).unwrap();
        assert!(lab.bytes()[at..at + 3 * 1024 * 1024] == root(7));
    }
}

#[test]
fn an_ephemeral_partition_survives_where_it_is_kept() {
    let lab = Lab::new(96);
    let asked = request(Firmware::Bios, Label::Msdos);
    lab.write(&root(1), plan(asked, false, None)).unwrap();
    let table = lab.bytes()[..512].to_vec();
    let data = usize::try_from(20 * MIB).unwrap();
    lab.disk().write_at(20 * MIB, b"kept by its owner").unwrap();
    let written = lab.write(&root(2), plan(asked, true, None)).unwrap();
    assert_eq!(written.identifier(), Some(root_uuid(2).as_str()));
    assert!(lab.bytes()[..512] == table, "the table is another one");
    assert!(lab.bytes()[data..].starts_with(b"kept by its owner"));
    // Another layout would not leave it where it is.
    let before = lab.bytes();
    let other = Request {
        swap_mib: 5,
        ..asked
    };
    let refused = lab.write(&root(3), plan(other, true, None)).unwrap_err();
    assert!(matches!(refused, WriteError::Preserve(_)), "{refused}");
    assert!(lab.bytes() == before, "the disk was touched");
}

#[test]
fn what_does_not_fit_leaves_the_disk_alone() {
    let lab = Lab::new(32);
    let before = lab.bytes();
    let bare = Request {
        ephemeral_mib: 0,
        swap_mib: 0,
        ..request(Firmware::Bios, Label::Msdos)
    };
    let large = Request {
        root_mib: 100,
        ..bare
    };
    let small = Request {
        root_mib: 2,
        ..bare
    };
    let whole = Plan {
        drive: None,
        partitions: None,
    };
    let image = vec![1; usize::try_from(33 * MIB).unwrap()];
    for refused in [
        lab.write(&root(1), plan(large, false, None)),
        lab.write(&root(1), plan(small, false, None)),
        lab.write(&image, whole),
    ] {
        let refused = refused.unwrap_err();
        assert!(
            matches!(refused, WriteError::Layout(_) | WriteError::Image(_)),
            "{refused}"
        );
        assert!(lab.bytes() == before, "{refused}: the disk was touched");
    }
}

/// An image of a disk with one partition.
fn whole_image() -> Vec<u8> {
    let lab = Lab::new(12);
    let bare = Request {
        ephemeral_mib: 0,
        swap_mib: 0,
        ..request(Firmware::Bios, Label::Gpt)
    };
    lab.write(&root(9), plan(bare, false, None)).unwrap();
    let mut image = lab.bytes();
    image[440..444].copy_from_slice(&0x1234_abcdu32.to_le_bytes());
    image
}

#[test]
fn a_whole_disk_is_known_by_its_number_and_takes_a_config_drive() {
    let lab = Lab::new(128);
    let whole = Plan {
        drive: Some(vec![3; 4096]),
        partitions: None,
    };
    let written = lab.write(&whole_image(), whole).unwrap();
    assert_eq!(written.to_map()["disk identifier"], "0x1234abcd");
    let Some((kind, found)) = partitions(&lab) else {
        return;
    };
    assert_eq!(kind, "gpt");
    let (_, start, length, _) = found.last().unwrap();
    assert_eq!(*length, 64);
    let at = usize::try_from(start * MIB).unwrap();
    assert!(lab.bytes()[at..at + 4096].iter().all(|byte| *byte == 3));
    if let Some(said) = ran("sgdisk", &["-v", lab.path("disk").to_str().unwrap()]) {
        assert!(said.contains("No problems found"), "{said}");
    }
    let nothing = lab.write(
        &vec![0; usize::try_from(2 * MIB).unwrap()],
        Plan {
            drive: None,
            partitions: None,
        },
    );
    assert!(
        matches!(nothing, Err(WriteError::Unbootable(_))),
        "{nothing:?}"
    );
}

/// A disk in memory that must not be written once a lease has lapsed.
struct Leased<'l> {
    bytes: Vec<u8>,
    lapsed: &'l AtomicBool,
}

impl Leased<'_> {
    fn check(&self) {
        assert!(!self.lapsed.load(Ordering::Relaxed), "written too late");
    }
}

impl Medium for Leased<'_> {
    fn size(&self) -> u64 {
        self.bytes.size()
    }

    fn sector_size(&self) -> u32 {
        512
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.bytes.read_at(offset, bytes)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.check();
        self.bytes.write_at(offset, bytes)
    }

    fn zero(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.check();
        self.bytes.zero(offset, length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.check();
        Ok(())
    }
}

/// Writes to a disk whose lease holds for so many questions; how many were asked.
fn leased(image: &FileSource, plan: Plan, questions: u64) -> (Result<Written, WriteError>, u64) {
    let (asked, lapsed) = (AtomicU64::new(0), AtomicBool::new(false));
    let may_write = || {
        let holds = asked.fetch_add(1, Ordering::Relaxed) < questions;
        lapsed.store(!holds, Ordering::Relaxed);
        holds
    };
    let disk = Leased {
        bytes: vec![0; usize::try_from(128 * MIB).unwrap()],
        lapsed: &lapsed,
    };
    let mut watch = |_| ControlFlow::Continue(());
    let options = Options::default();
    let written = run(disk, &may_write, image, &options, plan, None, &mut watch);
    (written, asked.into_inner())
}

/// Whatever of it is next: the image, the table, what is beside it, or what was held back.
#[test]
fn nothing_is_written_once_the_lease_has_lapsed() {
    let lab = Lab::new(1);
    let drive = || Some(vec![5; 4096]);
    let whole = || Plan {
        drive: drive(),
        partitions: None,
    };
    let divided = || plan(request(Firmware::Uefi, Label::Gpt), false, drive());
    let plans: [(Vec<u8>, &dyn Fn() -> Plan); 2] = [(whole_image(), &whole), (root(6), &divided)];
    for (image, plan) in plans {
        let image = lab.image(&image);
        let (written, questions) = leased(&image, plan(), u64::MAX);
        written.unwrap();
        for lasts in 0..questions {
            let (written, _) = leased(&image, plan(), lasts);
            assert!(written.is_err(), "{lasts} of {questions}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// Whenever the write is stopped, nothing starts from the disk.
    #[test]
    fn a_write_that_is_stopped_leaves_no_disk_behind(parts in 0u64..12, whole: bool) {
        let lab = Lab::new(64);
        let (image, plan) = if whole {
            (whole_image(), Plan { drive: None, partitions: None })
        } else {
            let asked = Request { efi_mib: 33, ephemeral_mib: 0, ..request(Firmware::Uefi, Label::Gpt) };
            (root(4), plan(asked, false, None))
        };
        let image = lab.image(&image);
        let mut left = parts;
        let mut watch = |_| {
            left = left.saturating_sub(1);
            if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let written = run(lab.disk(), &|| true, &image, &Options::default(), plan, None, &mut watch);
        if written.is_err() {
            let bytes = lab.bytes();
            let old = bytes.iter().all(|byte| *byte == 0xa5);
            let edge = usize::try_from(MIB).unwrap();
            let edges = bytes[..edge].iter().chain(&bytes[bytes.len() - edge..]);
            prop_assert!(old || edges.into_iter().all(|byte| *byte == 0));
        }
    }
}
