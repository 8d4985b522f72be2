//! The jobs of a lifecycle controller, which take over what is pending.

use super::{BIOS_SERVICE, JOB_CREATED, TARGET, class, field, order};
use crate::{DriverError, wsman::WsMan};
use proto::{
    wsman::{Argument, Reply, selector},
    xml::Element,
};
use serde_json::{Value, json};

/// What is left of the jobs that are over, in the words of the controller.
const OVER: [&str; 5] = [
    "completed",
    "completed with errors",
    "failed",
    "reboot completed",
    "reboot failed",
];

const QUERY: &str = "select * from DCIM_LifecycleJob where Name != \"CLEARALL\" \
                     and JobStatus != \"Reboot Completed\" and JobStatus != \"Completed\" \
                     and JobStatus != \"Completed with Errors\" and JobStatus != \"Failed\"";

/// A job that is not over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) id: String,
    record: Value,
}

impl Job {
    /// Whether it takes over what is pending in the BIOS.
    pub(super) fn is_for_bios(&self) -> bool {
        let name = self.record.get("name").and_then(Value::as_str);
        name.is_some_and(|name| name.contains(TARGET))
    }

    /// As vendor methods tell it.
    pub(super) fn record(&self) -> Value {
        self.record.clone()
    }

    fn of(object: &Element) -> Option<Self> {
        let text = |name: &str| field(object, name);
        let status = text("JobStatus").unwrap_or_default().to_lowercase();
        // Some firmware does not choose by the words as they are written.
        if OVER.contains(&status.as_str()) || text("Name").as_deref() == Some("CLEARALL") {
            return None;
        }
        let id = text("InstanceID")?;
        let percent = text("PercentComplete");
        let record = json!({
            "id": id, "name": text("Name"), "start_time": text("JobStartTime"),
            "until_time": text("JobUntilTime"), "message": text("Message"),
            "status": text("JobStatus"), "percent_complete": percent,
        });
        Some(Self { id, record })
    }
}

/// The jobs that are not over.
pub(super) async fn unfinished(talk: &mut WsMan<'_>) -> Result<Vec<Job>, DriverError> {
    let found = talk
        .enumerate(class!("DCIM_LifecycleJob"), Some(QUERY))
        .await?;
    Ok(found.iter().filter_map(Job::of).collect())
}

/// Nothing can be changed while a job is to take over what was changed before.
pub(super) async fn none_unfinished(talk: &mut WsMan<'_>) -> Result<(), DriverError> {
    let jobs = unfinished(talk).await?;
    match jobs.is_empty() {
        true => Ok(()),
        false => Err(busy(talk, &jobs)),
    }
}

/// The error for jobs that must be over first.
pub(super) fn busy(talk: &WsMan<'_>, jobs: &[Job]) -> DriverError {
    let ids: Vec<&str> = jobs.iter().map(|job| job.id.as_str()).collect();
    let ids = talk.quoted(&ids.join(", "));
    let text = format!("it has unfinished jobs, which end with a reboot of the server: {ids}");
    talk.error(DriverError::Busy, text)
}

/// Creates the job that takes over what is pending in the BIOS; the answer is its id.
pub(super) async fn create(talk: &mut WsMan<'_>, with_reboot: bool) -> Result<String, DriverError> {
    let mut arguments = vec![Argument::Text("Target", TARGET)];
    if with_reboot {
        // The system is asked to shut down, and after a while switched off.
        arguments.push(Argument::Text("RebootJobType", "3"));
    }
    arguments.push(Argument::Text("ScheduledStartTime", "TIME_NOW"));
    let service = (class!("DCIM_BIOSService"), BIOS_SERVICE);
    let method = "CreateTargetedConfigJob";
    let reply = order(talk, service, method, &arguments, JOB_CREATED).await?;
    match created(&reply) {
        Some(id) => Ok(talk.quoted(id)),
        None => Err(talk.error(
            DriverError::Protocol,
            "its answer does not name the new job",
        )),
    }
}

fn created(reply: &Reply) -> Option<&str> {
    selector(reply.content().child("Job")?, "InstanceID")
}
