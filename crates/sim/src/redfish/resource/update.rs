//! Firmware: what is installed, and installing other versions.

use super::{manager, task};
use crate::{
    machine::{
        firmware::{Component, Install},
        task::{Begin, Work},
    },
    redfish::{
        answer::Answer,
        body::{Fields, needed},
        call::{Call, add, healthy, link},
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

pub(crate) const NIC_VERSION: &str = "22.31.6";
const INVENTORY: &str = "/redfish/v1/UpdateService/FirmwareInventory";
const PUSH: &str = "/redfish/v1/UpdateService/update";
const MULTIPART: &str = "/redfish/v1/UpdateService/update-multipart";
const APPLY_TIME: &str = "@Redfish.OperationApplyTime";

pub(crate) fn service(call: &Call<'_>) -> Result<Value, Problem> {
    let mut body = call.resource(
        "#UpdateService.v1_12_0.UpdateService",
        "UpdateService",
        "Update Service",
    );
    add(
        &mut body,
        json!({
            "ServiceEnabled": true,
            "Status": healthy(),
            "HttpPushUri": PUSH,
            "HttpPushUriTargets": [],
            "HttpPushUriTargetsBusy": false,
            "MultipartHttpPushUri": MULTIPART,
            "FirmwareInventory": link(INVENTORY),
            "Actions": {"#UpdateService.SimpleUpdate": {
                "target": "/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate",
                "TransferProtocol@Redfish.AllowableValues": ["HTTP", "HTTPS", "NFS"],
            }},
        }),
    );
    Ok(body)
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let names = Component::ALL.map(Component::id);
    Ok(call.collection("SoftwareInventoryCollection", "Firmware Inventory", names))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let component = Component::of_id(call.param("component")).ok_or_else(|| call.absent())?;
    let installed = call.parts(|parts| parts.firmware.version(component).map(str::to_owned));
    let version = installed.unwrap_or_else(|| match component {
        Component::Bios => call.machine.personality().bios_version.to_owned(),
        Component::Bmc => manager::factory_version(call),
        Component::Nic => NIC_VERSION.to_owned(),
    });
    let related = match component {
        Component::Bios => format!("{}/Bios", call.system()),
        Component::Bmc => call.manager(),
        Component::Nic => format!("{}/NetworkAdapters/NIC.1", call.chassis()),
    };
    let mut body = call.resource(
        "#SoftwareInventory.v1_10_0.SoftwareInventory",
        component.id(),
        component.name(),
    );
    add(
        &mut body,
        json!({
            "Version": version,
            "Updateable": true,
            "SoftwareId": component.id(),
            "Manufacturer": call.machine.personality().manufacturer,
            "RelatedItem": [link(&related)],
            "RelatedItem@odata.count": 1,
            "Status": healthy(),
        }),
    );
    Ok(body)
}

/// The component that targets name; none if there are no targets or they are the whole machine.
fn component(call: &Call<'_>, targets: &[String]) -> Result<Option<Component>, Problem> {
    let whole = [call.system(), call.manager(), call.chassis()];
    for target in targets {
        if whole.contains(target) {
            continue;
        }
        let id = target.rsplit('/').next().unwrap_or(target);
        let found = Component::of_id(id).ok_or_else(|| Problem::not_found("Target", target))?;
        return Ok(Some(found));
    }
    Ok(None)
}

/// When it is done: firmware of a machine needs a start of it where the maker has it so.
fn begin(call: &Call<'_>, apply: Option<&str>, install: &Install) -> Begin {
    match apply {
        Some("OnReset") => Begin::AtStart,
        Some(_) => Begin::Now,
        None if call.quirks.has_dell_oem && install.component != Component::Bmc => Begin::AtStart,
        None => Begin::Now,
    }
}

pub(crate) fn simple(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "UpdateService.SimpleUpdate";
    let mut fields = Fields::of(call.body)?;
    let image = needed(fields.text("ImageURI")?, ACTION, "ImageURI")?;
    fields.choice("TransferProtocol", &["HTTP", "HTTPS", "NFS"])?;
    let targets = fields.texts("Targets")?.unwrap_or_default();
    let apply = fields.choice(APPLY_TIME, &["Immediate", "OnReset"])?;
    fields.text("Username")?;
    fields.text("Password")?;
    fields.flag("ForceUpdate")?;
    fields.end_action(ACTION)?;
    let schemes = ["http://", "https://", "nfs://", "file:///"];
    if !schemes.iter().any(|scheme| image.starts_with(scheme)) {
        let shown: String = image.chars().take(80).collect();
        let problem = Problem::new("PropertyValueFormatError", &[&shown, "ImageURI"]);
        return Err(problem.about("ImageURI"));
    }
    let install = Install::new(&image, component(call, &targets)?);
    let begin = begin(call, apply, &install);
    Ok(install_by(call, install, begin))
}

fn install_by(call: &Call<'_>, install: Install, begin: Begin) -> Answer {
    task::begin(call, "Firmware update", Work::Install(install), begin)
}

/// A whole image in the body: what it is for is not known from its name, so it is for the BIOS.
pub(crate) fn push(call: &Call<'_>) -> Result<Answer, Problem> {
    if call.body.get("length").is_none() {
        let words = "an image is expected as application/octet-stream";
        return Err(Problem::said(StatusCode::UNSUPPORTED_MEDIA_TYPE, words));
    }
    Ok(install_by(
        call,
        Install::new("pushed-1.0.bin", None),
        Begin::Now,
    ))
}

/// An image with parameters, each in its part of the body.
pub(crate) fn push_multipart(call: &Call<'_>) -> Result<Answer, Problem> {
    let part = |name: &str| call.body.get(name);
    let file = part("UpdateFile").and_then(|file| file["filename"].as_str());
    let file = file.ok_or_else(|| Problem::missing("UpdateFile"))?;
    let parameters = part("UpdateParameters").and_then(|part| part["json"].as_object());
    let parameters = parameters.ok_or_else(|| Problem::missing("UpdateParameters"))?;
    let mut fields = Fields::of(&Value::Object(parameters.clone()))?;
    let targets = fields.texts("Targets")?.unwrap_or_default();
    let apply = fields.choice(APPLY_TIME, &["Immediate", "OnReset"])?;
    fields.flag("ForceUpdate")?;
    fields.end(&Value::Null)?;
    let install = Install::new(file, component(call, &targets)?);
    let begin = begin(call, apply, &install);
    Ok(install_by(call, install, begin))
}
