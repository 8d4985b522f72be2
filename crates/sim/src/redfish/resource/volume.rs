//! Volumes: making and deleting them, at once or at the next start.

use super::{
    storage::{controller, drive_id, drive_of, drive_uri},
    task,
};
use crate::{
    machine::{
        storage::{BLOCK, DRIVES, Level, Volume, VolumeRequest},
        task::{Begin, Work},
    },
    redfish::{
        answer::Answer,
        body::Fields,
        call::{Call, add, healthy, links},
        message::Problem,
    },
};
use serde_json::{Value, json};

const APPLY_TIME: &str = "@Redfish.OperationApplyTime";
const APPLY_TIMES: [&str; 2] = ["Immediate", "OnReset"];

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let controller = controller(call)?;
    let mut names = call.parts(|parts| {
        let volumes = parts.storage.volumes(controller);
        volumes
            .map(|volume| volume.number.to_string())
            .collect::<Vec<_>>()
    });
    names.extend(
        raw_drives(call, controller)
            .into_iter()
            .map(|drive| drive_id(call, drive)),
    );
    let mut body = call.collection("VolumeCollection", "Volume Collection", names);
    add(
        &mut body,
        json!({"@Redfish.OperationApplyTimeSupport": {
            "@odata.type": "#Settings.v1_3_5.OperationApplyTimeSupport",
            "SupportedValues": APPLY_TIMES,
        }}),
    );
    Ok(body)
}

/// Drives that the controller passes on show as volumes of their own.
fn raw_drives(call: &Call<'_>, controller: usize) -> Vec<usize> {
    call.parts(|parts| {
        (0..DRIVES.len())
            .filter(|&drive| DRIVES[drive].controller == controller && parts.storage.is_raw(drive))
            .collect()
    })
}

/// The volume that the path names.
fn find(call: &Call<'_>) -> Result<(usize, Volume), Problem> {
    let controller = controller(call)?;
    let number: u32 = call.param("volume").parse().map_err(|_| call.absent())?;
    let found = call.parts(|parts| parts.storage.volume(controller, number).cloned());
    Ok((controller, found.map_err(|_| call.absent())?))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    let id = call.param("volume");
    if let Some(drive) = drive_of(call, id)
        && raw_drives(call, controller(call)?).contains(&drive)
    {
        let mut body = call.resource("#Volume.v1_9_0.Volume", id, &format!("Drive {drive}"));
        add(
            &mut body,
            json!({
                "CapacityBytes": DRIVES[drive].bytes,
                "VolumeType": "RawDevice",
                "Status": healthy(),
                "Links": {"Drives": links(&[drive_uri(call, drive)])},
            }),
        );
        return Ok(body);
    }
    let (_, volume) = find(call)?;
    Ok(of(call, call.path, &volume))
}

fn of(call: &Call<'_>, path: &str, volume: &Volume) -> Value {
    let drives: Vec<String> = volume
        .drives
        .iter()
        .map(|&drive| drive_uri(call, drive))
        .collect();
    json!({
        "@odata.id": path,
        "@odata.type": "#Volume.v1_9_0.Volume",
        "Id": volume.number.to_string(),
        "Name": volume.name,
        "DisplayName": volume.name,
        "RAIDType": volume.level.name(),
        "VolumeType": volume.level.old_name(),
        "CapacityBytes": volume.bytes,
        "BlockSizeBytes": BLOCK,
        "Encrypted": false,
        "Identifiers": [{
            "DurableNameFormat": "NAA",
            "DurableName": format!("{:016X}", call.machine.draw(400 + volume.number)),
        }],
        "Status": healthy(),
        "Links": {"Drives": links(&drives)},
        "Actions": {"#Volume.Initialize": {
            "target": format!("{path}/Actions/Volume.Initialize"),
            "InitializeType@Redfish.AllowableValues": ["Fast", "Slow"],
        }},
    })
}

