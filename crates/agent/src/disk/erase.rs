//! Erasing disks: everything on them, or what makes them look used.
//!
//! What is erased is decided in [`targets`]: neither disks that the node wants left alone, nor
//! virtual media, nor members of arrays, nor filesystems that several machines share. Each function
//! returns which disks were erased how, for the certificate that the service makes of it.

mod ata;
mod discard;
mod nvme;
mod overwrite;
mod samples;
mod targets;

pub(super) use targets::{disks, node_of};

use super::{
    medium::{Disk, Medium, Window},
    nodes,
    table::Table,
};
use crate::{AgentError, block::BlockDevice, config::Config, progress::Progress, safety::Permit};
use samples::{Expectation, Samples};
use serde::Deserialize;
use serde_json::Value;
use std::{fs, io, path::Path, sync::Arc};
use targets::Targets;
use tokio::{sync::Semaphore, task::JoinSet};
use types::{
    InternalInfo, Timestamp,
    erasure::{DiskOutcome, ErasedDisk, Erasure, ErasureMethod, ErasureReport, Sampling},
};

/// At the start VMware's signatures lie furthest in; at the end a MiB holds all.
const HEAD: u64 = 4 << 20;
const TAIL: u64 = 1 << 20;

/// What the node says about erasing, in `driver_internal_info`.
#[derive(Debug, Clone, Copy)]
struct Options {
    skip_read_only: bool,
    nvme: bool,
    ata: bool,
    discard: bool,
    go_on: bool,
    passes: u64,
    zeroize: bool,
    at_once: usize,
}

impl Options {
    fn of(node: &Value, config: &Config) -> Self {
        let asked = internal_info(node).erasure();
        Self {
            skip_read_only: asked.skip_read_only.unwrap_or(false),
            nvme: asked.nvme_secure_erase.unwrap_or(true),
            ata: asked.ata_secure_erase.unwrap_or(true),
            discard: asked.discard.unwrap_or(config.enable_discard_erase),
            go_on: asked.continue_if_secure_erase_failed.unwrap_or(false),
            passes: asked.iterations.unwrap_or(1),
            zeroize: asked.zeroize.unwrap_or(true),
            at_once: asked
                .concurrency
                .and_then(|count| usize::try_from(count).ok())
                .unwrap_or(1)
                .max(1),
        }
    }
}

/// What the service remembers of the node; nothing when the node does not tell.
fn internal_info(node: &Value) -> InternalInfo {
    let told = node.get("driver_internal_info");
    let told = told.map(InternalInfo::deserialize);
    told.and_then(Result::ok).unwrap_or_default()
}

