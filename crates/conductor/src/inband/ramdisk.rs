//! Booting a machine into its ramdisk, and putting it away again.
//!
//! The machine is switched off first: networks are changed and media inserted under nobody's feet,
//! and what runs on it afterwards is certainly the ramdisk.

use super::{bash, iscsi, restore};
use crate::{
    flow::{
        networks::{self, join, leave},
        power, volumes,
    },
    objects,
    task::Task,
};
use drivers::{
    DriverError, Failure, boot_mode,
    iface::{BootFrom, DeployBy, NetworkPurpose, Ramdisk, RamdiskKind},
};
use openstack::Deadline;
use serde_json::Value;
use std::time::Duration;
use types::{PowerTarget, Timestamp, words};

/// Whether the node's boot interface boots the ramdisk; otherwise operators see to that, and the
/// machine is only switched on ([`crate::RamdiskSettings::manages_boot`]).
pub(crate) fn is_managed(task: &Task, purpose: NetworkPurpose) -> bool {
    match purpose {
        NetworkPurpose::Inspection => true,
        NetworkPurpose::Rescuing => task.settings().ramdisk.manages_boot,
        _ => {
            let by_agent = task.hardware.deploy.by() == DeployBy::Agent;
            task.settings().ramdisk.manages_boot || !by_agent
        }
    }
}

/// Whether the machine will find its ramdisk. What that is made of is brought here; the machine is
/// left alone, so that what is missing is known while it still runs.
pub(crate) async fn check(task: &mut Task, purpose: NetworkPurpose) -> Result<(), DriverError> {
    if !is_managed(task, purpose) {
        return Ok(());
    }
    parameters(task, purpose).await?;
    let hardware = task.hardware.clone();
    let kind = kind_for(purpose);
    hardware.boot.fetch_ramdisk(&task.machine(), kind).await
}

fn kind_for(purpose: NetworkPurpose) -> RamdiskKind {
    match purpose {
        NetworkPurpose::Rescuing => RamdiskKind::Rescue,
        _ => RamdiskKind::Deploy,
    }
}

/// Everything but the power: network, ramdisk, boot mode and boot device.
pub(crate) async fn prepare(task: &mut Task, purpose: NetworkPurpose) -> Result<(), DriverError> {
    switch_off(task).await?;
    let hardware = task.hardware.clone();
    if purpose == NetworkPurpose::Provisioning {
        // A rebuild finds the instance's networks still there.
        leave(task, NetworkPurpose::Tenant).await?;
    }
    join(task, purpose).await?;
    if purpose == NetworkPurpose::Provisioning {
        volumes::attach(task).await?;
    }
    if !is_managed(task, purpose) {
        // It asks for its token like any other that was not told one.
        let info = &mut task.node.driver_internal_info;
        info.forget_embedded_agent_token();
        return Ok(());
    }
    // Before: what is made for the machine depends on its mode.
    sync_boot_mode(task).await?;
    let token = token(task)?;
    if purpose == NetworkPurpose::Provisioning {
        bash::make_key(task)?;
    }
    let ramdisk = described(task, purpose, token).await?;
    let began = Timestamp::now();
    let network_data = networks::data(task).await?;
    let _awaits = objects::note_media(task).await?;
    let from = {
        let (lease, mut machine) = task.hands()?;
        machine.network_data = network_data;
        let boot = &hardware.boot;
        boot.prepare_ramdisk(lease, &mut machine, &ramdisk).await?
    };
    restore::note(task, purpose, began);
    match from {
        Some(from) => boot_from(task, from).await,
        None => Ok(()),
    }
}

/// The ramdisk and what it is told.
pub(super) async fn described(
    task: &Task,
    purpose: NetworkPurpose,
    token: Option<String>,
) -> Result<Ramdisk, DriverError> {
    let token = token.map(|token| ("ipa-agent-token".to_owned(), token));
    Ok(Ramdisk {
        kind: kind_for(purpose),
        tells_address: task.settings().legacy_ramdisk && iscsi::is_writer(task),
        parameters: parameters(task, purpose)
            .await?
            .into_iter()
            .chain(token)
            .collect(),
    })
}

