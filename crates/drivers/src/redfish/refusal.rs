//! What a service says when it does not do what it was asked, and how a failure is worded.
//!
//! A refusal keeps what callers decide on: the status, and the names of the messages. Every text
//! says which BMC, which operation and why, holds no more than a reader can take in, and never the
//! password, not even when the service repeats it.

use crate::{DriverError, Failure, error::Variant, gate::GateError};
use serde_json::Value;
use std::fmt;
use types::{JsonMap, NodeId};

/// How many messages of one answer are told, and how much of each.
const MESSAGES: usize = 8;
const LONGEST: usize = 400;

/// One message of `@Message.ExtendedInfo`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Message {
    /// `Base.1.0.PropertyValueNotInList`, say.
    pub id: String,
    pub text: String,
    pub severity: String,
}

/// The error object of an answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Complaint {
    pub code: Option<String>,
    pub text: Option<String>,
    pub messages: Vec<Message>,
}

impl Complaint {
    /// What the body of an answer complains about; nothing much if it is not of the right kind.
    pub fn of(body: &JsonMap) -> Self {
        let error = body.get("error").and_then(Value::as_object);
        let empty = JsonMap::new();
        let error = error.unwrap_or(&empty);
        let text = |key: &str| error.get(key).and_then(Value::as_str).map(tidy);
        let extended = error
            .get("@Message.ExtendedInfo")
            .or_else(|| body.get("@Message.ExtendedInfo"));
        let messages = match extended {
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_object).collect(),
            Some(Value::Object(one)) => vec![one],
            _ => Vec::new(),
        };
        Self {
            code: text("code"),
            text: text("message"),
            messages: messages.into_iter().take(MESSAGES).map(message).collect(),
        }
    }
}

fn message(body: &JsonMap) -> Message {
    let text = |key: &str| body.get(key).and_then(Value::as_str).map(tidy);
    let severity = text("Severity").or_else(|| text("MessageSeverity"));
    Message {
        id: text("MessageId").unwrap_or_default(),
        text: text("Message").unwrap_or_default(),
        severity: severity.unwrap_or_default(),
    }
}

/// One line of bounded length.
fn tidy(text: &str) -> String {
    let line = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut line: String = line.take(LONGEST).collect();
    line.truncate(line.trim_end().len());
    line
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.code.as_deref().unwrap_or("Base.1.0.GeneralError");
        write!(
            f,
            "{code}: {}",
            self.text.as_deref().unwrap_or("unknown error.")
        )?;
        let mut told = Vec::new();
        for message in &self.messages {
            if self.text.as_ref() == Some(&message.text) {
                continue;
            }
            let text = match (message.id.as_str(), message.text.as_str()) {
                ("", text) | (text, "") => text.to_owned(),
                (id, text) => format!("{id}: {text}"),
            };
            if !text.is_empty() && !told.contains(&text) {
                told.push(text);
            }
        }
        if told.is_empty() {
            return Ok(());
        }
        write!(f, " Extended information: {}", told.join("; "))
    }
}

/// An answer that is a refusal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub method: String,
    pub path: String,
    pub status: u16,
    pub complaint: Complaint,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            method,
            path,
            status,
            complaint,
        } = self;
        if *status == 401 {
            // What services add says the same in many words.
            return write!(
                f,
                "the user name or the password is wrong (HTTP {method} {path} returned code 401)"
            );
        }
        write!(
            f,
            "HTTP {method} {path} returned code {status}. {complaint}"
        )
    }
}

impl Refusal {
    /// What it means for whoever asked.
    fn variant(&self) -> Variant {
        match self.status {
            401 | 403 => DriverError::Refused,
            429 | 503 => DriverError::Busy,
            _ => DriverError::Rejected,
        }
    }

    /// Whether a message, the code or the text has this in it.
    pub fn mentions(&self, what: &str) -> bool {
        let complaint = &self.complaint;
        let said = [&complaint.code, &complaint.text];
        let mut all = said.into_iter().flatten().chain(
            complaint
                .messages
                .iter()
                .flat_map(|message| [&message.id, &message.text]),
        );
        all.any(|text| text.contains(what))
    }
}

/// A request that did not do what it was for.
#[derive(Debug, thiserror::Error)]
pub enum RedfishError {
    /// The service said no.
    #[error("{}", named.text(refusal))]
    Refused {
        named: Box<Named>,
        refusal: Box<Refusal>,
    },
    /// There was no conversation, or none that made sense.
    #[error(transparent)]
    Failed(#[from] DriverError),
}

impl From<RedfishError> for DriverError {
    fn from(error: RedfishError) -> Self {
        match error {
            RedfishError::Failed(error) => error,
            RedfishError::Refused { named, refusal } => refusal.variant()(named.failure(refusal)),
        }
    }
}

impl RedfishError {
    /// The status of a refusal.
    pub fn status(&self) -> Option<u16> {
        self.refusal().map(|refusal| refusal.status)
    }

    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused { refusal, .. } => Some(refusal),
            Self::Failed(_) => None,
        }
    }

    pub fn is_missing(&self) -> bool {
        self.status() == Some(404)
    }

    /// Whether the service refused, and said this of it.
    pub fn mentions(&self, what: &str) -> bool {
        self.refusal().is_some_and(|refusal| refusal.mentions(what))
    }
}

