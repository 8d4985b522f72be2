//! Images of one partition: the disk is divided, and the image becomes the root.

use super::{Job, Written, info::Partitions};
use crate::{
    AgentError,
    disk::{
        deployment, format,
        medium::{Disk, Medium, Window},
        nodes, probe, random_id, sys,
        table::{PartitionEntry, Table},
        unfinished::Unfinished,
    },
};
use image::layout::{Planned, Request, Role, plan, table};
use std::{collections::BTreeMap, io, path::Path};

/// Boot partitions without a filesystem are cleared as a whole, others at their start.
const SIGNATURES: u64 = 1 << 20;

pub(super) async fn write(
    job: &Job<'_>,
    wanted: &Partitions,
    drive: Option<Vec<u8>>,
) -> Result<Written, AgentError> {
    let disk = job.open()?;
    let drive = job.suited(drive, disk.sector_size())?;
    let request = Request {
        firmware: wanted.firmware,
        label: wanted.label,
        root_mib: wanted.root_mib,
        swap_mib: wanted.swap_mib,
        ephemeral_mib: wanted.ephemeral_mib,
        config_drive_bytes: drive.as_ref().map(|drive| drive.len() as u64),
    };
    let planned =
        plan(&request, disk.size()).map_err(|error| job.write_error(&error.to_string()))?;
    let root = find(&planned, Role::Root)
        .ok_or_else(|| deployment("no root partition in the partition plan"))?;
    let (source, options) = job.source().await?;
    let keep = wanted.preserve_ephemeral;
    let mut disk = if keep {
        same_layout(&disk, &planned)?;
        Unfinished::with_table(disk, root.offset)
    } else {
        Unfinished::new(disk)
    }
    .map_err(|error| job.io_error(&error))?;
    if !keep {
        let placed = table(
            &planned,
            wanted.label,
            disk.sector_size(),
            disk.size(),
            random_id,
        );
        let placed = placed.map_err(|error| job.write_error(&error.to_string()))?;
        let sector = u64::from(disk.sector_size());
        // The image has the last word on whether anything is written at all, so the table, which is
        // held back anyway, follows it.
        disk = job
            .stream(source, options, disk, (root.offset, root.length))
            .await?;
        for part in placed {
            disk.write_at(part.sector * sector, &part.bytes)
                .map_err(|error| job.io_error(&error))?;
        }
    } else {
        disk = job
            .stream(source, options, disk, (root.offset, root.length))
            .await?;
    }
    job.progress.phase("making filesystems");
    let parts = planned.clone();
    let filled = tokio::task::spawn_blocking(move || -> io::Result<Disk> {
        for part in &parts {
            fill(&mut disk, part, drive.as_deref(), keep)?;
        }
        disk.commit()
    });
    let mut disk = filled
        .await
        .map_err(|error| {
            job.write_error(&format!("internal error: the write task panicked: {error}"))
        })?
        .map_err(|error| job.io_error(&error))?;
    nodes::reread(&disk).await?;
    let written = describe(job, &mut disk, &planned)?;
    // Programs want the disk for themselves.
    drop(disk);
    if let Some(part) = find(&planned, Role::Ephemeral).filter(|_| !keep)
        && let Err(error) = ephemeral(job.device, &wanted.ephemeral_format, part).await
    {
        unmark(job)?;
        return Err(error);
    }
    Ok(written)
}

fn find(planned: &[Planned], role: Role) -> Option<Planned> {
    planned.iter().copied().find(|part| part.role == role)
}

/// What a partition holds besides the image.
fn fill(disk: &mut dyn Medium, part: &Planned, drive: Option<&[u8]>, keep: bool) -> io::Result<()> {
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

/// A disk that keeps its ephemeral partition must be divided as it is to be.
fn same_layout(disk: &Disk, planned: &[Planned]) -> Result<(), AgentError> {
    let differs = |what: String| {
        deployment(format!(
            "The ephemeral partition cannot be preserved: {what}"
        ))
    };
    let found = Table::read(disk)
        .map_err(|error| differs(error.to_string()))?
        .ok_or_else(|| differs("the disk has no partition table".to_owned()))?;
    let places = |entry: &PartitionEntry| (entry.number, entry.offset, entry.length);
    let there: Vec<_> = found.entries(disk).iter().map(places).collect();
    let wanted: Vec<_> = planned
        .iter()
        .map(|part| (part.number, part.offset, part.length))
        .collect();
    if there == wanted {
        Ok(())
    } else {
        Err(differs("the disk has different partitions".to_owned()))
    }
}

/// What the partitions are called now.
fn describe(job: &Job<'_>, disk: &mut Disk, planned: &[Planned]) -> Result<Written, AgentError> {
    let table = Table::read(disk).ok().flatten();
    let entries = table.map_or_else(Vec::new, |table| table.entries(disk));
    let mut uuid = |role: Role| -> Option<String> {
        let part = find(planned, role)?;
        let window = Window::new(disk, part.offset, part.length).ok()?;
        let own = probe::probe(&window).and_then(|content| content.uuid);
        let entry = entries.iter().find(|entry| entry.number == part.number);
        own.or_else(|| entry.map(|entry| entry.id.clone()))
    };
    let root_uuid = uuid(Role::Root);
    if root_uuid.is_none() {
        return Err(deployment("the root partition has no UUID"));
    }
    let name = |role: Role| match role {
        Role::EfiSystem => "efi system partition",
        Role::BiosBoot => "BIOS Boot partition",
        Role::PrepBoot => "PReP Boot partition",
        Role::Ephemeral => "ephemeral",
        Role::Swap => "swap",
        Role::ConfigDrive => "configdrive",
        Role::Root => "root",
    };
    let node = |part: &Planned| {
        let node = nodes::path(job.device, part.number);
        (name(part.role), node.to_string_lossy().into_owned())
    };
    Ok(Written {
        image_id: job.info.id.clone(),
        hash: job.info.hash_text(),
        device: job.device.to_owned(),
        root_uuid,
        efi_uuid: uuid(Role::EfiSystem),
        prep_uuid: uuid(Role::PrepBoot),
        partitions: planned.iter().map(node).collect::<BTreeMap<_, _>>(),
        is_uefi: job.info.is_uefi,
        is_partition_image: true,
        has_prep: find(planned, Role::PrepBoot).is_some(),
    })
}

async fn ephemeral(device: &Path, kind: &str, part: Planned) -> Result<(), AgentError> {
    let is_file = std::fs::File::open(device).is_ok_and(|file| !sys::is_device(&file));
    if is_file {
        // A file has no nodes for its partitions; the program knows of offsets.
        let offset = format!("offset={}", part.offset);
        let (name, blocks) = (device.to_string_lossy(), (part.length >> 10).to_string());
        let args = [
            "-q",
            "-F",
            "-L",
            "ephemeral0",
            "-E",
            &offset,
            &name,
            &blocks,
        ];
        let program = format!("mkfs.{kind}");
        return crate::exec::run(&program, &args, crate::exec::USUAL)
            .await
            .map(|_| ());
    }
    let node = nodes::wait(device, part.number).await?;
    format::by_program(kind, &node, "ephemeral0").await
}

/// Takes the table away again from a disk that turned out not to be done.
fn unmark(job: &Job<'_>) -> Result<(), AgentError> {
    let disk = job.open()?;
    let mut disk = Unfinished::new(disk).map_err(|error| job.io_error(&error))?;
    disk.begin().map_err(|error| job.io_error(&error))
}
