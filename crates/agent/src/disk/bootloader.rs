//! Making a machine start what was written to its disk.
//!
//! Under UEFI the firmware is told which file of the EFI system partition to start; the partition is
//! read here, not mounted. A partition image has its loaders in its root's `/boot/efi`: they are
//! copied, and nothing of the image runs. Machines with an old BIOS start the first sector of the
//! disk, which whole-disk images bring along; for others the image's own GRUB must run, which the
//! operator has to allow.

mod adopt;
mod esp;
mod grub;

use super::efi::Variables;
use crate::{AgentError, config::Config, safety::Permit};
use std::path::Path;

/// What the service says about the system on the disk.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub root_uuid: Option<String>,
    pub efi_system_part_uuid: Option<String>,
    pub prep_boot_part_uuid: Option<String>,
    /// `uefi` or `bios`; the firmware that started this ramdisk decides, so a difference is logged.
    pub target_boot_mode: Option<String>,
    /// Whether a failure is only worth a line in the log; the configuration decides if unset.
    pub ignore_failure: Option<bool>,
}

/// Makes the machine start from a disk.
pub async fn install(
    permit: &Permit,
    device: &Path,
    request: &Request,
    config: &Config,
) -> Result<(), AgentError> {
    let ignore = request
        .ignore_failure
        .unwrap_or(config.ignore_bootloader_failure);
    let variables = Variables::open(&config.root);
    let here = if variables.is_some() { "uefi" } else { "bios" };
    if let Some(target) = request.target_boot_mode.as_deref().filter(|t| *t != here) {
        tracing::warn!(
            target,
            here,
            "requested boot mode differs from the boot mode of the ramdisk: using the ramdisk's"
        );
    }
    let done = match &variables {
        Some(variables) => by_uefi(permit, device, request, config, variables).await,
        None => by_bios(permit, device, request, config).await,
    };
    match done {
        Err(error) if ignore => {
            tracing::warn!(%error, "boot loader installation failed: ignored as requested");
            Ok(())
        }
        done => done,
    }
}

async fn by_uefi(
    permit: &Permit,
    device: &Path,
    request: &Request,
    config: &Config,
    variables: &Variables,
) -> Result<(), AgentError> {
    if esp::register(permit, device, request, config, variables).await? {
        return Ok(());
    }
    let Some(root) = root_of(request) else {
        return Err(failed(format!(
            "the EFI partition of {} has no boot loader",
            device.display()
        )));
    };
    if adopt::copy(permit, device, root, request).await?
        && esp::register(permit, device, request, config, variables).await?
    {
        return Ok(());
    }
    grub::install(permit, device, root, request, config).await?;
    match esp::register(permit, device, request, config, variables).await? {
        true => Ok(()),
        false => Err(failed(
            "GRUB installed no boot loader in the EFI partition".to_owned(),
        )),
    }
}

async fn by_bios(
    permit: &Permit,
    device: &Path,
    request: &Request,
    config: &Config,
) -> Result<(), AgentError> {
    match root_of(request) {
        Some(root) => grub::install(permit, device, root, request, config).await,
        None => Ok(()),
    }
}

/// The root's id. A whole-disk image has none, but the number of its disk, or zero: its loader is
/// on it.
fn root_of(request: &Request) -> Option<&str> {
    let id = request.root_uuid.as_deref()?;
    (!id.is_empty() && id != "0x00000000").then_some(id)
}

fn failed(details: String) -> AgentError {
    AgentError::failed("CommandExecutionError", "Command execution failed", details)
}

#[cfg(test)]
mod tests;
