//! Where a machine boots from.
//!
//! What is written is read back: a service that keeps another device is an error, one that keeps
//! the device but not for how long gets a warning, and where a device was to stay the node
//! remembers it and asks for it again at every power on.

use super::{boot_mode, first, put};
use crate::{
    DriverError,
    boot_mode::is_uefi,
    iface::Machine,
    redfish::{Info, Posted, Redfish, RedfishError, Resource, Talk, quirks::Quirks},
};
use serde_json::Value;
use std::time::Duration;
use types::{JsonMap, LeaseProof, rpc::BootDevice};

/// Devices, and what Redfish calls them.
const DEVICES: &[(&str, &str)] = &[
    ("pxe", "Pxe"),
    ("disk", "Hdd"),
    ("cdrom", "Cd"),
    ("bios", "BiosSetup"),
    (UEFI_HTTP_DEVICE, UEFI_HTTP),
];
pub(super) const NAMES: &[&str] = &["pxe", "disk", "cdrom", "bios", UEFI_HTTP_DEVICE];

/// What Ironic calls a boot by HTTP, and what Redfish does.
pub(in crate::redfish) const UEFI_HTTP_DEVICE: &str = "uefihttp";
const UEFI_HTTP: &str = "UefiHttp";
const USB_CD: &str = "UsbCd";
const CONTINUOUS: &str = "Continuous";
const ONCE: &str = "Once";
const DISABLED: &str = "Disabled";

const TARGET: &str = "BootSourceOverrideTarget";
const ENABLED: &str = "BootSourceOverrideEnabled";
const MODE: &str = "BootSourceOverrideMode";
const HTTP_URI: &str = "HttpBootUri";
const ALLOWED: &str = "Boot/BootSourceOverrideTarget@Redfish.AllowableValues";

const OPERATION: &str = "setting the boot device";
/// The service's word for a machine that is testing itself.
const BUSY: &str = "UnableToModifyDuringSystemPOST";

fn target_of(device: &str) -> Option<&'static str> {
    let mut all = DEVICES.iter();
    all.find(|(name, _)| *name == device)
        .map(|(_, target)| *target)
}

fn device_of(target: &str) -> Option<&'static str> {
    if target == USB_CD {
        return Some("cdrom");
    }
    let mut all = DEVICES.iter();
    all.find(|(_, known)| *known == target)
        .map(|(name, _)| *name)
}

fn frequency(persistent: bool) -> &'static str {
    if persistent { CONTINUOUS } else { ONCE }
}

pub(super) async fn get(redfish: &Redfish, info: &Info) -> Result<BootDevice, DriverError> {
    let talk = redfish.talk(info, "reading the boot device").await?;
    let system = talk.system().await?;
    let target = system.str("Boot/BootSourceOverrideTarget");
    Ok(BootDevice {
        device: target.and_then(device_of).map(str::to_owned),
        persistent: match system.str("Boot/BootSourceOverrideEnabled") {
            Some(CONTINUOUS) => Some(true),
            Some(ONCE) => Some(false),
            _ => None,
        },
    })
}

pub(in crate::redfish) async fn set(
    redfish: &Redfish,
    lease: &LeaseProof,
    machine: &mut Machine<'_>,
    info: &Info,
    device: &str,
    persistent: bool,
) -> Result<(), DriverError> {
    let Some(target) = target_of(device) else {
        return Err(DriverError::InvalidParameter(format!(
            "Invalid boot device {device} specified."
        )));
    };
    let noted = &mut machine.node.driver_internal_info;
    noted.forget_redfish_boot_device();
    let url = noted.take_redfish_http_url();
    let url = url.as_deref();
    let quirks = ask(redfish, machine, info, device, target, persistent, url).await?;
    if quirks.loses_mode {
        let mode = if is_uefi(machine.node, redfish.settings.default_uefi)? {
            "uefi"
        } else {
            "bios"
        };
        boot_mode::sync(redfish, lease, machine, info, mode).await?;
    }
    Ok(())
}

