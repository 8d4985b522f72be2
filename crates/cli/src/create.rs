//! `corten create FILE…`: resources described in files.
//!
//! A file has `chassis` and `nodes`; a chassis may have `nodes`, a node `ports`, `portgroups` and
//! `traits`, and a port group `ports`. What is inside something is created after it and belongs
//! to it. If something cannot be created, neither is what is inside; all the rest is.

use std::path::PathBuf;

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value};

use crate::Session;
use crate::client::Call;
use crate::command::Leaf;
use crate::error::Error;
use crate::input;

pub(crate) fn leaf() -> Leaf {
    Leaf::new(
        "create",
        "Create chassis, nodes and ports described in files",
        Create::run,
    )
}

#[derive(Debug, Args)]
#[command(after_help = "\
Example of a file:
  nodes:
  - name: m1
    driver: redfish
    driver_info: {redfish_address: https://10.0.0.7}
    ports:
    - address: 52:54:00:12:34:56
")]
struct Create {
    /// Files that end in .json or .yaml
    #[arg(value_name = "FILE", required = true)]
    resource_files: Vec<PathBuf>,
}

/// A type of resource in a file, and what can be inside it.
struct FileResource {
    /// Its key in the file, and its collection in the API.
    key: &'static str,
    noun: &'static str,
    inside: &'static [FileResource],
    /// The field by which what is inside belongs to it.
    owner_field: &'static str,
}

const PORTS: FileResource = FileResource {
    key: "ports",
    noun: "port",
    inside: &[],
    owner_field: "",
};

const NODES: FileResource = FileResource {
    key: "nodes",
    noun: "node",
    inside: &[
        FileResource {
            key: "portgroups",
            noun: "port group",
            inside: &[PORTS],
            owner_field: "portgroup_uuid",
        },
        PORTS,
    ],
    owner_field: "node_uuid",
};

const TOP: [FileResource; 2] = [
    FileResource {
        key: "chassis",
        noun: "chassis",
        inside: &[NODES],
        owner_field: "chassis_uuid",
    },
    NODES,
];

impl Create {
    async fn run(self, session: &mut Session) -> Result<(), Error> {
        create_from_files(session, &self.resource_files).await
    }
}

/// Creates what files describe.
pub(crate) async fn create_from_files(session: &Session, paths: &[PathBuf]) -> Result<(), Error> {
    // All files are read before anything is created.
    let files: Vec<Map<String, Value>> = paths.iter().map(read).collect::<Result<_, _>>()?;
    let mut failures = Vec::new();
    for mut file in files {
        for kind in &TOP {
            let things = things(&mut file, kind, "the file");
            create_all(session, things, kind, &[], &mut failures).await;
        }
    }
    Error::all(failures)
}

fn read(path: &PathBuf) -> Result<Map<String, Value>, Error> {
    let wrong = |what: &str| Error::failed(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path)
        .map_err(|error| wrong(&format!("cannot be read: {error}")))?;
    let value = match path.extension().and_then(|end| end.to_str()) {
        Some("json") => serde_json::from_str(&text).map_err(|error| error.to_string()),
        Some("yaml") => input::yaml(&text),
        _ => {
            return Err(wrong(
                "the name of a file of resources ends in .json or .yaml",
            ));
        }
    };
    let value: Value = value.map_err(|error| wrong(&error))?;
    let Value::Object(file) = value else {
        return Err(wrong("a file of resources has `chassis` or `nodes` in it"));
    };
    for (key, value) in &file {
        let kind = TOP.iter().find(|kind| kind.key == key);
        let objects = value
            .as_array()
            .is_some_and(|items| items.iter().all(Value::is_object));
        if kind.is_none() {
            return Err(wrong(&format!(
                "there are chassis and nodes in such files, and no {key}"
            )));
        }
        if !objects {
            return Err(wrong(&format!("{key} is a list of objects")));
        }
    }
    Ok(file)
}

/// Takes the things of a kind out of what they are in.
fn things(
    owner: &mut Map<String, Value>,
    kind: &FileResource,
    whose: &str,
) -> Result<Vec<Value>, Error> {
    match owner.remove(kind.key) {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(Value::Array(things)) => Ok(things),
        Some(_) => Err(Error::failed(format!("{} of {whose} is no list", kind.key))),
    }
}

/// Creates things that belong to others, which are given by field and UUID.
async fn create_all(
    session: &Session,
    things: Result<Vec<Value>, Error>,
    kind: &FileResource,
    owners: &[(&str, String)],
    failures: &mut Vec<Error>,
) {
    let things = things.unwrap_or_else(|error| {
        failures.push(error);
        Vec::new()
    });
    for thing in things {
        if let Err(error) = Box::pin(create(session, thing, kind, owners, failures)).await {
            failures.push(error);
        }
    }
}

async fn create(
    session: &Session,
    thing: Value,
    kind: &FileResource,
    owners: &[(&str, String)],
    failures: &mut Vec<Error>,
) -> Result<(), Error> {
    let Value::Object(mut body) = thing else {
        return Err(Error::failed(format!("{thing} is no {}", kind.noun)));
    };
    let name = ["name", "address", "uuid", "description"]
        .iter()
        .find_map(|key| body.get(*key).and_then(Value::as_str));
    let whose = format!("{} {}", kind.noun, name.unwrap_or("without a name"));
    for (field, uuid) in owners {
        match body.get(*field).and_then(Value::as_str) {
            Some(other) if other != uuid => {
                return Err(
                    Error::failed(format!("stands inside {uuid} and has {field} {other}"))
                        .about(whose)
                        .with_hint("leave the field out, or move it to where it belongs"),
                );
            }
            _ => body.insert((*field).to_owned(), Value::String(uuid.clone())),
        };
    }
    let inside: Vec<_> = kind
        .inside
        .iter()
        .map(|kind| (kind, things(&mut body, kind, &whose)))
        .collect();
    let traits = (kind.key == NODES.key)
        .then(|| body.remove("traits"))
        .flatten();
    let call = Call::new(Method::POST, &[kind.key])?.body(body);
    let answer = session.client.send(&call).await;
    let answer = answer.map_err(|error| error.about(whose.clone()))?;
    let uuid = answer
        .get("uuid")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if let Some(traits) = traits {
        let call = Call::new(Method::PUT, &["nodes", uuid, "traits"])?
            .body(serde_json::json!({"traits": traits}));
        if let Err(error) = session.client.send(&call).await {
            failures.push(error.about(format!("traits of {whose}")));
        }
    }
    for (inner, things) in inside {
        // A port in a port group belongs to the group's node as well.
        let mut owners: Vec<(&str, String)> = owners
            .iter()
            .filter(|(field, _)| *field != "chassis_uuid")
            .cloned()
            .collect();
        owners.push((kind.owner_field, uuid.to_owned()));
        create_all(session, things, inner, &owners, failures).await;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
