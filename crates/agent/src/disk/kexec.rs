//! Starting the system that was written without going through the firmware again.
//!
//! The system's own boot menu says what its kernel is: entries of the Boot Loader Specification, or
//! GRUB's configuration, of which as much is understood as is needed to find the default. Whoever
//! cannot be understood is started the usual way: every failure here leaves the machine as it was.

mod bls;
mod grub;

use super::{
    sys,
    volume::{self, Volume},
};
use crate::{
    AgentError,
    mount::{Mounted, Root, Use},
    safety::Permit,
};
use rustix::{
    fs::{MemfdFlags, memfd_create},
    system::{RebootCommand, reboot},
};
use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, Read},
    path::Path,
};

/// No menu is larger, and no kernel.
const MOST_TEXT: u64 = 4 << 20;
const MOST_IMAGE: u64 = 1 << 30;

/// What a menu's default starts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct BootEntry {
    kernel: String,
    initrds: Vec<String>,
    command_line: String,
    /// The filesystem that the paths are on, if the menu names one.
    filesystem: Option<String>,
}

/// Loads the system of a disk and starts it. Returns only if that failed.
pub async fn run(permit: &Permit, device: &Path) -> Result<(), AgentError> {
    load(permit, device).await?;
    jump(permit)
}

/// Loads the kernel of a disk's system, so that [`jump`] can start it.
pub async fn load(permit: &Permit, device: &Path) -> Result<(), AgentError> {
    let (permit, device) = (permit.clone(), device.to_owned());
    let work = tokio::task::spawn_blocking(move || {
        let volumes = Systems::mount(&device, &permit)?;
        let (entry, at) = volumes.entry(&device)?;
        let files = volumes.files(&entry, at)?;
        sys::kexec_load(&files.kernel, files.initrd.as_ref(), &entry.command_line).map_err(
            |error| {
                failed(format!(
                    "kexec rejected the kernel {}: {error}",
                    entry.kernel
                ))
            },
        )
    });
    work.await.unwrap_or_else(|error| {
        Err(failed(format!(
            "internal error: the kexec task panicked: {error}"
        )))
    })
}

/// Starts what was loaded.
pub fn jump(_permit: &Permit) -> Result<(), AgentError> {
    rustix::fs::sync();
    reboot(RebootCommand::Kexec).map_err(|error| failed(error.to_string()))
}

/// The filesystems of a disk, mounted to be read.
struct Systems(Vec<(Volume, Mounted)>);

struct Files {
    kernel: File,
    initrd: Option<File>,
}

impl Systems {
    fn mount(device: &Path, permit: &Permit) -> Result<Self, AgentError> {
        let mut mounted = Vec::new();
        for volume in volume::volumes(device)? {
            if !matches!(
                volume.content.kind,
                "ext2" | "ext3" | "ext4" | "xfs" | "btrfs" | "vfat"
            ) {
                continue;
            }
            match Mounted::volume(&volume.node, volume.content.kind, Use::Read, permit) {
                Ok(place) => mounted.push((volume, place)),
                Err(error) => {
                    tracing::info!(node = %volume.node.display(), %error, "skipping a file system that cannot be mounted");
                }
            }
        }
        Ok(Self(mounted))
    }

    /// The default entry of the first menu that is understood, and where it is.
    fn entry(&self, device: &Path) -> Result<(BootEntry, usize), AgentError> {
        let mut problems = Vec::new();
        for (index, (volume, place)) in self.0.iter().enumerate() {
            let root = place.root().map_err(|error| failed(error.to_string()))?;
            match menu(&root) {
                Ok(Some(entry)) => return Ok((entry, index)),
                Ok(None) => {}
                Err(error) => problems.push(format!("{}: {error}", volume.node.display())),
            }
        }
        Err(failed(format!(
            "no usable boot menu found on {}{}{}",
            device.display(),
            if problems.is_empty() { "" } else { ": " },
            problems.join("; ")
        )))
    }

    fn files(&self, entry: &BootEntry, at: usize) -> Result<Files, AgentError> {
        let named = entry.filesystem.as_ref().and_then(|id| {
            self.0.iter().position(|(volume, _)| {
                let own = volume.content.uuid.as_deref();
                own.is_some_and(|own| own.eq_ignore_ascii_case(id))
            })
        });
        let missing =
            |path: &str| failed(format!("the boot menu names {path}, which does not exist"));
        let mut places = vec![named.unwrap_or(at)];
        places.extend(0..self.0.len());
        let open = |path: &str| {
            places.iter().find_map(|place| {
                let (_, mounted) = self.0.get(*place)?;
                mounted.root().ok()?.file(path).ok()
            })
        };
        let kernel = open(&entry.kernel).ok_or_else(|| missing(&entry.kernel))?;
        let mut initrds = Vec::new();
        for path in &entry.initrds {
            initrds.push(open(path).ok_or_else(|| missing(path))?);
        }
        let initrd = joined(initrds).map_err(|error| failed(error.to_string()))?;
        Ok(Files { kernel, initrd })
    }
}

/// Several initial ramdisks are one after the other.
fn joined(mut files: Vec<File>) -> io::Result<Option<File>> {
    if files.len() < 2 {
        return Ok(files.pop());
    }
    let mut all = File::from(memfd_create("initrd", MemfdFlags::CLOEXEC)?);
    for file in files {
        io::copy(&mut file.take(MOST_IMAGE), &mut all)?;
    }
    Ok(Some(all))
}

/// The default of a filesystem's boot menu, if it has one.
fn menu(root: &Root) -> Result<Option<BootEntry>, String> {
    let environment = [
        "boot/grub2/grubenv",
        "grub2/grubenv",
        "boot/grub/grubenv",
        "grub/grubenv",
    ]
    .iter()
    .find_map(|path| root.text(path, MOST_TEXT))
    .map(|text| grub::environment(&text))
    .unwrap_or_default();
    for folder in ["loader/entries", "boot/loader/entries"] {
        let entries = texts(root, folder);
        if !entries.is_empty() {
            return bls::default_of(&entries, &environment).map(Some);
        }
    }
    for path in [
        "boot/grub/grub.cfg",
        "grub/grub.cfg",
        "boot/grub2/grub.cfg",
        "grub2/grub.cfg",
    ] {
        if let Some(text) = root.text(path, MOST_TEXT) {
            return grub::default_of(&text, &environment).map(Some);
        }
    }
    Ok(None)
}

/// The texts in a folder by their names without ending.
fn texts(root: &Root, path: &str) -> BTreeMap<String, String> {
    let names = root.entries(path).unwrap_or_default();
    let texts = names.into_iter().filter_map(|(name, _)| {
        let id = name.strip_suffix(".conf")?;
        let text = root.text(&format!("{path}/{name}"), MOST_TEXT)?;
        Some((id.to_owned(), text))
    });
    texts.collect()
}

fn failed(details: String) -> AgentError {
    AgentError::failed(
        "CommandExecutionError",
        "Command execution failed",
        format!("cannot start the system by kexec: {details}"),
    )
}

#[cfg(test)]
mod tests;
