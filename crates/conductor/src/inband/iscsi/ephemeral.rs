//! The filesystem of an ephemeral partition, made without the disk.
//!
//! The program that makes it gets a file with holes of the partition's size. What it wrote is copied
//! to the disk afterwards. It is told not to count on zeros that it did not write, because the disk
//! has whatever its last owner left.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "files are only touched within `spawn_blocking`"
)]

use super::plan::Plan;
use crate::{inband::publish, task::Task};
use drivers::{DriverError, Failure};
use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Stdio,
    time::Duration,
};
use tokio::process::Command;

const LABEL: &str = "ephemeral0";
/// Even for the largest disks it writes little.
const PATIENCE: Duration = Duration::from_secs(600);

/// What is done with an ephemeral partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EphemeralAction {
    None,
    /// It stays as it is.
    Kept,
    /// Made here, without a program.
    Fat,
    ByProgram(Program),
}

/// A program that makes a filesystem in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Program {
    name: &'static str,
    arguments: &'static [&'static str],
    /// Whether it may count on zeros it did not write: all of the partition is made zero then.
    pub(super) wants_zeros: bool,
}

/// The fourth version marks tables of inodes that it did not write, and the kernel does not trust
/// them. The others have no such mark.
const EXT: &[&str] = &[
    "-q",
    "-F",
    "-E",
    "nodiscard,lazy_itable_init=1",
    "-L",
    LABEL,
];

const PROGRAMS: &[(&str, Program)] = &[
    ("ext2", ext("mkfs.ext2", true)),
    ("ext3", ext("mkfs.ext3", true)),
    ("ext4", ext("mkfs.ext4", false)),
    (
        "xfs",
        Program {
            name: "mkfs.xfs",
            arguments: &["-q", "-K", "-L", LABEL],
            wants_zeros: true,
        },
    ),
];

const fn ext(name: &'static str, wants_zeros: bool) -> Program {
    Program {
        name,
        arguments: EXT,
        wants_zeros,
    }
}

impl EphemeralAction {
    pub(super) fn named(format: &str) -> Result<Self, DriverError> {
        if matches!(format, "vfat" | "fat32") {
            return Ok(Self::Fat);
        }
        let program = PROGRAMS.iter().find(|(name, _)| *name == format);
        program
            .map(|(_, program)| Self::ByProgram(*program))
            .ok_or_else(|| {
                DriverError::InvalidParameter(format!(
                    "Failed to create a file system. File system {format} is not supported."
                ))
            })
    }
}

/// Whether the program is there that the plan needs.
pub(super) fn check(plan: &Plan) -> Result<(), DriverError> {
    match plan.partitions.as_ref().map(|parts| parts.ephemeral) {
        Some(EphemeralAction::ByProgram(program)) => find(program.name).map(drop),
        _ => Ok(()),
    }
}

fn find(program: &str) -> Result<PathBuf, DriverError> {
    let path = env::var_os("PATH").unwrap_or_default();
    let folders = env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    let mut places = folders.map(|folder| folder.join(program));
    places.find(|place| place.is_file()).ok_or_else(|| {
        DriverError::Environment(Failure::new(format!(
            "the ephemeral partition needs {program}, which is not installed on this conductor"
        )))
    })
}

/// Makes the filesystem beside the node's image. It goes with that.
pub(super) async fn make(task: &Task, plan: &Plan) -> Result<Option<PathBuf>, DriverError> {
    let Some(parts) = &plan.partitions else {
        return Ok(None);
    };
    let EphemeralAction::ByProgram(program) = parts.ephemeral else {
        return Ok(None);
    };
    let path = publish::destination(task).with_file_name("ephemeral");
    run(program, &path, parts.request.ephemeral_mib << 20).await?;
    Ok(Some(path))
}

async fn run(program: Program, path: &Path, size: u64) -> Result<(), DriverError> {
    let failed = |why: String| {
        DriverError::Environment(Failure::new(format!(
            "Failed to create a file system. {}: {why}",
            program.name
        )))
    };
    let place = path.to_owned();
    let emptied = tokio::task::spawn_blocking(move || {
        let file = fs::File::create(&place)?;
        file.set_len(size)
    });
    let emptied = emptied.await.map_err(|error| failed(error.to_string()))?;
    emptied.map_err(|error| failed(error.to_string()))?;
    let running = Command::new(find(program.name)?)
        .args(program.arguments)
        .arg(path)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let ended = tokio::time::timeout(PATIENCE, running).await;
    let ended = ended.map_err(|_| failed("it did not end".to_owned()))?;
    let output = ended.map_err(|error| failed(error.to_string()))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(failed(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::disk::{medium::Medium, probe, sparse};

    #[tokio::test]
    async fn a_filesystem_holds_on_a_disk_that_was_used() {
        for format in ["ext2", "ext4", "xfs"] {
            let EphemeralAction::ByProgram(program) = EphemeralAction::named(format).unwrap()
            else {
                panic!("{format}");
            };
            if find(program.name).is_err() {
                assert!(env::var_os("CI").is_none(), "{} is missing", program.name);
                println!("SKIPPED: {} is not installed", program.name);
                continue;
            }
            let dir = tempfile::tempdir().unwrap();
            let path = dir.path().join("ephemeral");
            // The smallest that XFS takes.
            let size = 300 << 20;
            run(program, &path, size as u64).await.unwrap();
            let mut disk = vec![0xa5u8; size];
            if program.wants_zeros {
                disk.zero(0, size as u64).unwrap();
            }
            sparse::copy(&fs::File::open(&path).unwrap(), &mut disk).unwrap();
            let found = probe::probe(&disk).unwrap();
            assert_eq!((found.kind, found.label.as_deref()), (format, Some(LABEL)));
            if format.starts_with("ext") {
                fs::write(&path, &disk).unwrap();
                let checked = Command::new(find("e2fsck").unwrap())
                    .args(["-f", "-n"])
                    .arg(&path)
                    .output()
                    .await
                    .unwrap();
                let said = String::from_utf8_lossy(&checked.stdout);
                assert!(checked.status.success(), "{format}: {said}");
            }
        }
        assert!(EphemeralAction::named("ntfs").is_err());
    }
}
