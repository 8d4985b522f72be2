//! Which firmware interface a machine boots by.
//!
//! Many services take a new mode only when the machine restarts, so it is restarted if the mode is
//! not there at once, watched until it is, and then put back into the power state it had.

use super::boot_device::{self, Change};
use crate::{
    DriverError,
    iface::Machine,
    redfish::{Info, Redfish, Resource, power},
};
use tokio::time::Instant;
use types::{LeaseProof, PowerState, PowerTarget};

const OPERATION: &str = "setting the boot mode";

const MODES: &[(&str, &str)] = &[("uefi", "UEFI"), ("bios", "Legacy")];

fn word_of(mode: &str) -> Option<&'static str> {
    let mut all = MODES.iter();
    all.find(|(name, _)| *name == mode).map(|(_, word)| *word)
}

fn mode_of(system: &Resource) -> Option<&'static str> {
    let word = system.str("Boot/BootSourceOverrideMode")?;
    let mut all = MODES.iter();
    all.find(|(_, known)| *known == word).map(|(name, _)| *name)
}

pub(super) async fn get(redfish: &Redfish, info: &Info) -> Result<Option<String>, DriverError> {
    let talk = redfish.talk(info, "reading the boot mode").await?;
    Ok(mode_of(&talk.system().await?).map(str::to_owned))
}

pub(super) async fn set(
    redfish: &Redfish,
    lease: &LeaseProof,
    machine: &mut Machine<'_>,
    info: &Info,
    mode: &str,
) -> Result<(), DriverError> {
    let Some(word) = word_of(mode) else {
        return Err(DriverError::InvalidParameter(format!(
            "Invalid boot mode {mode} specified."
        )));
    };
    let was_known = {
        let talk = redfish.talk(info, OPERATION).await?;
        let system = talk.system().await?;
        let quirks = talk.quirks(machine.node, &system).await?;
        let pending = boot_device::pending(&talk, &system).await?;
        let mut change = Change::new(&system, pending.as_ref());
        if quirks.names_all {
            let usual =
                |place: &str, usual: &'static str| system.str(place).unwrap_or(usual).to_owned();
            change.set(
                "BootSourceOverrideEnabled",
                usual("Boot/BootSourceOverrideEnabled", "Once").into(),
            );
            change.set(
                "BootSourceOverrideTarget",
                usual("Boot/BootSourceOverrideTarget", "Pxe").into(),
            );
        }
        change.set("BootSourceOverrideMode", word.into());
        let was_known = mode_of(&system).is_some();
        match boot_device::patch(&talk, &change).await {
            Ok(()) => was_known,
            // Some machines have only one mode, and no place to say so.
            Err(error) if !was_known && error.status().is_some() => {
                return Err(DriverError::Unsupported {
                    what: "set_boot_mode",
                });
            }
            Err(error) => return Err(error.into()),
        }
    };
    if !was_known {
        let text = format!(
            "BMC {} took boot mode {mode}, but does not tell which one it has",
            info.peer()
        );
        tracing::warn!(node = %machine.node.id, "{text}");
        machine.found.warnings.push(text);
        return Ok(());
    }
    if get(redfish, info).await?.as_deref() == Some(mode) {
        return Ok(());
    }
    let limit = redfish.settings.boot_mode_wait;
    restarted(redfish, lease, machine, info, async || {
        let until = Instant::now() + limit;
        loop {
            let found = get(redfish, info).await?;
            if found.as_deref() == Some(mode) {
                return Ok(());
            }
            if Instant::now() >= until {
                return Err(DriverError::NotKept {
                    peer: info.peer(),
                    what: "boot mode, not even by a restart,",
                    asked: mode.to_owned(),
                    found: found.unwrap_or_else(|| "none".to_owned()),
                });
            }
            tokio::time::sleep(redfish.settings.boot_mode_pause).await;
        }
    })
    .await
}

/// Sets a mode that something else may have changed, where there is one to set.
pub(super) async fn sync(
    redfish: &Redfish,
    lease: &LeaseProof,
    machine: &mut Machine<'_>,
    info: &Info,
    mode: &str,
) -> Result<(), DriverError> {
    let found = get(redfish, info).await?;
    if found.is_none() || found.as_deref() == Some(mode) {
        return Ok(());
    }
    match set(redfish, lease, machine, info, mode).await {
        Err(DriverError::Unsupported { .. }) => Ok(()),
        outcome => outcome,
    }
}

/// Restarts a machine, waits for what the restart is for, and gives it back the power it had.
pub(super) async fn restarted(
    redfish: &Redfish,
    lease: &LeaseProof,
    machine: &mut Machine<'_>,
    info: &Info,
    awaited: impl AsyncFnOnce() -> Result<(), DriverError>,
) -> Result<(), DriverError> {
    let before = power::state(redfish, info).await?;
    let switch = power::Switch {
        redfish,
        info,
        limit: None,
    };
    switch.set(lease, machine, PowerTarget::Reboot).await?;
    if !redfish.settings.boot_mode_wait.is_zero() {
        awaited().await?;
    }
    match before {
        Some(PowerState::Off) if !machine.node.stays_on() => {
            switch.set(lease, machine, PowerTarget::Off).await
        }
        _ => Ok(()),
    }
}
