//! The boot device of machines whose controllers cannot keep one, or only with a restart: it is
//! remembered here, and set when the machine is switched on.
//!
//! The keys are those of Ironic's drivers.

use super::{InternalInfo, key};
use crate::pyrepr;
use serde_json::{Value, json};

impl InternalInfo {
    /// What a machine with Intel AMT is to boot from, and whether for good.
    pub fn amt_boot_device(&self) -> Option<(&str, bool)> {
        let device = self.text(key::AMT_BOOT_DEVICE)?;
        Some((device, self.flag(key::AMT_BOOT_PERSISTENT)))
    }

    pub fn set_amt_boot_device(&mut self, device: &str, is_persistent: bool) {
        self.set(key::AMT_BOOT_DEVICE, device);
        self.set(key::AMT_BOOT_PERSISTENT, is_persistent);
    }

    /// What a machine with an iDRAC is to boot from, and whether for good, as long as its controller
    /// was not told.
    pub fn drac_boot_device(&self) -> Option<(&str, bool)> {
        let kept = self.0.get(key::DRAC_BOOT_DEVICE)?;
        let device = kept.get("boot_device").and_then(Value::as_str)?;
        let is_persistent = kept.get("persistent").is_some_and(pyrepr::truth);
        Some((device, is_persistent))
    }

    pub fn set_drac_boot_device(&mut self, device: &str, is_persistent: bool) {
        let kept = json!({"boot_device": device, "persistent": is_persistent});
        self.set(key::DRAC_BOOT_DEVICE, kept);
    }

    /// Its controller was told.
    pub fn forget_drac_boot_device(&mut self) {
        self.remove(key::DRAC_BOOT_DEVICE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_devices_are_remembered() {
        let mut info = InternalInfo::default();
        assert_eq!(info.amt_boot_device(), None);
        info.set_amt_boot_device("pxe", true);
        assert_eq!(info.amt_boot_device(), Some(("pxe", true)));
        info.set_amt_boot_device("disk", false);
        assert_eq!(info.amt_boot_device(), Some(("disk", false)));
        assert_eq!(info.drac_boot_device(), None);
        info.set_drac_boot_device("pxe", false);
        assert_eq!(info.drac_boot_device(), Some(("pxe", false)));
        info.forget_drac_boot_device();
        assert_eq!(info.drac_boot_device(), None);
        // What another wrote, and wrongly.
        info.set(key::DRAC_BOOT_DEVICE, "pxe");
        assert_eq!(info.drac_boot_device(), None);
    }
}
