//! Webhooks: addresses that events are posted to.
//!
//! A webhook is a reader of the event log with a cursor of its own. One process at a time posts for
//! it: the one that holds its lease, which ends when the lease's counter stands still (see
//! [`crate::lease`]; the row of the webhook is its own member row here).

use crate::{NodeId, Timestamp, WebhookId, event::EventKind};
use serde_json::Value;

/// Which certificates of a receiver are believed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifyCa {
    /// Those of the machine's authorities.
    System,
    /// Any.
    Nothing,
    /// Those of these authorities, in PEM.
    Authorities(String),
}

/// A webhook row.
#[derive(Debug, Clone, PartialEq)]
pub struct Webhook {
    /// Order of creation.
    pub row: i64,
    pub id: WebhookId,
    /// Raised with every change that somebody asks for; what is written while posting does not.
    pub version: i64,
    pub description: Option<String>,
    pub url: String,
    /// What deliveries are signed with; sealed, with the UUID as subject.
    pub secret: Value,
    pub verify_ca: VerifyCa,
    /// Any of these; all kinds when there are none.
    pub kinds: Vec<EventKind>,
    pub node: Option<NodeId>,
    /// Owner or lessee of the node.
    pub project: Option<String>,
    pub enabled: bool,
    /// Why it was disabled by itself.
    pub disabled_reason: Option<String>,
    pub delivery: Delivery,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// How far a webhook is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Everything up to here was delivered, or given up, or not wanted.
    pub cursor: i64,
    /// How often the next event was tried in vain.
    pub failures: i64,
    pub next_attempt: Option<Timestamp>,
    pub last_error: Option<String>,
    pub last_success: Option<Timestamp>,
    pub lease: WebhookLease,
}

/// Who posts for a webhook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WebhookLease {
    /// One incarnation of a process.
    pub holder: Option<String>,
    /// Raised with every grant.
    pub generation: i64,
    /// Raised by the holder for as long as it lives.
    pub beat: i64,
}

impl Webhook {
    /// A webhook with the defaults of a new one, that begins behind `cursor`.
    pub fn new(id: WebhookId, url: String, cursor: i64) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            description: None,
            url,
            secret: Value::Null,
            verify_ca: VerifyCa::System,
            kinds: Vec::new(),
            node: None,
            project: None,
            enabled: true,
            disabled_reason: None,
            delivery: Delivery {
                cursor,
                ..Delivery::default()
            },
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}

/// An event that could not be delivered.
#[derive(Debug, Clone, PartialEq)]
pub struct DeadLetter {
    /// The event's place in the log.
    pub cursor: i64,
    /// What would have been posted; it outlives the log.
    pub event: Value,
    pub attempts: i64,
    pub last_error: String,
    /// Whether somebody asked for another try, which has not been made yet.
    pub replay: bool,
    pub created_at: Timestamp,
}
