//! Images of whole disks.

use super::{Job, Written};
use crate::{
    AgentError,
    disk::{
        configdrive, deployment, disk_identifier, medium::Medium, nodes, unfinished::Unfinished,
    },
};
use image::disk::whole::{self, Unbootable};
use std::{collections::BTreeMap, path::Path};

pub(super) async fn write(job: &Job<'_>, drive: Option<Vec<u8>>) -> Result<Written, AgentError> {
    let (source, options) = job.source().await?;
    let disk = Unfinished::new(job.open()?).map_err(|error| job.io_error(&error))?;
    let drive = job.suited(drive, disk.sector_size())?;
    let all = (0, disk.size());
    let mut disk = job.stream(source, options, disk, all).await?;
    job.progress.phase("partition table");
    let device = job.device.to_owned();
    let root_uuid = disk_identifier(&disk);
    // Putting a config drive in its place writes up to 64 MiB.
    let finished = tokio::task::spawn_blocking(move || {
        complete(&mut disk, &device)?;
        if let Some(drive) = drive {
            configdrive::place(&mut disk, &device, &drive)?;
        }
        disk.commit()
            .map_err(|error| crate::disk::failed(&device, "write", &error))
    });
    let disk = finished.await.map_err(|error| {
        job.write_error(&format!("internal error: the write task panicked: {error}"))
    })??;
    nodes::reread(&disk).await?;
    Ok(Written {
        image_id: job.info.id.clone(),
        hash: job.info.hash_text(),
        device: job.device.to_owned(),
        root_uuid,
        efi_uuid: None,
        prep_uuid: None,
        partitions: BTreeMap::new(),
        is_uefi: job.info.is_uefi,
        is_partition_image: false,
        has_prep: false,
    })
}

/// Checks that there are partitions, and stretches their table to the disk.
fn complete(disk: &mut dyn Medium, device: &Path) -> Result<(), AgentError> {
    whole::complete(disk).map_err(|error| match error {
        Unbootable::Table(_) => deployment(error.to_string()),
        Unbootable::Empty => deployment(format!(
            "No partitions found on the device {} after writing the image.",
            device.display()
        )),
    })
}
