//! What an image is: its format, its partitions, and whether a machine would boot from it.
//!
//! For `corten image inspect`. Only headers, tables and the folders of EFI system partitions are
//! read, in memory that does not depend on the image; the image is untrusted, and whatever is wrong
//! with it becomes part of the report. Whether the service would take it is asked of the code that
//! writes images to disks. What a boot loader does after it was started is not followed: that its
//! configuration names a kernel that is there, say.

mod bios;
mod disc;
mod guest;
mod uefi;

use crate::{
    Format, ImageError, Packing, convert,
    source::{MemorySource, Source},
    unpack,
};
use guest::Guest;
use proto::{
    disk::{
        detect,
        gpt::kind,
        mbr::Mbr,
        probe::{self, Content},
        table::{self, PartitionEntry, PartitionType},
    },
    program::{Kernel, Machine},
};
use std::io::Read;

/// Everything that was found.
#[derive(Debug)]
pub struct Survey {
    /// How large the file is.
    pub file_size: Option<u64>,
    /// How the whole file is compressed; the rest is about what is inside.
    pub packing: Option<Packing>,
    pub format: Format,
    /// The size of the disk that the image describes, where that can be told without unpacking.
    pub virtual_size: Option<u64>,
    pub contents: Contents,
    pub bios: Verdict,
    pub uefi: Verdict,
    /// The processors that UEFI would find a program for.
    pub machines: Vec<Machine>,
    /// Why the service would refuse it, by its rules as they are without configuration.
    pub refusal: Option<ImageError>,
}

/// What the image holds.
#[derive(Debug)]
pub enum Contents {
    Disk(Disk),
    /// One filesystem without a partition table: a partition image.
    Volume(Content),
    /// ISO 9660 or UDF.
    Disc {
        label: Option<String>,
    },
    Kernel(Kernel),
    /// An archive that a kernel unpacks.
    Initramfs,
    /// An EFI program that is no kernel.
    Program(Machine),
    /// Nothing that is known, or nothing that can be looked into.
    Unknown,
}

/// A disk with a partition table.
#[derive(Debug)]
pub struct Disk {
    pub table: TableKind,
    /// What is wrong with the table.
    pub damage: Option<String>,
    pub partitions: Vec<Partition>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableKind {
    Gpt,
    Msdos,
}

impl TableKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Gpt => "gpt",
            Self::Msdos => "msdos",
        }
    }
}

#[derive(Debug)]
pub struct Partition {
    pub entry: PartitionEntry,
    pub content: Option<Content>,
}

impl Partition {
    /// What the partition is said to be for, in a word or two.
    pub fn purpose(&self) -> String {
        match self.entry.kind {
            PartitionType::Gpt(kind::EFI_SYSTEM) | PartitionType::Msdos(0xef) => "EFI system",
            PartitionType::Gpt(kind::BIOS_BOOT) => "BIOS boot",
            PartitionType::Gpt(kind::PREP_BOOT) | PartitionType::Msdos(0x41) => "PReP boot",
            PartitionType::Gpt(kind::LINUX_SWAP) | PartitionType::Msdos(0x82) => "Linux swap",
            PartitionType::Gpt(kind::LINUX_RAID) | PartitionType::Msdos(0xfd) => "Linux RAID",
            PartitionType::Gpt(kind::LINUX) | PartitionType::Msdos(0x83) => "Linux",
            PartitionType::Gpt(kind::BASIC_DATA) => "basic data",
            PartitionType::Msdos(0x05 | 0x0f | 0x85) => "extended",
            PartitionType::Gpt(other) => return other.to_string(),
            PartitionType::Msdos(other) => return format!("{other:#04x}"),
        }
        .to_owned()
    }
}

/// Whether a firmware would start something from the image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// By what.
    Boots(String),
    /// Why not.
    Fails(String),
    /// Why it cannot be told.
    Unknown(String),
}

impl Verdict {
    fn fails(why: impl Into<String>) -> Self {
        Self::Fails(why.into())
    }
}

