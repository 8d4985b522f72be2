//! What is installed on the machines: an operating system made of Debian's kernel and one busybox.
//!
//! It comes as a whole disk for both firmwares ([`disk`]) and as a single filesystem
//! ([`filesystem`]), from which the agent makes a disk. All of it is built from files, without
//! mounts or loop devices. Some legs install what `corten image build` makes instead.

mod bash;
mod disk;
mod filesystem;
mod initrd;
mod kernel;

use crate::{
    leg::Load,
    program::{command, output, run},
    service::{IMAGES, Ramdisk},
};
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// What a leg installs.
#[derive(Debug)]
pub(crate) struct Images {
    folder: PathBuf,
    pub(crate) image: Image,
    /// What machines boot that get their kernel from the network.
    pub(crate) kernel: PathBuf,
    pub(crate) ramdisk: PathBuf,
}

impl Images {
    /// Where machines and the service find a file.
    pub(crate) fn address(&self, file: &Path) -> Result<String> {
        let place = file.strip_prefix(&self.folder)?;
        Ok(format!("{IMAGES}/{}", place.display()))
    }
}

#[derive(Debug)]
pub(crate) struct Image {
    pub(crate) qcow2: PathBuf,
    pub(crate) sha512: String,
    /// How much of a disk it covers.
    pub(crate) size: u64,
}

/// What the boot loader hands to the kernel.
const KERNEL_PARAMETERS: &str = "console=ttyS0 panic=5 quiet no_timer_check";

/// Makes the images, unless they are there.
pub(crate) fn build(folder: &Path, init: &Path) -> Result<()> {
    build_whole(folder, init)?;
    make(folder, init, "partition", |raw, kernel, initrd| {
        filesystem::write(raw, folder, kernel, initrd)
    })
}

/// Makes the image of a whole disk, unless it is there.
pub(crate) fn build_whole(folder: &Path, init: &Path) -> Result<()> {
    make(folder, init, "whole", disk::write)
}

fn make(
    folder: &Path,
    init: &Path,
    name: &str,
    write: impl FnOnce(&Path, &Path, &Path) -> Result<()>,
) -> Result<()> {
    fs::create_dir_all(folder)?;
    let made_from = folder.join(format!("{name}.init"));
    // What an older init made is of no use.
    if fs::read(&made_from).unwrap_or_default() == fs::read(init)? {
        return Ok(());
    }
    let kernel = kernel::unpacked(folder)?;
    let initrd = folder.join("initrd");
    initrd::write(&initrd, init, &kernel)?;
    let raw = folder.join(name).with_extension("raw");
    write(&raw, &kernel.image, &initrd).with_context(|| format!("the {name} image"))?;
    output(
        command("qemu-img")
            .args(["convert", "-c", "-f", "raw", "-O", "qcow2"])
            .args([&raw, &raw.with_extension("qcow2")]),
    )?;
    fs::copy(init, &made_from)?;
    Ok(())
}

/// Makes the images of `corten image build`, anew each time: they are what is tested.
pub(crate) fn build_product(folder: &Path, corten: &Path, packages: &Path) -> Result<()> {
    let built = folder.join("built");
    output(
        command(corten)
            .args(["image", "build", "--profile", "virt", "--format", "raw"])
            .args(["--format", "qcow2", "--parameters", "no_timer_check quiet"])
            .arg("--cache")
            .arg(packages)
            .arg("--output")
            .arg(built),
    )?;
    Ok(())
}

/// Makes the bash ramdisk, unless it is there.
pub(crate) fn build_bash_ramdisk(folder: &Path) -> Result<()> {
    let kernel = kernel::unpacked(folder)?;
    bash::write(&folder.join("bash-ramdisk"), &kernel)
}

/// Makes the ramdisk with ironic-python-agent, unless it is there.
pub(crate) fn build_stock_ramdisk(folder: &Path, ramdisks: &Path) -> Result<()> {
    let kernel = kernel::unpacked(folder)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("stock-ramdisk");
    let to = ramdisks.join("stock-amd64");
    output(command(script).args([&kernel.root, &to]))?;
    Ok(())
}

/// The bash ramdisk that was made before.
pub(crate) fn bash_ramdisk(folder: &Path) -> Result<Ramdisk> {
    Ok(Ramdisk {
        kernel: kernel::unpacked(folder)?.image,
        initramfs: folder.join("bash-ramdisk"),
    })
}

/// The images of that kind, which were made before.
pub(crate) fn load(folder: &Path, load: Load) -> Result<Images> {
    let built = folder.join("built");
    let raw = match load {
        Load::Whole => folder.join("whole.raw"),
        Load::Partition => folder.join("partition.raw"),
        Load::BuiltWhole => built.join("disk.raw"),
        Load::BuiltPartition => built.join("partition.raw"),
    };
    let (kernel, ramdisk) = if load.is_built() {
        (built.join("kernel"), built.join("initramfs"))
    } else {
        (kernel::unpacked(folder)?.image, folder.join("initrd"))
    };
    Ok(Images {
        image: image(&raw)?,
        kernel,
        ramdisk,
        folder: folder.to_owned(),
    })
}

fn image(raw: &Path) -> Result<Image> {
    let qcow2 = raw.with_extension("qcow2");
    let sum = run("sha512sum", &[&qcow2.display().to_string()])?;
    let sha512 = sum.split(' ').next().unwrap_or_default().to_owned();
    let size = fs::metadata(raw)?.len();
    Ok(Image {
        qcow2,
        sha512,
        size,
    })
}
