//! Filesystems of the disk, mounted for a while.
//!
//! A mount goes away with its guard, whatever happened in between.

use super::{
    medium::{Disk, Window},
    nodes, probe,
    table::{Entry, Table},
};
use crate::AgentError;
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, unmount};
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Something mounted.
#[derive(Debug)]
pub(super) struct Mounted {
    path: PathBuf,
    /// Whether the directory was made for it.
    own: bool,
}

impl Mounted {
    /// A filesystem on a partition, in a directory of its own.
    pub(super) fn volume(node: &Path, kind: &str, read_only: bool) -> io::Result<Self> {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let path = std::env::temp_dir().join(format!("corten-{name}"));
        fs::create_dir_all(&path)?;
        let kind = match kind {
            "ext2" | "ext3" => "ext4",
            other => other,
        };
        let mut mounted = Self::at(path, |path| {
            let flags = if read_only {
                MountFlags::RDONLY | MountFlags::NODEV | MountFlags::NOSUID
            } else {
                MountFlags::empty()
            };
            mount(node, path, kind, flags, None)
        })?;
        mounted.own = true;
        Ok(mounted)
    }

    /// A directory of the ramdisk, seen at another place too.
    pub(super) fn bind(source: &Path, target: &Path) -> io::Result<Self> {
        fs::create_dir_all(target)?;
        Self::at(target.to_owned(), |path| mount_bind(source, path))
    }

    /// A filesystem at a given place.
    pub(super) fn device(node: &Path, kind: &str, target: &Path) -> io::Result<Self> {
        fs::create_dir_all(target)?;
        Self::at(target.to_owned(), |path| {
            mount(node, path, kind, MountFlags::empty(), None)
        })
    }

    fn at(path: PathBuf, act: impl FnOnce(&Path) -> rustix::io::Result<()>) -> io::Result<Self> {
        act(&path)?;
        Ok(Self { path, own: false })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A program that lingers must not keep the disk: it is detached from the tree then.
        let gone = unmount(&self.path, UnmountFlags::empty())
            .or_else(|_| unmount(&self.path, UnmountFlags::DETACH));
        if let Err(error) = gone {
            tracing::warn!(path = %self.path.display(), %error, "cannot unmount");
        } else if self.own {
            let _ = fs::remove_dir(&self.path);
        }
    }
}

/// A partition with a filesystem.
#[derive(Debug, Clone)]
pub(super) struct Volume {
    pub(super) entry: Entry,
    pub(super) content: probe::Content,
    pub(super) node: PathBuf,
}

/// The partitions of a disk that have filesystems.
pub(super) fn volumes(device: &Path) -> Result<Vec<Volume>, AgentError> {
    let mut disk =
        Disk::open_to_read(device).map_err(|error| super::failed(device, "open", &error))?;
    let table = Table::read(&disk).map_err(|error| {
        super::deployment(format!("{} has no usable table: {error}", device.display()))
    })?;
    let entries = table.map_or_else(Vec::new, |table| table.entries(&disk));
    let mut found = Vec::new();
    for entry in entries {
        let content = Window::new(&mut disk, entry.offset, entry.length)
            .ok()
            .and_then(|window| probe::probe(&window));
        if let Some(content) = content {
            found.push(Volume {
                node: nodes::path(device, entry.number),
                entry,
                content,
            });
        }
    }
    Ok(found)
}

/// The partition with this id, of the filesystem or of the partition, or with this label.
pub(super) fn find(device: &Path, id: &str) -> Result<Volume, AgentError> {
    let is = |text: &Option<String>| text.as_ref().is_some_and(|t| t.eq_ignore_ascii_case(id));
    let found = volumes(device)?.into_iter().find(|volume| {
        is(&volume.content.uuid)
            || volume.entry.id.eq_ignore_ascii_case(id)
            || is(&volume.content.label)
    });
    found.ok_or_else(|| {
        not_found(format!(
            "No partition with UUID {id} found on device {}",
            device.display()
        ))
    })
}

pub(super) fn not_found(details: String) -> AgentError {
    AgentError {
        code: 404,
        ..AgentError::failed(
            "DeviceNotFound",
            "Error finding the disk or partition device to deploy the image onto",
            details,
        )
    }
}