/// Looks at an image. Blocks. An error means that the file could not be read.
pub fn survey(source: &dyn Source) -> Result<Survey, ImageError> {
    let prefix = source.read_at(0, detect::PREFIX)?;
    let refusal = refusal(source, &prefix).err();
    let mut found = match Packing::of(&prefix) {
        Some(packing) => packed(source, packing)?,
        None => plain(source, &prefix, None)?,
    };
    found.file_size = source.stat().size;
    found.refusal = refusal;
    Ok(found)
}

/// What the service says to it.
fn refusal(source: &dyn Source, prefix: &[u8]) -> Result<(), ImageError> {
    let options = convert::Options::default();
    let unsupported = |what: String| ImageError::Unsupported {
        image: source.shown().to_owned(),
        what,
    };
    let writable = |format: Format| format.is_raw() || format == Format::Iso;
    if let Some(packing) = Packing::of(prefix) {
        let inside = start_of(source, packing)?;
        let found = options.rules.check(&inside, &[], None, source.shown())?;
        let what = format!("{} within {}", found.format, packing.as_str());
        return writable(found.format)
            .then_some(())
            .ok_or_else(|| unsupported(what));
    }
    let tail = convert::tail(source, prefix)?;
    let found = options.rules.check(prefix, &tail, None, source.shown())?;
    match found.format {
        Format::Qcow2 => convert::qcow2::check(source, options.table_memory),
        format if writable(format) => Ok(()),
        other => Err(unsupported(format!("the format {other}"))),
    }
}

/// The first bytes of what is inside a compressed file.
fn start_of(source: &dyn Source, packing: Packing) -> Result<Vec<u8>, ImageError> {
    let unpacked = unpack::unpacked(packing, source.stream()?);
    let reader = unpacked.ok_or_else(|| ImageError::Unsupported {
        image: source.shown().to_owned(),
        what: format!("packing by {}", packing.as_str()),
    })?;
    let mut start = Vec::new();
    reader
        .take(detect::PREFIX as u64)
        .read_to_end(&mut start)
        .map_err(|error| ImageError::from_unpack(error, source.shown()))?;
    Ok(start)
}

/// Of a compressed file only the start is looked at; what is further in stays unknown.
fn packed(source: &dyn Source, packing: Packing) -> Result<Survey, ImageError> {
    let Ok(start) = start_of(source, packing) else {
        return Ok(Survey::of(Contents::Unknown, Format::Raw, Some(packing)));
    };
    let is_whole = start.len() < detect::PREFIX;
    let mut found = plain(&MemorySource::new(start.clone()), &start, Some(packing))?;
    if !is_whole {
        found.virtual_size = detect::inspect(&start, &[])
            .ok()
            .and_then(|found| found.virtual_size);
        let unknown = || Verdict::Unknown("unpack the file to find out".to_owned());
        if matches!(found.contents, Contents::Disk(_) | Contents::Disc { .. }) {
            (found.bios, found.uefi) = (unknown(), unknown());
        }
    }
    Ok(found)
}

