//! What one maker adds of its own: jobs, the lifecycle controller, drives' modes, profiles.
//!
//! As much of it as the clients made for that maker use; a job is a task in other words.

use super::{storage, task};
use crate::{
    machine::{
        event::stamp,
        identity::INTERFACES,
        task::{Begin, Task, Work},
    },
    redfish::{
        answer::Answer,
        body::{Fields, needed},
        call::{Call, add, link},
        message::Problem,
    },
};
use hyper::StatusCode;
use serde_json::{Value, json};

/// Only this maker has any of it.
fn check(call: &Call<'_>) -> Result<(), Problem> {
    if call.quirks.has_dell_oem {
        Ok(())
    } else {
        Err(call.absent())
    }
}

pub(crate) fn add_to_system(call: &Call<'_>, body: &mut Value) {
    let raid = link(&format!("{}/Oem/Dell/DellRaidService", call.path));
    body["Links"]["Oem"] = json!({"Dell": {
        "@odata.type": "#DellOem.v1_3_0.DellOemLinks",
        "DellRaidService": raid,
    }});
    body["Oem"] = json!({"Dell": {"@odata.type": "#DellOem.v1_3_0.DellOemResources"}});
}

pub(crate) fn add_to_manager(call: &Call<'_>, body: &mut Value) {
    let below = |name: &str| link(&format!("{}/Oem/Dell/{name}", call.path));
    body["Links"]["Oem"] = json!({"Dell": {
        "@odata.type": "#DellOem.v1_3_0.DellOemLinks",
        "DellJobService": below("DellJobService"),
        "DellLCService": below("DellLCService"),
        "DelliDRACCardService": below("DelliDRACCardService"),
        "Jobs": below("Jobs"),
    }});
    body["Oem"] = json!({"Dell": {"@odata.type": "#DellOem.v1_3_0.DellOemResources"}});
    let target = |name: &str| format!("{}/Actions/Oem/EID_674_Manager.{name}", call.path);
    body["Actions"]["Oem"] = json!({
        "#OemManager.ImportSystemConfiguration": {
            "target": target("ImportSystemConfiguration"),
            "ShutdownType@Redfish.AllowableValues": ["Graceful", "Forced", "NoReboot"],
        },
        "#OemManager.ExportSystemConfiguration": {
            "target": target("ExportSystemConfiguration"),
            "ShareParameters": {"Target@Redfish.AllowableValues": ["ALL", "IDRAC", "BIOS", "NIC", "RAID"]},
            "ExportUse@Redfish.AllowableValues": ["Default", "Clone", "Replace"],
            "IncludeInExport@Redfish.AllowableValues": ["Default", "IncludeReadOnly", "IncludePasswordHashValues", "IncludeReadOnly,IncludePasswordHashValues"],
        },
    });
}

/// A service of this maker: nothing but its actions.
fn service(call: &Call<'_>, name: &str, actions: &[(&str, Value)]) -> Result<Value, Problem> {
    check(call)?;
    let kind = format!("#{name}.v1_2_0.{name}");
    let mut body = call.resource(&kind, name, name);
    body["Actions"] = json!({});
    for (action, more) in actions {
        let mut shown = json!({"target": format!("{}/Actions/{name}.{action}", call.path)});
        add(&mut shown, more.clone());
        body["Actions"][format!("#{name}.{action}")] = shown;
    }
    Ok(body)
}

pub(crate) fn raid(call: &Call<'_>) -> Result<Value, Problem> {
    let plain = ["ConvertToRAID", "ConvertToNonRAID", "ClearForeignConfig"];
    service(
        call,
        "DellRaidService",
        &plain.map(|action| (action, json!({}))),
    )
}

pub(crate) fn job_service(call: &Call<'_>) -> Result<Value, Problem> {
    service(call, "DellJobService", &[("DeleteJobQueue", json!({}))])
}

