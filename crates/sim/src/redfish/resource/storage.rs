//! Controllers and drives, in the old form (simple storage) and the new.

use crate::{
    machine::storage::{CONTROLLERS, DRIVES, Level},
    redfish::{
        answer::{Answer, Body},
        body::Fields,
        call::{Call, add, healthy, link, links},
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

/// The controller that the path names.
pub(crate) fn controller(call: &Call<'_>) -> Result<usize, Problem> {
    let id = call.param("storage");
    let place = call.quirks.storage.iter().position(|known| *known == id);
    place.ok_or_else(|| call.absent())
}

/// The name of a drive.
pub(crate) fn drive_id(call: &Call<'_>, drive: usize) -> String {
    let controller = DRIVES[drive].controller;
    if call.quirks.has_dell_oem {
        let storage = call.quirks.storage[controller];
        format!("Disk.Bay.{drive}:Enclosure.Internal.0-1:{storage}")
    } else {
        format!("Drive{drive}")
    }
}

pub(crate) fn storage_uri(call: &Call<'_>, controller: usize) -> String {
    format!(
        "{}/Storage/{}",
        call.system(),
        call.quirks.storage[controller]
    )
}

pub(crate) fn drive_uri(call: &Call<'_>, drive: usize) -> String {
    let storage = storage_uri(call, DRIVES[drive].controller);
    format!("{storage}/Drives/{}", drive_id(call, drive))
}

/// The drive of a name or an address.
pub(crate) fn drive_of(call: &Call<'_>, name: &str) -> Option<usize> {
    let id = name.rsplit('/').next().unwrap_or(name);
    (0..DRIVES.len()).find(|&drive| drive_id(call, drive) == id)
}

fn drives_of(controller: usize) -> impl Iterator<Item = usize> {
    (0..DRIVES.len()).filter(move |&drive| DRIVES[drive].controller == controller)
}

pub(crate) fn simple_list(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(call.collection(
        "SimpleStorageCollection",
        "Simple Storage",
        call.quirks.storage,
    ))
}

pub(crate) fn simple(call: &Call<'_>) -> Result<Value, Problem> {
    let controller = controller(call)?;
    let devices: Vec<Value> = drives_of(controller)
        .map(|drive| {
            json!({
                "Name": drive_id(call, drive),
                "Manufacturer": "Corten",
                "Model": DRIVES[drive].model,
                "CapacityBytes": DRIVES[drive].bytes,
                "Status": healthy(),
            })
        })
        .collect();
    let id = call.param("storage");
    let mut body = call.resource(
        "#SimpleStorage.v1_3_1.SimpleStorage",
        id,
        CONTROLLERS[controller].name,
    );
    add(
        &mut body,
        json!({
            "Status": healthy(),
            "Devices": devices,
            "Links": {
                "Chassis": link(&call.chassis()),
                "Storage": link(&storage_uri(call, controller)),
            },
        }),
    );
    Ok(body)
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(call.collection(
        "StorageCollection",
        "Storage Collection",
        call.quirks.storage,
    ))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let place = controller(call)?;
    let known = CONTROLLERS[place];
    let drives: Vec<String> = drives_of(place)
        .map(|drive| drive_uri(call, drive))
        .collect();
    let id = call.param("storage");
    let path = call.path;
    let mut body = call.resource("#Storage.v1_15_1.Storage", id, known.name);
    add(
        &mut body,
        json!({
            "Status": {"State": "Enabled", "Health": "OK", "HealthRollup": "OK"},
            "Drives@odata.count": drives.len(),
            "Drives": links(&drives),
            "Volumes": link(&format!("{path}/Volumes")),
            "Controllers": link(&format!("{path}/Controllers")),
            "StorageControllers": [{
                "@odata.id": format!("{path}#/StorageControllers/0"),
                "MemberId": "0",
                "Name": known.name,
                "Manufacturer": "Corten",
                "Model": known.name,
                "FirmwareVersion": "25.5.9",
                "SpeedGbps": 12,
                "SupportedControllerProtocols": ["PCIe"],
                "SupportedDeviceProtocols": ["SAS", "SATA"],
                "SupportedRAIDTypes": names(known.levels),
                "Status": healthy(),
            }],
            "Links": {"Enclosures": [link(&call.chassis())]},
        }),
    );
    Ok(body)
}

fn names(levels: &[Level]) -> Vec<&'static str> {
    levels.iter().map(|level| level.name()).collect()
}

pub(crate) fn controllers(call: &Call<'_>) -> Result<Value, Problem> {
    controller(call)?;
    let members = [call.param("storage")];
    Ok(call.collection(
        "StorageControllerCollection",
        "Storage Controllers",
        members,
    ))
}

pub(crate) fn show_controller(call: &Call<'_>) -> Result<Value, Problem> {
    let place = controller(call)?;
    if call.param("controller") != call.param("storage") {
        return Err(call.absent());
    }
    let known = CONTROLLERS[place];
    let id = call.param("controller");
    let mut body = call.resource(
        "#StorageController.v1_7_1.StorageController",
        id,
        known.name,
    );
    add(
        &mut body,
        json!({
            "Manufacturer": "Corten",
            "Model": known.name,
            "FirmwareVersion": "25.5.9",
            "SpeedGbps": 12,
            "SupportedControllerProtocols": ["PCIe"],
            "SupportedDeviceProtocols": ["SAS", "SATA"],
            "SupportedRAIDTypes": names(known.levels),
            "Status": healthy(),
        }),
    );
    if call.quirks.has_dell_oem && place == 0 {
        add(
            &mut body,
            json!({"Oem": {"Dell": {
                "@odata.type": "#DellOem.v1_3_0.DellOemResources",
                "DellStorageController": {"ControllerMode": "RAID"},
            }}}),
        );
    }
    Ok(body)
}

pub(crate) fn show_drive(call: &Call<'_>) -> Result<Value, Problem> {
    let drive = drive_param(call)?;
    let known = DRIVES[drive];
    let (volumes, is_raw, is_lit) = call.parts(|parts| {
        let volumes = parts.storage.volumes(known.controller);
        let volumes = volumes.filter(|volume| volume.drives.contains(&drive));
        let numbers: Vec<u32> = volumes.map(|volume| volume.number).collect();
        (
            numbers,
            parts.storage.is_raw(drive),
            parts.storage.is_lit(drive),
        )
    });
    let storage = storage_uri(call, known.controller);
    let id = call.param("drive");
    let mut uris: Vec<String> = volumes
        .iter()
        .map(|number| format!("{storage}/Volumes/{number}"))
        .collect();
    if is_raw {
        uris.push(format!("{storage}/Volumes/{id}"));
    }
    let place = u32::try_from(drive).unwrap_or_default();
    let mut body = call.resource("#Drive.v1_19_0.Drive", id, &format!("Drive {drive}"));
    add(
        &mut body,
        json!({
            "CapacityBytes": known.bytes,
            "BlockSizeBytes": 512,
            "MediaType": "SSD",
            "Protocol": known.protocol,
            "Manufacturer": "Corten",
            "Model": known.model,
            "PartNumber": format!("PN-{}", known.model),
            "Revision": "1.0",
            "SerialNumber": format!("{:010X}", call.machine.draw(200 + place) & 0xff_ffff_ffff),
            "Identifiers": [{
                "DurableNameFormat": "NAA",
                "DurableName": format!("{:016X}", call.machine.draw(300 + place)),
            }],
            "FailurePredicted": false,
            "Status": healthy(),
            "LocationIndicatorActive": is_lit,
            "Links": {"Volumes": links(&uris), "Chassis": link(&call.chassis())},
        }),
    );
    if call.quirks.has_indicator_led {
        add(
            &mut body,
            json!({"IndicatorLED": if is_lit { "Lit" } else { "Off" }}),
        );
    }
    Ok(body)
}

fn drive_param(call: &Call<'_>) -> Result<usize, Problem> {
    let controller = controller(call)?;
    let drive = drive_of(call, call.param("drive"));
    let drive = drive.filter(|&drive| DRIVES[drive].controller == controller);
    drive.ok_or_else(|| call.absent())
}

pub(crate) fn change_drive(call: &Call<'_>) -> Result<Answer, Problem> {
    let drive = drive_param(call)?;
    let mut fields = Fields::of(call.body)?;
    let led = fields.choice("IndicatorLED", &["Off", "Lit", "Blinking"])?;
    let active = fields.flag("LocationIndicatorActive")?;
    fields.end(&show_drive(call)?)?;
    if let Some(lit) = led.map(|led| led != "Off").or(active) {
        call.parts(|parts| parts.storage.light(drive, lit));
    }
    Ok(Answer::of(StatusCode::OK, Body::None))
}
