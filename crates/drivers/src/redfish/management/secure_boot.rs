//! Secure boot, and its keys.

use super::{boot_mode::restarted, put};
use crate::{
    DriverError, Failure,
    iface::Machine,
    redfish::{Info, Redfish, RedfishError, Resource, Talk},
};
use tokio::time::Instant;
use types::LeaseProof;

const PLACE: &str = "SecureBoot";
const RESET_KEYS: &str = "#SecureBoot.ResetKeys";

/// What becomes of the keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Keys {
    Default,
    None,
}

impl Keys {
    fn word(self) -> &'static str {
        match self {
            Self::Default => "ResetAllKeysToDefault",
            Self::None => "DeleteAllKeys",
        }
    }
}

/// The resource of secure boot; `what` completes the sentence about a machine that has none.
async fn resource(
    talk: &Talk<'_>,
    system: &Resource,
    what: &'static str,
) -> Result<Resource, RedfishError> {
    match system.link(PLACE) {
        Some(reference) => talk.get(reference).await,
        None => Err(DriverError::Unsupported { what }.into()),
    }
}

pub(super) async fn get(redfish: &Redfish, info: &Info) -> Result<Option<bool>, DriverError> {
    let talk = redfish.talk(info, "reading the secure boot state").await?;
    let system = talk.system().await?;
    match resource(&talk, &system, "get_secure_boot_state").await {
        Ok(found) => Ok(found.bool("SecureBootEnable")),
        // It may take a licence to be told.
        Err(error) if error.mentions("OemLicenseNotPassed") => Ok(None),
        Err(error) => Err(error.into()),
    }
}

pub(super) async fn set(
    redfish: &Redfish,
    lease: &LeaseProof,
    machine: &mut Machine<'_>,
    info: &Info,
    on: bool,
) -> Result<(), DriverError> {
    {
        let talk = redfish.talk(info, "setting the secure boot state").await?;
        let system = talk.system().await?;
        let found = resource(&talk, &system, "set_secure_boot_state").await?;
        if found.bool("SecureBootEnable") == Some(on) {
            return Ok(());
        }
        if system.str("Boot/BootSourceOverrideMode") == Some("Legacy") {
            return Err(DriverError::Rejected(Failure::new(format!(
                "Redfish exception occurred. Error: Configuring secure boot requires UEFI for node {}",
                machine.node.id
            ))));
        }
        talk.patch(&found, &put("SecureBootEnable", on.into()))
            .await?;
        let found = talk.get(&found.path).await;
        if found.is_ok_and(|found| found.bool("SecureBootEnable") == Some(on)) {
            return Ok(());
        }
    }
    let limit = redfish.settings.boot_mode_wait;
    restarted(redfish, lease, machine, info, async || {
        let until = Instant::now() + limit;
        loop {
            // A machine that is starting may not be able to tell.
            let found = get(redfish, info).await;
            if matches!(found, Ok(Some(found)) if found == on) {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(DriverError::NotKept {
                    peer: info.peer(),
                    what: "secure boot state, not even by a restart,",
                    asked: on.to_string(),
                    found: match found? {
                        Some(found) => found.to_string(),
                        None => "none".to_owned(),
                    },
                });
            }
            tokio::time::sleep(redfish.settings.boot_mode_pause).await;
        }
    })
    .await
}

pub(super) async fn reset_keys(
    redfish: &Redfish,
    info: &Info,
    keys: Keys,
) -> Result<(), DriverError> {
    let talk = redfish.talk(info, "resetting the secure boot keys").await?;
    let system = talk.system().await?;
    let found = resource(&talk, &system, "reset_keys").await?;
    let allowed = talk.allowed(&found, RESET_KEYS, "ResetKeysType").await?;
    let allowed = allowed.unwrap_or_default();
    let word = keys.word();
    if !allowed.is_empty() && !allowed.iter().any(|known| known == word) {
        return Err(talk.rejected(format!(
            "The parameter \"reset_type\" value \"{word}\" is invalid. Valid values are: {}",
            allowed.join(", ")
        )));
    }
    let body = put("ResetKeysType", word.into());
    talk.action(&found, RESET_KEYS, &body).await?;
    Ok(())
}
