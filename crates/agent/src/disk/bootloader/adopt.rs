//! Loaders that a partition image keeps in its root, brought to the EFI system partition.
//!
//! The partition was made empty for them. It is written anew with the files, as the FAT that is
//! made here is made in one go.

use super::{Request, esp};
use crate::{
    AgentError,
    disk::{
        format,
        medium::{Disk, Medium, Window},
        nodes, sys, volume,
    },
    mount::{Mounted, Root, Use},
    safety::Permit,
};
use proto::{
    fat::Fat,
    volume::{Content, Tree},
};
use rustix::fs::FileType;
use std::{
    collections::BTreeMap,
    fs,
    io::{self, Read, Write as _},
    path::Path,
};

/// More than this is no set of loaders.
const MOST_BYTES: u64 = 128 << 20;
const MOST_ENTRIES: usize = 2000;

/// Copies `/boot/efi` of the root; whether there was anything to copy.
pub(super) async fn copy(
    permit: &Permit,
    device: &Path,
    root: &str,
    request: &Request,
) -> Result<bool, AgentError> {
    let volume = volume::find(device, root)?;
    let node = nodes::wait(device, volume.entry.number).await?;
    let (permit, device, request) = (permit.clone(), device.to_owned(), request.clone());
    // The whole of the partition may have to be written.
    let copied = tokio::task::spawn_blocking(move || {
        bring(&permit, &device, &node, volume.content.kind, &request)
    });
    copied.await.unwrap_or_else(|error| {
        Err(super::failed(format!(
            "internal error: the copy task panicked: {error}"
        )))
    })
}

