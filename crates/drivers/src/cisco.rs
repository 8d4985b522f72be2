//! Cisco's servers: `ucsm` for those that UCS Manager manages, `cimc` for those with a management
//! controller of their own. Both speak the XML API of [`proto::nuova`].

mod cimc;
mod session;
mod ucsm;

pub use cimc::{Cimc, CimcServer};
pub use ucsm::{UcsServer, Ucsm};

use crate::{DriverError, chassis::ChassisSettings, driver_info, iface::Machine};
use std::time::Duration;
use types::pyrepr;

/// The options of `[cisco_ucs]` and `[cimc]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CiscoSettings {
    pub chassis: ChassisSettings,
    /// How often a machine of UCS Manager is looked at that is switched, and the pause between.
    pub ucs_looks: u32,
    pub ucs_pause: Duration,
    /// The same for one with its own controller.
    pub cimc_looks: u32,
    pub cimc_pause: Duration,
}

impl Default for CiscoSettings {
    fn default() -> Self {
        Self {
            chassis: ChassisSettings::default(),
            ucs_looks: 6,
            ucs_pause: Duration::from_secs(5),
            cimc_looks: 6,
            cimc_pause: Duration::from_secs(10),
        }
    }
}

/// Who logs in.
#[derive(Clone)]
struct Login {
    user: String,
    password: String,
}

/// Reads user and password, and complains about all keys that are missing.
fn login(machine: &Machine<'_>, required: &[&'static str]) -> Result<Login, DriverError> {
    let given = |key: &str| machine.driver_info.get(key);
    let missing = driver_info::missing(machine.driver_info, required);
    if !missing.is_empty() {
        return Err(DriverError::InvalidParameter(format!(
            "The following required properties are missing from the node's driver_info: {}",
            pyrepr::repr_list(missing)
        )));
    }
    let text = |ending: &str| {
        let key = required.iter().find(|key| key.ends_with(ending));
        let value = key.and_then(|key| given(key));
        value.map(pyrepr::to_str).unwrap_or_default()
    };
    Ok(Login {
        user: text("_username"),
        password: text("_password"),
    })
}

fn unknown_device(device: &str) -> DriverError {
    DriverError::InvalidParameter(format!("Invalid boot device {device} specified."))
}
