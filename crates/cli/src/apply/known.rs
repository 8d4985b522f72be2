//! What the service has, as far as the files are about it.

use std::collections::{BTreeSet, HashMap};

use serde_json::{Map, Value};

use super::MARK;
use super::file::DesiredResource;
use super::kind::{ResourceKind, normal};
use crate::Session;
use crate::client::Call;
use crate::error::Error;

/// A resource of the service.
#[derive(Debug)]
pub(super) struct Existing {
    pub(super) kind: ResourceKind,
    pub(super) uuid: String,
    pub(super) fields: Map<String, Value>,
}

impl Existing {
    pub(super) fn text(&self, field: &str) -> Option<&str> {
        self.fields.get(field).and_then(Value::as_str)
    }

    /// The set whose apply made it, or took it on.
    pub(super) fn mark(&self) -> Option<&str> {
        self.fields.get("extra")?.get(MARK)?.as_str()
    }

    pub(super) fn name(&self) -> &str {
        let mut names = self.kind.identities().iter();
        names
            .find_map(|field| self.text(field))
            .unwrap_or(&self.uuid)
    }
}

/// Resources, and where each is by the words that name it.
#[derive(Debug, Default)]
pub(super) struct Known {
    pub(super) all: Vec<Existing>,
    by_name: HashMap<(ResourceKind, String), usize>,
}

/// All pages of a list.
const ALL: Option<usize> = Some(0);

impl Known {
    /// Reads all resources of the kinds there are, with the fields that files name.
    pub(super) async fn ask(session: &Session, wanted: &[DesiredResource]) -> Result<Self, Error> {
        let mut known = Self::default();
        for kind in ResourceKind::ALL {
            let of_kind = wanted.iter().filter(|one| one.kind == kind);
            let mut fields: BTreeSet<&str> = of_kind
                .flat_map(|one| one.fields.keys().map(String::as_str))
                .collect();
            let is_wanted = !fields.is_empty();
            fields.extend(["uuid", "extra"].iter().chain(kind.identities()));
            match kind {
                ResourceKind::Node => fields.extend(["provision_state", "instance_uuid"]),
                ResourceKind::Port | ResourceKind::PortGroup => fields.extend(["node_uuid"]),
                ResourceKind::Template | ResourceKind::Runbook => {}
            }
            let fields: Vec<&str> = fields.into_iter().collect();
            match list(session, kind, &fields).await {
                Ok(items) => known.add(kind, items),
                // An older service, which has none of these.
                Err(error) if !is_wanted && matches!(error.status(), Some(404 | 406)) => {}
                Err(error) => return Err(error.about(format!("cannot list {}", kind.key()))),
            }
        }
        Ok(known)
    }

    fn add(&mut self, kind: ResourceKind, items: Vec<Value>) {
        for item in items {
            let Value::Object(fields) = item else {
                continue;
            };
            let Some(uuid) = fields.get("uuid").and_then(Value::as_str) else {
                continue;
            };
            let uuid = uuid.to_owned();
            let place = self.all.len();
            for field in ["uuid"].iter().chain(kind.identities()) {
                let value = fields.get(*field).cloned().unwrap_or_default();
                if let Value::String(name) = normal(field, value) {
                    self.by_name.insert((kind, name), place);
                }
            }
            self.all.push(Existing { kind, uuid, fields });
        }
    }

    /// A resource by name, address or UUID.
    pub(super) fn find(&self, kind: ResourceKind, name: &str) -> Option<&Existing> {
        let place = self.by_name.get(&(kind, name.to_owned()))?;
        self.all.get(*place)
    }

    /// The resource that a description is about.
    pub(super) fn described(&self, wanted: &DesiredResource) -> Result<Option<&Existing>, Error> {
        let by_uuid = wanted
            .text("uuid")
            .and_then(|uuid| self.find(wanted.kind, uuid));
        let mut names = wanted.kind.identities().iter();
        let named = names.find_map(|field| self.find(wanted.kind, wanted.text(field)?));
        match (wanted.text("uuid"), by_uuid, named) {
            (Some(_), None, Some(other)) => Err(wanted.wrong(format!(
                "its UUID is not known, and {} {} has its name",
                wanted.kind.noun(),
                other.uuid
            ))),
            (Some(_), Some(own), Some(other)) if own.uuid != other.uuid => {
                Err(wanted.wrong(format!(
                    "{} {} has its name or address",
                    wanted.kind.noun(),
                    other.uuid
                )))
            }
            (_, by_uuid, named) => Ok(by_uuid.or(named)),
        }
    }
}

async fn list(session: &Session, kind: ResourceKind, fields: &[&str]) -> Result<Vec<Value>, Error> {
    let call = Call::get(&[kind.key()])?.fields(fields);
    if kind == ResourceKind::Node {
        // Parts of machines are left out of plain lists; before 1.83 there were none.
        let with_parts = call.clone().query("include_children", "True");
        match session.client.list(&with_parts, kind.key(), ALL).await {
            Err(error) if matches!(error.status(), Some(400 | 404 | 406)) => {}
            other => return other,
        }
    }
    session.client.list(&call, kind.key(), ALL).await
}
