//! For tests: disks that are files, images, and a server that misbehaves as told.

use crate::{
    config::Config, exchange::Exchanges, hardware::Context, progress::Progress, safety::Permit,
};
use proto::{
    disk::{
        gpt::{Gpt, Guid, kind},
        mbr::{Mbr, MbrPartition},
    },
    fat::Fat,
    volume::{Content, Segment, Tree},
};
use std::{
    cell::Cell,
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

pub(crate) const MIB: usize = 1 << 20;
/// What an earlier owner left.
pub(crate) const OLD: u8 = 0xd7;

/// A disk with the data of an earlier owner, and a valid table of his.
pub(crate) struct Lab {
    dir: tempfile::TempDir,
    pub(crate) disk: PathBuf,
}

impl Lab {
    pub(crate) fn new(mib: usize) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let disk = dir.path().join("disk");
        let mut bytes = vec![OLD; mib * MIB];
        put_gpt(&mut bytes, 1, kind::LINUX);
        fs::write(&disk, bytes).unwrap();
        Self { dir, disk }
    }

    /// A large disk, empty but for its size.
    pub(crate) fn sparse(mib: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let disk = dir.path().join("disk");
        fs::File::create(&disk).unwrap().set_len(mib << 20).unwrap();
        Self { dir, disk }
    }

    pub(crate) fn read(&self) -> Vec<u8> {
        fs::read(&self.disk).unwrap()
    }

    pub(crate) fn config(&self) -> Config {
        let mut config = Config::from_parameters("ipa-api-url=http://127.0.0.1").unwrap();
        config.root = self.dir.path().to_owned();
        config.download.retries = 2;
        config.download.retry_interval = Duration::from_millis(1);
        config.adopted.md5_enabled = true;
        config
    }

    pub(crate) fn context(&self) -> Context {
        Context {
            config: Arc::new(self.config()),
            permit: Some(Permit::from_operator()),
            progress: Progress::default(),
            exchanges: Exchanges::default(),
        }
    }
}

/// A folder that stands for a machine: disks and arrays in sysfs, and files for their nodes.
pub(crate) struct Machine {
    dir: tempfile::TempDir,
    /// How many devices there are.
    made: Cell<u32>,
}

impl Machine {
    pub(crate) fn new() -> Self {
        Self {
            dir: tempfile::tempdir().unwrap(),
            made: Cell::new(0),
        }
    }

