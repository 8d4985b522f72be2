//! What is done to disks: images written, partitions made, loaders registered, everything erased.
//!
//! Partition tables and filesystem signatures are read and written here, through the disk and not
//! through the kernel's nodes of its partitions, so that files can stand for disks. Programs are
//! called where writing a filesystem or speaking to an array is what they are for.

pub mod bootloader;
pub mod burnin;
pub mod configdrive;
pub mod efi;
pub mod erase;
pub mod export;
mod format;
pub mod image;
pub mod kexec;
#[cfg(test)]
pub(crate) mod lab;
pub mod medium;
mod nodes;
pub mod nvram;
#[cfg(test)]
mod peers;
pub mod raid;
mod sys;
mod volume;

use crate::AgentError;
use ::image::disk::{identifier as disk_identifier, probe, table, unfinished};
use medium::Disk;
use serde_json::json;
use std::path::Path;
use types::JsonMap;

/// What a service asks about the partitions of a disk that has a whole-disk image: the number in
/// its boot sector.
pub fn uuids(device: &Path) -> Result<JsonMap, AgentError> {
    let disk = Disk::open_to_read(device).map_err(|error| failed(device, "read", &error))?;
    let mut map = JsonMap::new();
    map.insert("root uuid".to_owned(), json!(disk_identifier(&disk)));
    Ok(map)
}

/// A failure of the disk itself.
fn failed(device: &Path, what: &str, error: &std::io::Error) -> AgentError {
    AgentError::failed(
        "BlockDeviceError",
        "Block device caused unknown error",
        format!("cannot {what} {}: {error}", device.display()),
    )
}

/// A deploy step that cannot go on.
fn deployment(details: impl Into<String>) -> AgentError {
    AgentError::failed("DeploymentError", "Deploy step failed", details)
}
