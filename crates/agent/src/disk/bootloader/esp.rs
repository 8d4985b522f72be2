//! The EFI system partition: which file of it firmware is to start, and under which name.
//!
//! A file `BOOT….CSV` beside a loader names both, and counts alone. Without one every loader that
//! has the name of a default is registered.

use super::{Request, Variables};
use crate::{
    AgentError,
    disk::{
        efi::LoadOption,
        medium::{Disk, Medium, Window, read},
        mount, probe,
        table::{Entry, Table},
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
pub(super) struct Found {
    pub(super) entry: Entry,
    /// The id of its filesystem.
    pub(super) uuid: Option<String>,
    table: Table,
}

/// Tells the firmware about the loaders of a disk; whether there were any.
pub(super) fn register(
    _permit: &Permit,
    device: &Path,
    request: &Request,
    variables: &Variables,
) -> Result<bool, AgentError> {
    let mut disk =
        Disk::open_to_read(device).map_err(|error| crate::disk::failed(device, "open", &error))?;
    let found = find(&mut disk, request)?;
    let esp = &found.entry;
    let window = Window::new(&mut disk, esp.offset, esp.length)
        .map_err(|error| crate::disk::failed(device, "read", &error))?;
    let loaders = loaders(&window).map_err(super::failed)?;
    let sector = u64::from(disk.sector_size());
    for loader in &loaders {
        let (first, sectors) = (esp.offset / sector, esp.length / sector);
        let option = match &found.table {
            Table::Gpt(gpt) => {
                let id = gpt.partitions.get(&esp.number).map(|found| found.id.0);
                let id = id.unwrap_or_default();
                LoadOption::on_gpt(&loader.label, esp.number, id, first, sectors, &loader.path)
            }
            Table::Msdos(mbr) => LoadOption::on_msdos(
                &loader.label,
                esp.number,
                mbr.disk_id,
                first,
                sectors,
                &loader.path,
            ),
        };
        let number = variables.add_first(&option).map_err(|error| {
            super::failed(format!(
                "Could not configure UEFI boot on device {}: {error}",
                device.display()
            ))
        })?;
        tracing::info!(
            number,
            label = loader.label,
            path = loader.path,
            "boot entry added"
        );
    }
    Ok(!loaders.is_empty())
}

/// The partition that is one by its type, or else the one that was named.
pub(super) fn find(disk: &mut Disk, request: &Request) -> Result<Found, AgentError> {
    let none = || {
        mount::not_found(format!(
            "No EFI partition could be detected on device {} and EFI partition UUID has not been \
             recorded during deployment (which is often the case for whole disk images). Are you \
             using a UEFI-compatible image?",
            disk.path().display()
        ))
    };
    let table = Table::read(disk).map_err(|error| mount::not_found(error.to_string()))?;
    let table = table.ok_or_else(none)?;
    let entries = table.entries(disk);
    let none = none();
    let mut uuid = |entry: &Entry| {
        let window = Window::new(disk, entry.offset, entry.length).ok()?;
        probe::probe(&window)?.uuid
    };
    let wanted = request.efi_system_part_uuid.as_deref();
    let named = |entry: &Entry, own: &Option<String>| {
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
    Ok(Found {
        uuid: uuid(&entry),
        entry,
        table,
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
            return Err(format!("{} names no boot loader", table.path));
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
