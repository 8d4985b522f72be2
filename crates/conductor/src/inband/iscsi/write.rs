//! What is written to a disk, whatever kind of disk it is. Blocks.
//!
//! The table, and with it everything that makes the disk look finished, is written last
//! ([`Unfinished`]); what matters is read back before the disk is called done.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "only called from threads that may wait"
)]

use super::{
    ephemeral::EphemeralAction,
    fenced::Fenced,
    plan::{Partitions, Plan},
};
use image::{
    ImageError,
    convert::{self, Options, Watch},
    disk::{
        config_drive::{self, DriveError},
        format, identifier,
        medium::{Medium, Window},
        partition::{self, DivideError, Identifiers, OtherLayout},
        sparse,
        table::{Table, TableError},
        unfinished::Unfinished,
        whole::{self, Unbootable},
    },
    layout::{self, LayoutError, Planned, Role},
    source::Source,
};
use serde_json::json;
use std::{fs::File, io, path::Path};
use types::JsonMap;

/// Why a disk is not what it should be.
#[derive(Debug, thiserror::Error)]
pub(super) enum WriteError {
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error("Disk partitioning failed: {0}")]
    Layout(#[from] LayoutError),
    #[error("Disk partitioning failed: {0}")]
    Divide(#[from] DivideError),
    #[error("The ephemeral partition cannot be preserved: {0}")]
    Preserve(#[source] OtherLayout),
    #[error("Failed to create config drive on the disk: {0}")]
    Drive(#[from] DriveError),
    #[error(transparent)]
    Unbootable(#[from] Unbootable),
    #[error("the disk does not have what was written to it: {0}")]
    ReadBack(String),
    #[error("the disk cannot be read or written")]
    Io(#[from] io::Error),
}

/// How a written disk is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Written {
    Whole { disk: Option<String> },
    Partitions(Identifiers),
}

impl Written {
    /// The id of the root's filesystem, or of the disk.
    pub(super) fn identifier(&self) -> Option<&str> {
        match self {
            Self::Whole { disk } => disk.as_deref(),
            Self::Partitions(ids) => ids.root.as_deref(),
        }
    }

    /// In the words of Ironic.
    pub(super) fn to_map(&self) -> JsonMap {
        let map = match self {
            Self::Whole { disk } => json!({"disk identifier": disk}),
            Self::Partitions(ids) => json!({
                "root uuid": ids.root,
                "efi system partition uuid": ids.efi,
                "PReP Boot partition uuid": ids.prep,
            }),
        };
        map.as_object().cloned().unwrap_or_default()
    }
}

/// Brings an image to a disk, with what the plan puts beside it. `ephemeral` is the file with the
/// filesystem of the ephemeral partition. Nothing is written once `may_write` says no.
pub(super) fn run<M: Medium>(
    disk: M,
    may_write: &(dyn Fn() -> bool + Sync),
    image: &dyn Source,
    options: &Options,
    plan: Plan,
    ephemeral: Option<&Path>,
    watch: Watch<'_>,
) -> Result<Written, WriteError> {
    let disk = Fenced::new(disk, may_write);
    let sector = disk.sector_size();
    let suited = |drive| config_drive::suited(drive, sector, false);
    let drive = plan.drive.map(suited).transpose()?;
    match plan.partitions {
        None => all(disk, image, options, drive, watch),
        Some(parts) => divided(disk, image, options, drive, &parts, ephemeral, watch),
    }
}

fn all<M: Medium>(
    disk: M,
    image: &dyn Source,
    options: &Options,
    drive: Option<Vec<u8>>,
    watch: Watch<'_>,
) -> Result<Written, WriteError> {
    let mut disk = Unfinished::new(disk)?;
    let size = disk.size();
    let mut window = Window::new(&mut disk, 0, size)?;
    convert::write(image, &mut window, options, watch)?;
    let id = identifier(&disk);
    whole::complete(&mut disk)?;
    if let Some(drive) = drive {
        config_drive::place(&mut disk, &drive)?;
    }
    let entries = |disk: &dyn Medium| -> Result<_, TableError> {
        Ok(Table::read(disk)?.map(|table| table.entries(disk)))
    };
    let expected = entries(&disk).map_err(Unbootable::Table)?;
    let disk = disk.commit()?;
    let found = entries(&disk).map_err(Unbootable::Table)?;
    if found != expected || identifier(&disk) != id {
        return Err(WriteError::ReadBack("another partition table".to_owned()));
    }
    Ok(Written::Whole { disk: id })
}

fn divided<M: Medium>(
    disk: M,
    image: &dyn Source,
    options: &Options,
    drive: Option<Vec<u8>>,
    parts: &Partitions,
    ephemeral: Option<&Path>,
    watch: Watch<'_>,
) -> Result<Written, WriteError> {
    let request = layout::Request {
        config_drive_bytes: drive.as_ref().map(|drive| drive.len() as u64),
        ..parts.request
    };
    let planned = layout::plan(&request, disk.size())?;
    let root = partition::find(&planned, Role::Root)
        .ok_or_else(|| WriteError::ReadBack("no root partition".to_owned()))?;
    let mut disk = if parts.keep {
        partition::is_laid_out(&disk, &planned).map_err(WriteError::Preserve)?;
        Unfinished::with_table(disk, root.offset)?
    } else {
        Unfinished::new(disk)?
    };
    // The image has the last word on whether anything is written at all.
    let mut window = Window::new(&mut disk, root.offset, root.length)?;
    convert::write(image, &mut window, options, watch)?;
    if !parts.keep {
        partition::divide(&mut disk, &planned, request.label)?;
    }
    for part in &planned {
        partition::fill(&mut disk, part, drive.as_deref(), parts.keep)?;
    }
    if let Some(part) = partition::find(&planned, Role::Ephemeral) {
        fill_ephemeral(&mut disk, &part, parts.ephemeral, ephemeral)?;
    }
    let mut disk = disk.commit()?;
    partition::is_laid_out(&disk, &planned)
        .map_err(|error| WriteError::ReadBack(error.to_string()))?;
    Ok(Written::Partitions(Identifiers::read(&mut disk, &planned)))
}

fn fill_ephemeral(
    disk: &mut dyn Medium,
    part: &Planned,
    kind: EphemeralAction,
    file: Option<&Path>,
) -> io::Result<()> {
    let mut window = Window::new(disk, part.offset, part.length)?;
    match (kind, file) {
        (EphemeralAction::None | EphemeralAction::Kept, _) => Ok(()),
        (EphemeralAction::Fat, _) => format::vfat(&mut window, "ephemeral0"),
        (EphemeralAction::ByProgram(program), Some(file)) => {
            if program.wants_zeros {
                Medium::zero(&mut window, 0, part.length)?;
            }
            sparse::copy(&File::open(file)?, &mut window)
        }
        (EphemeralAction::ByProgram(_), None) => Err(io::ErrorKind::NotFound.into()),
    }
}

#[cfg(test)]
mod tests;
