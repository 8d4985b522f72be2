//! `driver_internal_info`: what the service itself remembers of a node, as a typed view.
//!
//! It is a JSON object in the database and in answers, and others write into it too: an older or
//! newer version of this service, Ironic before an import, inspection rules. So the object stays as
//! it is, unknown keys included, and only what is read or written through the methods here has a
//! type. A reader takes a value of the wrong type for no value; flags are read by Python's truth, as
//! Ironic reads them. A writer cannot write a wrong one.
//!
//! The methods stand in groups by what is forgotten together: [`agent`] for the session of an agent,
//! [`steps`] for where a flow is in its list, [`deploy`] for what a deployment found out, [`boot`]
//! for what a machine boots, `boot_device` for what controllers cannot keep of that, [`networks`] for the networks it may be on, [`volumes`] for its remote
//! volumes, [`monitor`] for what is watched, [`installer`] for installers that report by themselves, [`screen`] for a
//! graphical console, `bmc` for a password that is being changed, [`fake`] for the fake driver.
//! The names of all keys are in `key`.

pub mod agent;
pub mod bash;
mod bmc;
pub mod boot;
mod boot_device;
pub mod deploy;
mod erasure;
pub mod fake;
pub mod installer;
mod key;
pub mod monitor;
pub mod networks;
pub mod objects;
pub mod screen;
pub mod steps;
pub mod volumes;

#[cfg(test)]
mod tests;

pub use deploy::{GlanceImage, ImageChecksum, PreparedImage};
pub use erasure::Erasure;
pub use installer::InstallerStatus;
pub use key::{AUTO_DISCOVERED, LOOKUP_BMC_ADDRESSES, STEP_POLL_DUE};
pub use monitor::NotedError;
pub use networks::{BootNetwork, BootPortProgress, NetworkNotes};
pub use volumes::{AttachProgress, VolumeAttachments};

use crate::{JsonMap, Timestamp, pyrepr};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;

/// What the service remembers of a node.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InternalInfo(JsonMap);

impl From<JsonMap> for InternalInfo {
    fn from(map: JsonMap) -> Self {
        Self(map)
    }
}

impl InternalInfo {
    /// The object itself, for those to whom it is a document: the store, the API's views and agents
    /// that are told of the node. `cargo xtask words` refuses it elsewhere.
    pub fn raw_json(&self) -> &JsonMap {
        &self.0
    }

    /// As [`InternalInfo::raw_json`], to seal and open secrets in.
    pub fn raw_json_mut(&mut self) -> &mut JsonMap {
        &mut self.0
    }

    /// Keys that clients are not shown.
    pub const HIDDEN_KEYS: &[&str] = &[key::LAST_ERROR_CODE];

    /// As clients read it.
    pub fn public_json(&self) -> Cow<'_, JsonMap> {
        let mut shown = Cow::Borrowed(&self.0);
        if shown.contains_key(key::LAST_ERROR_CODE) {
            shown.to_mut().remove(key::LAST_ERROR_CODE);
        }
        shown
    }

    /// As Ironic would keep it: without what is ours alone, and without the certificate of an agent,
    /// which Ironic keeps in a file and which every heartbeat brings again.
    pub fn for_ironic(&self) -> JsonMap {
        let mut map = self.0.clone();
        map.retain(|key, _| !key.starts_with(key::OWN_PREFIX));
        map.remove(key::LAST_ERROR_CODE);
        if self.agent_certificate().is_some() {
            map.remove(key::AGENT_VERIFY_CA);
        }
        map
    }

    fn text(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.as_str()
    }

    fn flag(&self, key: &str) -> bool {
        self.0.get(key).is_some_and(pyrepr::truth)
    }

    fn stamp(&self, key: &str) -> Option<Timestamp> {
        Timestamp::from_naive(self.text(key)?)
    }

    fn objects(&self, key: &str) -> Option<impl Iterator<Item = &JsonMap>> {
        let list = self.0.get(key)?.as_array()?;
        Some(list.iter().filter_map(Value::as_object))
    }

    fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.0.insert(key.to_owned(), value.into());
    }

    fn remove(&mut self, key: &str) -> Option<Value> {
        self.0.remove(key)
    }

    fn remove_all(&mut self, keys: &[&str]) {
        for key in keys {
            self.0.remove(*key);
        }
    }
}