pub(crate) fn lifecycle(call: &Call<'_>) -> Result<Value, Problem> {
    service(
        call,
        "DellLCService",
        &[("GetRemoteServicesAPIStatus", json!({}))],
    )
}

pub(crate) fn card(call: &Call<'_>) -> Result<Value, Problem> {
    let forces = json!({"Force@Redfish.AllowableValues": ["Graceful", "Force"]});
    service(
        call,
        "DelliDRACCardService",
        &[("iDRACReset", forces), ("GetKVMSession", json!({}))],
    )
}

fn convert(call: &Call<'_>, action: &str, raw: bool) -> Result<Answer, Problem> {
    check(call)?;
    let mut fields = Fields::of(call.body)?;
    let names = needed(fields.texts("PDArray")?, action, "PDArray")?;
    fields.end_action(action)?;
    let drives = names
        .iter()
        .map(|name| storage::drive_of(call, name).ok_or_else(|| Problem::not_found("Drive", name)));
    let drives = drives.collect::<Result<Vec<_>, _>>()?;
    let work = Work::SetRaw { drives, raw };
    Ok(task::begin(call, "Configure: RAID", work, Begin::AtStart))
}

pub(crate) fn convert_to_raid(call: &Call<'_>) -> Result<Answer, Problem> {
    convert(call, "DellRaidService.ConvertToRAID", false)
}

pub(crate) fn convert_to_raw(call: &Call<'_>) -> Result<Answer, Problem> {
    convert(call, "DellRaidService.ConvertToNonRAID", true)
}

/// No drive here ever belonged to another controller.
pub(crate) fn clear_foreign(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "DellRaidService.ClearForeignConfig";
    check(call)?;
    let mut fields = Fields::of(call.body)?;
    needed(fields.text("TargetFQDD")?, ACTION, "TargetFQDD")?;
    fields.end_action(ACTION)?;
    let words = "No foreign drives detected.";
    Err(Problem::said(StatusCode::BAD_REQUEST, words).with_id("IDRAC.2.8.STOR018"))
}

pub(crate) fn delete_jobs(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "DellJobService.DeleteJobQueue";
    check(call)?;
    let mut fields = Fields::of(call.body)?;
    let wanted = needed(fields.text("JobID")?, ACTION, "JobID")?;
    fields.end_action(ACTION)?;
    let is_all = wanted == "JID_CLEARALL" || wanted == "JID_CLEARALL_FORCE";
    let mut found = false;
    for (id, task) in task::all(call) {
        if is_all || id == wanted {
            found |= call.parts(|parts| parts.tasks.remove(task.number));
        }
    }
    if found || is_all {
        Ok(Answer::nothing())
    } else {
        Err(Problem::not_found("Job", &wanted))
    }
}

pub(crate) fn status(call: &Call<'_>) -> Result<Answer, Problem> {
    check(call)?;
    let is_on = call.machine.power().is_on;
    Ok(Answer::ok(json!({
        "LCStatus": "Ready",
        "RTStatus": "Ready",
        "ServerStatus": if is_on { "OutOfPOST" } else { "PoweredOff" },
        "Status": "Ready",
    })))
}

pub(crate) fn reset_card(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "DelliDRACCardService.iDRACReset";
    check(call)?;
    let mut fields = Fields::of(call.body)?;
    needed(
        fields.choice("Force", &["Graceful", "Force"])?,
        ACTION,
        "Force",
    )?;
    fields.end_action(ACTION)?;
    call.host().restart_bmc();
    Ok(Answer::nothing())
}

pub(crate) fn kvm_session(call: &Call<'_>) -> Result<Answer, Problem> {
    check(call)?;
    let secret = format!("{:016x}", call.machine.draw(600));
    Ok(Answer::ok(
        json!({"TempUsername": "kvm", "TempPassword": secret}),
    ))
}