    fn root(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn config(&self) -> Config {
        let mut config = Config::from_parameters("ipa-api-url=http://127.0.0.1").unwrap();
        config.root = self.root().to_owned();
        config
    }

    /// Where the node of a device is.
    pub(crate) fn node(&self, name: &str) -> PathBuf {
        self.root().join("dev").join(name)
    }

    /// Files below the folder of a device in sysfs.
    fn tell(&self, folder: &str, files: &[(&str, &str)]) {
        for (file, text) in files {
            let path = self.root().join("sys/block").join(folder).join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn device(&self, name: &str, gib: u64) {
        self.made.set(self.made.get() + 1);
        let (number, sectors) = (format!("8:{}", self.made.get()), (gib << 21).to_string());
        self.tell(name, &[("dev", &number), ("size", &sectors), ("ro", "0")]);
        self.file(name, gib << 30);
    }

    fn file(&self, name: &str, size: u64) {
        fs::create_dir_all(self.root().join("dev")).unwrap();
        let file = fs::File::create(self.node(name)).unwrap();
        file.set_len(size).unwrap();
    }

    /// A disk, empty, with so many partitions that the kernel knows.
    pub(crate) fn disk(&self, name: &str, gib: u64, partitions: &[u32]) {
        self.device(name, gib);
        for number in partitions {
            let number = number.to_string();
            let folder = format!("{name}/{name}{number}");
            self.tell(
                &folder,
                &[("partition", &number), ("start", "2048"), ("size", "2048")],
            );
            self.file(&format!("{name}{number}"), 1 << 20);
        }
    }

    /// An array of partitions, which say what it was called when it was made.
    pub(crate) fn array(&self, name: &str, gib: u64, volume: &str, members: &[&str]) {
        self.device(name, gib);
        self.tell(name, &[("md/level", "raid1")]);
        for member in members {
            let disk = member.trim_end_matches(|c: char| c.is_ascii_digit());
            self.tell(name, &[(&format!("slaves/{member}"), "")]);
            self.tell(&format!("{disk}/{member}/holders"), &[(name, "")]);
            let mut bytes = vec![0; 1 << 20];
            bytes[4096..][..RAID_MEMBER.len()].copy_from_slice(&RAID_MEMBER);
            let label = format!("host:{volume}");
            bytes[4096 + 32..][..label.len()].copy_from_slice(label.as_bytes());
            fs::write(self.node(member), bytes).unwrap();
        }
    }
}

/// What makes a partition part of an array, 4 KiB from its start.
pub(crate) const RAID_MEMBER: [u8; 8] = [0xfc, 0x4e, 0x2b, 0xa9, 1, 0, 0, 0];

fn put_gpt(bytes: &mut [u8], first_mib: u64, kind: Guid) {
    let sectors = bytes.len() as u64 / 512;
    let mut gpt = Gpt::create(Guid([9; 16]), 512, sectors).unwrap();
    let rest = (bytes.len() / MIB) as u64 - first_mib - 1;
    gpt.add(kind, Guid([8; 16]), "one", rest * 2048, first_mib * 2048)
        .unwrap();
    for placed in gpt.encode() {
        let at = usize::try_from(placed.sector).unwrap() * 512;
        bytes[at..at + placed.bytes.len()].copy_from_slice(&placed.bytes);
    }
}

/// An image with a GPT, and boot code that must survive. Every third MiB has data.
pub(crate) fn gpt_image(mib: usize) -> Vec<u8> {
    let mut bytes = vec![0; mib * MIB];
    for at in (1..mib - 1).step_by(3) {
        bytes[at * MIB..(at + 1) * MIB].fill(u8::try_from(at % 200 + 1).unwrap());
    }
    put_gpt(&mut bytes, 1, kind::EFI_SYSTEM);
    bytes[..440].fill(0x5a);
    bytes
}

/// An image with an old table of so many partitions, of one MiB each.
pub(crate) fn msdos_image(mib: usize, partitions: u32) -> Vec<u8> {
    let mut bytes = vec![3; mib * MIB];
    let mut mbr = Mbr {
        disk_id: 0x1234_abcd,
        ..Mbr::default()
    };
    for (slot, first) in mbr.partitions.iter_mut().zip(1..=partitions) {
        *slot = Some(MbrPartition {
            bootable: false,
            kind: 0x83,
            first: first * 2048,
            count: 2048,
        });
    }
    bytes[..512].copy_from_slice(&mbr.encode());
    bytes
}

/// A FAT filesystem with files.
pub(crate) fn fat_image(size: u64, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut tree = Tree::new();
    for (path, bytes) in files {
        tree.add(path, Content::Bytes(bytes.to_vec())).unwrap();
    }
    let fat = Fat {
        size: Some(size),
        ..Fat::default()
    };
    let mut image = Vec::new();
    for segment in fat.layout(&tree).unwrap().segments() {
        let end = image.len() + usize::try_from(segment.length()).unwrap();
        if let Segment::Bytes(bytes) = segment {
            image.extend(bytes);
        }
        image.resize(end, 0);
    }
    image
}

/// What is served, and how.
#[derive(Default)]
pub(crate) struct Served {
    pub(crate) bytes: Vec<u8>,
    /// After how many bytes each of the next connections breaks.
    pub(crate) cuts: Vec<usize>,
    pub(crate) etag: u32,
    /// Whether there is another image after a connection broke.
    pub(crate) changes_after_cut: bool,
    /// Statuses for the next requests.
    pub(crate) failures: Vec<u16>,
    pub(crate) requests: Vec<String>,
}

/// Files by name, over HTTP with ranges.
#[derive(Clone)]
pub(crate) struct Server {
    pub(crate) served: Arc<Mutex<Served>>,
    port: u16,
}

impl Server {
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let served = Served {
            bytes,
            ..Served::default()
        };
        let server = Self {
            served: Arc::new(Mutex::new(served)),
            port: listener.local_addr().unwrap().port(),
        };
        let shared = Arc::clone(&server.served);
        // Ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                thread::spawn(move || answer(&stream, &shared));
            }
        });
        server
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/image", self.port)
    }
}

fn answer(stream: &TcpStream, shared: &Mutex<Served>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if reader.read_line(&mut head).ok()? == 0 {
                return None;
            }
        }
        let head = head.to_lowercase();
        let (bytes, etag, cut, failure) = {
            let mut served = shared.lock().unwrap();
            served.requests.push(head.clone());
            let probe = head.contains("range: bytes=0-0\r\n");
            let cut = if probe { None } else { served.cuts.pop() };
            let etag = served.etag;
            if cut.is_some() && served.changes_after_cut {
                served.etag += 1;
            }
            (served.bytes.clone(), etag, cut, served.failures.pop())
        };
        let mut out = stream;
        if let Some(status) = failure {
            let text = format!("HTTP/1.1 {status} No\r\ncontent-length: 0\r\n\r\n");
            out.write_all(text.as_bytes()).ok()?;
            continue;
        }
        let range = head
            .lines()
            .find_map(|line| line.strip_prefix("range: bytes="));
        let same = !head.contains("if-range") || head.contains(&format!("if-range: \"{etag}\""));
        let (from, to) = match range
            .filter(|_| same)
            .and_then(|range| range.split_once('-'))
        {
            Some((from, to)) => {
                let last = bytes.len().saturating_sub(1);
                (from.parse().ok()?, to.parse().unwrap_or(last).min(last) + 1)
            }
            None => (0, bytes.len()),
        };
        let part = bytes.get(from..to).unwrap_or_default();
        let status = if range.is_some() && same {
            format!(
                "206 Partial\r\ncontent-range: bytes {from}-{}/{}",
                to - 1,
                bytes.len()
            )
        } else {
            "200 OK".to_owned()
        };
        let head = format!(
            "HTTP/1.1 {status}\r\netag: \"{etag}\"\r\naccept-ranges: bytes\r\ncontent-length: {}\r\n\r\n",
            part.len()
        );
        out.write_all(head.as_bytes()).ok()?;
        match cut {
            Some(cut) => {
                out.write_all(&part[..cut.min(part.len())]).ok()?;
                return None;
            }
            None => out.write_all(part).ok()?,
        }
    }
}
