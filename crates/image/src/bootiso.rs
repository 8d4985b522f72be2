//! Discs that a machine boots from through virtual media.
//!
//! One disc can serve both kinds of firmware: isolinux for a BIOS, an EFI system partition for UEFI,
//! given as an image or made here from loaders. Names and places of files are those that Ironic's
//! discs have, so that ramdisks find what they look for.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use crate::{
    ImageError,
    media::{self, Files},
};
use proto::{
    fat::Fat,
    iso9660::Disc,
    volume::{Content, Stamp, Tree, VolumeError},
};
use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
};
use types::hex;

const ISOLINUX: &str = "isolinux/isolinux.bin";
const ISOLINUX_CONFIG: &str = "isolinux/isolinux.cfg";
const LDLINUX: &str = "isolinux/ldlinux.c32";
const EFI_IMAGE: &str = "boot/grub/efiboot.img";

/// What the configuration of GRUB is made from, unless the operator has a template.
pub const GRUB_TEMPLATE: &str = "set default=0
set timeout=5

menuentry \"boot\" {
    linux {{ linux }} {{ kernel_params }} --
    initrd {{ initrd }}
}
";
/// The same for isolinux.
pub const ISOLINUX_TEMPLATE: &str = "default boot

label boot
kernel {{ kernel }}
append initrd={{ ramdisk }} text {{ kernel_params }} --
";

/// A file to be put on the disc beside kernel and ramdisk.
#[derive(Debug, Clone)]
pub enum Inject {
    Bytes(Vec<u8>),
    File(PathBuf),
}

/// What a BIOS starts.
#[derive(Debug, Clone)]
pub struct Isolinux {
    pub program: PathBuf,
    /// Needed by isolinux from version 5 on.
    pub library: Option<PathBuf>,
    pub template: Option<String>,
}

/// What UEFI starts.
#[derive(Debug, Clone)]
pub struct Efi {
    pub loader: EfiLoader,
    /// Where GRUB of a given image looks for its configuration; `EFI/BOOT/grub.cfg` as a rule.
    pub config_path: String,
    pub template: Option<String>,
}

#[derive(Debug, Clone)]
pub enum EfiLoader {
    /// The image of an EFI system partition, whose loader finds the disc by itself.
    Image(PathBuf),
    /// Loaders from which such an image is made.
    Programs {
        architecture: Architecture,
        /// Signed by a key that firmware knows; it starts GRUB.
        shim: Option<PathBuf>,
        grub: PathBuf,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Architecture {
    X86_64,
    Aarch64,
}

#[derive(Debug, Clone)]
pub struct BootIso {
    pub kernel: PathBuf,
    pub ramdisk: PathBuf,
    pub parameters: String,
    pub publisher: String,
    /// By path on the disc.
    pub inject: Vec<(String, Inject)>,
    pub bios: Option<Isolinux>,
    pub efi: Option<Efi>,
    pub stamp: Stamp,
}

impl BootIso {
    /// Writes the disc to a file, which is there only when it is complete. Blocks.
    pub fn write(&self, path: &Path) -> Result<(), ImageError> {
        let (disc, tree, files) = self.plan()?;
        let layout = disc.layout(&tree).map_err(failed)?;
        media::write_file(layout.segments(), &files, path)
    }

    /// How it is called: as a config drive if it is one at the same time.
    pub fn label(&self) -> &'static str {
        let drive = self
            .inject
            .iter()
            .any(|(path, _)| path.starts_with("openstack/"));
        if drive {
            crate::configdrive::LABEL
        } else {
            "VMEDIA_BOOT_ISO"
        }
    }

    fn plan(&self) -> Result<(Disc, Tree, Files), ImageError> {
        let mut parts = Parts::default();
        parts.file("vmlinuz", &self.kernel)?;
        parts.file("initrd", &self.ramdisk)?;
        for (path, content) in &self.inject {
            match content {
                Inject::Bytes(bytes) => parts.bytes(path, bytes.clone())?,
                Inject::File(file) => parts.file(path, file)?,
            }
        }
        let mut disc = Disc {
            label: self.label().to_owned(),
            publisher: self.publisher.clone(),
            stamp: self.stamp,
            ..Disc::default()
        };
        if let Some(isolinux) = &self.bios {
            let template = isolinux.template.as_deref().unwrap_or(ISOLINUX_TEMPLATE);
            parts.bytes(ISOLINUX, read(&isolinux.program)?)?;
            parts.bytes(ISOLINUX_CONFIG, self.config(template)?)?;
            if let Some(library) = &isolinux.library {
                parts.file(LDLINUX, library)?;
            }
            disc.bios = Some(ISOLINUX.to_owned());
        }
        if let Some(efi) = &self.efi {
            let template = efi.template.as_deref().unwrap_or(GRUB_TEMPLATE);
            let config_path = efi.config_path.trim_matches(['/', ' ']);
            parts.bytes(config_path, self.config(template)?)?;
            match &efi.loader {
                EfiLoader::Image(image) => parts.file(EFI_IMAGE, image)?,
                EfiLoader::Programs {
                    architecture,
                    shim,
                    grub,
                } => {
                    let marker = self.marker();
                    parts.bytes(&marker, Vec::from("\n"))?;
                    let image = system_partition(
                        *architecture,
                        shim.as_deref(),
                        grub,
                        &marker,
                        config_path,
                        self.stamp,
                    )?;
                    parts.bytes(EFI_IMAGE, image)?;
                }
            }
            disc.efi = Some(EFI_IMAGE.to_owned());
        }
        Ok((disc, parts.tree, parts.files))
    }

    fn config(&self, template: &str) -> Result<Vec<u8>, ImageError> {
        if self.parameters.contains(['\n', '\r', '\0']) {
            return Err(ImageError::Unsupported {
                image: "the boot disc".to_owned(),
                what: "a line break in kernel parameters".to_owned(),
            });
        }
        let text = [
            ("linux", "/vmlinuz"),
            ("initrd", "/initrd"),
            ("kernel", "/vmlinuz"),
            ("ramdisk", "/initrd"),
            ("kernel_params", self.parameters.as_str()),
        ]
        .into_iter()
        .fold(template.to_owned(), |text, (name, value)| {
            text.replace(&format!("{{{{ {name} }}}}"), value)
                .replace(&format!("{{{{{name}}}}}"), value)
        });
        Ok(text.into_bytes())
    }

    /// A file by which the loader tells this disc from all others.
    fn marker(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.parameters.as_bytes());
        hash.update(self.kernel.as_os_str().as_encoded_bytes());
        format!("boot/{}.id", hex::encode(&hash.finalize()[..8]))
    }
}

