//! What a service says about work that it does in its own time.
//!
//! A monitor answers 202 while the work goes on, and with the answer to the request when it is
//! done. Many services keep answering 200 with a task instead, whose state is what counts then.

use super::{refusal::Complaint, resource};
use types::JsonMap;

/// How far some work is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// How much of it is done, in percent, where that is told.
    Running(Option<u64>),
    Done,
    /// Why it failed.
    Failed(String),
}

/// States in which a task goes on, or waits for something.
const RUNNING: &[&str] = &[
    "New",
    "Starting",
    "Running",
    "Suspended",
    "Interrupted",
    "Pending",
    "Stopping",
    "Service",
    "Cancelling",
    "Downloading",
    "Scheduled",
    "Waiting",
    "ReadyForExecution",
    "RebootPending",
    "Paused",
    "Validating",
];
const DONE: &[&str] = &["Completed"];

/// What an answer about a task means.
pub fn progress(status: u16, body: &JsonMap) -> Progress {
    let text = |place: &str| resource::at(body, place).and_then(serde_json::Value::as_str);
    let percent = resource::at(body, "PercentComplete").and_then(serde_json::Value::as_u64);
    let percent = percent.filter(|percent| *percent <= 100);
    let state = text("TaskState").or_else(|| text("JobState"));
    match state {
        Some(state) if DONE.contains(&state) => match text("TaskStatus") {
            Some(health @ "Critical") => Progress::Failed(why(state, Some(health), body)),
            _ => Progress::Done,
        },
        Some(state) if RUNNING.contains(&state) => Progress::Running(percent),
        Some(state) => Progress::Failed(why(state, text("TaskStatus"), body)),
        None if status == 202 => Progress::Running(percent),
        None => Progress::Done,
    }
}

fn why(state: &str, status: Option<&str>, body: &JsonMap) -> String {
    let mut text = format!("the task ended in state {state}");
    if let Some(status) = status {
        text.push_str(&format!(" ({status})"));
    }
    // A task keeps its messages where an error keeps the extended information.
    let mut error = JsonMap::new();
    if let Some(messages) = body.get("Messages") {
        error.insert("@Message.ExtendedInfo".into(), messages.clone());
    }
    let messages = Complaint::of(&error).messages;
    let texts: Vec<&str> = messages
        .iter()
        .map(|message| {
            if message.text.is_empty() {
                message.id.as_str()
            } else {
                message.text.as_str()
            }
        })
        .filter(|text| !text.is_empty())
        .collect();
    if !texts.is_empty() {
        text.push_str(": ");
        text.push_str(&texts.join("; "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn of(status: u16, body: Value) -> Progress {
        progress(status, body.as_object().unwrap())
    }

    #[test]
    fn states_are_understood() {
        for (status, body, expected) in [
            (202, json!({}), Progress::Running(None)),
            (
                202,
                json!({"TaskState": "Running", "PercentComplete": 30}),
                Progress::Running(Some(30)),
            ),
            (
                200,
                json!({"TaskState": "Pending"}),
                Progress::Running(None),
            ),
            (202, json!({"TaskState": "Completed"}), Progress::Done),
            (200, json!({"Id": "1"}), Progress::Done),
            (204, json!({}), Progress::Done),
            (200, json!({"JobState": "Completed"}), Progress::Done),
            (
                200,
                json!({"JobState": "Scheduled"}),
                Progress::Running(None),
            ),
        ] {
            assert_eq!(of(status, body.clone()), expected, "{body}");
        }
        let failed = json!({"TaskState": "Exception", "TaskStatus": "Critical",
                            "Messages": [{"Message": "no space"}, {"MessageId": "X.1"}]});
        assert_eq!(
            of(200, failed),
            Progress::Failed("the task ended in state Exception (Critical): no space; X.1".into())
        );
        let odd = json!({"TaskState": "Completed", "TaskStatus": "Critical", "Messages": 7});
        assert!(matches!(of(200, odd), Progress::Failed(_)));
    }
}