fn wanted(call: &Call<'_>, fields: &mut Fields) -> Result<VolumeRequest, Problem> {
    let level = fields.text("RAIDType")?;
    let old_level = fields.text("VolumeType")?;
    let level = match (&level, &old_level) {
        (Some(name), _) => {
            Level::of_name(name).ok_or_else(|| Problem::not_in_list("RAIDType", name))?
        }
        (None, Some(name)) => {
            Level::of_old_name(name).ok_or_else(|| Problem::not_in_list("VolumeType", name))?
        }
        (None, None) => return Err(Problem::missing("RAIDType")),
    };
    let mut drives = fields.links("Drives")?.unwrap_or_default();
    if let Some(mut links) = fields.object("Links")? {
        drives.extend(links.links("Drives")?.unwrap_or_default());
        links.end(&Value::Null)?;
    }
    let drives: Option<Vec<usize>> = drives.iter().map(|uri| drive_of(call, uri)).collect();
    let name = fields.text("Name")?.or(fields.text("DisplayName")?);
    Ok(VolumeRequest {
        controller: controller(call)?,
        name,
        level,
        bytes: fields.number("CapacityBytes")?,
        drives: drives.ok_or_else(|| Problem::not_found("Drive", "of the request"))?,
    })
}

/// When the work begins that a request asks for.
fn begin(call: &Call<'_>, fields: &mut Fields) -> Result<Begin, Problem> {
    Ok(match fields.choice(APPLY_TIME, &APPLY_TIMES)? {
        Some("OnReset") => Begin::AtStart,
        Some(_) => Begin::Now,
        None if call.quirks.volumes_on_reset => Begin::AtStart,
        None => Begin::Now,
    })
}

/// Whether the work is done before the answer is given.
fn is_at_once(call: &Call<'_>, begin: Begin) -> bool {
    begin == Begin::Now && call.site.options.task_time.is_zero() && !call.quirks.has_dell_oem
}

pub(crate) fn create(call: &Call<'_>) -> Result<Answer, Problem> {
    let mut fields = Fields::of(call.body)?;
    let begin = begin(call, &mut fields)?;
    let wanted = wanted(call, &mut fields)?;
    if fields.flag("Encrypted")? == Some(true) {
        return Err(Problem::not_in_list("Encrypted", "true"));
    }
    fields.number("BlockSizeBytes")?;
    fields.end(&Value::Null)?;
    let planned = call.parts(|parts| parts.storage.plan(&wanted))?;
    if is_at_once(call, begin) {
        call.parts(|parts| parts.storage.create(&wanted))?;
        let uri = format!("{}/{}", call.path, planned.number);
        let body = of(call, &uri, &planned);
        return Ok(Answer::created(uri, body));
    }
    let work = Work::CreateVolume(wanted);
    Ok(task::begin(call, "Create a volume", work, begin))
}

/// What may come along with a request to delete.
fn delete_begin(call: &Call<'_>) -> Result<Begin, Problem> {
    let empty = json!({});
    let body = if call.body.is_null() {
        &empty
    } else {
        call.body
    };
    let mut fields = Fields::of(body)?;
    let begin = begin(call, &mut fields)?;
    fields.end(&Value::Null)?;
    Ok(begin)
}

pub(crate) fn delete(call: &Call<'_>) -> Result<Answer, Problem> {
    let (controller, volume) = find(call)?;
    let number = volume.number;
    let begin = delete_begin(call)?;
    if is_at_once(call, begin) {
        call.parts(|parts| parts.storage.delete(controller, number))?;
        return Ok(Answer::nothing());
    }
    let work = Work::DeleteVolume { controller, number };
    Ok(task::begin(call, "Delete a volume", work, begin))
}

pub(crate) fn initialize(call: &Call<'_>) -> Result<Answer, Problem> {
    let (controller, volume) = find(call)?;
    let number = volume.number;
    let empty = json!({});
    let mut fields = Fields::of(if call.body.is_null() {
        &empty
    } else {
        call.body
    })?;
    fields.choice("InitializeType", &["Fast", "Slow"])?;
    let begin = begin(call, &mut fields)?;
    fields.end_action("Volume.Initialize")?;
    if is_at_once(call, begin) {
        return Ok(Answer::nothing());
    }
    let work = Work::InitializeVolume { controller, number };
    Ok(task::begin(call, "Initialize a volume", work, begin))
}
