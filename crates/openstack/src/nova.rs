//! Nova: the external event `power-update`, sent when the power state of a machine with an instance
//! changes.
//!
//! Without this event Nova notices after ten minutes, and may even switch the machine back.

use crate::{
    Caller, Deadline, Error,
    call::{Call, microversion},
    session::Session,
};
use reqwest::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use types::PowerState;

/// The version that knows `power-update`.
const VERSION: &str = "2.76";

/// A client of Nova.
#[derive(Debug, Clone)]
pub struct Nova {
    pub(crate) session: Arc<Session>,
}

/// What Nova made of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventOutcome {
    Accepted,
    /// There is no such instance (any more).
    UnknownServer,
    /// Another code than 200 and 404.
    Failed(u16),
}

#[derive(Deserialize)]
struct Events {
    #[serde(default)]
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct Event {
    #[serde(default)]
    code: u16,
}

impl Nova {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self { session }
    }

    /// Sends that the machine of an instance is on or off now; after a reboot, that it is on. A
    /// duplicate event does no harm. There is no event for other states.
    pub async fn power_update(
        &self,
        server: &str,
        power: PowerState,
        deadline: Deadline,
    ) -> Result<Option<EventOutcome>, Error> {
        let Some(body) = power_update(server, power) else {
            return Ok(None);
        };
        let action = format!("note the power state of server {server}");
        let call = Call::fixed(Method::POST, "/os-server-external-events", action)
            .json(&body)
            .header(
                "openstack-api-version",
                microversion(self.session.service, VERSION),
            )
            .header("x-openstack-nova-api-version", VERSION);
        let caller = Caller::service();
        let answer = self.session.send(Ok(call), &caller, deadline).await?;
        let Events { events } = answer.json().await?;
        Ok(Some(outcome(&events)))
    }
}

fn power_update(server: &str, power: PowerState) -> Option<Value> {
    let tag = match power {
        PowerState::On => "POWER_ON",
        PowerState::Off => "POWER_OFF",
        PowerState::Error => return None,
    };
    Some(json!({"events": [{"name": "power-update", "server_uuid": server, "tag": tag}]}))
}

fn outcome(events: &[Event]) -> EventOutcome {
    match events.first().map(|event| event.code) {
        Some(200) => EventOutcome::Accepted,
        Some(404) => EventOutcome::UnknownServer,
        code => EventOutcome::Failed(code.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_as_recorded() {
        let server = "16407ab3-d88f-4b4b-905b-08576f306dd5";
        assert_eq!(
            power_update(server, PowerState::On),
            Some(json!({"events": [
                {"name": "power-update", "server_uuid": server, "tag": "POWER_ON"}]}))
        );
        let off = power_update(server, PowerState::Off).unwrap();
        assert_eq!(off["events"][0]["tag"], "POWER_OFF");
        assert_eq!(power_update(server, PowerState::Error), None);
    }

    #[test]
    fn each_event_has_a_code_of_its_own() {
        let outcome = |document: Value| {
            let Events { events } = serde_json::from_value(document).unwrap();
            outcome(&events)
        };
        let event = |code| json!({"events": [{"name": "power-update", "code": code}]});
        assert_eq!(outcome(event(200)), EventOutcome::Accepted);
        assert_eq!(outcome(event(404)), EventOutcome::UnknownServer);
        assert_eq!(outcome(event(422)), EventOutcome::Failed(422));
        assert_eq!(outcome(json!({})), EventOutcome::Failed(0));
    }
}