/// A token for a ramdisk that can be told it beforehand; the others ask for theirs.
fn token(task: &mut Task) -> Result<Option<String>, DriverError> {
    let hardware = task.hardware.clone();
    let takes = hardware.boot.takes_token(&task.machine());
    let info = &mut task.node.driver_internal_info;
    if !takes {
        info.forget_embedded_agent_token();
        return Ok(None);
    }
    let token = crate::agent::fresh_token();
    let token = token.map_err(|fault| DriverError::Environment(Failure::new(fault.to_string())))?;
    info.embed_agent_token(&token);
    Ok(Some(token))
}

/// The token that the ramdisk was told when it was made, if it was: it may run by now, and shows no
/// other.
pub(super) fn kept_token(task: &Task) -> Result<Option<String>, DriverError> {
    if !task.node.driver_internal_info.has_embedded_agent_token() {
        return Ok(None);
    }
    let token = super::secret_token(task);
    token.map(Some).ok_or_else(|| {
        DriverError::Environment(Failure::new(
            "the token that the ramdisk was told cannot be read",
        ))
    })
}

/// Boots what was prepared.
pub(crate) async fn start(task: &mut Task) -> Result<(), DriverError> {
    // Whatever agent there was, it is gone; the next one gets a token of its own.
    task.node.driver_internal_info.forget_agent_before_boot();
    // Boxed: it is seldom needed, and every flow starts machines.
    Box::pin(restore::run_if_missing(task)).await?;
    let target = if task.node.stays_on() {
        PowerTarget::Reboot
    } else {
        PowerTarget::On
    };
    power::act(task, target, None).await
}

/// Takes the ramdisk away, and its machine's power if that is wanted.
pub(crate) async fn put_away(
    task: &mut Task,
    purpose: NetworkPurpose,
    off: bool,
) -> Result<(), DriverError> {
    if off {
        switch_off(task).await?;
    }
    let hardware = task.hardware.clone();
    restore::forget(&mut task.node);
    if is_managed(task, purpose) {
        let (lease, mut machine) = task.hands()?;
        hardware.boot.clean_up_ramdisk(lease, &mut machine).await?;
    }
    leave(task, purpose).await?;
    if off && task.node.stays_on() && purpose == NetworkPurpose::Cleaning {
        // Out of the ramdisk, without ever being off.
        return power::act(task, PowerTarget::Reboot, None).await;
    }
    Ok(())
}

pub(crate) async fn switch_off(task: &mut Task) -> Result<(), DriverError> {
    if task.node.stays_on() {
        return Ok(());
    }
    power::act(task, PowerTarget::Off, None).await
}

/// Where agents reach this service. Keystone's answer is kept with our login.
pub(super) async fn api_url(task: &Task) -> Result<String, DriverError> {
    /// Agents are seldom told anything, and Keystone is near.
    const PATIENCE: Duration = Duration::from_secs(30);
    let settings = &task.settings().ramdisk;
    let services = task.core.registry.openstack();
    if let Some(services) = services.filter(|_| settings.api_in_catalogue) {
        let found = services.baremetal_url(Deadline::after(PATIENCE)).await;
        return found.map_err(|error| {
            let (why, remedy) = (error.sdk_text(), error.remedy());
            DriverError::Environment(Failure::new(format!(
                "Couldn't get the URL of the Ironic API service from the configuration file or keystone catalog. Keystone error: {why}; {remedy}"
            )))
        });
    }
    settings.api_url.clone().ok_or_else(|| {
        DriverError::InvalidParameter(
            "It is not known under which address agents reach this service: set [service_catalog]endpoint_override".to_owned(),
        )
    })
}

/// What the agent is told on its kernel's command line.
async fn parameters(
    task: &Task,
    purpose: NetworkPurpose,
) -> Result<Vec<(String, String)>, DriverError> {
    let settings = &task.settings().ramdisk;
    let api = api_url(task).await?;
    let mut parameters = Vec::new();
    let mut add = |key: &str, value: String| parameters.push((key.to_owned(), value));
    if purpose == NetworkPurpose::Inspection {
        let inspection = &task.settings().inspection;
        for (key, value) in &inspection.extra_kernel_params {
            add(key, value.clone());
        }
        add(
            "ipa-inspection-callback-url",
            format!("{api}/v1/continue_inspection"),
        );
        let lldp = "ipa-collect-lldp";
        let said = inspection.extra_kernel_params.iter();
        if inspection.force_dhcp && !said.into_iter().any(|(key, _)| key == lldp) {
            add(lldp, "1".to_owned());
        }
    }
    if purpose != NetworkPurpose::Inspection || task.core.is_fast_track(&task.node) {
        add("ipa-api-url", api.clone());
    }
    if settings.debug {
        add("ipa-debug", "1".to_owned());
    }
    if purpose == NetworkPurpose::Provisioning && iscsi::is_writer(task) {
        parameters.extend(bash::parameters(task, &api)?);
    }
    let mut add = |key: &str, value: String| parameters.push((key.to_owned(), value));
    // Agents that know it tell how far they are; the others do not mind.
    add("ipa-corten-progress", "1".to_owned());
    Ok(parameters)
}

