//! Work that a service does in its own time, looked at now and then.
//!
//! Steps that wait for such work do not hold a conversation meanwhile: they come back, with the
//! path of the monitor in the node's row.

use super::{
    RedfishError, Talk,
    resource::{self, Resource},
    task::{self, Progress},
};
use reqwest::Method;
use serde_json::Value;
use std::time::Duration;
use types::{JsonMap, Timestamp};

/// How far some work is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    pub(super) progress: Progress,
    /// The state in the service's own word.
    pub(super) state: Option<String>,
}

/// Looks how far it is. `None` when the service no longer knows of it.
pub(super) async fn look(talk: &Talk<'_>, monitor: &str) -> Result<Option<Look>, RedfishError> {
    let path = talk.path(monitor)?;
    let answer = talk.ask(Method::GET, &path, None, None).await?;
    if matches!(answer.status, 404 | 410) {
        return Ok(None);
    }
    let mut body = resource::decode_large(&answer.body)
        .await
        .unwrap_or_default();
    if !answer.is_good() {
        // A monitor that has ended may answer as the request would have.
        return Ok(Some(Look {
            progress: Progress::Failed(format!(
                "{path} answers {}: {}",
                answer.status,
                super::refusal::Complaint::of(&body)
            )),
            state: None,
        }));
    }
    // Some monitors only say that they are monitors, and where the task is.
    if answer.status == 202
        && !body.contains_key("TaskState")
        && let Some(task) = task_of(&body)
        && let Ok(task) = talk.get(&task).await
    {
        body = task.body;
    }
    let state = resource::at(&body, "TaskState").and_then(Value::as_str);
    Ok(Some(Look {
        progress: task::progress(answer.status, &body),
        state: state.map(str::to_owned),
    }))
}

fn task_of(body: &JsonMap) -> Option<String> {
    let path = resource::at(body, "@odata.id")?.as_str()?;
    path.contains("/Tasks/").then(|| path.to_owned())
}

/// What the clock says, for a state that is kept in a row.
pub(super) fn now() -> Value {
    Timestamp::now().to_string().into()
}

/// How long ago a noted time was; no time at all where none is noted.
pub(super) fn since(state: &JsonMap, key: &str) -> Duration {
    let noted = state.get(key).and_then(Value::as_str);
    let seconds = noted
        .and_then(Timestamp::parse)
        .map_or(0, |then| Timestamp::now().seconds_since(then));
    Duration::from_secs(u64::try_from(seconds).unwrap_or(0))
}

/// When a collection or a resource lets its changes take effect: at once where it can.
pub(super) fn apply_time(collection: &Resource) -> Option<&'static str> {
    let offered = collection.texts("@Redfish.OperationApplyTimeSupport/SupportedValues");
    ["Immediate", "OnReset"]
        .into_iter()
        .find(|time| offered.contains(time))
}

/// Whether a machine is past what its firmware does at the start; `None` if it does not tell.
pub(super) fn is_booted(system: &Resource) -> Option<bool> {
    match system.str("BootProgress/LastState")? {
        "None" | "OEM" => None,
        state => Some(matches!(
            state,
            "OSBootStarted" | "OSRunning" | "SetupEntered" | "SystemHardwareInitializationComplete"
        )),
    }
}
