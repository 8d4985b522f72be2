//! `--provide`: machines that are enrolled become available, as `node manage` and `node provide` have
//! them.
//!
//! `provide` cleans a machine, which erases its disks. So only nodes in the state `enroll` are
//! provided: one that somebody has brought to another state may be there for a reason.

use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::Session;
use crate::client::Call;
use crate::error::Error;
use crate::node::{Progress, look};

const PAUSE: Duration = Duration::from_secs(2);
/// What is asked for, and where it leads.
const WAY: [(&str, &str); 2] = [("manage", "manageable"), ("provide", "available")];

/// A machine that is enrolled.
#[derive(Debug)]
pub(super) struct Enrolled {
    pub(super) name: String,
    pub(super) uuid: String,
}

/// Takes all of them along at the same time, and tells of each.
pub(super) async fn provide(session: &mut Session, machines: Vec<Enrolled>) -> Result<(), Error> {
    let mut under_way = Vec::new();
    let mut errors = Vec::new();
    for machine in machines {
        match state(session, &machine.uuid).await {
            Ok(state) if state == "enroll" => under_way.push(machine),
            Ok(state) => session
                .console
                .note(&format!("{} is {state}, and is left so", machine.called())),
            Err(error) => errors.push(error.about(machine.called())),
        }
    }
    for (target, end) in WAY {
        under_way = step(session, under_way, target, end, &mut errors).await;
    }
    for machine in under_way {
        let line = format!("{} is available", machine.called());
        session.console.line(&line)?;
    }
    Error::all(errors)
}

impl Enrolled {
    fn called(&self) -> String {
        match self.name.is_empty() {
            true => self.uuid.clone(),
            false => self.name.clone(),
        }
    }
}

async fn state(session: &Session, uuid: &str) -> Result<String, Error> {
    let call = Call::get(&["nodes", uuid])?.fields(&["provision_state"]);
    let shown = session.client.send(&call).await?;
    let state = shown.get("provision_state").and_then(Value::as_str);
    Ok(state.unwrap_or("unknown").to_owned())
}

/// Has all machines make a move, and waits for them; those that have made it.
async fn step(
    session: &mut Session,
    machines: Vec<Enrolled>,
    target: &str,
    end: &str,
    errors: &mut Vec<Error>,
) -> Vec<Enrolled> {
    if machines.is_empty() {
        return machines;
    }
    let mut moving = Vec::new();
    for machine in machines {
        match ask(session, &machine.uuid, target).await {
            Ok(()) => moving.push(machine),
            Err(error) => errors.push(error.about(machine.called())),
        }
    }
    session.console.note(&format!(
        "waiting for {} machines to become {end}",
        moving.len()
    ));
    let mut there = Vec::new();
    for machine in moving {
        match arrive(session, &machine.uuid, end).await {
            Ok(()) => there.push(machine),
            Err(error) => errors.push(error.about(machine.called())),
        }
    }
    there
}

async fn ask(session: &Session, uuid: &str, target: &str) -> Result<(), Error> {
    let call = Call::new(Method::PUT, &["nodes", uuid, "states", "provision"])?;
    let call = call.body(json!({"target": target}));
    session.client.send(&call).await.map(|_| ())
}

async fn arrive(session: &mut Session, uuid: &str, end: &str) -> Result<(), Error> {
    loop {
        match look(session, uuid, end).await? {
            Progress::Arrived => return Ok(()),
            Progress::UnderWay => tokio::time::sleep(PAUSE).await,
            Progress::Failed(why) | Progress::Resting(why) => return Err(Error::failed(why)),
        }
    }
}
