//! Cinder: volumes that machines use over a storage network.
//!
//! The calls are those of Ironic, in the API before attachments had ids of their own: a volume is
//! reserved, its connection initialised, and then declared attached. None of these can be repeated
//! blindly; [`Volume::attachment_of`] and [`Volume::status`] tell how far an earlier attempt came.

mod connector;
mod volume;

pub use connector::{Connector, ConnectorRecord, NoUsableConnector};
pub use volume::{Attachment, ConnectionInfo, Volume};

use crate::{
    Caller, Deadline, Error, Reason,
    call::{Call, microversion},
    session::Session,
    settings::ApiVersion,
};
use reqwest::{Method, header::LOCATION};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use types::Timestamp;

/// The newest version that Ironic was recorded with. Cinder's oldest is 3.0.
const NEWEST_MINOR: u32 = 71;
/// What Ironic calls a device that only the machine itself knows.
const MOUNTPOINT: &str = "ironic_mountpoint";

/// A client of Cinder.
#[derive(Debug, Clone)]
pub struct Cinder {
    pub(crate) session: Arc<Session>,
    /// The version that both sides know, once it was asked for.
    version: Arc<Mutex<Option<String>>>,
}

/// What was done to a volume, for its metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeAction {
    Attached,
    Detached,
}

#[derive(Deserialize)]
struct Versions {
    #[serde(default)]
    versions: Vec<Version>,
    #[serde(default)]
    version: Option<Version>,
}

#[derive(Deserialize)]
struct Version {
    #[serde(default)]
    id: String,
    #[serde(default)]
    version: String,
}

#[derive(Deserialize)]
struct VolumeDocument {
    volume: Volume,
}

#[derive(Deserialize)]
struct ConnectionDocument {
    connection_info: ConnectionInfo,
}

