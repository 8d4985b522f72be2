//! Files of desired resources: what they say, checked before the service is asked anything.
//!
//! No message quotes a value: passwords stand beside whatever is wrong.

use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::MARK;
use super::kind::{ResourceKind, normal};
use crate::error::Error;
use crate::input;

/// More than any fleet needs; a file that is larger is another one than was meant.
const LARGEST_FILE: u64 = 64 << 20;
const MOST_RESOURCES: usize = 200_000;
const LONGEST_SET: usize = 64;

/// The set of files that name none.
const DEFAULT_SET: &str = "default";

/// A resource as it shall be.
#[derive(Debug, Clone)]
pub(super) struct DesiredResource {
    pub(super) kind: ResourceKind,
    /// Where it stands, such as `rack7.yaml: nodes, item 3`.
    pub(super) place: String,
    /// What people call it: its name, address or UUID.
    pub(super) name: String,
    pub(super) fields: Map<String, Value>,
}

impl DesiredResource {
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    pub(super) fn wrong(&self, what: impl std::fmt::Display) -> Error {
        Error::failed(what.to_string()).about(format!(
            "{} ({} {})",
            self.place,
            self.kind.noun(),
            crate::console::printable(&self.name)
        ))
    }
}

/// All that some files want, under the name they have in common.
#[derive(Debug)]
pub(super) struct Desired {
    pub(super) set: String,
    pub(super) resources: Vec<DesiredResource>,
}

pub(super) fn read(paths: &[PathBuf]) -> Result<Desired, Error> {
    let mut set: Option<(String, &Path)> = None;
    let mut resources = Vec::new();
    for path in paths {
        let mut file = parse(path)?;
        let named = match file.remove("set") {
            None => DEFAULT_SET.to_owned(),
            Some(name) => set_name(path, &name)?,
        };
        match &set {
            Some((known, other)) if *known != named => {
                return Err(wrong(
                    path,
                    format!(
                        "it is of the set {named}, and {} is of the set {known}; apply them one by one",
                        other.display()
                    ),
                ));
            }
            _ => set = Some((named, path)),
        }
        for (key, list) in file {
            let Some(kind) = ResourceKind::ALL.into_iter().find(|kind| kind.key() == key) else {
                let keys = ResourceKind::ALL.map(ResourceKind::key).join(", ");
                return Err(wrong(
                    path,
                    format!(
                        "there is no '{}'; there are set, {keys}",
                        crate::console::printable(&key)
                    ),
                ));
            };
            let place = format!("{}: {key}", path.display());
            collect(kind, list, &place, &[], &mut resources)?;
        }
    }
    if resources.len() > MOST_RESOURCES {
        return Err(Error::failed(format!(
            "the files have more than {MOST_RESOURCES} resources; apply them in parts"
        )));
    }
    check_unique(&resources)?;
    let set = set.map_or_else(|| DEFAULT_SET.to_owned(), |(set, _)| set);
    Ok(Desired { set, resources })
}

fn wrong(path: &Path, what: impl std::fmt::Display) -> Error {
    Error::failed(format!("{}: {what}", path.display()))
}

fn parse(path: &Path) -> Result<Map<String, Value>, Error> {
    let mut text = String::new();
    let read =
        File::open(path).and_then(|file| file.take(LARGEST_FILE + 1).read_to_string(&mut text));
    let length = read.map_err(|error| wrong(path, format!("cannot be read: {error}")))?;
    if u64::try_from(length).is_ok_and(|length| length > LARGEST_FILE) {
        return Err(wrong(path, "it has more than 64 MiB; apply it in parts"));
    }
    // The message of a parser may quote the line, and passwords stand in it.
    let value: Result<Value, String> = match path.extension().and_then(|end| end.to_str()) {
        Some("json") => serde_json::from_str(&text)
            .map_err(|error| format!("line {}: it is no JSON", error.line())),
        Some("yaml" | "yml") => input::yaml_at(&text).map_err(|line| match line {
            Some(line) => format!("line {line}: it is no YAML"),
            None => "it is no YAML".to_owned(),
        }),
        _ => {
            return Err(wrong(
                path,
                "the name of a file to apply ends in .yaml, .yml or .json",
            ));
        }
    };
    match value.map_err(|error| wrong(path, error))? {
        Value::Object(file) => Ok(file),
        Value::Null => Ok(Map::new()),
        _ => Err(wrong(
            path,
            "it is no object with lists such as `nodes` in it",
        )),
    }
}

