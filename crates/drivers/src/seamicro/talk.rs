//! A conversation with a chassis about one server.

use super::SeaMicroServer;
use crate::{
    DriverError,
    chassis::{self, Ask},
    iface::Machine,
};
use proto::seamicro::{self, Action, AnswerError, Nic, ServerId, VolumeId};
use reqwest::Method;
use serde_json::{Value, json};

/// A conversation that has begun.
pub(super) struct Talk<'m> {
    talk: chassis::Talk<'m>,
    server: ServerId,
    user: String,
    password: String,
}

impl SeaMicroServer {
    /// Begins a conversation.
    pub(super) async fn talk(
        &self,
        machine: &Machine<'_>,
        operation: &str,
    ) -> Result<Talk<'_>, DriverError> {
        let info = self.info(machine)?;
        let operation = format!("{operation} of server {}", info.server);
        let talk = self
            .0
            .managers
            .talk(machine, info.place, operation, &info.password);
        let mut talk = talk.await?;
        talk.hide(&seamicro::percent_encoded(&info.password));
        let quoted = Value::from(info.password.as_str()).to_string();
        talk.hide(quoted.trim_matches('"'));
        Ok(Talk {
            talk,
            server: info.server,
            user: info.user,
            password: info.password,
        })
    }
}

impl Talk<'_> {
    /// An error about an answer that makes no sense.
    fn nonsense(&self, what: &str, error: AnswerError) -> DriverError {
        let text = format!("its answer about {what} makes no sense: {error}");
        self.talk.error(DriverError::Protocol, text)
    }

    /// A plain no to what was asked for.
    pub(super) fn rejected(&self, text: String) -> DriverError {
        self.talk.error(DriverError::Rejected, text)
    }

    /// Asks without a document; `None` where there is no such thing.
    async fn find(&self, method: Method, path: &str) -> Result<Option<String>, DriverError> {
        let credentials = seamicro::credentials(&self.user, &self.password);
        let ask = Ask {
            method,
            path: &format!("{path}?{credentials}"),
            basic: None,
            body: None,
            noted: None,
            is_secret: false,
            is_farewell: false,
        };
        self.talk.find(&ask).await
    }

    async fn get(&self, path: &str) -> Result<String, DriverError> {
        let found = self.find(Method::GET, path).await?;
        found.ok_or_else(|| self.rejected(format!("there is no {path} (HTTP 404)")))
    }

    async fn put(&self, path: &str, document: Value) -> Result<(), DriverError> {
        let noted = Some(document.to_string());
        let mut full = document;
        full["username"] = self.user.as_str().into();
        full["password"] = self.password.as_str().into();
        let ask = Ask {
            method: Method::PUT,
            path,
            basic: None,
            body: Some(("application/json", full.to_string())),
            noted,
            is_secret: false,
            is_farewell: false,
        };
        self.talk.ask(&ask).await.map(|_| ())
    }

    fn server(&self) -> String {
        format!("/servers/{}", self.server)
    }

    /// Whether the server is on, where the chassis knows.
    pub(super) async fn is_active(&self) -> Result<Option<bool>, DriverError> {
        let text = self.get(&self.server()).await?;
        seamicro::is_active(&text).map_err(|error| self.nonsense("the server", error))
    }

    pub(super) async fn act(&self, action: Action) -> Result<(), DriverError> {
        self.put(&self.server(), action.document()).await
    }

    /// The one action that the query names.
    pub(super) async fn power_off(&self) -> Result<(), DriverError> {
        let path = format!("{}?action=power-off", self.server());
        self.put(&path, json!({})).await
    }

    pub(super) async fn nics(&self) -> Result<Vec<Nic>, DriverError> {
        let text = self.get(&format!("{}/nic", self.server())).await?;
        seamicro::nics(&text).map_err(|error| self.nonsense("network interfaces", error))
    }

    /// Adds an untagged VLAN to a network interface, or removes it.
    pub(super) async fn change_vlan(
        &self,
        nic: u32,
        word: &str,
        vlan: u16,
    ) -> Result<(), DriverError> {
        let path = format!("{}/nic/{nic}/untaggedVlan", self.server());
        self.put(&path, json!({ word: vlan })).await
    }

    /// The pools of Ironic, that with the least room first.
    pub(super) async fn pools(&self) -> Result<Vec<String>, DriverError> {
        let text = self.get("/storage/pools").await?;
        seamicro::pools_of_ironic(&text).map_err(|error| self.nonsense("pools", error))
    }

    pub(super) async fn has_volume(&self, volume: &VolumeId) -> Result<bool, DriverError> {
        let path = format!("/storage/volumes/{volume}");
        Ok(self.find(Method::GET, &path).await?.is_some())
    }

    pub(super) async fn create_volume(
        &self,
        volume: &VolumeId,
        size: u64,
    ) -> Result<(), DriverError> {
        let document = json!({"action": "create", "volume-size": size.to_string()});
        self.put(&format!("/storage/volumes/{volume}"), document)
            .await
    }

    /// Takes its first disk from the server, if it has one.
    pub(super) async fn detach(&self) -> Result<(), DriverError> {
        let path = format!("{}/vdisk/0", self.server());
        self.find(Method::DELETE, &path).await.map(|_| ())
    }

    pub(super) async fn attach(&self, volume: &VolumeId) -> Result<(), DriverError> {
        let path = format!("{}/vdisk/0", self.server());
        self.put(&path, json!({"value": volume.to_string()})).await
    }
}
