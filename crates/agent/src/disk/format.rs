//! Filesystems that only their own programs can make.

use crate::{AgentError, exec};
pub(super) use image::disk::format::{nothing, put};
use std::{path::Path, time::Duration};

/// Large filesystems on slow disks take their time.
const PATIENCE: Duration = Duration::from_secs(3600);

/// A filesystem that only its own program can make, on a partition's node.
pub(super) async fn by_program(kind: &str, node: &Path, label: &str) -> Result<(), AgentError> {
    let force: &[&str] = match kind {
        "ext2" | "ext3" | "ext4" => &["-q", "-F"],
        "xfs" | "btrfs" => &["-q", "-f"],
        _ => {
            return Err(AgentError::failed(
                "FileSystemNotSupported",
                &format!("Failed to create a file system. File system {kind} is not supported."),
                format!("Failed to create a file system. File system {kind} is not supported."),
            ));
        }
    };
    let node = node.to_string_lossy();
    let program = format!("mkfs.{kind}");
    let args = [force, &["-L", label, &node]].concat();
    exec::run(&program, &args, PATIENCE).await.map(|_| ())
}