fn set_name(path: &Path, name: &Value) -> Result<String, Error> {
    let fits = |name: &&str| {
        (1..=LONGEST_SET).contains(&name.len())
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let name = name.as_str().filter(fits);
    name.map(str::to_owned).ok_or_else(|| {
        wrong(
            path,
            format!("set is a name of up to {LONGEST_SET} letters, digits, '-', '_' and '.'"),
        )
    })
}

/// Takes a list apart, with what is inside its members. `owners` are the fields by which they
/// belong to what they stand in.
fn collect(
    kind: ResourceKind,
    list: Value,
    place: &str,
    owners: &[(&'static str, String)],
    resources: &mut Vec<DesiredResource>,
) -> Result<(), Error> {
    let list = match list {
        Value::Array(list) => list,
        Value::Null => return Ok(()),
        _ => return Err(Error::failed(format!("{place}: it is no list"))),
    };
    for (index, item) in list.into_iter().enumerate() {
        let place = format!("{place}, item {}", index + 1);
        let Value::Object(mut fields) = item else {
            return Err(Error::failed(format!("{place}: it is no object")));
        };
        let inner: Vec<(ResourceKind, &'static str, Value)> = kind
            .inside()
            .iter()
            .filter_map(|(inner, owner)| Some((*inner, *owner, fields.remove(inner.key())?)))
            .collect();
        for (field, owner) in owners {
            if fields
                .insert((*field).to_owned(), Value::from(owner.as_str()))
                .is_some()
            {
                return Err(Error::failed(format!(
                    "{place}: {field} follows from where it stands; leave it out"
                )));
            }
        }
        let wanted = resource(kind, fields, place)?;
        let (name, place) = (wanted.name.clone(), wanted.place.clone());
        resources.push(wanted);
        for (inner, owner, list) in inner {
            // A port in a port group belongs to the group's node as well.
            let mut owners = owners.to_vec();
            owners.push((owner, name.clone()));
            let place = format!("{place}, {}", inner.key());
            collect(inner, list, &place, &owners, resources)?;
        }
    }
    Ok(())
}

fn resource(
    kind: ResourceKind,
    given: Map<String, Value>,
    place: String,
) -> Result<DesiredResource, Error> {
    let mut fields = Map::new();
    for (field, value) in given {
        let wrong = |what: String| Error::failed(format!("{place}: {what}"));
        let shown = crate::console::printable(&field);
        let Some(form) = kind.form(&field) else {
            let known: Vec<&str> = kind.fields().iter().map(|(name, _)| *name).collect();
            return Err(wrong(format!(
                "a {} has no field '{shown}'; it has {}",
                kind.noun(),
                known.join(", ")
            )));
        };
        form.accepts(&value)
            .map_err(|expected| wrong(format!("{field} must be {expected}")))?;
        let value = normal(&field, value);
        fields.insert(field, value);
    }
    let known = ["uuid"].iter().chain(kind.identities());
    let text = |field: &str| fields.get(field).and_then(Value::as_str);
    let mut names = kind.identities().iter().filter_map(|field| text(field));
    let name = names.next().or_else(|| text("uuid")).map(str::to_owned);
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        let known: Vec<&str> = known.copied().collect();
        return Err(Error::failed(format!(
            "{place}: it has nothing to recognise it by; give it one of {}",
            known.join(", ")
        )));
    };
    let wanted = DesiredResource {
        kind,
        place,
        name,
        fields,
    };
    let extra = wanted.fields.get("extra").and_then(Value::as_object);
    if extra.is_some_and(|extra| extra.contains_key(MARK)) {
        return Err(wanted.wrong(format!("extra.{MARK} is written by `corten apply` itself")));
    }
    let owner = matches!(kind, ResourceKind::Port | ResourceKind::PortGroup);
    if owner && wanted.text("node_uuid").is_none() {
        return Err(wanted.wrong(
            "it belongs to no node; put it inside one, or give it node_uuid, a name or UUID",
        ));
    }
    Ok(wanted)
}

/// Two descriptions of one resource would be written in turns for ever.
fn check_unique(resources: &[DesiredResource]) -> Result<(), Error> {
    let mut seen: HashMap<(ResourceKind, &str, &str), &DesiredResource> = HashMap::new();
    for wanted in resources {
        for field in ["uuid", "name", "address"] {
            let Some(value) = wanted.text(field) else {
                continue;
            };
            if let Some(other) = seen.insert((wanted.kind, field, value), wanted) {
                return Err(wanted.wrong(format!("{} has the same {field}", other.place)));
            }
        }
    }
    Ok(())
}
