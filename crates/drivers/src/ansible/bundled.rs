//! The playbooks that come with the service, for operators who have none of their own.
//!
//! They are part of the program and written to a folder of its state when they are needed. What an
//! operator changed there is written over: changed playbooks belong into a folder of their own.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use std::{fs, io, path::Path};

/// Files by path within the folder.
pub const FILES: &[(&str, &str)] = &[
    ("ansible.cfg", include_str!("files/ansible.cfg")),
    ("inventory", include_str!("files/inventory")),
    (
        "add-ironic-nodes.yaml",
        include_str!("files/add-ironic-nodes.yaml"),
    ),
    ("deploy.yaml", include_str!("files/deploy.yaml")),
    ("shutdown.yaml", include_str!("files/shutdown.yaml")),
    ("clean.yaml", include_str!("files/clean.yaml")),
    ("clean_steps.yaml", include_str!("files/clean_steps.yaml")),
    (
        "library/root_disk.py",
        include_str!("files/library/root_disk.py"),
    ),
    (
        "library/stream_url.py",
        include_str!("files/library/stream_url.py"),
    ),
    (
        "library/unpack_to.py",
        include_str!("files/library/unpack_to.py"),
    ),
    (
        "library/config_drive_partition.py",
        include_str!("files/library/config_drive_partition.py"),
    ),
    (
        "roles/discover/tasks/main.yaml",
        include_str!("files/roles/discover/tasks/main.yaml"),
    ),
    (
        "roles/prepare/tasks/main.yaml",
        include_str!("files/roles/prepare/tasks/main.yaml"),
    ),
    (
        "roles/prepare/tasks/parted.yaml",
        include_str!("files/roles/prepare/tasks/parted.yaml"),
    ),
    (
        "roles/deploy/tasks/main.yaml",
        include_str!("files/roles/deploy/tasks/main.yaml"),
    ),
    (
        "roles/deploy/tasks/write.yaml",
        include_str!("files/roles/deploy/tasks/write.yaml"),
    ),
    (
        "roles/deploy/tasks/configdrive.yaml",
        include_str!("files/roles/deploy/tasks/configdrive.yaml"),
    ),
    (
        "roles/configure/tasks/main.yaml",
        include_str!("files/roles/configure/tasks/main.yaml"),
    ),
    (
        "roles/configure/tasks/grub.yaml",
        include_str!("files/roles/configure/tasks/grub.yaml"),
    ),
    (
        "roles/shutdown/tasks/main.yaml",
        include_str!("files/roles/shutdown/tasks/main.yaml"),
    ),
    (
        "roles/clean/tasks/main.yaml",
        include_str!("files/roles/clean/tasks/main.yaml"),
    ),
];

/// Writes what is not there as it should be. Others may read a file while it is written anew, so each
/// gets its name when it is complete.
pub fn write(folder: &Path) -> io::Result<()> {
    for (name, text) in FILES {
        let path = folder.join(name);
        if fs::read_to_string(&path).is_ok_and(|found| found == *text) {
            continue;
        }
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        let part = path.with_extension("part");
        fs::write(&part, text)?;
        fs::rename(&part, &path)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_written() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path()).unwrap();
        fs::write(folder.path().join("deploy.yaml"), "changed").unwrap();
        write(folder.path()).unwrap();
        for (name, text) in FILES {
            assert_eq!(fs::read_to_string(folder.path().join(name)).unwrap(), *text);
        }
        // None is forgotten in the list.
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/ansible/files");
        let mut folders = vec![sources.clone()];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                match entry.file_type().unwrap().is_dir() {
                    true => folders.push(entry.path()),
                    false => count += 1,
                }
            }
        }
        assert_eq!(count, FILES.len());
    }
}