impl Cinder {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self {
            session,
            version: Arc::default(),
        }
    }

    pub async fn volume(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Volume, Error> {
        let version = self.version(caller, deadline).await?;
        let call = Call::about(Method::GET, "volumes", id, "", format!("show volume {id}"));
        let call = call.map(|call| call.header("openstack-api-version", version));
        let answer = self.session.send(call, caller, deadline).await?;
        let VolumeDocument { volume } = answer.json().await?;
        Ok(volume)
    }

    /// Keeps others from attaching a volume.
    pub async fn reserve(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let body = json!({"os-reserve": null});
        self.act(id, "reserve", &body, caller, deadline).await
    }

    /// Gives a reservation back.
    pub async fn unreserve(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let body = json!({"os-unreserve": null});
        self.act(id, "unreserve", &body, caller, deadline).await
    }

    /// Exports a volume to a connector. Repeating it for the same connector returns the same.
    pub async fn initialize_connection(
        &self,
        id: &str,
        connector: &Connector,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<ConnectionInfo, Error> {
        let body = json!({"os-initialize_connection": {"connector": connector}});
        let call = self.action(id, "connect", &body, caller, deadline).await?;
        let answer = self.session.send(call, caller, deadline).await?;
        let ConnectionDocument { connection_info } = answer.json().await?;
        Ok(connection_info)
    }

    /// Declares a volume attached. `server` is the instance, or the node if there is none.
    pub async fn attach(
        &self,
        id: &str,
        server: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let body = json!({"os-attach": {"mountpoint": MOUNTPOINT, "instance_uuid": server}});
        self.act(id, "attach", &body, caller, deadline).await
    }

    pub async fn begin_detaching(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let body = json!({"os-begin_detaching": null});
        self.act(id, "begin detaching", &body, caller, deadline)
            .await
    }

    pub async fn terminate_connection(
        &self,
        id: &str,
        connector: &Connector,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let body = json!({"os-terminate_connection": {"connector": connector}});
        self.act(id, "disconnect", &body, caller, deadline).await
    }

    pub async fn detach(
        &self,
        id: &str,
        attachment_id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let body = json!({"os-detach": {"attachment_id": attachment_id}});
        self.act(id, "detach", &body, caller, deadline).await
    }

    /// Notes in the metadata of a volume what was done to it. For people only: a failure is logged
    /// and forgotten by whoever calls this.
    pub async fn note(
        &self,
        id: &str,
        node: &str,
        server: &str,
        action: VolumeAction,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let body = metadata(node, server, action, Timestamp::now());
        let text = format!("set metadata of volume {id}");
        let call = Call::about(Method::POST, "volumes", id, "/metadata", text);
        let call = call.map(|call| call.json(&body));
        self.session.send(call, caller, deadline).await.map(drop)
    }

    async fn act(
        &self,
        id: &str,
        verb: &str,
        body: &Value,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<(), Error> {
        let call = self.action(id, verb, body, caller, deadline).await?;
        self.session.send(call, caller, deadline).await.map(drop)
    }

    async fn action(
        &self,
        id: &str,
        verb: &str,
        body: &Value,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Result<Call, (String, Reason)>, Error> {
        let version = self.version(caller, deadline).await?;
        let text = format!("{verb} volume {id}");
        let call = Call::about(Method::POST, "volumes", id, "/action", text);
        Ok(call.map(|call| call.json(body).header("openstack-api-version", version)))
    }

    /// The microversion to ask for. Cinder tells it to those with a token only, and at an address
    /// that it redirects to.
    async fn version(&self, caller: &Caller, deadline: Deadline) -> Result<String, Error> {
        if let Some(version) = self.known_version().clone() {
            return Ok(version);
        }
        let mut call = Call::fixed(Method::GET, "/", "list its versions");
        call.also_accepted = Some(302);
        let mut answer = self
            .session
            .send(Ok(call.clone()), caller, deadline)
            .await?;
        if answer.status().as_u16() == 302 {
            let location = answer.headers().get(LOCATION);
            let location = location
                .and_then(|value| value.to_str().ok())
                .map(str::to_owned);
            let root = self.session.endpoint(deadline).await?;
            let target = location.and_then(|location| root.join(&location).ok());
            // Tokens go nowhere else.
            let target = target.filter(|target| target.origin() == root.origin());
            let target = target.ok_or_else(|| {
                let reason = Reason::Protocol("a redirect to another host".into());
                Error::new(&answer.request, reason)
            })?;
            call.base = Some(target);
            call.also_accepted = None;
            answer = self.session.send(Ok(call), caller, deadline).await?;
        }
        let request = answer.request.clone();
        let versions: Versions = answer.json().await?;
        let newest = self.session.newest_minor.unwrap_or(NEWEST_MINOR);
        let minor = newest_common(&versions, newest).ok_or_else(|| {
            Error::new(&request, Reason::Protocol("no version 3 of the API".into()))
        })?;
        let version = microversion(self.session.service, &format!("3.{minor}"));
        *self.known_version() = Some(version.clone());
        Ok(version)
    }

    fn known_version(&self) -> MutexGuard<'_, Option<String>> {
        self.version.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn newest_common(versions: &Versions, ours: u32) -> Option<u32> {
    let all = versions.versions.iter().chain(&versions.version);
    let mut third = all
        .filter(|version| ApiVersion::parse(&version.id).is_some_and(|version| version.major == 3));
    let theirs = ApiVersion::parse(&third.next()?.version);
    let theirs = theirs.and_then(|version| version.minor).unwrap_or_default();
    Some(theirs.min(ours))
}

fn metadata(node: &str, server: &str, action: VolumeAction, now: Timestamp) -> Value {
    let action = match action {
        VolumeAction::Attached => "attached",
        VolumeAction::Detached => "detached",
    };
    // The value is a text that holds JSON as Python writes it.
    let text = format!(
        "{{\"instance_uuid\": {}, \"last_seen\": \"{}\", \"last_action\": \"{action}\"}}",
        json!(server),
        now.naive()
    );
    json!({"metadata": {format!("ironic_node_{node}"): text}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_common_version_is_used() {
        let versions = |document| serde_json::from_value::<Versions>(document).unwrap();
        // As recorded.
        let recorded = versions(json!({"versions": [{
            "id": "v3.0", "status": "CURRENT", "version": "3.71", "min_version": "3.0",
        }]}));
        assert_eq!(newest_common(&recorded, 71), Some(71));
        assert_eq!(newest_common(&recorded, 44), Some(44));
        let older = versions(json!({"version": {"id": "v3.0", "version": "3.27"}}));
        assert_eq!(newest_common(&older, 71), Some(27));
        let plain = versions(json!({"versions": [{"id": "v3.0", "version": ""}]}));
        assert_eq!(newest_common(&plain, 71), Some(0));
        let second = versions(json!({"versions": [{"id": "v2.0", "version": ""}]}));
        assert_eq!(newest_common(&second, 71), None);
    }

    #[test]
    fn metadata_are_as_recorded() {
        let node = "42df993d-cca1-4e34-84cf-4c46cbb51fd8";
        let now = Timestamp::parse("2026-11-16T03:50:42.103291Z").unwrap();
        assert_eq!(
            metadata(node, node, VolumeAction::Attached, now),
            json!({"metadata": {
                "ironic_node_42df993d-cca1-4e34-84cf-4c46cbb51fd8":
                    "{\"instance_uuid\": \"42df993d-cca1-4e34-84cf-4c46cbb51fd8\", \"last_seen\": \"2026-11-16T03:50:42.103291\", \"last_action\": \"attached\"}",
            }})
        );
    }
}
