//! Virtual media: parameters on a floppy, and configuration on the medium that was booted.
//!
//! Anybody who can plug in a USB stick could pretend, so only what looks like virtual media is
//! read: an optical drive, or a small disk on USB, found by the label of its file system.

use crate::{
    mount::{Mounted, Use},
    safety::Permit,
};
use std::{
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
};

/// The floppy with parameters.
const FLOPPY: &[&str] = &["ir-vfd-dev"];

/// What carries configuration files.
const BOOTED: &[&str] = &["config-2", "vmedia_boot_iso"];

/// A disk on USB that is larger is a disk rather than a medium.
const LARGEST: u64 = 4 << 30;

/// The text of `parameters.txt`, or nothing.
pub(super) fn parameters(root: &Path, permit: &Permit) -> String {
    let Some(device) = find(root, FLOPPY) else {
        return String::new();
    };
    let read = |folder: &Path| fs::read_to_string(folder.join("parameters.txt"));
    let mounted = Mounted::any(root, &device, Use::Read, permit);
    mounted
        .and_then(|m| read(m.path()))
        .unwrap_or_else(|error| {
            tracing::warn!(
                "cannot read agent parameters from virtual media {}: {error}",
                device.display()
            );
            String::new()
        })
}

/// Copies IPA's configuration folders from the medium to where they belong.
pub(super) fn copy_config(root: &Path, permit: &Permit) {
    let Some(device) = find(root, BOOTED) else {
        return;
    };
    let copy = |folder: &Path| {
        for name in super::FOLDERS {
            copy_files(&folder.join(name), &root.join(name))?;
        }
        Ok(())
    };
    let mounted = Mounted::any(root, &device, Use::Read, permit);
    if let Err(error) = mounted.and_then(|m| copy(m.path())) {
        tracing::warn!(
            "cannot copy configuration from virtual media {}: {error}",
            device.display()
        );
    }
}

/// Whether the medium that was booted is there.
pub(crate) fn has_medium(root: &Path) -> bool {
    find(root, BOOTED).is_some()
}

/// The description of the network on the medium that was booted, up to a size; nothing if there is
/// none.
pub(crate) fn network_data(root: &Path, permit: &Permit, largest: usize) -> Option<String> {
    let device = find(root, BOOTED)?;
    let mounted = Mounted::any(root, &device, Use::Read, permit).ok()?;
    let file = File::open(mounted.path().join("openstack/latest/network_data.json")).ok()?;
    let mut text = String::new();
    // One more, so that a longer one is refused rather than cut.
    let most = u64::try_from(largest).unwrap_or(u64::MAX).saturating_add(1);
    file.take(most).read_to_string(&mut text).ok()?;
    Some(text)
}

fn copy_files(from: &Path, to: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    fs::create_dir_all(to)?;
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// The device of the first medium with one of these labels, whatever their case.
fn find(root: &Path, labels: &[&str]) -> Option<PathBuf> {
    let mut names: Vec<_> = fs::read_dir(root.join("sys/block"))
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .collect();
    names.sort();
    names.into_iter().find_map(|name| {
        let device = root.join("dev").join(&name);
        let sysfs = root.join("sys/block").join(&name);
        if !is_medium(&sysfs, &name.to_string_lossy()) {
            return None;
        }
        let found = label(&device)?;
        labels
            .iter()
            .any(|label| label.eq_ignore_ascii_case(&found))
            .then_some(device)
    })
}

fn is_medium(sysfs: &Path, name: &str) -> bool {
    if name.starts_with("sr") || name.starts_with("fd") {
        return true;
    }
    let is_usb = fs::canonicalize(sysfs).is_ok_and(|path| path.to_string_lossy().contains("/usb"));
    let sectors = fs::read_to_string(sysfs.join("size")).unwrap_or_default();
    let size = sectors.trim().parse::<u64>().unwrap_or(u64::MAX);
    is_usb && size.saturating_mul(512) < LARGEST
}

/// The label of an ISO 9660 or FAT file system.
fn label(device: &Path) -> Option<String> {
    let file = File::open(device).ok()?;
    let text = |at: u64, length: usize| {
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, at).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some(text.trim_matches([' ', '\0']).to_owned())
    };
    if text(0x8001, 5).is_some_and(|mark| mark == "CD001") {
        return text(0x8000 + 40, 32);
    }
    match text(0x52, 5)?.as_str() {
        "FAT32" => text(0x47, 11),
        _ if text(0x36, 3)? == "FAT" => text(0x2b, 11),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn media_are_found_by_label_and_disks_are_not_media() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        let iso = |label: &str| {
            let mut bytes = vec![0; 0x8800];
            bytes[0x8001..0x8006].copy_from_slice(b"CD001");
            bytes[0x8028..0x8028 + label.len()].copy_from_slice(label.as_bytes());
            bytes
        };
        let mut floppy = vec![0; 512];
        floppy[0x36..0x3b].copy_from_slice(b"FAT12");
        floppy[0x2b..0x36].copy_from_slice(b"IR-VFD-DEV ");
        fs::create_dir_all(root.join("dev")).unwrap();
        let put = |name: &str, bytes: &[u8]| {
            fs::create_dir_all(root.join("sys/block").join(name)).unwrap();
            fs::write(root.join("dev").join(name), bytes).unwrap();
        };
        put("sda", &iso("config-2"));
        put("sr0", &iso("other"));
        put("sr1", &iso("VMEDIA_BOOT_ISO"));
        put("fd0", &floppy);
        assert_eq!(find(root, BOOTED), Some(root.join("dev/sr1")));
        assert_eq!(find(root, FLOPPY), Some(root.join("dev/fd0")));
        assert_eq!(find(&root.join("none"), FLOPPY), None);
    }

    #[test]
    fn files_are_copied_and_folders_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("folder")).unwrap();
        fs::write(from.join("a.conf"), "x").unwrap();
        copy_files(&from, &to).unwrap();
        assert_eq!(fs::read_to_string(to.join("a.conf")).unwrap(), "x");
        assert!(!to.join("folder").exists());
        copy_files(&dir.path().join("none"), &to).unwrap();
    }
}
