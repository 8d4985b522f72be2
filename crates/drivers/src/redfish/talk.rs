//! Talking to a node's Redfish service.
//!
//! A talk holds the gate, so its requests are not mixed with anybody else's. Here is what can be
//! asked; how requests are sent, sent again and authorised is in [`sending`]. Every failure says
//! which BMC, which operation and why.

mod sending;
mod trial;

use super::{
    Info, RedfishSettings,
    bmcs::{Bmc, Bmcs},
    refusal::{Complaint, Named, RedfishError, Refusal},
    resource::{self, Resource},
    task::{self, Progress},
    wire::{Answer, Ticket, Wire},
};
use crate::{
    DriverError, Failure,
    gate::{Gate, GateSettings, Gates, Permit},
    iface::Machine,
    recorder::{Recorder, Tape},
};
use reqwest::Method;
use std::{collections::HashSet, fmt, sync::Arc, time::Duration};
use tokio::time::Instant;
use types::JsonMap;

/// No collection has so many parts; one that seems to is a circle.
const MOST_PAGES: usize = 256;

/// How long to wait between two looks at a task, unless the service says, and at most.
const TASK_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// What all interfaces of Redfish hardware share.
#[derive(Debug)]
pub struct Redfish {
    pub settings: RedfishSettings,
    bmcs: Arc<Bmcs>,
    recorder: Recorder,
}

impl Redfish {
    pub fn new(settings: RedfishSettings) -> Self {
        let wire = Wire::new(
            settings.connect_timeout,
            settings.read_timeout,
            settings.outbound.clone(),
        );
        // All attempts at one request must fit.
        let attempt = settings.connect_timeout + settings.attempt_pause;
        let longest = attempt * settings.attempts + settings.read_timeout;
        let gate = GateSettings {
            deadline: settings.gate.deadline.max(longest),
            ..settings.gate.clone()
        };
        let bmcs = Bmcs::new(
            wire,
            Gates::new(gate),
            settings.sessions,
            settings.session_idle,
        );
        Self {
            settings,
            bmcs: Arc::new(bmcs),
            recorder: Recorder::default(),
        }
    }

    /// The same, noting what is said on tapes that others can read.
    pub fn recorded(mut self, recorder: Recorder) -> Self {
        self.recorder = recorder;
        self
    }

    /// What the node says about its service.
    pub fn info(&self, machine: &Machine<'_>) -> Result<Info, DriverError> {
        Info::of(machine.node, machine.driver_info, &self.settings)
    }

    /// Begins a conversation. `operation` is what messages call it.
    pub async fn talk(
        &self,
        info: &Info,
        operation: &'static str,
    ) -> Result<Talk<'_>, DriverError> {
        let login = info.login.as_ref();
        let named = Named {
            node: info.node,
            operation,
            peer: info.peer(),
            secrets: login
                .map(|login| login.password.clone())
                .into_iter()
                .collect(),
        };
        let tape = self.recorder.of(info.node).hiding(named.secrets());
        let gate = self.bmcs.gates.of(&named.peer);
        let permit = gate.enter().await;
        let permit = permit.map_err(|error| named.gate(&error))?;
        Ok(Talk {
            settings: &self.settings,
            bmcs: &self.bmcs,
            bmc: self.bmcs.of(info),
            info: info.clone(),
            gate,
            permit: Some(permit),
            named,
            tape,
        })
    }
}

/// A conversation with one service.
#[derive(Debug)]
pub struct Talk<'a> {
    pub settings: &'a RedfishSettings,
    bmcs: &'a Arc<Bmcs>,
    pub(super) bmc: Arc<Bmc>,
    pub info: Info,
    gate: Arc<Gate>,
    /// Given back only while the talk waits for something that takes its time.
    permit: Option<Permit>,
    named: Named,
    tape: Tape,
}

impl Drop for Talk<'_> {
    fn drop(&mut self) {
        self.permit = None;
        self.bmcs.done(&self.bmc);
    }
}

/// What came of a change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Posted {
    pub status: u16,
    /// Where the new resource is.
    pub location: Option<String>,
    /// Empty where the answer has none.
    pub body: JsonMap,
    /// Where to ask how far the work is, if it is not done yet.
    pub task: Option<String>,
}

