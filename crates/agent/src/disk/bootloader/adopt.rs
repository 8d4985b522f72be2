//! Loaders that a partition image keeps in its root, brought to the EFI system partition.
//!
//! The partition was made empty for them. It is written anew with the files, as the FAT that is
//! made here is made in one go.

use super::{Request, esp};
use crate::{
    AgentError,
    disk::{
        medium::{Disk, Medium, Window},
        mount::{self, Mounted},
        nodes, sys,
    },
    safety::Permit,
};
use proto::{
    fat::Fat,
    volume::{Content, Segment, Tree},
};
use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

/// More than this is no set of loaders.
const MOST_BYTES: u64 = 128 << 20;
const MOST_FILES: usize = 2000;

/// Copies `/boot/efi` of the root; whether there was anything to copy.
pub(super) async fn copy(
    _permit: &Permit,
    device: &Path,
    root: &str,
    request: &Request,
) -> Result<bool, AgentError> {
    let volume = mount::find(device, root)?;
    let node = nodes::wait(device, volume.entry.number).await?;
    let failed = |error: io::Error| {
        super::failed(format!(
            "cannot bring the loaders of {} to the EFI partition: {error}",
            node.display()
        ))
    };
    // It stays mounted while its files are copied.
    let mounted = Mounted::volume(&node, volume.content.kind, false).map_err(failed)?;
    let files = collect(mounted.path()).map_err(failed)?;
    if files.is_empty() {
        return Ok(false);
    }
    if let Some(id) = &request.efi_system_part_uuid {
        add_to_fstab(mounted.path(), id).map_err(failed)?;
    }
    let mut disk = Disk::open_to_write(device).map_err(failed)?;
    let found = esp::find(&mut disk, request)?;
    let serial = found.uuid.as_deref().and_then(|id| {
        let digits = id.replace('-', "");
        u32::from_str_radix(&digits, 16).ok()
    });
    let mut window =
        Window::new(&mut disk, found.entry.offset, found.entry.length).map_err(failed)?;
    write(&mut window, serial.unwrap_or(0), &files).map_err(failed)?;
    disk.sync().map_err(failed)?;
    // The kernel may have looked at the partition through its own node.
    let esp = nodes::path(device, found.entry.number);
    if let Ok(file) = fs::File::open(esp) {
        let _ = sys::drop_cache(&file);
    }
    Ok(true)
}

/// The files under `/boot/efi`, by their path in the partition, with a `grub.cfg` beside loaders
/// that have none.
fn collect(root: &Path) -> io::Result<BTreeMap<String, PathBuf>> {
    let base = root.join("boot/efi");
    let mut files = BTreeMap::new();
    let mut total = 0;
    let mut folders = vec![base.join("EFI")];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            // Links could lead out of the image, into the ramdisk.
            let kind = entry.file_type()?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                total += entry.metadata()?.len();
                let path = entry.path();
                let name = path.strip_prefix(&base).map_err(io::Error::other)?;
                files.insert(name.to_string_lossy().into_owned(), path);
            }
            if files.len() > MOST_FILES || total > MOST_BYTES {
                return Err(io::Error::other("there is too much in /boot/efi"));
            }
        }
    }
    let menu = root.join("boot/grub2/grub.cfg");
    if menu.symlink_metadata().is_ok_and(|found| found.is_file()) {
        let folders: Vec<String> = files
            .keys()
            .filter_map(|name| Some(name.rsplit_once('/')?.0.to_owned()))
            .filter(|folder| folder.matches('/').count() == 1)
            .collect();
        for folder in folders {
            files
                .entry(format!("{folder}/grub.cfg"))
                .or_insert_with(|| menu.clone());
        }
    }
    Ok(files)
}

