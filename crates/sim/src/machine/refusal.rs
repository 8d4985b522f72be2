//! Why a machine does not do what was asked, in words that belong to no protocol.
//!
//! A part of a machine says what is wrong with a request; the view that was asked says it in its
//! own form (Redfish: a message of the Base registry).

use serde_json::Value;

/// Why a request was not followed. Nothing has changed when one is returned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error("unknown property {0}")]
    Unknown(String),
    #[error("the property {0} is read-only")]
    ReadOnly(String),
    #[error("the property {0} is missing")]
    Missing(String),
    #[error("the property {property} cannot have a value of the type of {value}")]
    Type { property: String, value: Value },
    #[error("the property {property} cannot be {value}")]
    NotInList { property: String, value: Value },
    #[error("the property {property} is {value}, which is out of range")]
    OutOfRange { property: String, value: Value },
    /// The value is right by itself, but not on this machine or not now.
    #[error("the property {property} cannot be {value} now: {why}")]
    Conflict {
        property: String,
        value: Value,
        why: String,
    },
    /// The state of the machine forbids it.
    #[error("{0}")]
    State(String),
    #[error("wrong password")]
    Password,
    #[error("{what} {name} not found")]
    Absent { what: &'static str, name: String },
}

impl Refusal {
    pub(crate) fn absent(what: &'static str, name: &str) -> Self {
        Self::Absent {
            what,
            name: name.to_owned(),
        }
    }

    pub(crate) fn type_of(property: &str, value: &Value) -> Self {
        Self::Type {
            property: property.to_owned(),
            value: value.clone(),
        }
    }

    pub(crate) fn not_in_list(property: &str, value: impl Into<Value>) -> Self {
        Self::NotInList {
            property: property.to_owned(),
            value: value.into(),
        }
    }

    pub(crate) fn conflict(property: &str, value: impl Into<Value>, why: &str) -> Self {
        Self::Conflict {
            property: property.to_owned(),
            value: value.into(),
            why: why.to_owned(),
        }
    }
}
