//! Firmware components of a machine, as they were last read from it.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// A firmware component row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FirmwareComponent {
    /// `bios`, `bmc`, `nic:…`.
    pub component: String,
    /// The version when the component was first seen.
    pub initial_version: Option<String>,
    pub current_version: Option<String>,
    /// The version that this service wrote last.
    pub last_version_flashed: Option<String>,
    pub vendor: Option<String>,
    pub model: Option<String>,
    pub serial_number: Option<String>,
    /// When the component was first seen.
    pub created_at: Timestamp,
    /// When it was last seen to have changed.
    pub updated_at: Option<Timestamp>,
}

impl FirmwareComponent {
    /// A component that is seen for the first time.
    pub fn new(component: impl Into<String>, version: Option<String>) -> Self {
        Self {
            component: component.into(),
            initial_version: version.clone(),
            current_version: version,
            last_version_flashed: None,
            vendor: None,
            model: None,
            serial_number: None,
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}
