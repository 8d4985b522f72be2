//! Doing what the plan says, one resource after the other.
//!
//! What fails does not stop the rest, only what needs it. A service that is gone stops everything:
//! the same files applied again go on from there.

use std::collections::HashMap;

use reqwest::Method;
use serde_json::{Map, Value, json};

use super::MARK;
use super::change::{self, Change};
use super::kind::{Form, ResourceKind};
use super::plan::{Deed, Plan, Step};
use crate::Session;
use crate::client::Call;
use crate::error::Error;

/// Where things are, as far as they are.
type Places = HashMap<(ResourceKind, String), String>;

pub(super) async fn all(session: &Session, plan: Plan, set: &str) -> Result<(), Error> {
    let mut places = plan.places;
    let mut errors = Vec::new();
    for step in plan.steps {
        let what = format!(
            "{} {}",
            step.kind.noun(),
            crate::console::printable(&step.name)
        );
        let done = match &step.deed {
            Deed::Create => create(session, &step, &mut places)
                .await
                .map(|()| "created"),
            Deed::Change { uuid, changes } => {
                let done = update(session, &step, uuid, changes, &places).await;
                done.map(|()| "changed")
            }
            Deed::Delete { uuid } => {
                let done = delete(session, step.kind, uuid, set).await;
                done.map(|()| "deleted")
            }
        };
        match done {
            Ok(word) => session.console.note(&format!("{what}: {word}")),
            Err(error) => {
                let place = step.place.as_ref();
                let what = place.map_or_else(|| what.clone(), |place| format!("{what} ({place})"));
                let stops = error.is_unreachable();
                errors.push(error.about(what));
                if stops {
                    break;
                }
            }
        }
    }
    Error::all(errors)
}

async fn create(session: &Session, step: &Step, places: &mut Places) -> Result<(), Error> {
    let fields = resolved(step, &step.fields, places)?;
    let (body, later): (Map<String, Value>, Map<String, Value>) = fields
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .partition(|(field, _)| step.kind.is_created_with(field));
    let call = Call::new(Method::POST, &[step.kind.key()])?.body(body);
    let made = session.client.send(&call).await?;
    let uuid = made.get("uuid").and_then(Value::as_str);
    let uuid = uuid.ok_or_else(|| Error::failed("the service did not say which UUID it gave"))?;
    for name in ["uuid"].iter().chain(step.kind.identities()) {
        if let Some(name) = made.get(*name).and_then(Value::as_str) {
            let key = (step.kind, name.to_lowercase());
            places.insert(key, uuid.to_owned());
        }
    }
    let made = made.as_object().cloned().unwrap_or_default();
    let changes = change::between(step.kind, &later, &made, true);
    write(session, step.kind, uuid, &changes, &made).await
}

async fn update(
    session: &Session,
    step: &Step,
    uuid: &str,
    changes: &[Change],
    places: &Places,
) -> Result<(), Error> {
    let mut changes = changes.to_vec();
    for change in &mut changes {
        if change.key.is_none()
            && let Some(value) = &change.to
        {
            change.to = Some(resolve(step.kind, &change.field, value, places)?);
        }
    }
    write(session, step.kind, uuid, &changes, &step.existing).await
}

async fn write(
    session: &Session,
    kind: ResourceKind,
    uuid: &str,
    changes: &[Change],
    existing: &Map<String, Value>,
) -> Result<(), Error> {
    let is_traits = |change: &&Change| change.field == "traits";
    let fields: Vec<Change> = changes
        .iter()
        .filter(|one| !is_traits(one))
        .cloned()
        .collect();
    if !fields.is_empty() {
        let operations = change::operations(&fields, existing)?;
        let mut call = Call::new(Method::PATCH, &[kind.key(), uuid])?.body(operations);
        // Interfaces of the old driver need not exist in the new one.
        if kind == ResourceKind::Node && fields.iter().any(|change| change.field == "driver") {
            call = call.query("reset_interfaces", "True");
        }
        session.client.send(&call).await?;
    }
    if let Some(change) = changes.iter().find(is_traits) {
        let traits = change.to.clone().unwrap_or_else(|| json!([]));
        let call = Call::new(Method::PUT, &[kind.key(), uuid, "traits"])?;
        let call = call.body(json!({"traits": traits}));
        session
            .client
            .send(&call)
            .await
            .map_err(|error| error.about("its traits"))?;
    }
    Ok(())
}

/// Deletes what still carries the mark: it may have been removed since the plan was made.
async fn delete(session: &Session, kind: ResourceKind, uuid: &str, set: &str) -> Result<(), Error> {
    let path = [kind.key(), uuid];
    let look = Call::get(&path)?.fields(&["extra"]);
    let marked = match session.client.send(&look).await {
        Ok(found) => found
            .get("extra")
            .and_then(|extra| extra.get(MARK)?.as_str().map(str::to_owned)),
        Err(error) if error.status() == Some(404) => return Ok(()),
        Err(error) => return Err(error),
    };
    if marked.as_deref() != Some(set) {
        return Err(Error::failed(
            "it is no longer of this set, and was not deleted",
        ));
    }
    let call = Call::new(Method::DELETE, &path)?;
    match session.client.send(&call).await {
        Err(error) if error.status() == Some(404) => Ok(()),
        other => other.map(|_| ()),
    }
}

/// Fields with UUIDs where files have names.
fn resolved(
    step: &Step,
    fields: &Map<String, Value>,
    places: &Places,
) -> Result<Map<String, Value>, Error> {
    let fields = fields.iter();
    let fields = fields.map(|(field, value)| {
        let value = resolve(step.kind, field, value, places)?;
        Ok((field.clone(), value))
    });
    fields.collect()
}

fn resolve(
    kind: ResourceKind,
    field: &str,
    value: &Value,
    places: &Places,
) -> Result<Value, Error> {
    let (Some(Form::Reference(of)), Some(name)) = (kind.form(field), value.as_str()) else {
        return Ok(value.clone());
    };
    let uuid = places.get(&(of, name.to_lowercase())).ok_or_else(|| {
        let name = crate::console::printable(name);
        Error::failed(format!(
            "not done, because {} {name} is not there",
            of.noun()
        ))
    })?;
    Ok(json!(uuid))
}
