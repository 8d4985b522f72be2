//! The EFI system partition: which file of it firmware is to start, and under which name.
//!
//! A file `BOOT….CSV` beside a loader names both, and counts alone. Without one every loader that
//! has the name of a default is registered.

use super::{Request, Variables};
use crate::{
    AgentError,
    block::{self, hints},
    config::Config,
    disk::{
        efi::LoadOption,
        medium::{Disk, Medium, Window, read},
        probe, raid,
        table::{PartitionEntry, Table},
    },
    safety::Permit,
};
use proto::fat::{FatFile, FatReader};
use std::path::Path;

/// In order; tables before programs.
const LOADERS: [&str; 13] = [
    "bootx64.csv",
    "bootaa64.csv",
    "boot.csv",
    "bootia32.efi",
    "bootx64.efi",
    "bootia64.efi",
    "bootarm.efi",
    "bootaa64.efi",
    "bootriscv32.efi",
    "bootriscv64.efi",
    "bootriscv128.efi",
    "grubaa64.efi",
    "winload.efi",
];
const MOST_CSV: u64 = 64 << 10;

/// A loader and what it is called.
#[derive(Debug, PartialEq, Eq)]
struct Loader {
    /// With backslashes, from the root of the partition.
    path: String,
    label: String,
}

/// The EFI system partition of a disk.
pub(super) struct EfiPartition {
    pub(super) entry: PartitionEntry,
    /// The id of its filesystem.
    pub(super) uuid: Option<String>,
}

/// Tells the firmware about the loaders of a disk; whether there were any. Firmware cannot read
/// arrays: there the loaders are brought to all disks of the array.
pub(super) async fn register(
    permit: &Permit,
    device: &Path,
    request: &Request,
    config: &Config,
    variables: &Variables,
) -> Result<bool, AgentError> {
    let (found, loaders) = {
        let mut disk = open(device)?;
        let found = find(&mut disk, request)?;
        let window = Window::new(&mut disk, found.entry.offset, found.entry.length)
            .map_err(|error| crate::disk::failed(device, "read", &error))?;
        let loaders = loaders(&window).map_err(super::failed)?;
        (found, loaders)
    };
    if loaders.is_empty() {
        return Ok(false);
    }
    let name = device.to_string_lossy();
    if !block::find(&config.root, &name).is_some_and(|found| found.is_md()) {
        add(device, found.entry.number, &loaders, "", variables)?;
        return Ok(true);
    }
    let mirrors = raid::esp::mirror(permit, device, &found.entry, config).await?;
    for (index, mirror) in mirrors.iter().enumerate() {
        let suffix = format!(" (RAID, part{index})");
        add(&mirror.disk, mirror.number, &loaders, &suffix, variables)?;
    }
    Ok(true)
}

fn open(device: &Path) -> Result<Disk, AgentError> {
    Disk::open_to_read(device).map_err(|error| crate::disk::failed(device, "open", &error))
}

/// Adds entries for the loaders of a partition.
fn add(
    device: &Path,
    number: u32,
    loaders: &[Loader],
    suffix: &str,
    variables: &Variables,
) -> Result<(), AgentError> {
    let disk = open(device)?;
    let failed = |error: &dyn std::fmt::Display| {
        super::failed(format!(
            "Could not configure UEFI boot on device {}: {error}",
            device.display()
        ))
    };
    let table = Table::read(&disk).map_err(|error| failed(&error))?;
    let table = table.ok_or_else(|| failed(&"no partition table found"))?;
    let sector = u64::from(disk.sector_size());
    let entry = table
        .entries(&disk)
        .into_iter()
        .find(|entry| entry.number == number);
    let entry = entry.ok_or_else(|| failed(&"the partition no longer exists"))?;
    let place = (entry.offset / sector, entry.length / sector);
    for loader in loaders {
        let label = format!("{}{suffix}", loader.label);
        let option = match &table {
            Table::Gpt(gpt) => {
                let id = gpt.partitions.get(&number).map(|found| found.id.0);
                LoadOption::on_gpt(&label, number, id.unwrap_or_default(), place, &loader.path)
            }
            Table::Msdos(mbr) => {
                LoadOption::on_msdos(&label, number, mbr.disk_id, place, &loader.path)
            }
        };
        let made = variables
            .add_first(&option)
            .map_err(|error| failed(&error))?;
        tracing::info!(
            number = made,
            label,
            path = loader.path,
            "added a UEFI boot entry"
        );
    }
    Ok(())
}

