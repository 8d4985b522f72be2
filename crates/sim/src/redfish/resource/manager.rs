//! The BMC itself: its clock, its network, its restart.

use super::{dell, hardware::mac_text, log};
use crate::{
    machine::{event::stamp, firmware::Component},
    redfish::{
        answer::{Answer, Body},
        body::{Fields, needed},
        call::{Call, View, add, healthy, link},
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};
use std::time::Duration;
use types::time::Timestamp;

const RESETS: &[&str] = &["GracefulRestart", "ForceRestart"];
const INTERFACE: &str = "1";

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let machines = call.site.machines.iter();
    let uris = machines
        .map(|machine| call.site.uri(machine, View::Manager))
        .collect();
    Ok(call.list("ManagerCollection", "Manager Collection", uris))
}

/// The version that the BMC has at first.
pub(crate) fn factory_version(call: &Call<'_>) -> String {
    let (major, minor) = call.machine.personality().bmc_firmware;
    // The minor part is written in decimal digits.
    format!("{major}.{minor:02x}")
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let machine = call.machine;
    let maker = machine.personality();
    let (version, error, offset) = call.parts(|parts| {
        let version = parts.firmware.version(Component::Bmc).map(str::to_owned);
        (version, parts.clock_error, parts.utc_offset.clone())
    });
    let id = call.site.id(machine, View::Manager);
    let path = call.path;
    let mut body = call.resource("#Manager.v1_19_1.Manager", &id, "Manager");
    add(
        &mut body,
        json!({
            "ManagerType": "BMC",
            "Manufacturer": maker.manufacturer,
            "Model": maker.bmc_model,
            "FirmwareVersion": version.unwrap_or_else(|| factory_version(call)),
            "UUID": machine.uuid().to_string(),
            "ServiceEntryPointUUID": call.host().uuid().to_string(),
            "DateTime": clock(call.now, error),
            "DateTimeLocalOffset": offset.unwrap_or_else(|| "+00:00".to_owned()),
            "PowerState": "On",
            "Status": healthy(),
            "GraphicalConsole": {
                "ServiceEnabled": true,
                "MaxConcurrentSessions": 4,
                "ConnectTypesSupported": ["KVMIP"],
            },
            "SerialConsole": {
                "ServiceEnabled": true,
                "MaxConcurrentSessions": 1,
                "ConnectTypesSupported": ["IPMI"],
            },
            "CommandShell": {
                "ServiceEnabled": false,
                "MaxConcurrentSessions": 0,
                "ConnectTypesSupported": ["SSH"],
            },
            "EthernetInterfaces": link(&format!("{path}/EthernetInterfaces")),
            "NetworkProtocol": link(&format!("{path}/NetworkProtocol")),
            "Links": {
                "ManagerForServers": [link(&call.system())],
                "ManagerForChassis": [link(&call.chassis())],
                "ManagerInChassis": link(&call.chassis()),
            },
            "Actions": {"#Manager.Reset": {
                "target": format!("{path}/Actions/Manager.Reset"),
                "ResetType@Redfish.AllowableValues": RESETS,
            }},
        }),
    );
    log::add_to(call, &mut body, true);
    if call.quirks.media.under_managers {
        add(
            &mut body,
            json!({"VirtualMedia": link(&format!("{path}/VirtualMedia"))}),
        );
    }
    if call.quirks.has_dell_oem {
        dell::add_to_manager(call, &mut body);
    }
    Ok(body)
}

/// What the clock of the BMC shows.
fn clock(now: Duration, error: i64) -> String {
    let error_size = Duration::from_secs(error.unsigned_abs());
    stamp(if error < 0 {
        now.saturating_sub(error_size)
    } else {
        now + error_size
    })
}

pub(crate) fn change(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let time = fields.text("DateTime")?;
    let offset = fields.text("DateTimeLocalOffset")?;
    fields.end(&show(call)?)?;
    let error = match &time {
        Some(text) => {
            let wrong =
                || Problem::new("PropertyValueFormatError", &[text, "DateTime"]).about("DateTime");
            let set = Timestamp::parse(text).ok_or_else(wrong)?;
            Some(set.seconds_since(Timestamp::now()))
        }
        None => None,
    };
    if let Some(offset) = &offset
        && !is_offset(offset)
    {
        let args = [&**offset, "DateTimeLocalOffset"];
        return Err(Problem::new("PropertyValueFormatError", &args).about("DateTimeLocalOffset"));
    }
    call.parts(|parts| {
        parts.clock_error = error.unwrap_or(parts.clock_error);
        parts.utc_offset = offset.or(parts.utc_offset.take());
    });
    Ok(Answer::of(StatusCode::OK, Body::None))
}

/// Whether a text is like `+02:00`.
fn is_offset(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_digit = |place: usize| bytes.get(place).is_some_and(u8::is_ascii_digit);
    bytes.len() == 6
        && matches!(bytes[0], b'+' | b'-')
        && bytes[3] == b':'
        && [1, 2, 4, 5].into_iter().all(is_digit)
}

pub(crate) fn reset(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "Manager.Reset";
    let mut fields = Fields::of(call.body)?;
    needed(fields.choice("ResetType", RESETS)?, ACTION, "ResetType")?;
    fields.end_action(ACTION)?;
    call.host().restart_bmc();
    Ok(Answer::nothing())
}

pub(crate) fn protocol(call: &Call<'_>) -> Result<Value, Problem> {
    let mut body = call.resource(
        "#ManagerNetworkProtocol.v1_10_0.ManagerNetworkProtocol",
        "NetworkProtocol",
        "Manager Network Protocol",
    );
    add(
        &mut body,
        json!({
            "HostName": format!("{}-bmc", call.machine.name()),
            "HTTP": {"ProtocolEnabled": true, "Port": 80},
            "HTTPS": {"ProtocolEnabled": true, "Port": 443},
            "IPMI": {"ProtocolEnabled": true, "Port": 623},
            "Status": healthy(),
        }),
    );
    Ok(body)
}

pub(crate) fn interfaces(call: &Call<'_>) -> Result<Value, Problem> {
    let name = "Ethernet Network Interfaces";
    Ok(call.collection("EthernetInterfaceCollection", name, [INTERFACE]))
}

pub(crate) fn interface(call: &Call<'_>) -> Result<Value, Problem> {
    if call.param("interface") != INTERFACE {
        return Err(call.absent());
    }
    let mac = mac_text(call.machine.bmc_mac());
    let mut body = call.resource(
        "#EthernetInterface.v1_12_2.EthernetInterface",
        INTERFACE,
        "Manager Ethernet Interface",
    );
    add(
        &mut body,
        json!({
            "MACAddress": mac,
            "PermanentMACAddress": mac,
            "SpeedMbps": 1000,
            "FullDuplex": true,
            "LinkStatus": "LinkUp",
            "InterfaceEnabled": true,
            "HostName": format!("{}-bmc", call.machine.name()),
            "Status": healthy(),
        }),
    );
    Ok(body)
}
