//! What is watched of a machine: its power, its console, its last error, and its inspection.

use super::{InternalInfo, key};
use crate::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a node's last error is about, for those who show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotedError {
    pub code: String,
    /// What the code says beyond its name.
    #[serde(default)]
    pub detail: Option<String>,
    /// How long the error is that the code belongs to.
    pub characters: usize,
}

impl NotedError {
    /// The one in `driver_internal_info` as it is stored.
    pub fn in_json(info: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Info {
            last_error_code: Option<NotedError>,
        }
        if !info.contains(key::LAST_ERROR_CODE) {
            return None;
        }
        let info: Info = serde_json::from_str(info).ok()?;
        info.last_error_code
    }
}

impl InternalInfo {
    pub fn last_power_state_change(&self) -> Option<Timestamp> {
        self.stamp(key::LAST_POWER_STATE_CHANGE)
    }

    pub fn set_last_power_state_change(&mut self, at: Timestamp) {
        self.set(key::LAST_POWER_STATE_CHANGE, at.naive());
    }

    /// What the last error is about, in a form of the caller's. A code of a newer version is none.
    pub fn last_error_code<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        T::deserialize(self.0.get(key::LAST_ERROR_CODE)?).ok()
    }

    pub fn set_last_error_code(&mut self, code: &impl Serialize) {
        // A code is always JSON.
        if let Ok(value) = serde_json::to_value(code) {
            self.set(key::LAST_ERROR_CODE, value);
        }
    }

    pub fn forget_last_error_code(&mut self) {
        self.remove(key::LAST_ERROR_CODE);
    }

    /// The TCP port that was chosen for the machine's console.
    pub fn console_port(&self) -> Option<u16> {
        match self.0.get(key::ALLOCATED_IPMI_TERMINAL_PORT)? {
            Value::String(text) => text.trim().parse().ok(),
            other => u16::try_from(other.as_u64()?).ok(),
        }
    }

    pub fn set_console_port(&mut self, port: u16) {
        self.set(key::ALLOCATED_IPMI_TERMINAL_PORT, port);
    }

    pub fn forget_console_port(&mut self) {
        self.remove(key::ALLOCATED_IPMI_TERMINAL_PORT);
    }

    /// Whether the node's boot interface boots the ramdisk that inspects.
    pub fn set_inspection_boot(&mut self, is_managed: bool) {
        self.set(key::INSPECTOR_MANAGE_BOOT, is_managed);
    }

    /// Whether it did. Asking forgets it.
    pub fn take_inspection_boot(&mut self) -> bool {
        let managed = self.remove(key::INSPECTOR_MANAGE_BOOT);
        managed.is_some_and(|managed| crate::pyrepr::truth(&managed))
    }

    /// The addresses of the BMC, by which a machine that reports is recognised.
    pub fn set_bmc_addresses(&mut self, addresses: Vec<String>) {
        self.set(key::LOOKUP_BMC_ADDRESSES, addresses);
    }

    pub fn forget_bmc_addresses(&mut self) {
        self.remove(key::LOOKUP_BMC_ADDRESSES);
    }

    /// Nobody had enrolled the machine.
    pub fn mark_discovered(&mut self) {
        self.set(key::AUTO_DISCOVERED, true);
    }
}
