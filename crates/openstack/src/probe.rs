//! Whether a service answers us, for operators who want to know before a machine does.
//!
//! Each service is asked for something short that it only tells those whom it knows. Nova tells its
//! version to anybody, so it gets an event about a server that does not exist: that is the one thing
//! that we need of it, and it changes nothing there.

use crate::{Caller, Deadline, Error, Service, Services, call::Call};
use reqwest::Method;
use serde_json::Value;
use types::PowerState;

/// No server has this id.
const NO_SERVER: &str = "00000000-0000-0000-0000-000000000000";

impl Services {
    /// Asks a service something that needs a login and its consent.
    pub async fn probe(&self, service: Service, deadline: Deadline) -> Result<(), Error> {
        let call = match service {
            Service::Glance => {
                Call::fixed(Method::GET, "/images", "list images").query("limit", "1")
            }
            Service::Swift => Call::fixed(Method::HEAD, "/", "show its account"),
            Service::Neutron => Call::fixed(Method::GET, "/networks", "list networks")
                .query("limit", "1")
                .query("fields", "id"),
            Service::Cinder => {
                Call::fixed(Method::GET, "/volumes", "list volumes").query("limit", "1")
            }
            Service::Nova => {
                let sent = self
                    .nova()
                    .power_update(NO_SERVER, PowerState::Off, deadline);
                return sent.await.map(drop);
            }
            // Our own address, and those who check their own token.
            Service::Baremetal | Service::Keystone => Call::fixed(Method::GET, "", "answer"),
        };
        let session = self.session(service);
        let answer = session.send(Ok(call), &Caller::service(), deadline).await?;
        match service {
            Service::Swift => Ok(()),
            // A proxy that says something else is not the service.
            _ => answer.json::<Value>().await.map(drop),
        }
    }
}
