//! The BMC password that is being changed.

use super::{InternalInfo, key};
use serde_json::Value;

impl InternalInfo {
    /// The new password that the BMC may have by now; sealed in the row.
    pub fn pending_bmc_password(&self) -> Option<&Value> {
        self.0.get(key::PENDING_BMC_PASSWORD)
    }

    pub fn set_pending_bmc_password(&mut self, password: &str) {
        self.set(key::PENDING_BMC_PASSWORD, password);
    }

    /// It is known which of the two passwords the BMC has.
    pub fn forget_pending_bmc_password(&mut self) {
        self.remove(key::PENDING_BMC_PASSWORD);
    }
}
