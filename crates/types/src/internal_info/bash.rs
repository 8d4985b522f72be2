//! What the bash ramdisk of releases up to 5 reported, and the key it has to show.

use super::{InternalInfo, key};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::IpAddr;

/// A ramdisk that exports its disk by itself and waits to be told that it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BashRamdisk {
    pub address: IpAddr,
    pub port: u16,
    /// The name of its target.
    pub target: String,
    pub lun: u16,
    /// What went wrong before it could export anything.
    pub error: Option<String>,
    /// How the boot loader fared, once it told.
    pub loader: Option<LoaderReport>,
    /// After what it was let go, or may have been: it hears that only once.
    #[serde(default)]
    pub let_go: Option<LetGo>,
}

/// What a ramdisk waits for before it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum LetGo {
    Write,
    BootLoader,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum LoaderReport {
    Installed,
    Failed(String),
}

impl InternalInfo {
    /// The ramdisk that called, if it was one of this kind.
    pub fn bash_ramdisk(&self) -> Option<BashRamdisk> {
        BashRamdisk::deserialize(self.0.get(key::BASH_RAMDISK)?).ok()
    }

    pub fn set_bash_ramdisk(&mut self, ramdisk: &BashRamdisk) {
        // Addresses, numbers and texts are always JSON.
        if let Ok(value) = serde_json::to_value(ramdisk) {
            self.set(key::BASH_RAMDISK, value);
        }
    }

    pub fn forget_bash_ramdisk(&mut self) {
        self.remove(key::BASH_RAMDISK);
    }

    /// What such a ramdisk has to show; sealed in the row.
    pub fn deploy_key(&self) -> Option<&Value> {
        self.0.get(key::DEPLOY_KEY)
    }

    pub fn set_deploy_key(&mut self, secret: &str) {
        self.set(key::DEPLOY_KEY, secret);
    }
}
