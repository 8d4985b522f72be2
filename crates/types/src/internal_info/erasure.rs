//! How an agent is to erase disks: `[deploy]` says it, the node carries it to the agent.

use super::{InternalInfo, key};
use serde_json::Value;

/// How disks are erased. What is not said is left to the agent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Erasure {
    /// How often random data is written over a disk.
    pub iterations: Option<u64>,
    /// Whether zeros are written after that.
    pub zeroize: Option<bool>,
    /// Whether a disk that cannot erase itself is written over instead.
    pub continue_if_secure_erase_failed: Option<bool>,
    pub ata_secure_erase: Option<bool>,
    pub nvme_secure_erase: Option<bool>,
    pub discard: Option<bool>,
    /// How many disks are erased at once.
    pub concurrency: Option<u64>,
    /// Whether a disk that cannot be written is passed over.
    pub skip_read_only: Option<bool>,
}

impl InternalInfo {
    pub fn erasure(&self) -> Erasure {
        let flag = |key: &str| self.0.get(key).and_then(Value::as_bool);
        let count = |key: &str| self.0.get(key).and_then(Value::as_u64);
        Erasure {
            iterations: count(key::ERASE_ITERATIONS),
            zeroize: flag(key::ERASE_ZEROIZE),
            continue_if_secure_erase_failed: flag(key::ERASE_CONTINUE)
                .or_else(|| flag(key::ERASE_CONTINUE_ATA)),
            ata_secure_erase: flag(key::ERASE_ATA),
            nvme_secure_erase: flag(key::ERASE_NVME),
            discard: flag(key::ERASE_DISCARD),
            concurrency: count(key::ERASE_CONCURRENCY),
            skip_read_only: flag(key::ERASE_SKIP_READ_ONLY),
        }
    }

    /// Leaves word for the agent how disks are to be erased.
    pub fn set_erasure(&mut self, erasure: &Erasure) {
        let goes_on = erasure.continue_if_secure_erase_failed;
        for (key, value) in [
            (key::ERASE_ITERATIONS, erasure.iterations.map(Value::from)),
            (key::ERASE_ZEROIZE, erasure.zeroize.map(Value::from)),
            (key::ERASE_CONTINUE, goes_on.map(Value::from)),
            (key::ERASE_CONTINUE_ATA, goes_on.map(Value::from)),
            (key::ERASE_ATA, erasure.ata_secure_erase.map(Value::from)),
            (key::ERASE_NVME, erasure.nvme_secure_erase.map(Value::from)),
            (key::ERASE_DISCARD, erasure.discard.map(Value::from)),
            (key::ERASE_CONCURRENCY, erasure.concurrency.map(Value::from)),
            (
                key::ERASE_SKIP_READ_ONLY,
                erasure.skip_read_only.map(Value::from),
            ),
        ] {
            if let Some(value) = value {
                self.set(key, value);
            }
        }
    }

    /// Whether an agent may erase file systems that other machines may be using; `None` when nobody
    /// said so.
    pub fn wipes_special_filesystems(&self) -> Option<bool> {
        self.0.get(key::WIPE_SPECIAL_FILESYSTEMS)?.as_bool()
    }
}
