//! Tasks: how far background work is, and where clients wait for it.

use crate::{
    machine::{
        event::stamp,
        task::{Begin, Stage, Task, Work},
    },
    redfish::{
        answer::{Answer, Body},
        call::{Call, add, healthy, link},
        message::Problem,
    },
};
use hyper::{StatusCode, header};
use serde_json::{Value, json};

const TASKS: &str = "/redfish/v1/TaskService/Tasks";
const MONITORS: &str = "/redfish/v1/TaskService/TaskMonitors";

/// The name of a task: its number, with its machine if there are several.
pub(crate) fn id(call: &Call<'_>, machine: &crate::Machine, number: u32) -> String {
    if call.site.machines.len() > 1 {
        return format!("{}-{number}", machine.index());
    }
    if call.quirks.has_dell_oem {
        return format!("JID_{number:012}");
    }
    number.to_string()
}

/// Every task of the service, with its name.
pub(crate) fn all(call: &Call<'_>) -> Vec<(String, Task)> {
    let machines = call.site.machines.iter();
    let tasks = machines.flat_map(|machine| {
        let tasks = machine.parts(|parts| parts.tasks.all().to_vec());
        tasks
            .into_iter()
            .map(|task| (id(call, machine, task.number), task))
            .collect::<Vec<_>>()
    });
    tasks.collect()
}

fn find(call: &Call<'_>) -> Result<Task, Problem> {
    let wanted = call.param("task");
    let found = all(call).into_iter().find(|(id, _)| id == wanted);
    found.map(|(_, task)| task).ok_or_else(|| call.absent())
}

/// Starts a task and returns the URL to poll.
pub(crate) fn begin(call: &Call<'_>, name: &'static str, work: Work, begin: Begin) -> Answer {
    let takes = call.site.options.task_time;
    let number = call.parts(|parts| parts.tasks.add(name, work, begin, call.now, takes));
    let id = id(call, call.machine, number);
    if call.quirks.has_dell_oem {
        // This maker says nothing more, and lets clients wait at the task itself.
        let location = format!("{TASKS}/{id}");
        return Answer::of(StatusCode::ACCEPTED, Body::None).with(header::LOCATION, location);
    }
    let task = call.parts(|parts| parts.tasks.find(number).cloned());
    let body = task.map(|task| of(call, &id, &task));
    Answer::of(StatusCode::ACCEPTED, Body::Json(body.unwrap_or_default()))
        .with(header::LOCATION, format!("{MONITORS}/{id}"))
        .with(header::RETRY_AFTER, "1".to_owned())
}

/// Whether the path is where clients wait for a task that is not over yet.
pub(crate) fn is_pending_view(call: &Call<'_>) -> bool {
    let waits_here = call.path.starts_with(MONITORS)
        || call.quirks.has_dell_oem && call.path.starts_with(&format!("{TASKS}/"));
    waits_here && find(call).is_ok_and(|task| !task.is_over())
}

pub(crate) fn service(call: &Call<'_>) -> Result<Value, Problem> {
    let mut body = call.resource(
        "#TaskService.v1_2_1.TaskService",
        "TaskService",
        "Task Service",
    );
    add(
        &mut body,
        json!({
            "DateTime": stamp(call.now),
            "CompletedTaskOverWritePolicy": "Oldest",
            "LifeCycleEventOnTaskStateChange": false,
            "Status": healthy(),
            "ServiceEnabled": true,
            "Tasks": link(TASKS),
        }),
    );
    Ok(body)
}

pub(crate) fn list(call: &Call<'_>) -> Result<Value, Problem> {
    let names = all(call).into_iter().map(|(id, _)| id);
    Ok(call.collection("TaskCollection", "Task Collection", names))
}

pub(crate) fn show(call: &Call<'_>) -> Result<Value, Problem> {
    Ok(of(call, call.param("task"), &find(call)?))
}

pub(crate) fn delete(call: &Call<'_>) -> Result<Answer, Problem> {
    let wanted = call.param("task");
    for machine in call.site.machines.iter() {
        let numbers = machine.parts(|parts| {
            let tasks = parts.tasks.all().iter();
            tasks.map(|task| task.number).collect::<Vec<_>>()
        });
        for number in numbers {
            if id(call, machine, number) == wanted {
                if machine.parts(|parts| parts.tasks.remove(number)) {
                    return Ok(Answer::nothing());
                }
                return Err(Problem::new("ResourceInUse", &[]));
            }
        }
    }
    Err(call.absent())
}

/// The words that a state of a task has.
pub(crate) struct Words {
    pub(crate) state: &'static str,
    pub(crate) status: &'static str,
    /// The state in the words of one maker's jobs.
    pub(crate) job: &'static str,
    pub(crate) message: String,
}

pub(crate) fn words(task: &Task) -> Words {
    let (state, status, job, message) = match &task.stage {
        Stage::Waits => (
            "Pending",
            "OK",
            "Scheduled",
            "The task waits for a start.".to_owned(),
        ),
        Stage::Runs { .. } => (
            "Running",
            "OK",
            "Running",
            "The task is running.".to_owned(),
        ),
        Stage::Done { .. } => (
            "Completed",
            "OK",
            "Completed",
            "The task completed successfully.".to_owned(),
        ),
        Stage::Failed { why, .. } => (
            "Exception",
            "Critical",
            "Failed",
            format!("The task failed: {why}."),
        ),
    };
    Words {
        state,
        status,
        job,
        message,
    }
}

fn of(call: &Call<'_>, id: &str, task: &Task) -> Value {
    let words = words(task);
    let mut body = json!({
        "@odata.id": format!("{TASKS}/{id}"),
        "@odata.type": "#Task.v1_7_3.Task",
        "Id": id,
        "Name": task.name,
        "TaskState": words.state,
        "TaskStatus": words.status,
        "PercentComplete": task.percent(call.now),
        "StartTime": stamp(task.made),
        "TaskMonitor": format!("{MONITORS}/{id}"),
        "HidePayload": true,
        "Messages": [{
            "MessageId": if words.status == "OK" { "Base.1.18.Success" } else { "Base.1.18.GeneralError" },
            "Message": words.message,
            "MessageArgs": [],
            "MessageSeverity": words.status,
            "Severity": words.status,
            "Resolution": "None.",
        }],
    });
    if let Some(at) = task.ended() {
        add(&mut body, json!({"EndTime": stamp(at)}));
    }
    if call.quirks.has_dell_oem {
        if task.work == Work::Export && task.is_over() {
            add(&mut body, super::dell::profile(call));
        }
        add(
            &mut body,
            json!({"Oem": {"Dell": super::dell::job(call, id, task)}}),
        );
    }
    body
}