/// Before a machine gets power: asks again for a device that the service does not keep. What comes
/// of it is no reason to leave the machine without power.
pub(in crate::redfish) async fn restore(
    redfish: &Redfish,
    _lease: &LeaseProof,
    machine: &mut Machine<'_>,
    info: &Info,
) -> Result<(), DriverError> {
    let remembered = machine
        .node
        .driver_internal_info
        .redfish_boot_device()
        .map(str::to_lowercase);
    let Some(remembered) = remembered else {
        return Ok(());
    };
    // Older releases noted Redfish's words.
    let device = match remembered.as_str() {
        "hdd" => "disk",
        "cd" => "cdrom",
        "bios setup" => "bios",
        other => other,
    };
    let Some(target) = target_of(device) else {
        return Err(DriverError::InvalidParameter(format!(
            "driver_internal_info/redfish_boot_device of node {} is {remembered:?}, which is no boot device",
            machine.node.id
        )));
    };
    // What is booted by HTTP is asked for with its address, or firmware would look for one by DHCP.
    let url = machine.node.driver_internal_info.redfish_http_url();
    let url = url.filter(|_| target == UEFI_HTTP).map(str::to_owned);
    let again = ask(
        redfish,
        machine,
        info,
        device,
        target,
        false,
        url.as_deref(),
    );
    if let Err(error) = again.await {
        let error = types::error::chain(&error);
        tracing::warn!(node = %machine.node.id, device, %error, "the boot device cannot be set again");
    }
    Ok(())
}

/// Asks for a device, and looks what came of it.
async fn ask(
    redfish: &Redfish,
    machine: &mut Machine<'_>,
    info: &Info,
    device: &str,
    target: &'static str,
    persistent: bool,
    url: Option<&str>,
) -> Result<Quirks, DriverError> {
    let mut talk = redfish.talk(info, OPERATION).await?;
    let system = talk.system().await?;
    let quirks = talk.quirks(machine.node, &system).await?;
    let pending = pending(&talk, &system).await?;
    let target = offered(&talk, &system, quirks, target)?;
    let wanted = frequency(persistent);
    let current = system.str("Boot/BootSourceOverrideEnabled");
    let mut change = Change::new(&system, pending.as_ref());
    change.set(TARGET, target.into());
    match (target, url) {
        (UEFI_HTTP, Some(url)) => {
            if !change.set_known(HTTP_URI, url.into()) {
                return Err(talk.lacks(&system, HTTP_URI));
            }
        }
        _ => change.clear(HTTP_URI),
    }
    if quirks.names_enabled || current != Some(wanted) {
        change.set(ENABLED, wanted.into());
    }
    if quirks.names_all {
        let mode = system.str("Boot/BootSourceOverrideMode").unwrap_or("UEFI");
        change.set(MODE, mode.into());
    }
    let mut is_once = !persistent;
    let sent_continuous = change.asks(ENABLED, CONTINUOUS);
    match patch_in_post(&mut talk, &change).await {
        Ok(()) => {}
        Err(error) if sent_continuous && error.status().is_some() => {
            tracing::info!(node = %machine.node.id, bmc = talk.peer(), %error, "the boot device is asked for at each power on");
            change.set(ENABLED, ONCE.into());
            patch(&talk, &change).await?;
            is_once = true;
        }
        Err(error) => return Err(error.into()),
    }
    let found = read(&talk, &system.path, change.is_pending()).await?;
    let is_disc = is_disc_of(&found, target, url);
    let expected = if is_disc { "Cd" } else { target };
    check(
        &talk,
        machine,
        device,
        expected,
        frequency(!is_once),
        &found,
    )?;
    if persistent && (is_once || found.str("Boot/BootSourceOverrideEnabled") == Some(ONCE)) {
        let noted = &mut machine.node.driver_internal_info;
        noted.set_redfish_boot_device(device);
        if let (UEFI_HTTP, Some(url)) = (target, url) {
            noted.set_redfish_http_url(url);
        }
    }
    Ok(quirks)
}

/// Whether a service that was asked to boot by HTTP fetched the disc itself, keeps its address and
/// boots it from a drive, as sushy-tools does for virtual machines.
fn is_disc_of(found: &Resource, target: &str, url: Option<&str>) -> bool {
    target == UEFI_HTTP
        && url.is_some()
        && found.str("Boot/HttpBootUri") == url
        && found.str("Boot/BootSourceOverrideTarget") == Some("Cd")
}

