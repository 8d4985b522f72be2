//! What the fake driver leaves, so that another conductor sees the same machine.

use super::{InternalInfo, key};
use serde_json::{Value, json};

impl InternalInfo {
    /// The surprise in `driver_info` that a power change has ended.
    pub fn overruled_fake_power(&self) -> Option<&Value> {
        self.0.get(key::FAKE_POWER_OVERRULED)
    }

    pub fn set_overruled_fake_power(&mut self, surprise: Value) {
        self.set(key::FAKE_POWER_OVERRULED, surprise);
    }

    /// What a fake machine was to boot.
    pub fn set_fake_ramdisk(&mut self, kind: &str, parameters: &[String]) {
        let told = json!({"kind": kind, "parameters": parameters});
        self.set(key::FAKE_RAMDISK, told);
    }

    pub fn forget_fake_ramdisk(&mut self) {
        self.remove(key::FAKE_RAMDISK);
    }
}
