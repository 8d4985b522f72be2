//! Looking into file systems of media and disks, for as long as it takes.

use crate::safety::Permit;
use rustix::{
    io::Errno,
    mount::{MountFlags, UnmountFlags, mount, unmount},
};
use std::{
    ffi::CStr,
    fs, io,
    path::{Path, PathBuf},
};

/// Nothing on a foreign file system is to be believed or run.
const DISTRUST: MountFlags = MountFlags::NOSUID
    .union(MountFlags::NODEV)
    .union(MountFlags::NOEXEC);

/// Tried first, in this order: their modules load only when they are asked for by name.
const USUAL: &[&str] = &["iso9660", "vfat", "ext4", "xfs", "btrfs"];

/// A mounted file system, which is unmounted when this is dropped.
#[derive(Debug)]
pub(crate) struct Mounted {
    folder: PathBuf,
}

impl Mounted {
    /// Mounts a device below the root's `run`, to be read or also to be written.
    pub(crate) fn new(
        root: &Path,
        device: &Path,
        is_writable: bool,
        _permit: &Permit,
    ) -> io::Result<Self> {
        let folder = root.join("run/corten-agent/mounted");
        fs::create_dir_all(&folder)?;
        let flags = match is_writable {
            true => DISTRUST,
            false => DISTRUST | MountFlags::RDONLY,
        };
        let known = fs::read_to_string(root.join("proc/filesystems")).unwrap_or_default();
        let others = known.lines().filter(|line| !line.starts_with("nodev"));
        let kinds = USUAL.iter().copied().chain(others.map(str::trim));
        let mut failure = Errno::NODEV;
        for kind in kinds {
            match mount(device, &folder, kind, flags, None::<&CStr>) {
                Ok(()) => return Ok(Self { folder }),
                // Another kind of file system, or one that this kernel does not know.
                Err(Errno::INVAL | Errno::NODEV) => {}
                Err(error) => failure = error,
            }
        }
        Err(failure.into())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if let Err(error) = unmount(&self.folder, UnmountFlags::DETACH) {
            tracing::warn!("{} stays mounted: {error}", self.folder.display());
        }
    }
}