/// Whether the machine's firmware can boot what it fetches by HTTP, as far as the service tells.
pub(in crate::redfish) async fn boots_by_http(
    redfish: &Redfish,
    info: &Info,
) -> Result<bool, DriverError> {
    let talk = redfish.talk(info, "looking for boot by HTTP").await?;
    let system = talk.system().await?;
    let allowed = system.texts(ALLOWED);
    Ok(allowed.is_empty() || allowed.contains(&UEFI_HTTP))
}

/// The address that firmware was told to boot from by HTTP.
pub(in crate::redfish) async fn http_address(
    redfish: &Redfish,
    info: &Info,
) -> Result<Option<String>, DriverError> {
    let talk = redfish
        .talk(info, "reading the address to boot from")
        .await?;
    let system = talk.system().await?;
    let found = read(&talk, &system.path, true).await?;
    Ok(found.str("Boot/HttpBootUri").map(str::to_owned))
}

/// The target to ask for, if the service has it.
fn offered(
    talk: &Talk<'_>,
    system: &Resource,
    quirks: Quirks,
    target: &'static str,
) -> Result<&'static str, DriverError> {
    let allowed = system.texts(ALLOWED);
    if quirks.usb_cd && target == "Cd" && allowed.contains(&USB_CD) {
        return Ok(USB_CD);
    }
    if allowed.is_empty() || allowed.contains(&target) {
        return Ok(target);
    }
    Err(talk.rejected(format!(
        "The parameter \"target\" value \"{target}\" is invalid. Valid values are: {}",
        allowed.join(", ")
    )))
}

/// The resource in which settings of the machine wait, where there is one.
pub(super) async fn pending(
    talk: &Talk<'_>,
    system: &Resource,
) -> Result<Option<Resource>, RedfishError> {
    match system.pending() {
        Some(reference) => match talk.get(reference).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        },
        None => Ok(None),
    }
}

/// A change of `Boot`, each property where the service has it: among the settings that wait, or in
/// the machine itself.
#[derive(Debug)]
pub(super) struct Change<'a> {
    system: &'a Resource,
    pending: Option<&'a Resource>,
    at_system: JsonMap,
    at_pending: JsonMap,
}

impl<'a> Change<'a> {
    pub(super) fn new(system: &'a Resource, pending: Option<&'a Resource>) -> Self {
        Self {
            system,
            pending,
            at_system: JsonMap::new(),
            at_pending: JsonMap::new(),
        }
    }

    fn has(resource: &Resource, key: &str) -> bool {
        resource
            .map("Boot")
            .is_some_and(|boot| boot.contains_key(key))
    }

    pub(super) fn set(&mut self, key: &str, value: Value) {
        let is_pending = self.pending.is_some_and(|pending| Self::has(pending, key));
        let place = if is_pending {
            &mut self.at_pending
        } else {
            &mut self.at_system
        };
        place.insert(key.to_owned(), value);
    }

    /// As [`Change::set`], where the service must have the property.
    fn set_known(&mut self, key: &str, value: Value) -> bool {
        let is_known = Self::has(self.system, key)
            || self.pending.is_some_and(|pending| Self::has(pending, key));
        if is_known {
            self.set(key, value);
        }
        is_known
    }

    /// Takes away a value that is there.
    fn clear(&mut self, key: &str) {
        let place = match self.pending {
            Some(pending) if Self::has(pending, key) => pending,
            _ => self.system,
        };
        if place.at(&format!("Boot/{key}")).is_some() {
            self.set(key, Value::Null);
        }
    }

    fn asks(&self, key: &str, value: &str) -> bool {
        let mut places = [&self.at_system, &self.at_pending].into_iter();
        places.any(|place| place.get(key).and_then(Value::as_str) == Some(value))
    }

    /// Whether anything waits for a restart.
    pub(super) fn is_pending(&self) -> bool {
        !self.at_pending.is_empty()
    }
}

pub(super) async fn patch(talk: &Talk<'_>, change: &Change<'_>) -> Result<(), RedfishError> {
    let parts = [
        (change.pending, &change.at_pending),
        (Some(change.system), &change.at_system),
    ];
    for (resource, boot) in parts {
        if let (Some(resource), false) = (resource, boot.is_empty()) {
            let body = put("Boot", Value::Object(boot.clone()));
            let _: Posted = talk.patch(resource, &body).await?;
        }
    }
    Ok(())
}

