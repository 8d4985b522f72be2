//! The chassis of a machine.

use super::system;
use crate::{
    machine::power::Action,
    redfish::{
        answer::{Answer, Body},
        body::{Fields, needed},
        call::{Call, View, add, link},
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

const RESETS: &[&str] = &["On", "ForceOff", "PowerCycle"];

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let machines = call.site.machines.iter();
    let uris = machines
        .map(|machine| call.site.uri(machine, View::Chassis))
        .collect();
    Ok(call.list("ChassisCollection", "Chassis Collection", uris))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let machine = call.machine;
    let maker = machine.personality();
    let id = call.site.id(machine, View::Chassis);
    let path = call.path;
    let mut body = call.resource("#Chassis.v1_23_1.Chassis", &id, "Computer System Chassis");
    add(
        &mut body,
        json!({
            "ChassisType": "RackMount",
            "Manufacturer": maker.manufacturer,
            "Model": maker.model,
            "SerialNumber": machine.serial(),
            "PartNumber": format!("{}-CH1", maker.serial_prefix),
            "AssetTag": machine.asset_tag(),
            "UUID": machine.uuid().to_string(),
            "PowerState": if machine.power().is_on { "On" } else { "Off" },
            "HeightMm": 43.0,
            "WidthMm": 482.0,
            "DepthMm": 700.0,
            "WeightKg": 18.0,
            "Status": {"State": "Enabled", "Health": "OK", "HealthRollup": "OK"},
            "PhysicalSecurity": {"IntrusionSensor": "Normal"},
            "Links": {
                "ComputerSystems": [link(&call.system())],
                "ManagedBy": [link(&call.manager())],
                "ManagersInChassis": [link(&call.manager())],
            },
            "Actions": {"#Chassis.Reset": {
                "target": format!("{path}/Actions/Chassis.Reset"),
                "ResetType@Redfish.AllowableValues": RESETS,
            }},
        }),
    );
    for below in [
        "Thermal",
        "Power",
        "ThermalSubsystem",
        "PowerSubsystem",
        "Sensors",
        "NetworkAdapters",
        "PCIeDevices",
    ] {
        add(
            &mut body,
            json!({ below: link(&format!("{path}/{below}")) }),
        );
    }
    add(&mut body, system::light(call));
    Ok(body)
}

pub(crate) fn change(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let light = system::light_wanted(call, &mut fields)?;
    fields.end(&show(call)?)?;
    system::set_light(call, &light);
    Ok(Answer::of(StatusCode::OK, Body::None))
}

pub(crate) fn reset(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "Chassis.Reset";
    let mut fields = Fields::of(call.body)?;
    let wanted = needed(fields.choice("ResetType", RESETS)?, ACTION, "ResetType")?;
    fields.end_action(ACTION)?;
    let action = match wanted {
        "On" => Action::On,
        "ForceOff" => Action::Off,
        _ => Action::Cycle,
    };
    let refused = |_| Problem::said(StatusCode::CONFLICT, "the machine is off");
    call.machine.control(action).map_err(refused)?;
    Ok(Answer::nothing())
}
