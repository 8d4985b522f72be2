//! What a machine boots from, as a computer system shows it.

use crate::{
    machine::boot::{Device, Enabled, Firmware, Override},
    redfish::{
        body::Fields,
        call::{Call, add},
        message::Problem,
    },
};
use serde_json::{Value, json};

/// Names of devices, the one that is shown first.
const DEVICES: &[(&str, Device)] = &[
    ("None", Device::None),
    ("Pxe", Device::Pxe),
    ("Hdd", Device::Disk),
    ("Hdd", Device::SafeDisk),
    ("Hdd", Device::RemoteDisk),
    ("Cd", Device::Cdrom),
    ("UsbCd", Device::RemoteCdrom),
    ("Cd", Device::RemoteCdrom),
    ("Floppy", Device::Floppy),
    ("Usb", Device::Usb),
    ("BiosSetup", Device::Setup),
    ("Diags", Device::Diagnostic),
    ("Utilities", Device::Diagnostic),
    ("UefiHttp", Device::UefiHttp),
];

const ENABLED: &[(&str, Enabled)] = &[
    ("Disabled", Enabled::Disabled),
    ("Once", Enabled::Once),
    ("Continuous", Enabled::Continuous),
];

const MODES: &[(&str, Firmware)] = &[("UEFI", Firmware::Uefi), ("Legacy", Firmware::Legacy)];

fn name_of<T: PartialEq>(table: &[(&'static str, T)], value: &T) -> &'static str {
    table
        .iter()
        .find(|(_, known)| known == value)
        .map_or("None", |(name, _)| name)
}

fn value_of<T: Copy>(table: &[(&'static str, T)], name: &str) -> Option<T> {
    table
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
}

pub(crate) fn show(call: &Call<'_>) -> Value {
    let boot = call.machine.boot();
    let mut target = name_of(DEVICES, &boot.device);
    if !call.quirks.targets.contains(&target) {
        target = if target == "UsbCd" { "Cd" } else { "None" };
    }
    let uri = call.parts(|parts| parts.http_boot_uri.clone());
    let mut shown = json!({
        "BootSourceOverrideEnabled": name_of(ENABLED, &boot.enabled),
        "BootSourceOverrideMode": name_of(MODES, &boot.mode),
        "BootSourceOverrideMode@Redfish.AllowableValues": ["UEFI", "Legacy"],
        "BootSourceOverrideTarget": target,
        "BootSourceOverrideTarget@Redfish.AllowableValues": call.quirks.targets,
    });
    if call.quirks.targets.contains(&"UefiHttp") {
        add(&mut shown, json!({"HttpBootUri": uri}));
    }
    shown
}

/// What a request wants to be booted.
pub(crate) struct BootChange {
    chosen: Override,
    http_boot_uri: Option<Option<String>>,
}

/// Checks what a request wants; nothing is changed.
pub(crate) fn wanted(call: &Call<'_>, mut fields: Fields) -> Result<BootChange, Problem> {
    let quirks = &call.quirks.boot;
    let mut chosen = call.machine.boot();
    let target = fields.choice("BootSourceOverrideTarget", call.quirks.targets)?;
    let enabled = fields.choice(
        "BootSourceOverrideEnabled",
        &["Disabled", "Once", "Continuous"],
    )?;
    let mode = fields.choice("BootSourceOverrideMode", &["UEFI", "Legacy"])?;
    let http_boot_uri = fields.text_or_null("HttpBootUri")?;
    fields.end(&show(call))?;
    if enabled == Some("Continuous") && quirks.refuses_continuous {
        return Err(Problem::not_in_list(
            "Boot.BootSourceOverrideEnabled",
            "Continuous",
        ));
    }
    if mode.is_some() && quirks.refuses_mode {
        return Err(Problem::not_writable("Boot.BootSourceOverrideMode"));
    }
    if target.is_some() && mode.is_none() && quirks.needs_mode {
        return Err(Problem::missing("Boot.BootSourceOverrideMode"));
    }
    if let Some(target) = target {
        chosen.device = value_of(DEVICES, target).unwrap_or(chosen.device);
        if enabled.is_none() && quirks.needs_enabled {
            chosen.enabled = Enabled::Disabled;
        }
    }
    if let Some(enabled) = enabled {
        chosen.enabled = value_of(ENABLED, enabled).unwrap_or(chosen.enabled);
    }
    if chosen.enabled == Enabled::Disabled && target.is_none() && enabled.is_some() {
        chosen.device = Device::None;
    }
    if let Some(mode) = mode {
        chosen.mode = value_of(MODES, mode).unwrap_or(chosen.mode);
    }
    Ok(BootChange {
        chosen,
        http_boot_uri,
    })
}

pub(crate) fn set(call: &Call<'_>, wanted: BootChange) {
    let is_ignored = call.machine.ignores(crate::fault::Write::Boot);
    call.machine.set_boot(wanted.chosen);
    if is_ignored {
        return;
    }
    let mode = call.machine.boot().mode;
    call.parts(|parts| {
        if let Some(uri) = wanted.http_boot_uri {
            parts.http_boot_uri = uri;
        }
        parts.bios.set_boot_mode(mode == Firmware::Uefi);
    });
}
