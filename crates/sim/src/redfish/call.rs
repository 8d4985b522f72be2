//! A request that a resource answers: which machine it is about, what it says, who says it.

use super::{message::Problem, quirks::Quirks};
use crate::machine::{Machine, account::User, parts::Parts};
use serde_json::{Value, json};
use std::{sync::Arc, time::Duration};

/// The machines behind one service, and how it is served.
#[derive(Debug, Clone)]
pub struct Site {
    /// The first is also the BMC: it has the accounts, the sessions and the faults.
    pub machines: Arc<[Arc<Machine>]>,
    pub options: Arc<Options>,
}

/// How services are served.
#[derive(Debug, Clone)]
pub struct Options {
    /// How many members of a collection one page has; all if not given.
    pub page: Option<usize>,
    /// How long work takes that is done in the background.
    pub task_time: Duration,
    /// How long a session may be unused.
    pub session_timeout: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            page: None,
            task_time: Duration::ZERO,
            session_timeout: Duration::from_secs(1800),
        }
    }
}

/// Which of the three resources of a machine is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    System,
    Manager,
    Chassis,
}

impl Site {
    pub fn new(machines: Vec<Arc<Machine>>, options: Arc<Options>) -> Option<Self> {
        (!machines.is_empty()).then(|| Self {
            machines: machines.into(),
            options,
        })
    }

    pub(crate) fn host(&self) -> &Machine {
        &self.machines[0]
    }

    pub(crate) fn quirks(&self) -> &'static Quirks {
        Quirks::of(self.host().personality())
    }

    /// What a machine is called here: the maker's name if it is alone, else its own.
    pub(crate) fn id(&self, machine: &Machine, view: View) -> String {
        if self.machines.len() > 1 {
            return machine.name();
        }
        let quirks = Quirks::of(machine.personality());
        let id = match view {
            View::System => quirks.system,
            View::Manager => quirks.manager,
            View::Chassis => quirks.chassis,
        };
        id.to_owned()
    }

    pub(crate) fn find(&self, view: View, id: &str) -> Option<&Machine> {
        let machines = self.machines.iter().map(AsRef::as_ref);
        machines
            .into_iter()
            .find(|machine| self.id(machine, view) == id)
    }

    pub(crate) fn uri(&self, machine: &Machine, view: View) -> String {
        let collection = match view {
            View::System => "Systems",
            View::Manager => "Managers",
            View::Chassis => "Chassis",
        };
        format!("/redfish/v1/{collection}/{}", self.id(machine, view))
    }
}

/// A request, as resources see it.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    pub(crate) site: &'a Site,
    pub(crate) machine: &'a Machine,
    pub(crate) quirks: &'static Quirks,
    pub(crate) path: &'a str,
    pub(crate) params: Vec<(&'static str, &'a str)>,
    pub(crate) body: &'a Value,
    pub(crate) user: Option<&'a User>,
    pub(crate) now: Duration,
}

impl Call<'_> {
    /// A part of the path, by its name in the pattern.
    pub(crate) fn param(&self, name: &str) -> &str {
        let found = self.params.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value)
    }

    pub(crate) fn system(&self) -> String {
        self.site.uri(self.machine, View::System)
    }

    pub(crate) fn manager(&self) -> String {
        self.site.uri(self.machine, View::Manager)
    }

    pub(crate) fn chassis(&self) -> String {
        self.site.uri(self.machine, View::Chassis)
    }

    pub(crate) fn parts<T>(&self, look: impl FnOnce(&mut Parts) -> T) -> T {
        self.machine.parts(look)
    }

    /// The BMC behind the service.
    pub(crate) fn host(&self) -> &Machine {
        self.site.host()
    }

    /// The resource is not there.
    pub(crate) fn absent(&self) -> Problem {
        Problem::new("ResourceMissingAtURI", &[self.path])
    }

    /// What a resource begins with.
    pub(crate) fn resource(&self, kind: &str, id: &str, name: &str) -> Value {
        json!({
            "@odata.id": self.path,
            "@odata.type": kind,
            "Id": id,
            "Name": name,
        })
    }

    /// A collection of resources below this one.
    pub(crate) fn collection<I>(&self, kind: &str, name: &str, members: I) -> Value
    where
        I: IntoIterator<Item: std::fmt::Display>,
    {
        let below = members
            .into_iter()
            .map(|member| format!("{}/{member}", self.path));
        self.list(kind, name, below.collect())
    }

    /// A collection of resources anywhere.
    pub(crate) fn list(&self, kind: &str, name: &str, members: Vec<String>) -> Value {
        json!({
            "@odata.id": self.path,
            "@odata.type": format!("#{kind}.{kind}"),
            "Name": name,
            "Members@odata.count": members.len(),
            "Members": links(&members),
        })
    }
}

/// Links to resources.
pub(crate) fn links<T: AsRef<str>>(uris: &[T]) -> Value {
    uris.iter().map(|uri| link(uri.as_ref())).collect()
}

/// A link to a resource.
pub(crate) fn link(uri: &str) -> Value {
    json!({ "@odata.id": uri })
}

/// Adds the members of an object to another.
pub(crate) fn add(to: &mut Value, more: Value) {
    if let (Value::Object(to), Value::Object(more)) = (to, more) {
        to.extend(more);
    }
}

/// That a thing is there and well.
pub(crate) fn healthy() -> Value {
    json!({"State": "Enabled", "Health": "OK"})
}
