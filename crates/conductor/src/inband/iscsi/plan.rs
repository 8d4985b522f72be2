//! What becomes of the disk: an image of all of it, or partitions around an image of the root.

use super::{boots_from_network, ephemeral};
use crate::task::Task;
use drivers::{DriverError, boot_mode};
use image::layout::{Firmware, Label, Request};
use types::{pyrepr, words};

const MIB: u64 = 1 << 20;

/// What is written besides the image.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) drive: Option<Vec<u8>>,
    /// `None` for an image of the whole disk.
    pub(super) partitions: Option<Partitions>,
}

/// How the disk is divided for a partition image.
#[derive(Debug)]
pub(super) struct Partitions {
    pub(super) request: Request,
    /// Whether the ephemeral partition survives, and with it the table.
    pub(super) keep: bool,
    pub(super) ephemeral: ephemeral::EphemeralAction,
}

impl Plan {
    /// What the instance asks for.
    pub(super) fn of(task: &Task, drive: Option<Vec<u8>>) -> Result<Self, DriverError> {
        let node = &task.node;
        if node.driver_internal_info.is_whole_disk_image() {
            return Ok(Self {
                drive,
                partitions: None,
            });
        }
        let info = &node.instance_info;
        let number = |key: &str| {
            let value = info.get(key).filter(|value| !value.is_null());
            let text = value.map(pyrepr::to_str).unwrap_or_default();
            text.trim().parse::<u64>().unwrap_or(0)
        };
        let arch = node.properties.get("cpu_arch").map(pyrepr::to_str);
        let settings = &task.settings().ramdisk;
        let firmware = if boot_mode::is_uefi(node, settings.default_uefi)? {
            Firmware::Uefi
        } else if arch.is_some_and(|arch| arch.starts_with("ppc64")) {
            Firmware::Power
        } else {
            Firmware::Bios
        };
        let label = match boot_mode::asked_or_tied(node, "disk_label").as_deref() {
            Some("gpt") => Label::Gpt,
            Some("msdos") => Label::Msdos,
            _ => Label::usual(firmware),
        };
        let keep = info.get("preserve_ephemeral");
        let keep = keep.and_then(words::boolean_value) == Some(true);
        let ephemeral_mib = number("ephemeral_mb");
        Ok(Self {
            partitions: Some(Partitions {
                ephemeral: match ephemeral_mib {
                    0 => ephemeral::EphemeralAction::None,
                    _ if keep => ephemeral::EphemeralAction::Kept,
                    _ => {
                        let given = info.get("ephemeral_format").filter(|v| pyrepr::truth(v));
                        let default = &task.settings().images.ephemeral_format;
                        let given = given.map_or_else(|| default.clone(), pyrepr::to_str);
                        ephemeral::EphemeralAction::named(&given)?
                    }
                },
                request: Request {
                    firmware,
                    label,
                    root_mib: number("root_mb"),
                    swap_mib: number("swap_mb"),
                    ephemeral_mib,
                    efi_mib: settings.iscsi.efi_mib,
                    boots_locally: !boots_from_network(task),
                    config_drive_bytes: drive.as_ref().map(|drive| drive.len() as u64),
                },
                keep,
            }),
            drive,
        })
    }

    /// Whether an image of this size has room in its partition. How large the disk is shows later.
    pub(super) fn check_size(&self, image: u64) -> Result<(), DriverError> {
        let Some(parts) = &self.partitions else {
            return Ok(());
        };
        let (needed, root) = (image.div_ceil(MIB), parts.request.root_mib);
        if needed <= root {
            return Ok(());
        }
        Err(DriverError::InvalidParameter(format!(
            "Root partition is too small for requested image. Image virtual size: {needed} MB, Root size: {root} MB"
        )))
    }
}