fn bring(
    permit: &Permit,
    device: &Path,
    node: &Path,
    kind: &str,
    request: &Request,
) -> Result<bool, AgentError> {
    let failed = |error: io::Error| {
        super::failed(format!(
            "cannot copy boot loaders from {} to the EFI partition: {error}",
            node.display()
        ))
    };
    // It stays mounted while its files are copied.
    let mounted = Mounted::volume(node, kind, Use::Write, permit).map_err(failed)?;
    let root = mounted.root().map_err(failed)?;
    let files = collect(&root).map_err(failed)?;
    if files.is_empty() {
        return Ok(false);
    }
    if let Some(id) = &request.efi_system_part_uuid {
        add_to_fstab(&root, id).map_err(failed)?;
    }
    let mut disk = Disk::open_to_write(device).map_err(failed)?;
    let found = esp::find(&mut disk, request)?;
    let serial = found.uuid.as_deref().and_then(|id| {
        let digits = id.replace('-', "");
        u32::from_str_radix(&digits, 16).ok()
    });
    let mut window =
        Window::new(&mut disk, found.entry.offset, found.entry.length).map_err(failed)?;
    write(&mut window, serial.unwrap_or(0), &root, &files).map_err(failed)?;
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
fn collect(root: &Root) -> io::Result<BTreeMap<String, String>> {
    let mut files = BTreeMap::new();
    let (mut count, mut total) = (0, 0);
    let mut folders = vec!["EFI".to_owned()];
    while let Some(folder) = folders.pop() {
        for (name, kind) in root.entries(&format!("boot/efi/{folder}"))? {
            let name = format!("{folder}/{name}");
            let path = format!("boot/efi/{name}");
            count += 1;
            match kind {
                FileType::Directory => folders.push(name),
                FileType::RegularFile => {
                    total += root.file(&path)?.metadata()?.len();
                    files.insert(name, path);
                }
                // The partition has no links.
                _ => {}
            }
            if count > MOST_ENTRIES || total > MOST_BYTES {
                return Err(io::Error::other(
                    "/boot/efi of the image has too many files",
                ));
            }
        }
    }
    const MENU: &str = "boot/grub2/grub.cfg";
    if root.file(MENU).is_ok() {
        let folders: Vec<String> = files
            .keys()
            .filter_map(|name| Some(name.rsplit_once('/')?.0.to_owned()))
            .filter(|folder| folder.matches('/').count() == 1)
            .collect();
        for folder in folders {
            files
                .entry(format!("{folder}/grub.cfg"))
                .or_insert_with(|| MENU.to_owned());
        }
    }
    Ok(files)
}

fn write(
    window: &mut Window<'_>,
    serial: u32,
    root: &Root,
    files: &BTreeMap<String, String>,
) -> io::Result<()> {
    let mut tree = Tree::new();
    for (name, path) in files {
        let length = root.file(path)?.metadata()?.len();
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
    format::put(window, layout.segments(), |name| {
        let from = files.get(name).ok_or(io::ErrorKind::NotFound)?;
        let mut bytes = Vec::new();
        root.file(from)?.take(MOST_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    })
}

/// Makes the system mount the EFI partition where it expects it.
pub(super) fn add_to_fstab(root: &Root, id: &str) -> io::Result<()> {
    let Ok(mut file) = root.file_to_append("etc/fstab") else {
        return Ok(());
    };
    // Filesystems of this kind have ids of eight digits; longer ones are the partition's.
    let tag = if id.len() > 9 { "PARTUUID" } else { "UUID" };
    let mut bytes = Vec::new();
    (&mut file).take(MOST_BYTES).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    if text.contains(&format!("{tag}={id}")) {
        return Ok(());
    }
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    let line = format!("{end}{tag}={id}\t/boot/efi\tvfat\tumask=0077\t0\t1\n");
    file.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::medium::read;
    use proto::fat::FatReader;
    use std::path::PathBuf;

    #[test]
    fn loaders_of_the_root_get_to_the_partition() {
        let dir = tempfile::tempdir().unwrap();
        let put = |path: &str, text: &str| {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        let root = Root::open(dir.path()).unwrap();
        assert!(collect(&root).unwrap().is_empty());
        put("boot/efi/EFI/debian/shimx64.efi", "shim");
        put("boot/efi/EFI/BOOT/BOOTX64.EFI", "boot");
        put("boot/efi/EFI/BOOT/grub.cfg", "own");
        put("boot/grub2/grub.cfg", "menu");
        std::os::unix::fs::symlink("/etc/passwd", dir.path().join("boot/efi/EFI/link")).unwrap();
        let files = collect(&root).unwrap();
        let mut medium = vec![0xff; 8 << 20];
        let size = medium.size();
        let mut window = Window::new(&mut medium, 0, size).unwrap();
        write(&mut window, 7, &root, &files).unwrap();
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
        let root = Root::open(dir.path()).unwrap();
        add_to_fstab(&root, "AB12-CD34").unwrap();
        let path = dir.path().join("etc/fstab");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "LABEL=root / ext4 defaults 0 1").unwrap();
        for _ in 0..2 {
            add_to_fstab(&root, "AB12-CD34").unwrap();
        }
        assert_eq!(
            fs::read_to_string(&path).unwrap(),
            "LABEL=root / ext4 defaults 0 1\nUUID=AB12-CD34\t/boot/efi\tvfat\tumask=0077\t0\t1\n"
        );
    }

    #[test]
    fn an_image_brings_nothing_of_the_ramdisk_along() {
        let dir = tempfile::tempdir().unwrap();
        let (image, ramdisk) = (dir.path().join("image"), dir.path().join("ramdisk"));
        for (folder, file) in [("EFI", "secret"), ("grub2", "grub.cfg"), ("etc", "fstab")] {
            fs::create_dir_all(ramdisk.join(folder)).unwrap();
            fs::write(ramdisk.join(folder).join(file), "of the ramdisk").unwrap();
        }
        fs::create_dir_all(image.join("boot")).unwrap();
        let link = |to: &Path, at: PathBuf| std::os::unix::fs::symlink(to, at);
        link(&ramdisk, image.join("boot/efi")).unwrap();
        link(&ramdisk.join("grub2"), image.join("boot/grub2")).unwrap();
        link(&ramdisk.join("etc"), image.join("etc")).unwrap();
        let root = Root::open(&image).unwrap();
        assert!(collect(&root).unwrap().is_empty());
        add_to_fstab(&root, "AB12-CD34").unwrap();
        let fstab = fs::read_to_string(ramdisk.join("etc/fstab")).unwrap();
        assert_eq!(fstab, "of the ramdisk");
    }
}
