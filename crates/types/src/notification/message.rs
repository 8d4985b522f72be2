//! The message around a payload, as oslo.messaging writes it.
//!
//! A message is finished when the change is stored, identifiers included: one that is sent twice
//! because a sender died in between is the same message twice, and consumers that look at
//! identifiers drop the second.

use super::Level;
use crate::{Caller, JsonMap, Timestamp};
use serde_json::{Value, json};
use uuid::Uuid;

/// A notification that is ready to be sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    pub level: Level,
    pub event_type: String,
    /// JSON text: the message inside of any envelope.
    pub body: String,
}

pub(super) struct Head {
    pub(super) publisher_id: String,
    pub(super) event_type: String,
    pub(super) level: Level,
    pub(super) at: Timestamp,
}

impl Message {
    pub(super) fn new(head: Head, payload: Value, caller: &Caller) -> Self {
        let mut body = JsonMap::new();
        body.insert("message_id".into(), Uuid::new_v4().to_string().into());
        body.insert("publisher_id".into(), head.publisher_id.into());
        body.insert("event_type".into(), head.event_type.clone().into());
        // In capitals, though the level in the name of the queue is not.
        let priority = head.level.as_str().to_uppercase();
        body.insert("priority".into(), priority.into());
        body.insert("payload".into(), payload);
        body.insert("timestamp".into(), stamp(head.at).into());
        body.insert(
            "_unique_id".into(),
            Uuid::new_v4().simple().to_string().into(),
        );
        for (key, value) in context(caller) {
            body.insert(format!("_context_{key}"), value);
        }
        Self {
            level: head.level,
            event_type: head.event_type,
            body: Value::Object(body).to_string(),
        }
    }

    /// The message in the envelope of format 2.0.
    pub fn enveloped(body: &str) -> String {
        json!({"oslo.version": "2.0", "oslo.message": body}).to_string()
    }
}

/// A notification without a version, as sensors are told: `payload` is what the consumer reads.
pub fn unversioned(event_type: &str, payload: Value, host: &str, at: Timestamp) -> Message {
    let head = Head {
        // Ironic formats a service that it does not name.
        publisher_id: format!("None.{host}"),
        event_type: event_type.to_owned(),
        level: Level::Info,
        at,
    };
    Message::new(head, payload, &Caller::service())
}

/// Date and time as Python writes them.
fn stamp(at: Timestamp) -> String {
    at.naive().replacen('T', " ", 1)
}

/// Who asked, in the fields of oslo.context that survive its own redaction.
fn context(caller: &Caller) -> impl Iterator<Item = (&'static str, Value)> {
    let user = caller.user.as_deref();
    let project = caller.project.as_deref();
    let identity = format!("{} {} - - -", user.unwrap_or("-"), project.unwrap_or("-"));
    let request = Some(caller.request_id.as_str()).filter(|id| !id.is_empty());
    [
        ("user", json!(user)),
        ("project", json!(project)),
        ("project_id", json!(project)),
        ("request_id", json!(request)),
        ("user_identity", json!(identity)),
        // What we do not know, or what a message is no place for. Consumers expect the fields.
        ("auth_token", Value::Null),
        ("auth_token_info", Value::Null),
        ("domain", Value::Null),
        ("global_request_id", Value::Null),
        ("is_admin", json!(false)),
        ("is_admin_project", json!(true)),
        ("project_domain", Value::Null),
        ("read_only", json!(false)),
        ("resource_uuid", Value::Null),
        ("roles", json!([])),
        ("show_deleted", json!(false)),
        ("system_scope", Value::Null),
        ("user_domain", Value::Null),
    ]
    .into_iter()
}
