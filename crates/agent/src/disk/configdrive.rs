//! The config drive: fetched, and put on a disk that has a whole-disk image.

use super::{
    medium::{Disk, Medium},
    nodes,
};
use crate::{AgentError, safety::Permit};
use image::{
    configdrive::MOST_BYTES,
    disk::config_drive::{self, DriveError},
};
use std::path::Path;

/// The bytes of a config drive that came as text or as an address. They are fetched and unpacked
/// before anything is written, so that a bad one changes nothing.
pub(super) async fn fetch(text: &str, http: &image::source::Http) -> Result<Vec<u8>, AgentError> {
    let decoded = if image::configdrive::is_address(text) {
        // What it unpacks to is limited again; as base64 it is a third longer.
        let fetched = http.bytes(text.trim(), 2 * MOST_BYTES).await;
        fetched.and_then(image::configdrive::decode_fetched)
    } else {
        image::configdrive::decode(text)
    };
    decoded.map_err(|error| super::deployment(types::error::chain(&error)))
}

/// The config drive as a disk with such sectors needs it.
pub(super) fn suited(
    drive: Vec<u8>,
    sector_size: u32,
    rebuild: bool,
) -> Result<Vec<u8>, AgentError> {
    let suited = config_drive::suited(drive, sector_size, rebuild);
    suited.map_err(|error| super::deployment(error.to_string()))
}

/// Writes a config drive to a disk whose image is already there.
pub async fn write(
    _permit: &Permit,
    device: &Path,
    text: &str,
    config: &crate::config::Config,
) -> Result<(), AgentError> {
    let http = super::image::http(config, &types::JsonMap::new())?;
    let drive = fetch(text, &http).await?;
    let mut disk = Disk::open(device).map_err(|error| super::failed(device, "open", &error))?;
    let drive = suited(drive, disk.sector_size(), config.config_drive_rebuild)?;
    place(&mut disk, device, &drive)?;
    disk.sync()
        .map_err(|error| super::failed(device, "write", &error))?;
    nodes::reread(&disk).await
}

/// Puts a config drive into the partition that has its label, or into a new one.
pub(super) fn place(
    medium: &mut dyn Medium,
    device: &Path,
    drive: &[u8],
) -> Result<(), AgentError> {
    let failed = |error: DriveError| {
        super::deployment(format!(
            "Failed to create config drive on disk {}: {error}",
            device.display()
        ))
    };
    config_drive::place(medium, drive).map_err(failed)
}
