//! The kernel's view of a disk's partitions, and its nodes in `/dev`.

use super::{medium::Disk, sys};
use crate::AgentError;
use std::{
    io,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio::time;

/// Timeout for a disk that another process holds, and for a device node to appear.
const PATIENCE: Duration = Duration::from_secs(15);
const PAUSE: Duration = Duration::from_millis(100);

/// Makes the kernel look at the partition table again. A file has no partitions of that kind.
pub(super) async fn reread(disk: &Disk) -> Result<(), AgentError> {
    if !sys::is_device(disk.file()) {
        return Ok(());
    }
    let until = time::Instant::now() + PATIENCE;
    loop {
        match sys::reread_partitions(disk.file()) {
            Ok(()) => return Ok(()),
            Err(error)
                if error.kind() == io::ErrorKind::ResourceBusy && time::Instant::now() < until =>
            {
                time::sleep(PAUSE).await;
            }
            // Loop devices may be set up to have no partitions.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Ok(()),
            Err(error) => {
                return Err(super::failed(
                    disk.path(),
                    "read the partition table again of",
                    &error,
                ));
            }
        }
    }
}

/// The node of a partition, such as `/dev/sda1` or `/dev/nvme0n1p1`.
pub(super) fn path(device: &Path, number: u32) -> PathBuf {
    let name = device.to_string_lossy();
    let between = if name.ends_with(|c: char| c.is_ascii_digit()) {
        "p"
    } else {
        ""
    };
    PathBuf::from(format!("{name}{between}{number}"))
}

/// Waits until the node of a partition is there.
pub(super) async fn wait(device: &Path, number: u32) -> Result<PathBuf, AgentError> {
    let node = path(device, number);
    let until = time::Instant::now() + PATIENCE;
    while !node.exists() {
        if time::Instant::now() >= until {
            return Err(super::deployment(format!(
                "the partition {} did not appear within {} s",
                node.display(),
                PATIENCE.as_secs()
            )));
        }
        time::sleep(PAUSE).await;
    }
    Ok(node)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_are_called_as_the_kernel_calls_them() {
        for (device, node) in [
            ("/dev/sda", "/dev/sda2"),
            ("/dev/nvme0n1", "/dev/nvme0n1p2"),
            ("/dev/md0", "/dev/md0p2"),
        ] {
            assert_eq!(path(Path::new(device), 2), Path::new(node));
        }
    }
}
