//! What a machine boots, and what its BMC does not remember of that.

use super::{InternalInfo, key};
use crate::{Timestamp, pyrepr};
use serde_json::{Value, json};

impl InternalInfo {
    /// What a ramdisk was made available for, and when.
    pub fn prepared_ramdisk(&self) -> Option<(&str, Timestamp)> {
        let made = self.0.get(key::PREPARED_RAMDISK)?;
        let text = |key: &str| made.get(key).and_then(Value::as_str);
        Some((text("purpose")?, Timestamp::from_naive(text("at")?)?))
    }

    pub fn set_prepared_ramdisk(&mut self, purpose: &str, at: Timestamp) {
        let made = json!({"purpose": purpose, "at": at.naive()});
        self.set(key::PREPARED_RAMDISK, made);
    }

    pub fn forget_prepared_ramdisk(&mut self) {
        self.remove(key::PREPARED_RAMDISK);
    }

    /// The name under which dnsmasq knows the machine.
    pub fn dnsmasq_tag(&self) -> Option<&str> {
        self.text(key::DNSMASQ_TAG)
    }

    pub fn set_dnsmasq_tag(&mut self, tag: &str) {
        self.set(key::DNSMASQ_TAG, tag);
    }

    pub fn forget_dnsmasq_tag(&mut self) {
        self.remove(key::DNSMASQ_TAG);
    }

    /// The device that a BMC which forgets it is told at every power on.
    pub fn persistent_boot_device(&self) -> Option<&str> {
        self.text(key::PERSISTENT_BOOT_DEVICE)
    }

    pub fn set_persistent_boot_device(&mut self, device: &str) {
        self.remove(key::IS_NEXT_BOOT_PERSISTENT);
        self.set(key::PERSISTENT_BOOT_DEVICE, device);
    }

    /// Whether the next boot is from that device; if not, somebody asked for another one, this once.
    pub fn is_next_boot_persistent(&self) -> bool {
        let next = self.0.get(key::IS_NEXT_BOOT_PERSISTENT);
        next.is_none_or(pyrepr::truth)
    }

    pub fn set_next_boot_once(&mut self) {
        self.set(key::IS_NEXT_BOOT_PERSISTENT, false);
    }

    /// The boot that was asked for once is about to happen.
    pub fn forget_next_boot_once(&mut self) {
        self.remove(key::IS_NEXT_BOOT_PERSISTENT);
    }

    /// The device that a Redfish service which does not keep it is told at every power on.
    pub fn redfish_boot_device(&self) -> Option<&str> {
        self.text(key::REDFISH_BOOT_DEVICE)
    }

    pub fn set_redfish_boot_device(&mut self, device: &str) {
        self.set(key::REDFISH_BOOT_DEVICE, device);
    }

    pub fn forget_redfish_boot_device(&mut self) {
        self.remove(key::REDFISH_BOOT_DEVICE);
    }

    /// Where UEFI is to boot from by HTTP, for the next call that sets the boot device.
    pub fn redfish_http_url(&self) -> Option<&str> {
        self.text(key::REDFISH_UEFI_HTTP_URL)
    }

    pub fn set_redfish_http_url(&mut self, url: &str) {
        self.set(key::REDFISH_UEFI_HTTP_URL, url);
    }

    /// Where UEFI is to boot from by HTTP, which is forgotten by asking.
    pub fn take_redfish_http_url(&mut self) -> Option<String> {
        let url = self.remove(key::REDFISH_UEFI_HTTP_URL)?;
        url.as_str().map(str::to_owned)
    }

    /// What the BMC did not keep of the boot device, for people.
    pub fn set_boot_device_warning(&mut self, text: &str) {
        self.set(key::BOOT_DEVICE_WARNING, text);
    }

    pub fn forget_boot_device_warning(&mut self) {
        self.remove(key::BOOT_DEVICE_WARNING);
    }
}