/// The partition that is one by its type, or else the one that was named.
pub(super) fn find(disk: &mut Disk, request: &Request) -> Result<EfiPartition, AgentError> {
    let none = || {
        hints::not_found(format!(
            "No EFI partition could be detected on device {} and EFI partition UUID has not been \
             recorded during deployment (which is often the case for whole disk images). Are you \
             using a UEFI-compatible image?",
            disk.path().display()
        ))
    };
    let table = Table::read(disk).map_err(|error| hints::not_found(error.to_string()))?;
    let table = table.ok_or_else(none)?;
    let entries = table.entries(disk);
    let none = none();
    let mut uuid = |entry: &PartitionEntry| {
        let window = Window::new(disk, entry.offset, entry.length).ok()?;
        probe::probe(&window)?.uuid
    };
    let wanted = request.efi_system_part_uuid.as_deref();
    let named = |entry: &PartitionEntry, own: &Option<String>| {
        wanted.is_some_and(|wanted| {
            entry.id.eq_ignore_ascii_case(wanted)
                || own
                    .as_ref()
                    .is_some_and(|own| own.eq_ignore_ascii_case(wanted))
        })
    };
    let mut found = entries.iter().find(|entry| entry.is_efi).cloned();
    if found.is_none() {
        found = entries.into_iter().find(|entry| {
            let own = uuid(entry);
            named(entry, &own)
        });
    }
    let entry = found.ok_or(none)?;
    Ok(EfiPartition {
        uuid: uuid(&entry),
        entry,
    })
}

fn loaders(window: &Window<'_>) -> Result<Vec<Loader>, String> {
    let mut at = |offset: u64, length: usize| read(window, offset, length);
    let reader = FatReader::open(&mut at).map_err(|error| error.to_string())?;
    let files = reader.files(&mut at).map_err(|error| error.to_string())?;
    let known: Vec<&FatFile> = files
        .iter()
        .filter(|file| LOADERS.contains(&name(file).to_lowercase().as_str()))
        .collect();
    let table = known
        .iter()
        .find(|file| name(file).to_lowercase().ends_with(".csv"));
    if let Some(table) = table {
        let bytes = reader
            .read_file(&mut at, table, MOST_CSV)
            .map_err(|error| error.to_string())?;
        let text = utf16(&bytes);
        let mut fields = text.splitn(4, ',');
        let (Some(file), Some(label)) = (fields.next(), fields.next()) else {
            return Err(format!("no boot loader is named in {}", table.path));
        };
        let folder = table.path.strip_suffix(name(table)).unwrap_or_default();
        return Ok(vec![Loader {
            path: backslashes(&format!("{folder}{}", file.trim())),
            label: label.trim_end_matches(['\r', '\n']).to_owned(),
        }]);
    }
    Ok((1..)
        .zip(known)
        .map(|(number, file)| Loader {
            path: backslashes(&file.path),
            label: format!("ironic{number}"),
        })
        .collect())
}

fn name(file: &FatFile) -> &str {
    file.path.rsplit('/').next().unwrap_or_default()
}

fn backslashes(path: &str) -> String {
    format!("\\{}", path.replace('/', "\\"))
}

/// The text of a file in UTF-16, with or without the mark that tells the order of its bytes.
fn utf16(bytes: &[u8]) -> String {
    let big = bytes.starts_with(&[0xfe, 0xff]);
    let bytes = bytes
        .strip_prefix(&[0xff, 0xfe])
        .or_else(|| bytes.strip_prefix(&[0xfe, 0xff]))
        .unwrap_or(bytes);
    let unit = |pair: &[u8]| {
        let pair = [pair[0], pair[1]];
        if big {
            u16::from_be_bytes(pair)
        } else {
            u16::from_le_bytes(pair)
        }
    };
    let units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
    String::from_utf16_lossy(&units)
}
