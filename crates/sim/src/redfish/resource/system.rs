//! A machine as a computer system: who it is, its power, its light.

use super::boot;
use crate::{
    fault::Write,
    machine::{
        Light,
        firmware::Component,
        power::{Action, Refused},
    },
    redfish::{
        answer::{Answer, Body},
        body::{Fields, needed},
        call::{Call, View, add, healthy, link, links},
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let machines = call.site.machines.iter();
    let uris = machines
        .map(|machine| call.site.uri(machine, View::System))
        .collect();
    Ok(call.list(
        "ComputerSystemCollection",
        "Computer System Collection",
        uris,
    ))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let machine = call.machine;
    let maker = machine.personality();
    let power = machine.power();
    let (asset_tag, bios_version) = call.parts(|parts| {
        let version = parts.firmware.version(Component::Bios).map(str::to_owned);
        (parts.asset_tag.clone(), version)
    });
    let id = call.site.id(machine, View::System);
    let mut body = call.resource(
        "#ComputerSystem.v1_20_1.ComputerSystem",
        &id,
        &machine.name(),
    );
    let path = call.path;
    add(
        &mut body,
        json!({
            "Description": "Simulated machine",
            "SystemType": "Physical",
            "Manufacturer": maker.manufacturer,
            "Model": maker.model,
            "SKU": maker.serial_prefix,
            "SerialNumber": machine.serial(),
            "PartNumber": format!("{}-PN1", maker.serial_prefix),
            "UUID": machine.uuid().to_string(),
            "HostName": machine.name(),
            "AssetTag": asset_tag.unwrap_or_else(|| machine.asset_tag()),
            "BiosVersion": bios_version.unwrap_or_else(|| maker.bios_version.to_owned()),
            "PowerState": power_state(call),
            "Status": {"State": "Enabled", "Health": "OK", "HealthRollup": "OK"},
            "Boot": boot::show(call),
            "BootProgress": {"LastState": if power.is_on { "OSRunning" } else { "None" }},
            "ProcessorSummary": {
                "Count": super::hardware::PROCESSORS,
                "CoreCount": super::hardware::PROCESSORS * super::hardware::CORES,
                "LogicalProcessorCount": super::hardware::PROCESSORS * super::hardware::CORES * 2,
                "Model": super::hardware::PROCESSOR_MODEL,
            },
            "MemorySummary": {
                "TotalSystemMemoryGiB": super::hardware::MODULES * super::hardware::MODULE_GIB,
            },
            "TrustedModules": [{
                "FirmwareVersion": "7.2.1.0",
                "InterfaceType": "TPM2_0",
                "Status": healthy(),
            }],
            "Links": {
                "Chassis": [link(&call.chassis())],
                "ManagedBy": [link(&call.manager())],
            },
            "Actions": {"#ComputerSystem.Reset": {
                "target": format!("{path}/Actions/ComputerSystem.Reset"),
                "ResetType@Redfish.AllowableValues": call.quirks.resets,
            }},
        }),
    );
    for below in [
        "Processors",
        "Memory",
        "EthernetInterfaces",
        "SimpleStorage",
        "Storage",
        "Bios",
        "SecureBoot",
    ] {
        add(
            &mut body,
            json!({ below: link(&format!("{path}/{below}")) }),
        );
    }
    super::log::add_to(call, &mut body, false);
    if call.quirks.media.under_systems {
        add(
            &mut body,
            json!({"VirtualMedia": link(&format!("{path}/VirtualMedia"))}),
        );
    }
    let devices = (0..super::network::ADAPTERS)
        .map(|_| format!("{}/PCIeDevices/NIC.1", call.chassis()))
        .collect::<Vec<_>>();
    add(
        &mut body,
        json!({
            "PCIeDevices": links(&devices),
            "PCIeDevices@odata.count": devices.len(),
        }),
    );
    add(&mut body, light(call));
    if call.quirks.has_dell_oem {
        super::dell::add_to_system(call, &mut body);
    }
    if let Some(screen) = machine.screen() {
        let console = json!({
            "ServiceEnabled": true,
            "MaxConcurrentSessions": 4,
            "ConnectTypesSupported": ["KVMIP"],
            "Port": screen.port(),
        });
        add(&mut body, json!({"GraphicalConsole": console}));
    }
    Ok(body)
}

fn power_state(call: &Call<'_>) -> &'static str {
    let power = call.machine.power();
    match (power.is_on, power.target()) {
        (false, Some(true)) => "PoweringOn",
        (true, Some(false)) => "PoweringOff",
        (true, _) => "On",
        (false, _) => "Off",
    }
}

/// The light, in the properties that the maker's service has for it.
pub(crate) fn light(call: &Call<'_>) -> Value {
    let is_on = call.machine.light() != Light::Off;
    let mut shown = json!({"LocationIndicatorActive": is_on});
    if call.quirks.has_indicator_led {
        let is_steady = call.parts(|parts| parts.is_light_steady);
        let led = match (is_on, is_steady) {
            (false, _) => "Off",
            (true, true) => "Lit",
            (true, false) => "Blinking",
        };
        add(&mut shown, json!({"IndicatorLED": led}));
    }
    shown
}

/// What a request wants of the light.
pub(crate) struct LightChange {
    is_on: Option<bool>,
    is_steady: bool,
}

pub(crate) fn light_wanted(call: &Call<'_>, fields: &mut Fields) -> Result<LightChange, Problem> {
    let led = if call.quirks.has_indicator_led {
        fields.choice("IndicatorLED", &["Off", "Lit", "Blinking"])?
    } else {
        None
    };
    let active = fields.flag("LocationIndicatorActive")?;
    Ok(LightChange {
        is_on: led.map(|led| led != "Off").or(active),
        is_steady: led == Some("Lit"),
    })
}

pub(crate) fn set_light(call: &Call<'_>, wanted: &LightChange) {
    let Some(is_on) = wanted.is_on else {
        return;
    };
    if call.machine.ignores(Write::Other) {
        return;
    }
    call.parts(|parts| parts.is_light_steady = wanted.is_steady);
    call.machine
        .set_light(if is_on { Light::Forever } else { Light::Off });
}

pub(crate) fn change(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let boot = match fields.object("Boot")? {
        Some(boot) => Some(boot::wanted(call, boot)?),
        None => None,
    };
    let light = light_wanted(call, &mut fields)?;
    let asset_tag = fields.text("AssetTag")?;
    fields.end(&show(call)?)?;
    if let Some(boot) = boot {
        boot::set(call, boot);
    }
    set_light(call, &light);
    if let Some(tag) = asset_tag
        && !call.machine.ignores(Write::Other)
    {
        call.parts(|parts| parts.asset_tag = Some(tag));
    }
    Ok(Answer::of(StatusCode::OK, Body::None))
}

pub(crate) fn reset(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "ComputerSystem.Reset";
    let mut fields = Fields::of(call.body)?;
    let wanted = needed(fields.text("ResetType")?, ACTION, "ResetType")?;
    fields.end_action(ACTION)?;
    if !call.quirks.resets.contains(&wanted.as_str()) {
        let args = [&*wanted, "ResetType", ACTION];
        return Err(Problem::new("ActionParameterValueNotInList", &args).about("ResetType"));
    }
    let is_on = call.machine.power().is_on;
    let faults = call.host().faults();
    if faults.http.refuse_on && wanted == "On" {
        let words = "the parameter ResetType with the value On conflicts with the power state";
        return Err(Problem::said(StatusCode::CONFLICT, words));
    }
    let action = match wanted.as_str() {
        "On" | "ForceOn" => Action::On,
        "ForceOff" => Action::Off,
        "GracefulShutdown" => Action::Soft,
        "GracefulRestart" | "ForceRestart" => Action::Reset,
        "PowerCycle" => Action::Cycle,
        "PushPowerButton" if is_on => Action::Soft,
        "PushPowerButton" => Action::On,
        _ => Action::Nmi,
    };
    call.machine.control(action).map_err(|Refused::IsOff| {
        Problem::said(
            StatusCode::CONFLICT,
            "the machine is off, so it cannot be restarted",
        )
    })?;
    Ok(Answer::nothing())
}