/// A boot device as a profile sets it; the only thing of a profile that has an effect here.
fn boot_of(profile: &str) -> Option<Work> {
    let value = |name: &str| {
        let (_, rest) = profile.split_once(&format!("Name=\"{name}\">"))?;
        rest.split_once('<').map(|(value, _)| value.trim())
    };
    let is_optical = match value("ServerBoot.1#FirstBootDevice")? {
        "VCD-DVD" => true,
        "VFDD" => false,
        _ => return None,
    };
    let once = value("ServerBoot.1#BootOnce") != Some("Disabled");
    Some(Work::BootOnce { is_optical, once })
}

pub(crate) fn import(call: &Call<'_>) -> Result<Answer, Problem> {
    const ACTION: &str = "OemManager.ImportSystemConfiguration";
    check(call)?;
    let mut fields = Fields::of(call.body)?;
    let profile = needed(fields.text("ImportBuffer")?, ACTION, "ImportBuffer")?;
    for known in ["ShareParameters", "ShutdownType", "HostPowerState"] {
        fields.value(known);
    }
    fields.end_action(ACTION)?;
    let work = boot_of(&profile).unwrap_or(Work::Pass);
    Ok(task::begin(call, "Import Configuration", work, Begin::Now))
}

pub(crate) fn export(call: &Call<'_>) -> Result<Answer, Problem> {
    check(call)?;
    Fields::of(call.body)?;
    Ok(task::begin(
        call,
        "Export Configuration",
        Work::Export,
        Begin::Now,
    ))
}

/// What an export brings to light.
pub(crate) fn profile(call: &Call<'_>) -> Value {
    let interfaces = (1..=INTERFACES).map(|number| {
        let protocol = if number == 1 { "PXE" } else { "NONE" };
        json!({
            "FQDD": format!("NIC.{number}"),
            "Attributes": [{"Name": "LegacyBootProto", "Value": protocol}],
        })
    });
    json!({"SystemConfiguration": {
        "Model": call.machine.personality().model,
        "ServiceTag": call.machine.serial(),
        "Components": interfaces.collect::<Vec<_>>(),
    }})
}

fn jobs_uri(call: &Call<'_>) -> String {
    format!("{}/Oem/Dell/Jobs", call.manager())
}

pub(crate) fn jobs(call: &Call<'_>) -> Result<Value, Problem> {
    check(call)?;
    let names = task::all(call).into_iter().map(|(id, _)| id);
    Ok(call.collection("DellJobCollection", "JobQueue", names))
}

pub(crate) fn show_job(call: &Call<'_>) -> Result<Value, Problem> {
    check(call)?;
    let wanted = call.param("job");
    let found = task::all(call).into_iter().find(|(id, _)| id == wanted);
    let (id, task) = found.ok_or_else(|| call.absent())?;
    Ok(job(call, &id, &task))
}

pub(crate) fn job(call: &Call<'_>, id: &str, task: &Task) -> Value {
    let words = task::words(task);
    let kind = match task.work {
        Work::CreateVolume(_)
        | Work::DeleteVolume { .. }
        | Work::InitializeVolume { .. }
        | Work::SetRaw { .. } => "RAIDConfiguration",
        Work::Install(_) => "FirmwareUpdate",
        Work::Export => "ExportConfiguration",
        Work::BootOnce { .. } | Work::Pass => "ImportConfiguration",
    };
    json!({
        "@odata.id": format!("{}/{id}", jobs_uri(call)),
        "@odata.type": "#DellJob.v1_4_0.DellJob",
        "Id": id,
        "Name": task.name,
        "Description": "Job Instance",
        "JobState": words.job,
        "JobType": kind,
        "Message": words.message,
        "MessageArgs": [],
        "MessageId": if words.status == "OK" { "PR19" } else { "PR21" },
        "PercentComplete": task.percent(call.now),
        "StartTime": stamp(task.made),
        "EndTime": "TIME_NA",
        "CompletionTime": task.ended().map(stamp),
    })
}
