//! What iDRACs want done before and after volumes are made: actions of their own.
//!
//! Controllers accept work only once the machine's firmware has come far enough; drives and
//! controllers may be in a mode without RAID; drives may carry what other controllers left. BOSS
//! cards know none of this and are left alone.

use super::plan::Volume;
use crate::{
    DriverError,
    redfish::{RedfishError, Resource, Talk},
};
use serde_json::{Value, json};
use std::time::Duration;
use types::{JsonMap, step::StepOutcome};

/// How long is waited until work is accepted; then it is tried all the same.
const READY_WAIT: Duration = Duration::from_secs(300);

/// Work that an iDRAC has begun.
pub(super) struct Job {
    pub(super) controller: String,
    pub(super) monitor: String,
    pub(super) what: String,
    /// It is done when the machine starts.
    pub(super) at_start: bool,
}

/// How to wait until work is accepted, if it is not yet.
pub(super) async fn readiness(
    talk: &Talk<'_>,
    system: &Resource,
    waited: Duration,
) -> Result<Option<StepOutcome>, DriverError> {
    if waited >= READY_WAIT {
        return Ok(None);
    }
    let is_off = system.str("PowerState") == Some("Off");
    let manager = talk.manager(system).await?;
    let Some(service) = talk.look(&manager, "Links/Oem/Dell/DellLCService").await? else {
        return Ok(None);
    };
    let name = "#DellLCService.GetRemoteServicesAPIStatus";
    let status = talk.action(&service, name, &JsonMap::new()).await?;
    let is_ready = status.body.get("RTStatus").and_then(Value::as_str) == Some("Ready");
    if is_ready && !is_off {
        return Ok(None);
    }
    Ok(Some(StepOutcome::Again {
        reason: "until the controllers accept work".into(),
        after: talk.settings.steps.ready_pause,
        reboot: is_off,
    }))
}

fn is_boss(storage: &Resource) -> bool {
    storage.list("StorageControllers").any(|controller| {
        let name = controller.get("Name").and_then(Value::as_str);
        name.is_some_and(|name| name.to_uppercase().contains("BOSS"))
    })
}

fn has_levels(storage: &Resource) -> bool {
    storage
        .list("StorageControllers")
        .next()
        .is_some_and(|first| {
            let levels = first.get("SupportedRAIDTypes").and_then(Value::as_array);
            levels.is_some_and(|levels| !levels.is_empty())
        })
}

async fn raid_service(
    talk: &Talk<'_>,
    system: &Resource,
) -> Result<Option<Resource>, RedfishError> {
    talk.look(system, "Links/Oem/Dell/DellRaidService").await
}

/// Where the task of a job is.
async fn task_of(talk: &Talk<'_>, location: Option<&str>) -> Result<String, DriverError> {
    let Some(location) = location else {
        return Err(talk.protocol("the answer does not say where the job is"));
    };
    let id = location
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(location);
    let root = talk.root().await?;
    let Some(service) = talk.look(&root, "Tasks").await? else {
        return Ok(location.to_owned());
    };
    let tasks = match service.link("Tasks") {
        Some(tasks) => talk.members(tasks).await?,
        None => Vec::new(),
    };
    let is_meant = |path: &&String| path.trim_end_matches('/').ends_with(&format!("/{id}"));
    let found = tasks.iter().find(is_meant).cloned();
    Ok(found.unwrap_or_else(|| location.to_owned()))
}

