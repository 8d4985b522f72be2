//! `corten image inspect`: what an image is, for people and for programs.
//!
//! Labels and names come from the image, so what could command a terminal is not printed.

use crate::{
    args::{Format, Inspect},
    console::print,
};
use image::{
    checksum::Hasher,
    source::{FileSource, Source},
    survey::{self, Contents, Disk, Partition, Survey, Verdict},
};
use serde_json::{Map, Value, json};
use std::{io::Read, process::ExitCode};
use types::error::chain;

const CHUNK: usize = 1 << 20;

/// Ends with failure if the service would refuse the image.
pub(crate) fn run(args: &Inspect) -> anyhow::Result<ExitCode> {
    let source = FileSource::open(&args.file)?;
    let found = survey::survey(&source)?;
    let checksums = checksums(&source, args)?;
    let name = args.file.display().to_string();
    match args.format {
        Format::Json => print(&format!("{:#}", as_json(&name, &found, &checksums)))?,
        Format::Table => print(as_text(&name, &found, &checksums).trim_end())?,
    }
    Ok(match refusal(&found) {
        None => ExitCode::SUCCESS,
        Some(_) => ExitCode::FAILURE,
    })
}

/// All that were asked for, in one pass.
fn checksums(source: &FileSource, args: &Inspect) -> anyhow::Result<Vec<(String, String)>> {
    if args.checksum.is_empty() {
        return Ok(Vec::new());
    }
    let mut hashers: Vec<_> = args
        .checksum
        .iter()
        .map(|algorithm| (algorithm.to_string(), Hasher::new(*algorithm)))
        .collect();
    let mut reader = source.stream()?;
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = reader.read(&mut buffer)?;
        if count == 0 {
            break;
        }
        for (_, hasher) in &mut hashers {
            hasher.update(&buffer[..count]);
        }
    }
    let finished = hashers.into_iter();
    Ok(finished
        .map(|(name, hasher)| (name, hasher.finish()))
        .collect())
}

/// Kernels and ramdisks are not deployed as images, so the rules for those say nothing about them.
fn refusal(found: &Survey) -> Option<String> {
    let refusal = found.refusal.as_ref().filter(|_| found.is_deployable());
    refusal.map(|error| chain(error))
}

/// What the file is, in a few words.
fn kind(found: &Survey) -> String {
    match &found.contents {
        Contents::Disk(disk) => format!("disk with a {} partition table", disk.table.as_str()),
        Contents::Volume(content) => format!("partition image ({})", content.kind),
        Contents::Disc { .. } => "disc".to_owned(),
        Contents::Kernel(kernel) => format!("Linux kernel for {}", kernel.machine.as_str()),
        Contents::Initramfs => "ramdisk (initramfs)".to_owned(),
        Contents::Program(machine) => format!("EFI program for {}", machine.as_str()),
        Contents::Unknown => "unknown".to_owned(),
    }
}

fn as_json(name: &str, found: &Survey, checksums: &[(String, String)]) -> Value {
    let verdict = |verdict: &Verdict| {
        let (boots, reason) = match verdict {
            Verdict::Boots(how) => (json!(true), how),
            Verdict::Fails(why) => (json!(false), why),
            Verdict::Unknown(why) => (Value::Null, why),
        };
        json!({"boots": boots, "reason": reason})
    };
    let content = |content: &proto::disk::probe::Content| json!({"type": content.kind, "uuid": content.uuid, "label": content.label});
    let mut root = Map::new();
    let mut set = |key: &str, value: Value| {
        root.insert(key.to_owned(), value);
    };
    set("file", json!(name));
    set("size", json!(found.file_size));
    set("compression", json!(found.packing.map(|p| p.as_str())));
    set("format", json!(found.format.as_str()));
    set("virtual_size", json!(found.virtual_size));
    set("kind", json!(kind(found)));
    match &found.contents {
        Contents::Disk(disk) => {
            set("partition_table", json!(disk.table.as_str()));
            set("damage", json!(disk.damage));
            let partition = |part: &Partition| {
                json!({
                    "number": part.entry.number,
                    "offset": part.entry.offset,
                    "size": part.entry.length,
                    "type": part.purpose(),
                    "uuid": part.entry.id,
                    "active": part.entry.bootable,
                    "filesystem": part.content.as_ref().map(content),
                })
            };
            let partitions: Vec<Value> = disk.partitions.iter().map(partition).collect();
            set("partitions", json!(partitions));
        }
        Contents::Volume(found) => set("filesystem", content(found)),
        Contents::Disc { label } => set("label", json!(label)),
        Contents::Kernel(kernel) => set("version", json!(kernel.version)),
        Contents::Initramfs | Contents::Program(_) | Contents::Unknown => {}
    }
    set("bios", verdict(&found.bios));
    set("uefi", verdict(&found.uefi));
    let accepted = found.is_deployable().then(|| refusal(found).is_none());
    set("accepted", json!(accepted));
    set("refusal", json!(refusal(found)));
    if !checksums.is_empty() {
        let sums = checksums
            .iter()
            .map(|(name, sum)| (name.clone(), json!(sum)));
        set("checksums", Value::Object(sums.collect()));
    }
    Value::Object(root)
}