/// Erases everything on all disks, several at once if the node says so.
pub async fn devices(
    permit: &Permit,
    node: &Value,
    config: &Config,
    progress: &Progress,
) -> Result<ErasureReport, AgentError> {
    let options = Options::of(node, config);
    let Targets { chosen, left_alone } = targets::wanted(node, config)?;
    for device in &chosen {
        targets::guard(device, node, config)?;
    }
    let turns = Arc::new(Semaphore::new(options.at_once));
    let mut work = JoinSet::new();
    for device in chosen {
        let (turns, permit, progress) = (Arc::clone(&turns), permit.clone(), progress.clone());
        let path = node_of(config, &device.name);
        work.spawn(async move {
            let _turn = turns.acquire_owned().await;
            progress.phase(&format!("erasing {}", device.name));
            let outcome = erase(&permit, &device, &path, options, &progress).await?;
            Ok(told(&device, outcome))
        });
    }
    let mut disks = Vec::new();
    let mut failure = None;
    while let Some(done) = work.join_next().await {
        let done = done.unwrap_or_else(|error| {
            Err(failed(format!(
                "internal error: the erase task panicked: {error}"
            )))
        });
        match done {
            Ok(disk) => disks.push(disk),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    match failure {
        None => Ok(report(disks, &left_alone)),
        Some(error) => Err(error),
    }
}

/// All disks by name: those that were worked on, and those that were left alone.
fn report(mut disks: Vec<ErasedDisk>, left_alone: &[(BlockDevice, &str)]) -> ErasureReport {
    let skipped = left_alone
        .iter()
        .map(|(device, reason)| told(device, skipped(reason)));
    disks.extend(skipped);
    disks.sort_by(|one, other| one.name.cmp(&other.name));
    ErasureReport { disks }
}

fn told(device: &BlockDevice, outcome: DiskOutcome) -> ErasedDisk {
    ErasedDisk {
        name: device.name.clone(),
        vendor: device.vendor.clone(),
        model: device.model.clone(),
        serial: device.serial.clone(),
        wwn: device.wwn_with_extension.clone().or(device.wwn.clone()),
        size: device.size,
        outcome,
    }
}

fn skipped(reason: &str) -> DiskOutcome {
    DiskOutcome::Skipped {
        reason: reason.to_owned(),
    }
}

/// A disk that was just erased.
fn erased(
    method: ErasureMethod,
    started_at: Timestamp,
    verification: Option<Sampling>,
) -> DiskOutcome {
    DiskOutcome::Erased(Erasure {
        method,
        random_passes: None,
        zero_passes: None,
        started_at: started_at.to_string(),
        finished_at: Timestamp::now().to_string(),
        verification,
    })
}

/// One disk, by the strongest way it has.
async fn erase(
    permit: &Permit,
    device: &BlockDevice,
    path: &Path,
    options: Options,
    progress: &Progress,
) -> Result<DiskOutcome, AgentError> {
    let name = &device.name;
    if let Some(reason) = targets::special(device, path) {
        tracing::info!(device = name, reason, "erase skipped");
        return Ok(skipped(reason));
    }
    if device.read_only {
        if options.skip_read_only {
            tracing::info!(device = name, "erase skipped: device is read-only");
            return Ok(skipped(targets::READ_ONLY));
        }
        return Err(failed(format!(
            "Failed to invoke erase of device {name} as the device is flagged read-only, and the \
             conductor has not signaled this is a permitted case."
        )));
    }
    let samples = Samples::take(path).await;
    let started_at = Timestamp::now();
    match secure(permit, device, path, options, &samples).await {
        Ok(Some((method, found))) => return Ok(erased(method, started_at, Some(found))),
        Ok(None) => {}
        Err(error) => {
            if options.discard
                && discard::erase(permit, device, path).await
                && let Ok(found) = samples.compare(Expectation::Otherwise).await
            {
                tracing::info!(device = name, %error, "secure erase failed: erased the device by discard instead");
                return Ok(erased(ErasureMethod::Discard, started_at, Some(found)));
            }
            if !options.go_on {
                return Err(AgentError::failed(
                    "IncompatibleHardwareMethodError",
                    "HardwareManager method is not compatible with hardware",
                    format!(
                        "Failed to invoke secure erase, fallback to shred is not enabled: {error}"
                    ),
                ));
            }
            tracing::warn!(device = name, %error, "secure erase failed: falling back to overwriting");
        }
    }
    overwrite(permit, path, options, &samples, progress).await
}

/// Has the disk erase itself, and looks whether it did; nothing if it has no way to.
async fn secure(
    permit: &Permit,
    device: &BlockDevice,
    path: &Path,
    options: Options,
    samples: &Samples,
) -> Result<Option<(ErasureMethod, Sampling)>, AgentError> {
    let method = match device.is_nvme() {
        true if options.nvme => Some(nvme::erase(permit, path).await?),
        false if options.ata => ata::erase(permit, path).await?,
        _ => None,
    };
    let Some(method) = method else {
        return Ok(None);
    };
    let found = samples.compare(Expectation::Otherwise).await?;
    Ok(Some((method, found)))
}

async fn overwrite(
    permit: &Permit,
    path: &Path,
    options: Options,
    samples: &Samples,
    progress: &Progress,
) -> Result<DiskOutcome, AgentError> {
    if options.passes == 0 && !options.zeroize {
        return Ok(skipped("the node asks for no pass"));
    }
    let started_at = Timestamp::now();
    overwrite::erase(permit, path, options.passes, options.zeroize, progress).await?;
    let expected = match options.zeroize {
        true => Expectation::Zeros,
        false => Expectation::Otherwise,
    };
    let found = samples.compare(expected).await?;
    let mut outcome = erased(ErasureMethod::Overwrite, started_at, Some(found));
    if let DiskOutcome::Erased(erasure) = &mut outcome {
        erasure.random_passes = Some(options.passes);
        erasure.zero_passes = Some(options.zeroize.into());
    }
    Ok(outcome)
}

/// Clears what makes disks and their partitions look used: tables and signatures.
pub async fn metadata(
    permit: &Permit,
    node: &Value,
    config: &Config,
    progress: &Progress,
) -> Result<ErasureReport, AgentError> {
    let Targets { chosen, left_alone } = targets::erasable(node, config)?;
    let (mut disks, mut failures) = (Vec::new(), Vec::new());
    for device in &chosen {
        targets::guard(device, node, config)?;
        progress.phase(&format!("erasing metadata of {}", device.name));
        let started_at = Timestamp::now();
        match wipe(permit, &node_of(config, &device.name)).await {
            Ok(()) => disks.push(told(
                device,
                erased(ErasureMethod::Metadata, started_at, None),
            )),
            Err(error) => failures.push(format!("\"{}\": {}", device.name, error.details)),
        }
    }
    if failures.is_empty() {
        return Ok(report(disks, &left_alone));
    }
    Err(failed(format!(
        "Failed to erase the metadata on the device(s): {}",
        failures.join("; ")
    )))
}

/// The quick way: NVMe disks are formatted, of others the metadata is cleared.
pub async fn express(
    permit: &Permit,
    node: &Value,
    config: &Config,
    progress: &Progress,
) -> Result<ErasureReport, AgentError> {
    let options = Options {
        ata: false,
        ..Options::of(node, config)
    };
    let Targets { chosen, left_alone } = targets::erasable(node, config)?;
    let (mut disks, mut failures) = (Vec::new(), Vec::new());
    for device in &chosen {
        targets::guard(device, node, config)?;
        let path = node_of(config, &device.name);
        progress.phase(&format!("erasing {}", device.name));
        let mut before = String::new();
        let samples = Samples::take(&path).await;
        let started_at = Timestamp::now();
        match secure(permit, device, &path, options, &samples).await {
            Ok(Some((method, found))) => {
                disks.push(told(device, erased(method, started_at, Some(found))));
                continue;
            }
            Ok(None) => {}
            Err(error) => before = format!("Secure erase failed: {error}. "),
        }
        match wipe(permit, &path).await {
            Ok(()) => disks.push(told(
                device,
                erased(ErasureMethod::Metadata, started_at, None),
            )),
            Err(error) => failures.push(format!("\"{}\": {before}{}", device.name, error.details)),
        }
    }
    if failures.is_empty() {
        return Ok(report(disks, &left_alone));
    }
    Err(failed(format!(
        "Failed to conduct an express erase on the device(s): {}",
        failures.join("\n")
    )))
}

/// Clears the metadata of one disk: first of its partitions, whose places the table tells.
pub(super) async fn wipe(_permit: &Permit, path: &Path) -> Result<(), AgentError> {
    let open = Disk::open(path).map_err(|error| super::failed(path, "open", &error))?;
    let cleared = tokio::task::spawn_blocking(move || {
        let mut disk = open;
        let cleared = wipe_medium(&mut disk);
        (disk, cleared)
    });
    let (disk, cleared) = cleared
        .await
        .map_err(|error| failed(format!("internal error: the erase task panicked: {error}")))?;
    cleared.map_err(|error| super::failed(path, "write", &error))?;
    nodes::reread(&disk).await
}

fn wipe_medium(disk: &mut dyn Medium) -> io::Result<()> {
    let table = Table::read(disk).ok().flatten();
    let entries = table.map_or_else(Vec::new, |table| table.entries(disk));
    for entry in entries.iter().rev() {
        if let Ok(mut window) = Window::new(disk, entry.offset, entry.length) {
            wipe_edges(&mut window)?;
        }
    }
    wipe_edges(disk)?;
    disk.sync()
}

pub(super) fn wipe_edges(medium: &mut dyn Medium) -> io::Result<()> {
    let size = medium.size();
    medium.zero(0, HEAD.min(size))?;
    let tail = TAIL.min(size);
    medium.zero(size - tail, tail)
}

/// Removes what kernels left behind when they crashed.
pub async fn pstore(_permit: &Permit, config: &Config) -> Result<(), AgentError> {
    let mounts = fs::read_to_string(config.root.join("proc/mounts")).unwrap_or_default();
    let place = mounts.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        let (_, place, kind) = (words.next()?, words.next()?, words.next()?);
        (kind == "pstore").then(|| config.root.join(place.trim_start_matches('/')))
    });
    let Some(place) = place else {
        return Ok(());
    };
    let failed = |error: io::Error| super::failed(&place, "clear", &error);
    for entry in fs::read_dir(&place).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder {
            fs::remove_dir_all(entry.path()).map_err(failed)?;
        } else {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}

fn failed(details: String) -> AgentError {
    AgentError::failed(
        "BlockDeviceEraseError",
        "Error erasing block device",
        details,
    )
}

#[cfg(test)]
mod tests;