/// Clears what other controllers left on drives.
pub(super) async fn clear_foreign(
    talk: &Talk<'_>,
    system: &Resource,
    storages: &[Resource],
) -> Result<Vec<Job>, DriverError> {
    let Some(service) = raid_service(talk, system).await? else {
        return Ok(Vec::new());
    };
    let mut jobs = Vec::new();
    for storage in storages.iter().filter(|s| has_levels(s) && !is_boss(s)) {
        let body = json!({"TargetFQDD": storage.id()});
        let body = body.as_object().cloned().unwrap_or_default();
        let cleared = talk
            .action(&service, "#DellRaidService.ClearForeignConfig", &body)
            .await;
        let answer = match cleared {
            Ok(answer) => answer,
            // There is none.
            Err(error) if error.status() == Some(400) && error.mentions("STOR018") => continue,
            Err(error) => return Err(error.into()),
        };
        let monitor = task_of(talk, answer.location.as_deref()).await?;
        let task = talk.get(&monitor).await?;
        let job_type = task.str("Oem/Dell/JobType");
        jobs.push(Job {
            controller: storage.id().to_owned(),
            monitor,
            what: format!("clearing what others left on {}", storage.id()),
            // The iDRAC reboots the machine itself where it has to.
            at_start: false,
        });
        tracing::info!(
            controller = storage.id(),
            job_type,
            "foreign configuration is cleared"
        );
    }
    Ok(jobs)
}

/// Puts controllers of older kinds into the mode in which they have volumes.
pub(super) async fn convert_controllers(
    talk: &Talk<'_>,
    storages: &[Resource],
) -> Result<Vec<Job>, DriverError> {
    let mut jobs = Vec::new();
    for storage in storages {
        let Some(collection) = storage.link("Controllers") else {
            continue;
        };
        let controllers = talk.collection(collection).await?;
        let Some(controller) = controllers.first() else {
            continue;
        };
        let mode = controller.str("Oem/Dell/DellStorageController/ControllerMode");
        if mode.is_none_or(|mode| mode.is_empty() || mode == "RAID") {
            continue;
        }
        let body = json!({
            "Oem": {"Dell": {"DellStorageController": {"ControllerMode": "RAID"}}},
            "@Redfish.SettingsApplyTime": {"ApplyTime": "OnReset"},
        });
        let body = body.as_object().cloned().unwrap_or_default();
        let answer = match controller.pending() {
            Some(later) => talk.patch_at(later, &body).await?,
            None => talk.patch(controller, &body).await?,
        };
        if let Some(monitor) = answer.task {
            jobs.push(Job {
                controller: storage.id().to_owned(),
                monitor,
                what: format!("RAID mode of {}", storage.id()),
                at_start: true,
            });
        }
    }
    Ok(jobs)
}

/// Makes drives of these volumes usable that are in a mode without RAID.
pub(super) async fn convert_drives(
    talk: &Talk<'_>,
    system: &Resource,
    storages: &[Resource],
    volumes: &[Volume],
) -> Result<Vec<Job>, DriverError> {
    let Some(service) = raid_service(talk, system).await? else {
        return Ok(Vec::new());
    };
    let mut jobs = Vec::new();
    for storage in storages.iter().filter(|s| !is_boss(s)) {
        let mut raw = Vec::new();
        for drive in talk.all(storage, "Drives").await? {
            let wanted = |volume: &Volume| volume.physical_disks.iter().any(|id| id == drive.id());
            if volumes.iter().any(wanted) && is_raw(talk, &drive).await? {
                raw.push(drive.id().to_owned());
            }
        }
        if raw.is_empty() {
            continue;
        }
        let what = format!("RAID mode of drives {}", raw.join(", "));
        let body = json!({"PDArray": raw});
        let body = body.as_object().cloned().unwrap_or_default();
        let answer = talk
            .action(&service, "#DellRaidService.ConvertToRAID", &body)
            .await?;
        jobs.push(Job {
            controller: storage.id().to_owned(),
            monitor: task_of(talk, answer.location.as_deref()).await?,
            what,
            at_start: false,
        });
    }
    Ok(jobs)
}

/// A drive in a mode without RAID is shown as a volume of its own.
async fn is_raw(talk: &Talk<'_>, drive: &Resource) -> Result<bool, RedfishError> {
    let Some(path) = drive.links("Links/Volumes").first().copied() else {
        return Ok(false);
    };
    let volume = talk.get(path).await?;
    let is_raid = volume.str("RAIDType").is_some_and(|level| level != "None");
    Ok(volume.str("VolumeType") == Some("RawDevice") || !is_raid)
}
