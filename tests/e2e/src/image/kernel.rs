//! Debian's kernel, taken out of its package.

use crate::program::{command, output, run};
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The package that depends on the newest kernel. Of Debian's kernels it is the one that knows all
/// the disk controllers that the legs have.
const PACKAGE: &str = "linux-image-amd64";

#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) image: PathBuf,
    /// The folder that `/lib/modules` lies in.
    pub(super) root: PathBuf,
    pub(super) version: String,
}

/// Fetches and unpacks the kernel, unless that was done before.
pub(super) fn unpacked(folder: &Path) -> Result<Kernel> {
    let root = folder.join("kernel");
    if let Ok(kernel) = found(&root) {
        return Ok(kernel);
    }
    fs::create_dir_all(&root)?;
    let depends = run("apt-cache", &["depends", "--important", PACKAGE])?;
    let package = depends
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: "))
        .context("apt knows no kernel; apt-get update may help")?;
    output(
        command("apt-get")
            .args(["download", "-qq", package])
            .current_dir(&root),
    )?;
    let file = entry(&root, "linux-image-", ".deb")?;
    output(command("dpkg-deb").arg("-x").args([&file, &root]))?;
    fs::remove_file(file)?;
    let kernel = found(&root)?;
    output(command("depmod").arg("-b").arg(&root).arg(&kernel.version))?;
    Ok(kernel)
}

fn found(root: &Path) -> Result<Kernel> {
    let image = entry(&root.join("boot"), "vmlinuz-", "")?;
    let name = image.file_name().unwrap_or_default().to_string_lossy();
    Ok(Kernel {
        version: name.trim_start_matches("vmlinuz-").to_owned(),
        root: root.to_owned(),
        image,
    })
}

fn entry(folder: &Path, prefix: &str, suffix: &str) -> Result<PathBuf> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(prefix) && name.ends_with(suffix) {
            return Ok(path);
        }
    }
    anyhow::bail!("nothing in {} begins with {prefix}", folder.display())
}
