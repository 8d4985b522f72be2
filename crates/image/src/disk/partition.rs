//! A disk that is divided for a partition image: what its partitions hold besides the image, and
//! how they are known afterwards.

use super::{
    format,
    medium::{Medium, Window},
    probe, random_id,
    table::{PartitionEntry, Table, TableError},
};
use crate::layout::{self, Label, LayoutError, Planned, Role};
use std::io;

/// Boot partitions without a filesystem are cleared as a whole, others at their start.
const SIGNATURES: u64 = 1 << 20;

/// The partition of a role, if there is one.
pub fn find(planned: &[Planned], role: Role) -> Option<Planned> {
    planned.iter().copied().find(|part| part.role == role)
}

/// Why a disk is not divided as it would have to be.
#[derive(Debug, thiserror::Error)]
pub enum OtherLayout {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("the disk has no partition table")]
    None,
    #[error("the disk has different partitions")]
    Different,
}

/// Whether a disk is divided so already. One that keeps a partition must be.
pub fn is_laid_out(disk: &dyn Medium, planned: &[Planned]) -> Result<(), OtherLayout> {
    let found = Table::read(disk)?.ok_or(OtherLayout::None)?;
    let places = |entry: &PartitionEntry| (entry.number, entry.offset, entry.length);
    let there: Vec<_> = found.entries(disk).iter().map(places).collect();
    let wanted: Vec<_> = planned
        .iter()
        .map(|part| (part.number, part.offset, part.length))
        .collect();
    match there == wanted {
        true => Ok(()),
        false => Err(OtherLayout::Different),
    }
}

/// Writes the table with ids of its own.
pub fn divide(disk: &mut dyn Medium, planned: &[Planned], label: Label) -> Result<(), DivideError> {
    let sector = u64::from(disk.sector_size());
    for part in layout::table(planned, label, disk.sector_size(), disk.size(), random_id)? {
        disk.write_at(part.sector * sector, &part.bytes)?;
    }
    Ok(())
}

/// Why a disk cannot be divided.
#[derive(Debug, thiserror::Error)]
pub enum DivideError {
    #[error(transparent)]
    Layout(#[from] LayoutError),
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// What a partition holds besides the image. An ephemeral one that is not kept is cleared: its
/// filesystem is made by whoever can.
pub fn fill(
    disk: &mut dyn Medium,
    part: &Planned,
    drive: Option<&[u8]>,
    keep: bool,
) -> io::Result<()> {
    let mut window = Window::new(disk, part.offset, part.length)?;
    match part.role {
        Role::EfiSystem => format::vfat(&mut window, "efi-part"),
        Role::Swap => format::swap(&mut window, "swap1"),
        Role::BiosBoot | Role::PrepBoot => Medium::zero(&mut window, 0, part.length),
        Role::Ephemeral if keep => Ok(()),
        Role::Ephemeral => Medium::zero(&mut window, 0, part.length.min(SIGNATURES)),
        Role::ConfigDrive => {
            let drive = drive.unwrap_or_default();
            Medium::write_at(&mut window, 0, drive)?;
            let length = drive.len() as u64;
            Medium::zero(&mut window, length, part.length - length)
        }
        Role::Root => Ok(()),
    }
}

/// How the partitions are known: by their filesystems, or else by the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Identifiers {
    pub root: Option<String>,
    pub efi: Option<String>,
    pub prep: Option<String>,
}

impl Identifiers {
    /// Reads them from the disk.
    pub fn read(disk: &mut dyn Medium, planned: &[Planned]) -> Self {
        let table = Table::read(disk).ok().flatten();
        let entries = table.map_or_else(Vec::new, |table| table.entries(disk));
        let mut id = |role: Role| -> Option<String> {
            let part = find(planned, role)?;
            let window = Window::new(disk, part.offset, part.length).ok()?;
            let own = probe::probe(&window).and_then(|content| content.uuid);
            let entry = entries.iter().find(|entry| entry.number == part.number);
            own.or_else(|| entry.map(|entry| entry.id.clone()))
        };
        Self {
            root: id(Role::Root),
            efi: id(Role::EfiSystem),
            prep: id(Role::PrepBoot),
        }
    }
}
