//! The initramfs that is the whole operating system of the images.

use super::kernel::Kernel;
use crate::program::{command, output, run};
use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::Write,
    path::{Path, PathBuf},
};

/// Modules that the init loads, whose needs are looked up.
const MODULES: &[&str] = &[
    "virtio_pci",
    "virtio_blk",
    "virtio_scsi",
    "ahci",
    "ata_piix",
    "megaraid_sas",
    "nvme",
    "sd_mod",
    "sr_mod",
    "raid1",
    "isofs",
    "vfat",
    "nls_ascii",
    "nls_cp437",
    "nls_iso8859-1",
    "crc32c_generic",
    "ext4",
    "efivarfs",
    "virtio_net",
    "e1000e",
];

const FOLDER: u32 = 0o040_755;
const FILE: u32 = 0o100_755;
const CHARACTER_DEVICE: u32 = 0o020_600;

pub(super) fn write(path: &Path, init: &Path, kernel: &Kernel) -> Result<()> {
    let mut files = BTreeMap::new();
    files.insert("init".to_owned(), init.to_owned());
    files.insert("bin/busybox".to_owned(), busybox()?);
    add_program(&mut files, "/sbin/mdadm")?;
    // Only the legs that log in need it.
    if Path::new("/usr/sbin/dropbear").exists() {
        add_program(&mut files, "/usr/sbin/dropbear")?;
    }
    add_modules(&mut files, kernel, MODULES)?;
    pack(path, &files)
}

/// Adds modules with what they need, and the lists by which they are found.
pub(super) fn add_modules(
    files: &mut BTreeMap<String, PathBuf>,
    kernel: &Kernel,
    names: &[&str],
) -> Result<()> {
    let modules = format!("lib/modules/{}", kernel.version);
    for module in names {
        let shown = output(command("modprobe").arg("-d").arg(&kernel.root).args([
            "-S",
            &kernel.version,
            "--show-depends",
            module,
        ]));
        // Those that are built in have nothing to load.
        for line in shown.unwrap_or_default().lines() {
            if let Some(file) = line.strip_prefix("insmod ") {
                // Options of the host may follow.
                let file = PathBuf::from(file.split(' ').next().unwrap_or_default());
                let place = file.strip_prefix(&kernel.root).with_context(|| {
                    let (file, root) = (file.display(), kernel.root.display());
                    format!("modprobe names {file}, which is not below {root}")
                })?;
                let place = place.to_owned();
                files.insert(place.to_string_lossy().into_owned(), file);
            }
        }
    }
    for list in ["modules.dep", "modules.alias", "modules.builtin"] {
        let place = format!("{modules}/{list}");
        files.insert(place.clone(), kernel.root.join(place));
    }
    Ok(())
}

/// Makes the archive: the files by their places, with the folders that they need.
pub(super) fn pack(path: &Path, files: &BTreeMap<String, PathBuf>) -> Result<()> {
    let mut archive = Archive(
        GzEncoder::new(File::create(path)?, Compression::default()),
        0,
    );
    let mut folders = Vec::new();
    for name in [
        "dev", "proc", "sys", "bin", "sbin", "tmp", "run", "etc", "var",
    ] {
        folders.push(name.to_owned());
    }
    for name in files.keys() {
        for folder in Path::new(name).ancestors().skip(1) {
            folders.push(folder.to_string_lossy().into_owned());
        }
    }
    folders.sort();
    folders.dedup();
    for folder in folders.iter().filter(|name| !name.is_empty()) {
        archive.add(folder, FOLDER, 0, &[])?;
    }
    archive.add("dev/console", CHARACTER_DEVICE, 0x0501, &[])?;
    for (name, file) in files {
        let bytes = fs::read(file).with_context(|| file.display().to_string())?;
        archive.add(name, FILE, 0, &bytes)?;
    }
    archive.add("TRAILER!!!", 0, 0, &[])?;
    archive.0.finish()?;
    Ok(())
}

pub(super) fn busybox() -> Result<PathBuf> {
    let path = PathBuf::from("/bin/busybox");
    // What ldd knows nothing about is static.
    anyhow::ensure!(
        path.exists() && run("ldd", &["/bin/busybox"]).is_err(),
        "a static busybox is needed (on Debian: apt-get install busybox-static)"
    );
    Ok(path)
}

/// Adds a program and the libraries it is linked with.
pub(super) fn add_program(files: &mut BTreeMap<String, PathBuf>, program: &str) -> Result<()> {
    let inside = |path: &str| path.trim_start_matches('/').to_owned();
    files.insert(inside(program), program.into());
    for line in run("ldd", &[program])?.lines() {
        let path = line.split_whitespace().find(|word| word.starts_with('/'));
        if let Some(path) = path {
            files.insert(inside(path), path.into());
        }
    }
    Ok(())
}

/// A cpio archive in the form that kernels unpack.
struct Archive<W>(W, u32);

impl<W: Write> Archive<W> {
    fn add(&mut self, name: &str, mode: u32, device: u32, bytes: &[u8]) -> Result<()> {
        self.1 += 1;
        let fields = [
            self.1,
            mode,
            0,
            0,
            1,
            0,
            u32::try_from(bytes.len())?,
            0,
            0,
            device >> 8,
            device & 0xff,
            u32::try_from(name.len() + 1)?,
            0,
        ];
        let mut head = String::from("070701");
        for field in fields {
            head += &format!("{field:08x}");
        }
        head += name;
        head.push('\0');
        self.padded(head.as_bytes())?;
        self.padded(bytes)
    }

    fn padded(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes)?;
        self.0
            .write_all(&[0; 3][..bytes.len().wrapping_neg() % 4])?;
        Ok(())
    }
}