impl Talk<'_> {
    pub fn peer(&self) -> &str {
        &self.named.peer
    }

    /// What this talk must not tell besides the password it logs in with.
    pub fn keep_secret(&mut self, secret: &str) {
        self.named.secrets.push(secret.to_owned());
        self.tape = self.tape.clone().hiding(self.named.secrets());
    }

    /// A failure of this operation for a reason that the caller found.
    pub fn failure(&self, cause: impl fmt::Display) -> Failure {
        self.named.failure(cause)
    }

    /// What the service says makes no sense, or lacks what there must be.
    pub fn protocol(&self, cause: impl fmt::Display) -> DriverError {
        DriverError::Protocol(self.failure(cause))
    }

    /// The service cannot do what this operation is for, or failed to.
    pub fn rejected(&self, cause: impl fmt::Display) -> DriverError {
        DriverError::Rejected(self.failure(cause))
    }

    /// The service has not done what it accepted.
    pub fn unfinished(&self, cause: impl fmt::Display) -> DriverError {
        DriverError::Unfinished(self.failure(cause))
    }

    /// A resource lacks what the operation needs.
    pub fn lacks(&self, resource: &Resource, attribute: &str) -> DriverError {
        self.protocol(format!(
            "The attribute {attribute} is missing from the resource {}",
            resource.path
        ))
    }

    /// The path that a reference of the service means.
    pub fn path(&self, reference: &str) -> Result<String, RedfishError> {
        let path = self.info.origin.path(reference);
        let odd = || {
            self.protocol(format!(
                "it refers to {reference:?}, which is no path of its own"
            ))
        };
        Ok(path.ok_or_else(odd)?)
    }

    /// Reads a resource.
    pub async fn get(&self, reference: &str) -> Result<Resource, RedfishError> {
        let path = self.path(reference)?;
        let answer = self.ask(Method::GET, &path, None, None).await?;
        let answer = self.accept(&Method::GET, &path, answer)?;
        self.resource(path, &answer).await
    }

    async fn resource(&self, path: String, answer: &Answer) -> Result<Resource, RedfishError> {
        let etag = answer.header("etag").map(str::to_owned);
        match resource::decode_large(&answer.body).await {
            Ok(body) => Ok(Resource::new(path, etag, body)),
            Err(error) => {
                let text = format!("the answer to GET {path} makes no sense: {error}");
                Err(self.protocol(text).into())
            }
        }
    }

    /// Reads the resource that another one refers to.
    pub async fn follow(&self, from: &Resource, place: &str) -> Result<Resource, RedfishError> {
        match from.link(place) {
            Some(reference) => self.get(reference).await,
            None => Err(self.lacks(from, &format!("{place}/@odata.id")).into()),
        }
    }

    /// As [`Talk::follow`], where there need not be such a resource.
    pub async fn look(
        &self,
        from: &Resource,
        place: &str,
    ) -> Result<Option<Resource>, RedfishError> {
        let Some(reference) = from.link(place) else {
            return Ok(None);
        };
        match self.get(reference).await {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.is_missing() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where the members of a collection are, all of its pages.
    pub async fn members(&self, collection: &str) -> Result<Vec<String>, RedfishError> {
        let mut members = Vec::new();
        let mut seen = HashSet::new();
        let mut next = Some(collection.to_owned());
        while let Some(page) = next {
            let page = self.get(&page).await?;
            if !seen.insert(page.path.clone()) || seen.len() > MOST_PAGES {
                let text = format!("the collection {collection} has no end");
                return Err(self.protocol(text).into());
            }
            members.extend(page.links("Members").into_iter().map(str::to_owned));
            next = page.next().map(str::to_owned);
        }
        Ok(members)
    }

    /// Reads all members of a collection.
    pub async fn collection(&self, reference: &str) -> Result<Vec<Resource>, RedfishError> {
        let mut all = Vec::new();
        for member in self.members(reference).await? {
            all.push(self.get(&member).await?);
        }
        Ok(all)
    }

    /// Reads all resources of a list of references.
    pub async fn all(&self, from: &Resource, place: &str) -> Result<Vec<Resource>, RedfishError> {
        let mut all = Vec::new();
        for reference in from.links(place) {
            all.push(self.get(reference).await?);
        }
        Ok(all)
    }

    /// The root of the service, as it was when the service was first talked to.
    pub async fn root(&self) -> Result<Arc<Resource>, RedfishError> {
        if let Some(root) = self.bmc.memory().root.clone() {
            return Ok(root);
        }
        let path = self.info.root.clone();
        // Services tell their root to anybody; those that do not are asked again with a name.
        let ask = self.plain(Method::GET, &path, Ticket::Nobody);
        let mut answer = self.tried(ask).await?;
        if matches!(answer.status, 401 | 403) {
            answer = self.ask(Method::GET, &path, None, None).await?;
        }
        let answer = self.accept(&Method::GET, &path, answer)?;
        let root = Arc::new(self.resource(path, &answer).await?);
        self.bmc.memory().root = Some(Arc::clone(&root));
        Ok(root)
    }

    /// The machine.
    pub async fn system(&self) -> Result<Resource, RedfishError> {
        if let Some(path) = &self.info.system {
            return self.get(path).await;
        }
        let known = self.bmc.memory().system.clone();
        if let Some(path) = known {
            return self.get(&path).await;
        }
        let root = self.root().await?;
        let Some(systems) = root.link("Systems") else {
            return Err(self.lacks(&root, "Systems/@odata.id").into());
        };
        let members = self.members(systems).await?;
        let [only] = members.as_slice() else {
            let text = format!(
                "Failed at determining default for \"ComputerSystem\": System count is not exactly one but {}; redfish_system_id tells which one is meant",
                members.len()
            );
            return Err(self.rejected(text).into());
        };
        let system = self.get(only).await?;
        self.bmc.memory().system = Some(system.path.clone());
        Ok(system)
    }

    /// The controllers that manage a machine.
    pub async fn managers(&self, system: &Resource) -> Result<Vec<Resource>, RedfishError> {
        if !system.links("Links/ManagedBy").is_empty() {
            return self.all(system, "Links/ManagedBy").await;
        }
        let root = self.root().await?;
        match root.link("Managers") {
            Some(managers) => self.collection(managers).await,
            None => Ok(Vec::new()),
        }
    }

    /// The first controller that manages a machine.
    pub async fn manager(&self, system: &Resource) -> Result<Resource, RedfishError> {
        if let Some(reference) = system.links("Links/ManagedBy").first() {
            return self.get(reference).await;
        }
        let first = self.managers(system).await?.into_iter().next();
        Ok(first.ok_or_else(|| self.lacks(system, "Links/ManagedBy"))?)
    }

    /// What a machine is built into.
    pub async fn chassis(&self, system: &Resource) -> Result<Vec<Resource>, RedfishError> {
        self.all(system, "Links/Chassis").await
    }

    /// Changes a resource that was read before. Where it has changed meanwhile it is read again.
    pub async fn patch(&self, resource: &Resource, body: &JsonMap) -> Result<Posted, RedfishError> {
        let path = &resource.path;
        let method = Method::PATCH;
        let first = resource.etag.clone();
        let mut answer = self
            .ask(method.clone(), path, Some(body), first.as_deref())
            .await?;
        if !matches!(answer.status, 412 | 428) {
            return self.posted(&method, path, answer);
        }
        // Some services send weak tags and only take strong ones.
        if let Some(strong) = first.as_deref().and_then(strengthened) {
            answer = self
                .ask(method.clone(), path, Some(body), Some(strong))
                .await?;
        }
        if matches!(answer.status, 412 | 428) {
            let fresh = self.get(path).await?.etag;
            if let Some(fresh) = fresh.filter(|fresh| Some(fresh) != first.as_ref()) {
                let tag = strengthened(&fresh).unwrap_or(&fresh);
                answer = self
                    .ask(method.clone(), path, Some(body), Some(tag))
                    .await?;
            }
        }
        if answer.status == 412 && first.is_some() {
            // And some take none at all, for all that they send.
            answer = self.ask(method.clone(), path, Some(body), None).await?;
        }
        self.posted(&method, path, answer)
    }

    /// Changes a resource that was not read.
    pub async fn patch_at(&self, reference: &str, body: &JsonMap) -> Result<Posted, RedfishError> {
        let resource = Resource {
            path: self.path(reference)?,
            ..Resource::default()
        };
        self.patch(&resource, body).await
    }

    /// Creates a resource, or starts an action.
    pub async fn post(&self, reference: &str, body: &JsonMap) -> Result<Posted, RedfishError> {
        let path = self.path(reference)?;
        let answer = self.ask(Method::POST, &path, Some(body), None).await?;
        self.posted(&Method::POST, &path, answer)
    }

    pub async fn delete(&self, reference: &str) -> Result<Posted, RedfishError> {
        let path = self.path(reference)?;
        let answer = self.ask(Method::DELETE, &path, None, None).await?;
        self.posted(&Method::DELETE, &path, answer)
    }

    /// Deletes a resource, and says in a body how.
    pub async fn delete_with(
        &self,
        reference: &str,
        body: &JsonMap,
    ) -> Result<Posted, RedfishError> {
        if body.is_empty() {
            return self.delete(reference).await;
        }
        let path = self.path(reference)?;
        let answer = self.ask(Method::DELETE, &path, Some(body), None).await?;
        self.posted(&Method::DELETE, &path, answer)
    }

    /// Starts an action of a resource.
    pub async fn action(
        &self,
        resource: &Resource,
        name: &str,
        body: &JsonMap,
    ) -> Result<Posted, RedfishError> {
        match resource.action(name) {
            Some(action) => self.post(action.target, body).await,
            None => {
                let text = format!(
                    "The action {name} is missing from the resource {}",
                    resource.path
                );
                Err(self.rejected(text).into())
            }
        }
    }

    /// The values that a parameter of an action may have; nothing where the service does not tell.
    pub async fn allowed(
        &self,
        resource: &Resource,
        action: &str,
        parameter: &str,
    ) -> Result<Option<Vec<String>>, RedfishError> {
        let Some(action) = resource.action(action) else {
            return Ok(None);
        };
        if let Some(values) = action.allowed(parameter) {
            return Ok(Some(values.into_iter().map(str::to_owned).collect()));
        }
        let Some(info) = action.info() else {
            return Ok(None);
        };
        let info = match self.get(info).await {
            Ok(info) => info,
            Err(error) if error.is_missing() => return Ok(None),
            Err(error) => return Err(error),
        };
        let is_meant = |one: &&JsonMap| {
            let name = one.get("Name").and_then(serde_json::Value::as_str);
            name == Some(parameter)
        };
        let found = info.list("Parameters").find(is_meant);
        let values = found.and_then(|one| one.get("AllowableValues")?.as_array());
        Ok(values.map(|values| {
            let texts = values.iter().filter_map(serde_json::Value::as_str);
            texts.map(str::to_owned).collect()
        }))
    }

    fn posted(&self, method: &Method, path: &str, answer: Answer) -> Result<Posted, RedfishError> {
        let answer = self.accept(method, path, answer)?;
        let body = resource::decode(&answer.body).unwrap_or_default();
        let own = |reference: &str| self.info.origin.path(reference);
        let location = answer.header("location").and_then(own);
        let named = resource::at(&body, "@odata.id").and_then(serde_json::Value::as_str);
        let task = (answer.status == 202)
            .then(|| location.clone().or_else(|| named.and_then(own)))
            .flatten();
        Ok(Posted {
            status: answer.status,
            location,
            body,
            task,
        })
    }

    fn accept(&self, method: &Method, path: &str, answer: Answer) -> Result<Answer, RedfishError> {
        if answer.is_good() {
            return Ok(answer);
        }
        let body = resource::decode(&answer.body).unwrap_or_default();
        Err(self.named.refused(Refusal {
            method: method.to_string(),
            path: path.to_owned(),
            status: answer.status,
            complaint: Complaint::of(&body),
        }))
    }

    /// Waits until work that the service does in its own time is done, and returns what it says at
    /// the end. A service that cannot be reached meanwhile may come back: some restart themselves.
    pub async fn wait_task(
        &mut self,
        monitor: &str,
        limit: Duration,
    ) -> Result<Resource, RedfishError> {
        let path = self.path(monitor)?;
        let until = Instant::now() + limit;
        let mut was_seen = false;
        loop {
            let mut pause = TASK_PAUSE;
            let trouble = match self.ask(Method::GET, &path, None, None).await {
                Ok(answer) if matches!(answer.status, 404 | 410) && was_seen => {
                    // Some services forget a task as soon as it is done.
                    return Ok(Resource::new(path, None, JsonMap::new()));
                }
                Ok(answer) if answer.is_good() => {
                    was_seen = true;
                    pause = answer
                        .retry_after()
                        .unwrap_or(pause)
                        .clamp(pause, LONGEST_PAUSE);
                    let body = resource::decode_large(&answer.body)
                        .await
                        .unwrap_or_default();
                    match task::progress(answer.status, &body) {
                        Progress::Done => return Ok(Resource::new(path, None, body)),
                        Progress::Failed(why) => return Err(self.rejected(why).into()),
                        Progress::Running(_) => None,
                    }
                }
                Ok(answer) => match self.accept(&Method::GET, &path, answer) {
                    Err(error) if error.status().is_some_and(|status| status < 500) => {
                        return Err(error);
                    }
                    other => other.err(),
                },
                Err(error) => Some(error),
            };
            if Instant::now() + pause >= until {
                return Err(trouble.unwrap_or_else(|| {
                    let text = format!("the task {path} was not done within {} s", limit.as_secs());
                    self.unfinished(text).into()
                }));
            }
            // A gate that is closed for a while is no reason to give up either.
            self.permit = None;
            tokio::time::sleep(pause).await;
            while self.permit.is_none() {
                match self.gate.enter().await {
                    Ok(permit) => self.permit = Some(permit),
                    Err(error) if Instant::now() >= until => {
                        return Err(self.named.gate(&error).into());
                    }
                    Err(_) => tokio::time::sleep(pause).await,
                }
            }
        }
    }

    /// Lets others talk to the BMC while this conversation has nothing to say.
    pub async fn rest(&mut self, pause: Duration) -> Result<(), RedfishError> {
        self.permit = None;
        tokio::time::sleep(pause).await;
        let permit = self.gate.enter().await;
        self.permit = Some(permit.map_err(|error| self.named.gate(&error))?);
        Ok(())
    }
}

/// The strong tag that a weak one holds.
fn strengthened(etag: &str) -> Option<&str> {
    etag.strip_prefix("W/").filter(|tag| tag.starts_with('"'))
}

#[cfg(test)]
mod tests;