fn as_text(name: &str, found: &Survey, checksums: &[(String, String)]) -> String {
    let mut lines = vec![("file", name.to_owned())];
    let size = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), bytes_shown);
    lines.push(("size", size(found.file_size)));
    let format = found.format.to_string();
    lines.push((
        "format",
        match found.packing {
            Some(packing) => format!("{format}, compressed by {}", packing.as_str()),
            None => format,
        },
    ));
    if found.is_deployable() {
        lines.push(("disk size", size(found.virtual_size)));
    }
    lines.push(("kind", kind(found)));
    match &found.contents {
        Contents::Kernel(kernel) => lines.extend(kernel.version.clone().map(|v| ("version", v))),
        Contents::Disc { label } => lines.extend(label.clone().map(|label| ("label", label))),
        Contents::Volume(content) => {
            lines.extend(content.label.clone().map(|label| ("label", label)));
            lines.extend(content.uuid.clone().map(|uuid| ("uuid", uuid)));
        }
        Contents::Disk(disk) => lines.extend(disk.damage.clone().map(|damage| ("damage", damage))),
        Contents::Initramfs | Contents::Program(_) | Contents::Unknown => {}
    }
    let verdict = |verdict: &Verdict| match verdict {
        Verdict::Boots(how) => format!("boots: {how}"),
        Verdict::Fails(why) => format!("does not boot: {why}"),
        Verdict::Unknown(why) => format!("unknown: {why}"),
    };
    lines.push(("BIOS", verdict(&found.bios)));
    lines.push(("UEFI", verdict(&found.uefi)));
    if found.is_deployable() {
        let refusal = refusal(found).map_or("yes".to_owned(), |why| format!("no: {why}"));
        lines.push(("accepted", refusal));
    }
    for (name, sum) in checksums {
        lines.push((name, sum.clone()));
    }
    let mut text = String::new();
    for (key, value) in lines {
        text += &format!("{key:<10} {}\n", printable(&value));
    }
    if let Contents::Disk(disk) = &found.contents {
        text += &partitions(disk);
    }
    text
}

/// A table of the partitions; columns are as wide as what is in them.
fn partitions(disk: &Disk) -> String {
    let head = ["#", "start", "size", "type", "filesystem", "label", "uuid"];
    let mut rows = vec![head.map(str::to_owned)];
    for part in &disk.partitions {
        let content = part.content.clone().unwrap_or_default();
        let active = if part.entry.bootable { " (active)" } else { "" };
        rows.push([
            part.entry.number.to_string(),
            bytes_shown(part.entry.offset),
            bytes_shown(part.entry.length),
            part.purpose() + active,
            content.kind.to_owned(),
            printable(&content.label.unwrap_or_default()),
            printable(&content.uuid.unwrap_or_default()),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..head.len())
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let line = |row: &[String; 7]| {
        let cells = row.iter().zip(&widths);
        let cells: Vec<String> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    "\n".to_owned() + &rows.iter().map(line).collect::<String>()
}

/// Whole MiB where it is so, as sizes of partitions are.
fn bytes_shown(bytes: u64) -> String {
    const MIB: u64 = 1 << 20;
    if bytes >= MIB {
        let tenths = bytes / (MIB / 10);
        format!("{}.{} MiB", tenths / 10, tenths % 10)
    } else {
        format!("{bytes} bytes")
    }
}

fn printable(text: &str) -> String {
    let safe = |letter: char| {
        if letter.is_control() {
            '\u{fffd}'
        } else {
            letter
        }
    };
    text.chars().map(safe).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::source::MemorySource;

    #[test]
    fn people_and_programs_are_told_the_same() {
        let mut bytes = vec![0; 4 << 20];
        bytes[1024 + 56..1024 + 58].copy_from_slice(&0xef53u16.to_le_bytes());
        bytes[1024 + 120..1024 + 126].copy_from_slice(b"a\x1b[2Jb");
        let found = survey::survey(&MemorySource::new(bytes)).unwrap();
        let sums = [("sha256".to_owned(), "abc".to_owned())];
        let text = as_text("x.img", &found, &sums);
        for part in [
            "file       x.img",
            "kind       partition image (ext2)",
            "label      a\u{fffd}[2Jb",
            "BIOS       does not boot: it is a filesystem",
            "accepted   yes",
            "sha256     abc",
            "disk size  4.0 MiB",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let json = as_json("x.img", &found, &sums);
        assert_eq!(json["filesystem"]["type"], "ext2");
        assert_eq!(json["accepted"], true);
        assert_eq!(json["uefi"]["boots"], false);
        assert_eq!(json["checksums"]["sha256"], "abc");
        assert_eq!(json["virtual_size"], 4 << 20);
    }

    #[test]
    fn what_is_refused_says_why() {
        let backed = [&b"QFI\xfb\0\0\0\x03\0\0\0\0\0\0\0\x68"[..], &[0; 600]].concat();
        let found = survey::survey(&MemorySource::new(backed)).unwrap();
        let text = as_text("x", &found, &[]);
        assert!(text.contains("accepted   no: "), "{text}");
        assert!(text.contains("backing file"), "{text}");
        assert_eq!(as_json("x", &found, &[])["accepted"], false);
        assert_eq!(as_json("x", &found, &[])["bios"]["boots"], Value::Null);
    }
}