/// Node, operation and BMC, for messages; and what must not be in them.
#[derive(Clone)]
pub struct Named {
    pub node: NodeId,
    pub operation: &'static str,
    pub peer: String,
    pub(super) secrets: Vec<String>,
}

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Named")
            .field("operation", &self.operation)
            .field("peer", &self.peer)
            .finish_non_exhaustive()
    }
}

impl Named {
    fn text(&self, cause: impl fmt::Display) -> String {
        types::error::chain(&self.failure(cause))
    }

    /// This operation failed in a conversation. The cause may repeat the password, so it is kept as
    /// a text without it.
    pub fn failure(&self, cause: impl fmt::Display) -> Failure {
        let tried = format!(
            "Redfish exception occurred. Error: {} failed. BMC {}",
            self.operation, self.peer
        );
        Failure::because(self.discreet(&tried), self.discreet(&cause.to_string()))
    }

    /// This operation failed because there was no conversation.
    pub fn no_conversation(&self, cause: impl fmt::Display) -> Failure {
        let tried = format!(
            "Redfish connection failed for node {}: {} failed. BMC {}",
            self.node, self.operation, self.peer
        );
        Failure::because(self.discreet(&tried), self.discreet(&cause.to_string()))
    }

    pub(super) fn gate(&self, error: &GateError) -> DriverError {
        error.variant()(self.no_conversation(error))
    }

    pub(super) fn refused(&self, refusal: Refusal) -> RedfishError {
        RedfishError::Refused {
            named: Box::new(self.clone()),
            refusal: Box::new(refusal),
        }
    }

    fn discreet(&self, text: &str) -> String {
        let secrets = self.secrets.iter().filter(|secret| !secret.is_empty());
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
    }

    /// What must not be read anywhere.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &[u8]> {
        self.secrets.iter().map(String::as_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn complaint(body: Value) -> Complaint {
        Complaint::of(body.as_object().unwrap())
    }

    #[test]
    fn complaints_are_read_in_every_shape() {
        let full = complaint(json!({"error": {
            "code": "Base.1.0.GeneralError",
            "message": "A general error.",
            "@Message.ExtendedInfo": [
                {"MessageId": "Base.1.0.X", "Message": "Bad\nvalue", "Severity": "Critical"},
                {"MessageId": "Base.1.0.X", "Message": "Bad value"},
                "text",
            ],
        }}));
        assert_eq!(full.messages[0].severity, "Critical");
        assert_eq!(
            full.to_string(),
            "Base.1.0.GeneralError: A general error. Extended information: Base.1.0.X: Bad value"
        );
        let one = complaint(json!({"@Message.ExtendedInfo": {"Message": "no"}}));
        assert_eq!(one.messages.len(), 1);
        for odd in [
            json!({}),
            json!({"error": 7}),
            json!({"error": {"code": 7}}),
        ] {
            assert_eq!(
                complaint(odd).to_string(),
                "Base.1.0.GeneralError: unknown error."
            );
        }
    }

    #[test]
    fn a_sentence_is_told_once() {
        let told = complaint(json!({"error": {"code": "Base.1.0.X", "message": "No.",
            "@Message.ExtendedInfo": [{"MessageId": "Base.1.0.X", "Message": "No."}]}}));
        assert_eq!(told.to_string(), "Base.1.0.X: No.");
        let refusal = Refusal {
            method: "GET".into(),
            path: "/redfish/v1/Systems".into(),
            status: 401,
            complaint: told,
        };
        assert_eq!(
            refusal.to_string(),
            "the user name or the password is wrong (HTTP GET /redfish/v1/Systems returned code 401)"
        );
    }

    #[test]
    fn floods_are_cut() {
        let messages: Vec<_> = (0..1000)
            .map(|n| json!({"Message": format!("{n}{}", "x".repeat(10_000))}))
            .collect();
        let told = complaint(json!({"error": {"@Message.ExtendedInfo": messages}}));
        assert!(told.to_string().len() < MESSAGES * (LONGEST + 10) + 100);
    }

    #[test]
    fn a_repeated_password_is_not_told() {
        let named = Named {
            node: NodeId::generate(),
            operation: "log in",
            peer: "https://bmc".into(),
            secrets: vec!["hunter2".into()],
        };
        let refusal = Refusal {
            method: "POST".into(),
            path: "/s".into(),
            status: 400,
            complaint: complaint(json!({"error": {"message": "bad password hunter2"}})),
        };
        let text = named.refused(refusal).to_string();
        assert!(text.contains("bad password ***"), "{text}");
        assert!(!format!("{named:?}{text}").contains("hunter2"));
        assert!(text.contains("log in failed. BMC https://bmc: HTTP POST /s returned code 400."));
    }
}