fn write(
    window: &mut Window<'_>,
    serial: u32,
    files: &BTreeMap<String, PathBuf>,
) -> io::Result<()> {
    let mut tree = Tree::new();
    for (name, path) in files {
        let length = fs::metadata(path)?.len();
        tree.add(name, Content::External(length))
            .map_err(io::Error::other)?;
    }
    let fat = Fat {
        label: "efi-part".to_owned(),
        serial,
        size: Some(window.size()),
        sector_size: Some(window.sector_size()),
        ..Fat::default()
    };
    let layout = fat.layout(&tree).map_err(io::Error::other)?;
    let mut at = 0;
    for segment in layout.segments() {
        match segment {
            Segment::Bytes(bytes) => Medium::write_at(window, at, bytes)?,
            Segment::Zeros(length) => Medium::zero(window, at, *length)?,
            Segment::File { path, length } => {
                let from = files.get(path).ok_or(io::ErrorKind::NotFound)?;
                let bytes = fs::read(from)?;
                if bytes.len() as u64 != *length {
                    return Err(io::Error::other(format!("{} changed", from.display())));
                }
                Medium::write_at(window, at, &bytes)?;
            }
        }
        at += segment.length();
    }
    Medium::zero(window, at, window.size() - at)
}

/// Makes the system mount the EFI partition where it expects it.
pub(super) fn add_to_fstab(root: &Path, id: &str) -> io::Result<()> {
    let path = root.join("etc/fstab");
    if !path.symlink_metadata().is_ok_and(|found| found.is_file()) {
        return Ok(());
    }
    // Filesystems of this kind have ids of eight digits; longer ones are the partition's.
    let tag = if id.len() > 9 { "PARTUUID" } else { "UUID" };
    let mut text = fs::read_to_string(&path)?;
    if text.contains(&format!("{tag}={id}")) {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("{tag}={id}\t/boot/efi\tvfat\tumask=0077\t0\t1\n"));
    fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::medium::read;
    use proto::fat::FatReader;

    #[test]
    fn loaders_of_the_root_get_to_the_partition() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        assert!(collect(dir.path()).unwrap().is_empty());
        put("boot/efi/EFI/debian/shimx64.efi", "shim");
        put("boot/efi/EFI/BOOT/BOOTX64.EFI", "boot");
        put("boot/efi/EFI/BOOT/grub.cfg", "own");
        put("boot/grub2/grub.cfg", "menu");
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("boot/efi/EFI/link")).unwrap();
        let files = collect(dir.path()).unwrap();
        let mut medium = vec![0xff; 8 << 20];
        let size = medium.size();
        let mut window = Window::new(&mut medium, 0, size).unwrap();
        write(&mut window, 7, &files).unwrap();
        let mut at = |offset: u64, length: usize| read(&window, offset, length);
        let reader = FatReader::open(&mut at).unwrap();
        let mut found: Vec<_> = reader
            .files(&mut at)
            .unwrap()
            .iter()
            .map(|file| {
                let bytes = reader.read_file(&mut at, file, 100).unwrap();
                (file.path.clone(), String::from_utf8(bytes).unwrap())
            })
            .collect();
        found.sort();
        let expected = [
            ("EFI/BOOT/BOOTX64.EFI", "boot"),
            ("EFI/BOOT/grub.cfg", "own"),
            ("EFI/debian/grub.cfg", "menu"),
            ("EFI/debian/shimx64.efi", "shim"),
        ];
        assert_eq!(found, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn the_partition_is_named_once_in_fstab() {
        let dir = tempfile::tempdir().unwrap();
        add_to_fstab(dir.path(), "AB12-CD34").unwrap();
        let path = dir.path().join("etc/fstab");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "LABEL=root / ext4 defaults 0 1").unwrap();
        for _ in 0..2 {
            add_to_fstab(dir.path(), "AB12-CD34").unwrap();
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "LABEL=root / ext4 defaults 0 1\nUUID=AB12-CD34\t/boot/efi\tvfat\tumask=0077\t0\t1\n"
        );
    }
}