/// GRUB as distributions sign it looks for its configuration in a folder of theirs.
const GRUB_FOLDERS: [&str; 9] = [
    "BOOT",
    "debian",
    "ubuntu",
    "centos",
    "redhat",
    "fedora",
    "rocky",
    "almalinux",
    "opensuse",
];

fn system_partition(
    architecture: Architecture,
    shim: Option<&Path>,
    grub: &Path,
    marker: &str,
    config_path: &str,
    stamp: Stamp,
) -> Result<Vec<u8>, ImageError> {
    let (first, second) = match architecture {
        Architecture::X86_64 => ("BOOTX64.EFI", "grubx64.efi"),
        Architecture::Aarch64 => ("BOOTAA64.EFI", "grubaa64.efi"),
    };
    let mut parts = Parts::default();
    match shim {
        Some(shim) => {
            parts.bytes(&format!("EFI/BOOT/{first}"), read(shim)?)?;
            parts.bytes(&format!("EFI/BOOT/{second}"), read(grub)?)?;
        }
        None => parts.bytes(&format!("EFI/BOOT/{first}"), read(grub)?)?,
    }
    let config = format!(
        "search --no-floppy --set=root --file /{marker}\nconfigfile ($root)/{config_path}\n"
    );
    for folder in GRUB_FOLDERS {
        parts.bytes(
            &format!("EFI/{folder}/grub.cfg"),
            config.clone().into_bytes(),
        )?;
    }
    let fat = Fat {
        label: "ESP".to_owned(),
        serial: 0x4553_5020,
        stamp,
        size: None,
        sector_size: None,
    };
    let layout = fat.layout(&parts.tree).map_err(failed)?;
    let mut image = Vec::new();
    media::write(layout.segments(), &parts.files, &mut image)?;
    Ok(image)
}

/// A medium with parameters for a ramdisk that cannot be told otherwise: `key=value` lines in
/// `parameters.txt`, on 1,440 KiB under the label `ir-vfd-dev`.
pub fn parameters_floppy(
    parameters: &[(String, String)],
    stamp: Stamp,
) -> Result<Vec<u8>, ImageError> {
    let lines: Vec<String> = parameters
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    let mut parts = Parts::default();
    parts.bytes("parameters.txt", lines.join("\n").into_bytes())?;
    let fat = Fat {
        label: "ir-vfd-dev".to_owned(),
        serial: 0x4952_5644,
        stamp,
        size: Some(1440 << 10),
        sector_size: None,
    };
    let layout = fat.layout(&parts.tree).map_err(failed)?;
    let mut image = Vec::new();
    media::write(layout.segments(), &Files::new(), &mut image)?;
    Ok(image)
}

/// A tree and where its larger files are.
#[derive(Default)]
struct Parts {
    tree: Tree,
    files: Files,
}

impl Parts {
    fn bytes(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), ImageError> {
        self.tree.add(path, Content::Bytes(bytes)).map_err(failed)
    }

    fn file(&mut self, path: &str, file: &Path) -> Result<(), ImageError> {
        let metadata = fs::metadata(file).map_err(unreadable(file))?;
        self.tree
            .add(path, Content::External(metadata.len()))
            .map_err(failed)?;
        self.files.insert(path.to_owned(), file.to_owned());
        Ok(())
    }
}

fn failed(source: VolumeError) -> ImageError {
    ImageError::Layout {
        what: "the boot disc".to_owned(),
        source,
    }
}

fn unreadable(file: &Path) -> impl FnOnce(std::io::Error) -> ImageError + use<> {
    let image = file.display().to_string();
    move |source| ImageError::Read { image, source }
}

fn read(file: &Path) -> Result<Vec<u8>, ImageError> {
    fs::read(file).map_err(unreadable(file))
}