fn plain(
    source: &dyn Source,
    prefix: &[u8],
    packing: Option<Packing>,
) -> Result<Survey, ImageError> {
    // Kernels have the mark of a boot sector, so they come before disks.
    if let Some(kernel) = Kernel::of(prefix) {
        return Ok(Survey::of(Contents::Kernel(kernel), Format::Raw, packing));
    }
    if prefix.starts_with(b"070701") {
        return Ok(Survey::of(Contents::Initramfs, Format::Raw, packing));
    }
    if let Some(machine) = Machine::of_efi_program(prefix) {
        return Ok(Survey::of(Contents::Program(machine), Format::Raw, packing));
    }
    let matches = detect::matches(prefix);
    let format = match matches[..] {
        [Format::Gpt, Format::Iso] => Format::Iso,
        [first, ..] => first,
        [] => Format::Raw,
    };
    let mut found = Survey::of(Contents::Unknown, format, packing);
    let guest = match format {
        Format::Raw | Format::Gpt | Format::Iso => Guest::raw(source),
        Format::Qcow2 => Guest::qcow2(source),
        _ => None,
    };
    let Some(mut guest) = guest else {
        let why = format!("images of the format {format} are not looked into");
        (found.bios, found.uefi) = (Verdict::Unknown(why.clone()), Verdict::Unknown(why));
        found.virtual_size = detect::inspect(prefix, &[])
            .ok()
            .and_then(|found| found.virtual_size);
        return Ok(found);
    };
    found.virtual_size = Some(guest.size());
    if format == Format::Iso {
        let (label, bios, uefi, machines) = disc::look(&mut guest);
        (found.contents, found.bios, found.uefi) = (Contents::Disc { label }, bios, uefi);
        found.machines = machines;
        return Ok(found);
    }
    look_at_disk(&mut guest, &mut found);
    Ok(found)
}

fn look_at_disk(guest: &mut Guest<'_>, found: &mut Survey) {
    let size = guest.size();
    let boot_sector = guest.read(0, 512).unwrap_or_default();
    let content = probe::probe(size, &mut |offset, length| guest.read(offset, length));
    let mbr = Mbr::decode(&boot_sector).ok();
    // A filesystem's boot sector has the mark of a table too.
    let mbr = mbr.filter(|mbr| {
        content.is_none() && (mbr.protects_gpt() || mbr.partitions.iter().any(Option::is_some))
    });
    let Some(mbr) = mbr else {
        if let Some(content) = content {
            let why = "it is a filesystem without a partition table: the service makes the \
                       partitions, and the boot loader comes from within it";
            (found.bios, found.uefi) = (Verdict::fails(why), Verdict::fails(why));
            if content.kind == "vfat" {
                (found.uefi, found.machines) = uefi::volume(guest, 0, size);
            }
            found.contents = Contents::Volume(content);
        }
        return;
    };
    let mut damage = None;
    let (table, entries) = if mbr.protects_gpt() {
        let read = table::gpt(size, 512, &mut |offset, length| guest.read(offset, length));
        let entries = match read {
            Ok(gpt) => table::gpt_entries(&gpt),
            Err(error) => {
                damage = Some(error.to_string());
                Vec::new()
            }
        };
        (TableKind::Gpt, entries)
    } else {
        let mut read = |offset, length| guest.read(offset, length);
        let entries = table::mbr_entries(&mbr, 512, &mut read);
        (TableKind::Msdos, entries)
    };
    let partitions = entries.into_iter().map(|entry| Partition {
        content: guest.part(entry.offset, entry.length, |size, read| {
            probe::probe(size, read)
        }),
        entry,
    });
    let disk = Disk {
        table,
        damage,
        partitions: partitions.collect(),
    };
    found.bios = bios::verdict(guest, &mbr, &disk);
    (found.uefi, found.machines) = uefi::verdict(guest, &disk);
    found.contents = Contents::Disk(disk);
}

impl Survey {
    fn of(contents: Contents, format: Format, packing: Option<Packing>) -> Self {
        let why = match &contents {
            Contents::Kernel(_) => "it is a kernel, which a boot loader starts",
            Contents::Initramfs => "it is a ramdisk, which a kernel needs",
            Contents::Program(_) => "it is an EFI program, not a disk",
            _ => "nothing that boots was found",
        };
        Self {
            file_size: None,
            packing,
            format,
            virtual_size: None,
            contents,
            bios: Verdict::fails(why),
            uefi: Verdict::fails(why),
            machines: Vec::new(),
            refusal: None,
        }
    }

    /// Whether the image is one of a disk, a partition or a disc, so that it can be deployed at all.
    pub fn is_deployable(&self) -> bool {
        !matches!(
            self.contents,
            Contents::Kernel(_) | Contents::Initramfs | Contents::Program(_)
        )
    }
}

#[cfg(test)]
mod tests;
