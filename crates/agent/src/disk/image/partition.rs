//! Images of one partition: the disk is divided, and the image becomes the root.

use super::{Job, Written, info::Partitions};
use crate::{
    AgentError,
    disk::{
        deployment, format,
        medium::{Disk, Medium},
        nodes, sys,
        unfinished::Unfinished,
    },
};
use image::{
    disk::partition::{Identifiers, divide, fill, find, is_laid_out},
    layout::{EFI_MIB, Planned, Request, Role, plan},
};
use std::{collections::BTreeMap, io, path::Path};

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
        efi_mib: EFI_MIB,
        boots_locally: true,
        config_drive_bytes: drive.as_ref().map(|drive| drive.len() as u64),
    };
    let planned =
        plan(&request, disk.size()).map_err(|error| job.write_error(&error.to_string()))?;
    let root = find(&planned, Role::Root)
        .ok_or_else(|| deployment("no root partition in the partition plan"))?;
    let (source, options) = job.source().await?;
    let keep = wanted.preserve_ephemeral;
    let mut disk = if keep {
        is_laid_out(&disk, &planned).map_err(|error| {
            deployment(format!(
                "The ephemeral partition cannot be preserved: {error}"
            ))
        })?;
        Unfinished::with_table(disk, root.offset)
    } else {
        Unfinished::new(disk)
    }
    .map_err(|error| job.io_error(&error))?;
    // The image has the last word on whether anything is written at all, so the table, which is held
    // back anyway, follows it.
    disk = job
        .stream(source, options, disk, (root.offset, root.length))
        .await?;
    if !keep {
        divide(&mut disk, &planned, wanted.label)
            .map_err(|error| job.write_error(&error.to_string()))?;
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

/// What the partitions are called now.
fn describe(job: &Job<'_>, disk: &mut Disk, planned: &[Planned]) -> Result<Written, AgentError> {
    let ids = Identifiers::read(disk, planned);
    if ids.root.is_none() {
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
        root_uuid: ids.root,
        efi_uuid: ids.efi,
        prep_uuid: ids.prep,
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
