//! Whether this machine is one that may be erased.
//!
//! The program is built to destroy what is on disks, and people will run it on their desks. So it
//! wants two marks, neither of which a desk has: the file that `corten ramdisk build` puts into the
//! ramdisk, seen on a root that is in memory, and an agent's parameter on the kernel's command line,
//! which whoever boots a ramdisk passes.

use crate::AgentError;
use std::{fs, path::Path};

/// The file in our ramdisks.
pub const MARK: &str = "etc/corten-ramdisk";

/// What starts an agent's kernel parameters.
const PARAMETER: &str = "ipa-";

/// The right to change this machine: its disks, its firmware, its power.
#[derive(Debug, Clone)]
pub struct Permit {
    is_of_ramdisk: bool,
}

impl Permit {
    /// Looks for the marks under `root`, which is `/` but in tests.
    pub fn from_marks(root: &Path) -> Option<Self> {
        let marked = root.join(MARK).is_file();
        let in_memory = fs::read_to_string(root.join("proc/mounts"))
            .is_ok_and(|mounts| root_in_memory(&mounts));
        let told = fs::read_to_string(root.join("proc/cmdline")).is_ok_and(|line| {
            line.split_whitespace()
                .any(|word| word.starts_with(PARAMETER))
        });
        (marked && in_memory && told).then_some(Self {
            is_of_ramdisk: true,
        })
    }

    /// The operator said `--allow-destructive`.
    pub fn from_operator() -> Self {
        Self {
            is_of_ramdisk: false,
        }
    }

    /// Whether the marks of the ramdisk permit it, not an operator's flag.
    pub fn is_of_ramdisk(&self) -> bool {
        self.is_of_ramdisk
    }
}

/// The error for commands without a permit.
pub fn refusal(what: &str) -> AgentError {
    AgentError::refused(
        "CommandExecutionError",
        "Command execution failed",
        format!(
            "{what} is refused: this is no ramdisk of Corten (use --allow-destructive to act anyway)"
        ),
    )
}

/// The last thing mounted on `/` is what is seen there.
fn root_in_memory(mounts: &str) -> bool {
    let root = mounts
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .rfind(|fields| fields.get(1) == Some(&"/"));
    root.is_some_and(|fields| matches!(fields.get(2), Some(&("rootfs" | "tmpfs" | "ramfs"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn desk(mark: bool, mounts: &str, cmdline: &str) -> bool {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir_all(dir.path().join("proc")).unwrap();
        fs::create_dir_all(dir.path().join("etc")).unwrap();
        fs::write(dir.path().join("proc/mounts"), mounts).unwrap();
        fs::write(dir.path().join("proc/cmdline"), cmdline).unwrap();
        if mark {
            fs::write(dir.path().join(MARK), "").unwrap();
        }
        Permit::from_marks(dir.path()).is_some()
    }

    #[test]
    fn every_mark_is_needed() {
        let memory = "none / rootfs rw 0 0\n";
        let disk = "none / rootfs rw 0 0\n/dev/sda1 / ext4 rw 0 0\n";
        let told = "quiet ipa-api-url=http://h:6385";
        assert!(desk(true, memory, told));
        assert!(!desk(false, memory, told));
        assert!(!desk(true, disk, told));
        assert!(!desk(true, memory, "quiet splash"));
        assert!(!desk(true, "", told));
    }
}
