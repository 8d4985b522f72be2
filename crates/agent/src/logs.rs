//! Logs for troubleshooting, in one archive.
//!
//! Everything is read from the kernel, so no program is needed in the ramdisk. The kernel's command
//! line, which its log repeats, may hold the agent's token and passwords: they are masked.

use crate::journal::Journal;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use flate2::{Compression, write::GzEncoder};
use rustix::fs::{Mode, OFlags};
use serde_json::Value;
use std::{
    fs,
    io::{self, Read, Write as _},
    path::Path,
};

/// Files of the kernel that go along, by their names in the archive.
const FILES: &[(&str, &str)] = &[
    ("mdstat", "proc/mdstat"),
    ("mount", "proc/mounts"),
    ("partitions", "proc/partitions"),
    ("modules", "proc/modules"),
    ("meminfo", "proc/meminfo"),
    ("net_dev", "proc/net/dev"),
    ("net_route", "proc/net/route"),
    ("net_if_inet6", "proc/net/if_inet6"),
    ("net_fib_trie", "proc/net/fib_trie"),
    ("cmdline", "proc/cmdline"),
    ("version", "proc/version"),
];

/// The most that is taken of one file.
const LARGEST: u64 = 4 << 20;

/// Suffixes of kernel parameters with secret values: `ipa-agent-token`,
/// `ipa-image-server-password`, `rootpwd`.
const SECRETS: [&[u8]; 3] = [b"token=", b"password=", b"pwd="];

/// A gzipped tar archive, in base64.
pub(crate) fn collect(root: &Path, journal: &Journal, inventory: Option<&Value>) -> String {
    let mut tar = Vec::new();
    add(&mut tar, "journal", &journal.text());
    if let Ok(log) = kernel_log(&root.join("dev/kmsg")) {
        add(&mut tar, "dmesg", &log);
    }
    for (name, path) in FILES {
        let mut text = Vec::new();
        let read = fs::File::open(root.join(path))
            .and_then(|file| file.take(LARGEST).read_to_end(&mut text));
        if read.is_ok() {
            add(&mut tar, name, &text);
        }
    }
    if let Some(inventory) = inventory {
        add(
            &mut tar,
            "inventory.json",
            format!("{inventory:#}").as_bytes(),
        );
    }
    // An archive ends with two empty blocks.
    tar.resize(tar.len() + 1024, 0);
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = packed.write_all(&tar);
    BASE64_STANDARD.encode(packed.finish().unwrap_or_default())
}

/// Appends a file to a tar archive.
fn add(tar: &mut Vec<u8>, name: &str, content: &[u8]) {
    let content = mask(content);
    let mut header = [0u8; 512];
    let mut put = |at: usize, text: &[u8]| header[at..at + text.len()].copy_from_slice(text);
    put(0, name.as_bytes());
    put(100, b"0000644\0");
    put(108, b"0000000\0");
    put(116, b"0000000\0");
    put(124, format!("{:011o}\0", content.len()).as_bytes());
    put(136, b"00000000000\0");
    put(148, b"        ");
    put(156, b"0");
    put(257, b"ustar\x0000");
    let sum: u32 = header.iter().copied().map(u32::from).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    tar.extend(header);
    tar.extend(&content);
    tar.resize(tar.len().next_multiple_of(512), 0);
}

/// The kernel's messages, one a line.
fn kernel_log(path: &Path) -> io::Result<Vec<u8>> {
    // Without it the end of the log is waited for.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(path, flags, Mode::empty())?;
    let (mut log, mut record) = (Vec::new(), vec![0; 8192]);
    loop {
        match rustix::io::read(&file, &mut record) {
            Ok(0) => break,
            Ok(length) => log.extend_from_slice(&record[..length]),
            // Overwritten before it was read; the next one is there.
            Err(rustix::io::Errno::PIPE) => {}
            Err(_) => break,
        }
        if log.len() as u64 > LARGEST {
            break;
        }
    }
    Ok(log)
}

/// Replaces the value after every mention of a secret parameter.
fn mask(content: &[u8]) -> Vec<u8> {
    let ends = |rest: &[u8], end: usize| SECRETS.iter().any(|name| rest[..end].ends_with(name));
    let mut masked = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(value) = (1..=rest.len()).find(|end| rest[end - 1] == b'=' && ends(rest, *end)) {
        masked.extend_from_slice(&rest[..value]);
        masked.extend_from_slice(types::mask::MASK.as_bytes());
        let end = rest[value..].iter().position(u8::is_ascii_whitespace);
        rest = &rest[end.map_or(rest.len(), |end| value + end)..];
    }
    masked.extend_from_slice(rest);
    masked
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::process::Command;

    #[test]
    fn the_archive_is_one_and_holds_no_token() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc")).unwrap();
        fs::write(
            root.path().join("proc/cmdline"),
            "a=1 ipa-agent-token=secret1 b=2 ipa-image-server-password=secret2 rootpwd=secret3",
        )
        .unwrap();
        let mut journal = Journal::default();
        journal.write_all(b"started\n").unwrap();
        let packed = collect(
            root.path(),
            &journal,
            Some(&serde_json::json!({"disks": []})),
        );
        let packed = BASE64_STANDARD.decode(packed).unwrap();
        let mut tar = Vec::new();
        GzDecoder::new(packed.as_slice())
            .read_to_end(&mut tar)
            .unwrap();
        assert!(!String::from_utf8_lossy(&tar).contains("secret"));
        let path = root.path().join("logs.tar");
        fs::write(&path, tar).unwrap();
        let run = |args: &[&str]| {
            let output = Command::new("tar").args(args).arg(&path).output().unwrap();
            assert!(output.status.success(), "{output:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        assert_eq!(run(&["tf"]), "journal\ncmdline\ninventory.json\n");
        let output = Command::new("tar")
            .arg("xOf")
            .arg(&path)
            .arg("cmdline")
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            text,
            "a=1 ipa-agent-token=****** b=2 ipa-image-server-password=****** rootpwd=******"
        );
    }
}
