//! A disc with the kernel and the ramdisk, which UEFI boots, with secure boot too.
//!
//! Loaders are those that Debian has signed. A BIOS does not boot it: machines that have nothing
//! else boot from the network.

use super::{
    tools::Kit,
    tree::{Node, Tree},
};
use crate::Architecture;
use anyhow::Context as _;
use image::bootiso::{self, BootIso, Efi, EfiLoader};
use proto::volume::Stamp;
use std::{fs, path::Path};

/// Package and file of shim and of GRUB.
pub(super) fn loaders(architecture: Architecture) -> [(&'static str, &'static str); 2] {
    match architecture {
        Architecture::Amd64 => [
            ("shim-signed", "/usr/lib/shim/shimx64.efi.signed"),
            (
                "grub-efi-amd64-signed",
                "/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed",
            ),
        ],
        Architecture::Arm64 => [
            ("shim-signed", "/usr/lib/shim/shimaa64.efi.signed"),
            (
                "grub-efi-arm64-signed",
                "/usr/lib/grub/arm64-efi-signed/grubaa64.efi.signed",
            ),
        ],
    }
}

/// Writes the disc beside the kernel and the initramfs in `folder`.
pub(super) fn write(
    folder: &Path,
    parameters: &str,
    architecture: Architecture,
    kit: &mut Kit<'_>,
) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let mut paths = Vec::new();
    for (package, file) in loaders(architecture) {
        let mut tree = Tree::default();
        kit.take(package, file, &mut tree)?;
        let Some(Node::File { data, .. }) = tree.get(file) else {
            anyhow::bail!("{package} has no file {file}");
        };
        let path = scratch.path().join(package);
        fs::write(&path, data)?;
        paths.push(path);
    }
    let [shim, grub] = <[_; 2]>::try_from(paths).unwrap_or_default();
    let disc = BootIso {
        kernel: folder.join("kernel"),
        ramdisk: folder.join("initramfs"),
        parameters: parameters.to_owned(),
        publisher: "CORTEN".to_owned(),
        inject: Vec::new(),
        bios: None,
        efi: Some(Efi {
            loader: EfiLoader::Programs {
                architecture: match architecture {
                    Architecture::Amd64 => bootiso::Architecture::X86_64,
                    Architecture::Arm64 => bootiso::Architecture::Aarch64,
                },
                shim: Some(shim),
                grub,
            },
            config_path: "EFI/BOOT/grub.cfg".to_owned(),
            template: None,
        }),
        stamp: Stamp::default(),
    };
    disc.write(&folder.join("boot.iso"))
        .context("cannot write the disc image")
}
