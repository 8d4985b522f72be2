//! What is installed on the machines: an operating system made of Debian's kernel and one busybox.
//!
//! It comes as a whole disk for both firmwares ([`disk`]) and as a single filesystem
//! ([`filesystem`]), from which the agent makes a disk. All of it is built from files, without
//! mounts or loop devices.

mod disk;
mod filesystem;
mod initrd;
mod kernel;

use crate::program::{command, output, run};
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The images, as files.
#[derive(Debug)]
pub(crate) struct Images {
    pub(crate) whole: Image,
    pub(crate) partition: Image,
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

/// The images that were made before.
pub(crate) fn load(folder: &Path) -> Result<Images> {
    let [whole, partition] = files(folder);
    Ok(Images {
        whole: image(&whole)?,
        partition: image(&partition)?,
    })
}

fn files(folder: &Path) -> [PathBuf; 2] {
    ["whole.raw", "partition.raw"].map(|name| folder.join(name))
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
