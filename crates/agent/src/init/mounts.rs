//! What the kernel offers as file systems, where programs expect it.
//!
//! A mount that fails is said and left: a kernel without one of them may still do.

use super::console;
use rustix::mount::{MountFlags, mount};
use std::{fs, io, path::Path};

/// Source, target, file system, options.
type Mount = (&'static str, &'static str, &'static str, &'static str);

const FIRST: &[Mount] = &[
    ("proc", "/proc", "proc", ""),
    ("sysfs", "/sys", "sysfs", ""),
    ("devtmpfs", "/dev", "devtmpfs", "mode=0755"),
    ("devpts", "/dev/pts", "devpts", "mode=0620,gid=5"),
    ("tmpfs", "/dev/shm", "tmpfs", "mode=1777"),
    ("tmpfs", "/run", "tmpfs", "mode=0755"),
    ("tmpfs", "/tmp", "tmpfs", "mode=1777"),
];

/// What may need modules; mounted where the kernel has made room for it.
const LATE: &[Mount] = &[
    ("efivarfs", "/sys/firmware/efi/efivars", "efivarfs", ""),
    ("pstore", "/sys/fs/pstore", "pstore", ""),
    ("securityfs", "/sys/kernel/security", "securityfs", ""),
];

/// Folders that programs expect and an archive need not hold.
const FOLDERS: &[&str] = &["/run/lock", "/var/log", "/var/tmp", "/root", "/mnt"];

pub(super) fn mount_all() {
    for entry in FIRST {
        let _ = fs::create_dir_all(entry.1);
        note(entry, attach(entry));
    }
    for folder in FOLDERS {
        let _ = fs::create_dir_all(folder);
    }
    // What `mount` and others without arguments read.
    let _ = std::os::unix::fs::symlink("/proc/mounts", "/etc/mtab");
}

pub(super) fn mount_late() {
    for entry in LATE.iter().filter(|entry| Path::new(entry.1).is_dir()) {
        note(entry, attach(entry));
    }
}

fn attach((source, target, kind, options): &Mount) -> io::Result<()> {
    let options = std::ffi::CString::new(*options)?;
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    // Programs that vendors supply may be kept in /tmp and /run.
    let flags = match *target {
        "/tmp" | "/run" | "/dev" => MountFlags::NOSUID,
        _ => flags,
    };
    Ok(mount(*source, *target, *kind, flags, &*options)?)
}

fn note(entry: &Mount, outcome: io::Result<()>) {
    if let Err(error) = outcome {
        console::say(&format!("cannot mount {}: {error}", entry.1));
    }
}
