//! What is to be done, found out before anything is written.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use super::MARK;
use super::change::{self, Change};
use super::file::{Desired, DesiredResource};
use super::kind::{Form, ResourceKind};
use super::known::{Existing, Known};
use crate::error::Error;

/// What becomes of a resource.
#[derive(Debug)]
pub(super) enum Deed {
    Create,
    Change { uuid: String, changes: Vec<Change> },
    Delete { uuid: String },
}

/// A resource with which something is to be done.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) kind: ResourceKind,
    pub(super) name: String,
    /// Where it is described; what is deleted is described nowhere.
    pub(super) place: Option<String>,
    /// All fields it shall have, with the mark.
    pub(super) fields: Map<String, Value>,
    /// Those it has.
    pub(super) existing: Map<String, Value>,
    pub(super) deed: Deed,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) steps: Vec<Step>,
    pub(super) unchanged: usize,
    /// Resources of the set that no file describes, and that stay.
    pub(super) forgotten: Vec<String>,
    /// UUIDs of what is there, by name.
    pub(super) places: HashMap<(ResourceKind, String), String>,
}

/// What the caller allows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Permissions {
    pub(super) prune: bool,
    pub(super) set_secrets: bool,
}

/// States in which a machine is not in use. A deletion elsewhere would lose an instance, or work that
/// goes on.
const IDLE: &[&str] = &[
    "enroll",
    "manageable",
    "available",
    "adopt failed",
    "clean failed",
    "deploy failed",
    "inspect failed",
];

pub(super) fn make(desired: Desired, known: &Known, may: Permissions) -> Result<Plan, Error> {
    let mut plan = Plan::default();
    for one in &known.all {
        for name in ["uuid"].iter().chain(one.kind.identities()) {
            if let Some(name) = one.text(name) {
                let key = (one.kind, name.to_lowercase());
                plan.places.insert(key, one.uuid.clone());
            }
        }
    }
    let described: HashSet<(ResourceKind, String)> = desired
        .resources
        .iter()
        .flat_map(|one| {
            let names = ["uuid"].iter().chain(one.kind.identities());
            names.filter_map(|name| Some((one.kind, one.text(name)?.to_lowercase())))
        })
        .collect();
    let mut errors = Vec::new();
    let mut kept: HashSet<&str> = HashSet::new();
    for wanted in desired.resources {
        match known.described(&wanted) {
            Ok(existing) => {
                kept.extend(existing.map(|one| one.uuid.as_str()));
                match step(
                    wanted,
                    existing,
                    &desired.set,
                    &plan.places,
                    &described,
                    may,
                ) {
                    Ok(Some(step)) => plan.steps.push(step),
                    Ok(None) => plan.unchanged += 1,
                    Err(error) => errors.push(error),
                }
            }
            Err(error) => errors.push(error),
        }
    }
    let marked = known.all.iter().filter(|one| {
        one.mark() == Some(desired.set.as_str()) && !kept.contains(one.uuid.as_str())
    });
    let (mut gone, mut deletions) = (HashSet::new(), Vec::new());
    for one in marked {
        if !may.prune {
            plan.forgotten
                .push(format!("{} {}", one.kind.noun(), one.name()));
            continue;
        }
        if one.kind == ResourceKind::Node {
            gone.insert(one.uuid.as_str());
            if let Some(why) = in_use(one) {
                let hint = format!(
                    "undeploy it first, put it back into a file, or keep it: `corten node unset {} \
                     --extra {MARK}`",
                    one.uuid
                );
                let error = Error::failed(format!("no file describes it, and it is in use: {why}"));
                errors.push(error.about(format!("node {}", one.name())).with_hint(hint));
                continue;
            }
        }
        deletions.push(one);
    }
    // What is attached to a node goes with it.
    deletions.retain(|one| {
        let owner = one
            .text("node_uuid")
            .filter(|_| one.kind != ResourceKind::Node);
        owner.is_none_or(|owner| !gone.contains(owner))
    });
    Error::all(errors)?;
    plan.steps = in_order(std::mem::take(&mut plan.steps))?;
    deletions.sort_by_key(|one| std::cmp::Reverse(one.kind));
    plan.steps.extend(deletions.into_iter().map(deletion));
    Ok(plan)
}

/// Why a node cannot be missed.
fn in_use(node: &Existing) -> Option<String> {
    if let Some(instance) = node.text("instance_uuid") {
        return Some(format!("it has instance {instance}"));
    }
    let state = node.text("provision_state").unwrap_or_default();
    (!IDLE.contains(&state)).then(|| format!("it is {state}"))
}