/// As [`patch`], again for a while on a machine that is testing itself.
async fn patch_in_post(talk: &mut Talk<'_>, change: &Change<'_>) -> Result<(), RedfishError> {
    let (attempts, first) = (talk.settings.post_attempts, talk.settings.post_pause);
    let mut attempt = 1;
    loop {
        match patch(talk, change).await {
            Err(error) if attempt < attempts && error.mentions(BUSY) => {
                let doubled = Duration::from_secs(1 << attempt.min(16));
                let pause = doubled.clamp(first, first * 6);
                tracing::info!(
                    bmc = talk.peer(),
                    attempt,
                    ?pause,
                    "the machine is testing itself"
                );
                talk.rest(pause).await?;
                attempt += 1;
            }
            outcome => return outcome,
        }
    }
}

/// The machine as it is now; what waits is laid over it.
async fn read(talk: &Talk<'_>, path: &str, is_pending: bool) -> Result<Resource, RedfishError> {
    let mut system = talk.get(path).await?;
    if is_pending && let Some(pending) = pending(talk, &system).await? {
        let waiting = pending.map("Boot").cloned().unwrap_or_default();
        if let Some(Value::Object(boot)) = system.body.get_mut("Boot") {
            boot.extend(waiting.into_iter().filter(|(_, value)| !value.is_null()));
        }
    }
    Ok(system)
}

fn check(
    talk: &Talk<'_>,
    machine: &mut Machine<'_>,
    device: &str,
    target: &str,
    wanted: &str,
    found: &Resource,
) -> Result<(), DriverError> {
    let kept = found.str("Boot/BootSourceOverrideTarget");
    let enabled = found.str("Boot/BootSourceOverrideEnabled");
    if kept != Some(target) || enabled == Some(DISABLED) {
        let kept = kept.filter(|_| enabled != Some(DISABLED));
        return Err(DriverError::NotKept {
            peer: talk.peer().to_owned(),
            what: "boot device",
            asked: device.to_owned(),
            found: first([kept.and_then(device_of), kept], "none"),
        });
    }
    let noted = &mut machine.node.driver_internal_info;
    if enabled == Some(wanted) || enabled.is_none() {
        noted.forget_boot_device_warning();
        return Ok(());
    }
    let lost = if wanted == CONTINUOUS {
        "for every boot"
    } else {
        "for the next boot only"
    };
    let text = format!(
        "BMC {} took boot device {device}, but not that it is {lost}",
        talk.peer()
    );
    tracing::warn!(node = %machine.node.id, "{text}");
    noted.set_boot_device_warning(&text);
    machine.found.warnings.push(text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn devices_have_targets_and_back() {
        for &name in NAMES {
            assert_eq!(target_of(name).and_then(device_of), Some(name));
        }
        assert_eq!(NAMES.len(), DEVICES.len());
        assert_eq!(device_of(USB_CD), Some("cdrom"));
        assert_eq!((target_of("safe"), device_of("Diags")), (None, None));
    }

    #[test]
    fn properties_are_changed_where_they_are() {
        let resource = |path: &str, boot: Value| Resource::new(path, None, put("Boot", boot));
        let system = resource(
            "/s",
            json!({TARGET: "None", ENABLED: "Disabled", HTTP_URI: "http://a"}),
        );
        let settings = resource("/s/Settings", json!({TARGET: "None"}));
        let mut change = Change::new(&system, Some(&settings));
        change.set(TARGET, "Pxe".into());
        change.set(ENABLED, ONCE.into());
        change.clear(HTTP_URI);
        assert!(change.is_pending() && change.asks(TARGET, "Pxe"));
        assert_eq!(Value::Object(change.at_pending), json!({TARGET: "Pxe"}));
        assert_eq!(
            Value::Object(change.at_system),
            json!({ENABLED: ONCE, HTTP_URI: null})
        );
        let mut change = Change::new(&settings, None);
        assert!(!change.set_known(HTTP_URI, "http://b".into()));
        change.clear(HTTP_URI);
        assert!(change.at_system.is_empty());
    }
}
