//! What went wrong, in the shape in which a service reads it.

use serde_json::{Value, json};
use std::fmt;

/// A failure of a command. Services tell kinds apart by name, and people read the rest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentError {
    /// IPA's name of this kind of failure, such as `ImageChecksumError`.
    pub kind: &'static str,
    /// The HTTP status that stands for it.
    pub code: u16,
    /// The kind in words, such as `Error writing image to device`.
    pub message: String,
    /// What happened to what.
    pub details: String,
}

impl AgentError {
    /// A failure on this side.
    pub fn failed(kind: &'static str, message: &str, details: impl Into<String>) -> Self {
        Self {
            kind,
            code: 500,
            message: message.to_owned(),
            details: details.into(),
        }
    }

    /// A request that cannot be carried out as it is.
    pub fn refused(kind: &'static str, message: &str, details: impl Into<String>) -> Self {
        Self {
            code: 400,
            ..Self::failed(kind, message, details)
        }
    }

    /// As services read it.
    pub fn document(&self) -> Value {
        json!({
            "type": self.kind,
            "code": self.code,
            "message": self.message,
            "details": self.details,
        })
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.details)
    }
}

impl std::error::Error for AgentError {}