fn deletion(one: &Existing) -> Step {
    Step {
        kind: one.kind,
        name: one.name().to_owned(),
        place: None,
        fields: Map::new(),
        existing: one.fields.clone(),
        deed: Deed::Delete {
            uuid: one.uuid.clone(),
        },
    }
}

/// What is to be done with one resource, if anything is.
fn step(
    wanted: DesiredResource,
    existing: Option<&Existing>,
    set: &str,
    places: &HashMap<(ResourceKind, String), String>,
    described: &HashSet<(ResourceKind, String)>,
    may: Permissions,
) -> Result<Option<Step>, Error> {
    if let Some(other) = existing.and_then(Existing::mark)
        && other != set
    {
        return Err(wanted
            .wrong(format!(
                "it is of the set {}, and the files are of the set {set}",
                crate::console::printable(other)
            ))
            .with_hint(format!(
                "take it out of one of the two; removing extra.{MARK} gives it free"
            )));
    }
    let mut fields = wanted.fields.clone();
    for (field, value) in &mut fields {
        let (Some(Form::Reference(kind)), Some(name)) = (wanted.kind.form(field), value.as_str())
        else {
            continue;
        };
        let key = (kind, name.to_lowercase());
        match places.get(&key) {
            Some(uuid) => *value = json!(uuid),
            None if described.contains(&key) => {}
            None => {
                let name = crate::console::printable(name);
                return Err(wanted.wrong(format!(
                    "{field}: there is no {} {name}, neither in the files nor in the service",
                    kind.noun()
                )));
            }
        }
    }
    if matches!(fields.get("extra"), None | Some(Value::Null)) {
        fields.insert("extra".to_owned(), json!({}));
    }
    if let Some(extra) = fields.get_mut("extra").and_then(Value::as_object_mut) {
        extra.insert(MARK.to_owned(), json!(set));
    }
    let none = Map::new();
    let deed = match existing {
        None => {
            if wanted.kind == ResourceKind::Node && wanted.text("driver").is_none() {
                return Err(wanted.wrong("it is not enrolled yet, and has no driver"));
            }
            Deed::Create
        }
        Some(one) => {
            let changes = change::between(wanted.kind, &fields, &one.fields, may.set_secrets);
            if changes.is_empty() {
                return Ok(None);
            }
            Deed::Change {
                uuid: one.uuid.clone(),
                changes,
            }
        }
    };
    Ok(Some(Step {
        kind: wanted.kind,
        name: wanted.name,
        place: Some(wanted.place),
        fields,
        existing: existing.map_or(none, |one| one.fields.clone()),
        deed,
    }))
}

/// What is referred to before what refers to it.
fn in_order(mut steps: Vec<Step>) -> Result<Vec<Step>, Error> {
    steps.sort_by_key(|step| step.kind);
    let mut missing: HashSet<String> = steps
        .iter()
        .filter(|step| step.kind == ResourceKind::Node && matches!(step.deed, Deed::Create))
        .flat_map(|step| {
            let names = ["uuid", "name"].iter();
            names.filter_map(|name| step.fields.get(*name).and_then(Value::as_str))
        })
        .map(str::to_lowercase)
        .collect();
    let mut ordered = Vec::with_capacity(steps.len());
    while !steps.is_empty() {
        let before = steps.len();
        let mut waiting = Vec::new();
        for step in steps {
            let parent = step.fields.get("parent_node").and_then(Value::as_str);
            let parent = parent.filter(|_| step.kind == ResourceKind::Node);
            if parent.is_some_and(|parent| missing.contains(&parent.to_lowercase())) {
                waiting.push(step);
                continue;
            }
            if step.kind == ResourceKind::Node {
                for name in ["uuid", "name"] {
                    if let Some(name) = step.fields.get(name).and_then(Value::as_str) {
                        missing.remove(&name.to_lowercase());
                    }
                }
            }
            ordered.push(step);
        }
        if waiting.len() == before {
            let names: Vec<&str> = waiting.iter().map(|step| step.name.as_str()).collect();
            return Err(Error::failed(format!(
                "these nodes are parts of each other: {}",
                crate::console::printable(&names.join(", "))
            )));
        }
        steps = waiting;
    }
    // Parents were put before their parts, which may have come after ports.
    ordered.sort_by_key(|step| step.kind);
    Ok(ordered)
}
