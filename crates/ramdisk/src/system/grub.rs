//! Boot loaders, from Debian's packages.
//!
//! UEFI starts shim and GRUB as Debian signed them, so secure boot works. For a BIOS, GRUB's core is
//! put together by its own `grub-mkimage`, which is run from its package by that package's loader:
//! nothing needs to be installed, and its version is that of the modules.

use super::System;
use crate::{
    Architecture, iso, packages,
    tar::EntryKind,
    tools::{Kit, Tool},
    tree::{Node, Tree},
};
use anyhow::{Context as _, bail, ensure};
use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

/// Where the first part of GRUB has the sector of the next, and code that would change the drive.
const BOOT_NEXT: usize = 0x5c;
const BOOT_DRIVE: usize = 0x66;
/// Where the first sector of the core has the sector of the rest.
const CORE_NEXT: usize = 0x1f4;
/// How much of the first sector is code.
const BOOT_CODE: usize = 440;
const MODULES: &[&str] = &[
    "biosdisk",
    "boot",
    "configfile",
    "fat",
    "linux",
    "normal",
    "part_gpt",
    "search",
    "search_fs_uuid",
];
pub(super) const PLACE: &str = "usr/lib/grub/i386-pc";

pub(super) struct Loaders {
    /// Files of the EFI system partition, by path.
    pub(super) efi: Vec<(String, Vec<u8>)>,
    pub(super) bios: Option<Bios>,
}

/// GRUB for a BIOS.
pub(super) struct Bios {
    boot: Vec<u8>,
    core: Vec<u8>,
}

impl Bios {
    /// The code of the first sector, and the core, for a core that starts at this sector.
    pub(super) fn placed(&self, sector: u64) -> anyhow::Result<([u8; BOOT_CODE], Vec<u8>)> {
        let (mut boot, mut core) = (self.boot.clone(), self.core.clone());
        put(&mut boot, BOOT_NEXT, &sector.to_le_bytes())?;
        // The drive is the one that the BIOS names.
        put(&mut boot, BOOT_DRIVE, &[0x90, 0x90])?;
        put(&mut core, CORE_NEXT, &(sector + 1).to_le_bytes())?;
        let code = boot.first_chunk().context("GRUB's boot.img is too short")?;
        Ok((*code, core))
    }
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) -> anyhow::Result<()> {
    let room = bytes.get_mut(at..at + value.len());
    room.context("GRUB's files are too short")?
        .copy_from_slice(value);
    Ok(())
}

pub(super) fn loaders(system: &System<'_>, kit: &mut Kit<'_>) -> anyhow::Result<Loaders> {
    let names = match system.architecture {
        Architecture::Amd64 => ["BOOTX64.EFI", "grubx64.efi"],
        Architecture::Arm64 => ["BOOTAA64.EFI", "grubaa64.efi"],
    };
    let mut efi = Vec::new();
    for ((package, file), name) in iso::loaders(system.architecture).into_iter().zip(names) {
        efi.push((format!("EFI/BOOT/{name}"), one_file(kit, package, file)?));
    }
    let bios = match system.architecture {
        Architecture::Amd64 => Some(bios(system, kit)?),
        Architecture::Arm64 => None,
    };
    Ok(Loaders { efi, bios })
}

/// The file of a package.
pub(super) fn one_file(kit: &mut Kit<'_>, package: &str, file: &str) -> anyhow::Result<Vec<u8>> {
    let mut tree = Tree::default();
    kit.take(package, file, &mut tree)?;
    match tree.get(file) {
        Some(Node::File { data, .. }) => Ok(data.clone()),
        _ => bail!("{package} has no file {file}"),
    }
}

/// All modules of GRUB for a BIOS, which its installer needs.
pub(super) fn modules(kit: &mut Kit<'_>) -> anyhow::Result<Tree> {
    let mut tree = Tree::default();
    kit.package("grub-pc-bin")?.each_file(|header, data| {
        if header.kind == EntryKind::File && header.path.starts_with(PLACE) {
            let mut bytes = Vec::new();
            data.read_to_end(&mut bytes)?;
            tree.file(&header.path, 0o644, bytes);
        }
        Ok(())
    })?;
    Ok(tree)
}

fn bios(system: &System<'_>, kit: &mut Kit<'_>) -> anyhow::Result<Bios> {
    let folder = tempfile::tempdir()?;
    let mut tree = modules(kit)?;
    let Some(Node::File { data: boot, .. }) = tree.get(&format!("{PLACE}/boot.img")) else {
        bail!("grub-pc-bin has no boot.img");
    };
    let boot = boot.clone();
    // The program runs here, whatever the machines are.
    let native = Architecture::native();
    let mut apt = packages(&system.args.parts, native)?;
    let mut own = Kit::new(&mut apt);
    own.add(
        &Tool::new("grub-common", &["/usr/bin/grub-mkimage"]),
        &mut tree,
    )?;
    kit.packages.append(&mut own.packages);
    unfold(&tree, folder.path())?;
    let early = folder.path().join("early.cfg");
    fs::write(
        &early,
        format!(
            "search.fs_uuid {} root\nset prefix=($root)/grub\nconfigfile ($root)/grub/grub.cfg\n",
            super::disk::esp_uuid(system)
        ),
    )?;
    let core = folder.path().join("core.img");
    let mut command = program(&tree, folder.path())?;
    command
        .args(["-O", "i386-pc", "-p", "/grub", "-d"])
        .arg(folder.path().join(PLACE))
        .arg("-c")
        .arg(&early)
        .arg("-o")
        .arg(&core)
        .args(MODULES)
        .env_clear()
        .env("LC_ALL", "C");
    let output = command.output().context("cannot run grub-mkimage")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "grub-mkimage: {}", said.trim());
    Ok(Bios {
        boot,
        core: fs::read(core)?,
    })
}

/// A program of the tree, started by the loader and with the libraries of the tree.
fn program(tree: &Tree, folder: &Path) -> anyhow::Result<Command> {
    let loader = tree.iter().find(|(path, node)| {
        let name = path.rsplit('/').next().unwrap_or_default();
        name.starts_with("ld-linux") && matches!(node, Node::File { .. })
    });
    let (loader, _) = loader.context("there is no loader for grub-mkimage")?;
    let libraries: Vec<String> = tree
        .iter()
        .filter(|(path, _)| path.contains(".so"))
        .filter_map(|(path, _)| Some(folder.join(path).parent()?.display().to_string()))
        .collect();
    let mut command = Command::new(folder.join(loader));
    command
        .args(["--library-path", &libraries.join(":")])
        .arg(folder.join("usr/bin/grub-mkimage"));
    Ok(command)
}

/// Writes files and links of a tree into a folder.
fn unfold(tree: &Tree, folder: &Path) -> anyhow::Result<()> {
    for (path, node) in tree.iter() {
        let place = folder.join(path);
        match node {
            Node::Folder(_) => fs::create_dir_all(&place)?,
            Node::File { mode, data } => {
                fs::write(&place, data)?;
                fs::set_permissions(&place, fs::Permissions::from_mode(*mode | 0o400))?;
            }
            Node::Link(target) => std::os::unix::fs::symlink(target, &place)?,
            Node::Device(..) => {}
        }
    }
    Ok(())
}
