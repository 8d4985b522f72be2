//! Making a machine start what was written to its disk.
//!
//! Under UEFI the firmware is told which file of the EFI system partition to start; the partition is
//! read here, not mounted. Machines with an old BIOS start the first sector of the disk, which
//! whole-disk images bring along.

mod esp;

use super::{efi::Variables, medium::Disk, table::Table};
use crate::{AgentError, config::Config, safety::Permit};
use std::path::Path;

/// What the service says about the system on the disk.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub root_uuid: Option<String>,
    pub efi_system_part_uuid: Option<String>,
    pub prep_boot_part_uuid: Option<String>,
    /// `uefi` or `bios`.
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
    let done = match Variables::open(&config.root) {
        Some(variables) => esp::register(permit, device, request, &variables),
        None => by_bios(request, config),
    };
    match done {
        Err(error) if ignore => {
            tracing::warn!(%error, "no boot loader was set up; as this is to be ignored, going on");
            Ok(())
        }
        done => done,
    }
}

fn by_bios(request: &Request, config: &Config) -> Result<(), AgentError> {
    // A whole-disk image has its loader; the number of its disk is zero if it is not told.
    let whole_disk = matches!(request.root_uuid.as_deref(), None | Some("0x00000000"));
    if whole_disk {
        return Ok(());
    }
    let reason = if config.adopted.enable_bios_bootloader_install {
        "no boot loader can be installed for an old BIOS"
    } else {
        "Install of legacy BIOS bootloaders disabled by CONF.enable_bios_bootloader_install as \
         part of CVE-2026-43003 mitigation."
    };
    Err(AgentError::failed(
        "InvalidImage",
        "The provided image is not valid for use",
        reason,
    ))
}

fn failed(details: String) -> AgentError {
    AgentError::failed("CommandExecutionError", "Command execution failed", details)
}