/// Tells the BMC what to boot from.
pub(crate) async fn boot_from(task: &mut Task, from: BootFrom) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let management = &hardware.management;
    let persistent = persistence(task, from.persistent);
    let warnings = {
        let (lease, mut machine) = task.hands()?;
        let set = management
            .set_boot_device(lease, &mut machine, from.device, persistent)
            .await;
        match (set, from.instead) {
            (
                Err(
                    DriverError::InvalidParameter(_)
                    | DriverError::Unsupported { .. }
                    | DriverError::NotKept { .. },
                ),
                Some(instead),
            ) => {
                management
                    .set_boot_device(lease, &mut machine, instead, persistent)
                    .await?;
            }
            (set, _) => set?,
        }
        std::mem::take(&mut machine.found.warnings)
    };
    task.warn(warnings);
    Ok(())
}

/// `driver_info.force_persistent_boot_device` has the last word.
fn persistence(task: &Task, wanted: bool) -> bool {
    let forced = task.driver_info().get("force_persistent_boot_device");
    let is = |word: &str| {
        forced
            .and_then(Value::as_str)
            .is_some_and(|text| text.eq_ignore_ascii_case(word))
    };
    if is("never") {
        return false;
    }
    // It used to be a boolean, of which only true said something.
    wanted || is("always") || forced.and_then(words::boolean_value) == Some(true)
}

/// Switches secure boot with the instance that asked for it: on before it boots, off when it goes.
pub(crate) async fn sync_secure_boot(task: &mut Task, on: bool) -> Result<(), DriverError> {
    if !boot_mode::wants_secure_boot(&task.node) {
        return Ok(());
    }
    let hardware = task.hardware.clone();
    let set = {
        let (lease, mut machine) = task.hands()?;
        let management = &hardware.management;
        management.set_secure_boot(lease, &mut machine, on).await
    };
    match set {
        Ok(()) => {
            task.node.secure_boot = Some(on);
            Ok(())
        }
        // As in Ironic. The instance boots, only not as safely as it wished.
        Err(DriverError::Unsupported { .. }) if on => {
            task.warn(vec![format!(
                "secure boot was asked for, but management interface '{}' cannot switch it",
                hardware.management.name()
            )]);
            Ok(())
        }
        Err(DriverError::Unsupported { .. }) => Ok(()),
        other => other,
    }
}

/// Brings the machine's boot mode where the node, its instance or the configuration wants it.
pub(crate) async fn sync_boot_mode(task: &mut Task) -> Result<(), DriverError> {
    let hardware = task.hardware.clone();
    let management = &hardware.management;
    let default_uefi = task.settings().ramdisk.default_uefi;
    let name = |uefi: bool| if uefi { "uefi" } else { "bios" };
    let wanted = boot_mode::requested(&task.node)?;
    let found = match management.boot_mode(&task.machine()).await {
        Ok(found) => found,
        // One that cannot tell is taken at its word.
        Err(DriverError::Unsupported { .. }) => None,
        Err(error) => return Err(error),
    };
    let target = match (wanted, found.as_deref()) {
        (None, Some(found)) => {
            task.node.driver_internal_info.set_deploy_boot_mode(found);
            return Ok(());
        }
        (None, None) => name(default_uefi),
        (Some(uefi), _) => name(uefi),
    };
    if found.as_deref() == Some(target) {
        return Ok(());
    }
    let set = {
        let (lease, mut machine) = task.hands()?;
        management.set_boot_mode(lease, &mut machine, target).await
    };
    match set {
        // A machine that does not tell its mode and cannot change it is what it is.
        Err(DriverError::Unsupported { .. }) if found.is_none() => {}
        other => other?,
    }
    if wanted.is_none() {
        task.node.driver_internal_info.set_deploy_boot_mode(target);
    }
    Ok(())
}
