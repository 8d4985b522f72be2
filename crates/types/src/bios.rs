//! BIOS settings of a machine, as they were last read from it.

use crate::Timestamp;
use serde::{Deserialize, Serialize};

/// A BIOS setting row. Everything but name and times is what the machine says, if it says it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BiosSetting {
    pub name: String,
    pub value: Option<String>,
    /// `Enumeration`, `String`, `Integer`, `Boolean` or `Password`.
    pub attribute_type: Option<String>,
    pub allowable_values: Option<Vec<String>>,
    pub lower_bound: Option<i64>,
    pub upper_bound: Option<i64>,
    pub min_length: Option<i64>,
    pub max_length: Option<i64>,
    pub read_only: Option<bool>,
    pub reset_required: Option<bool>,
    /// Whether the value differs from machine to machine.
    pub unique: Option<bool>,
    /// When the setting was first seen.
    pub created_at: Timestamp,
    /// When it was last seen to have changed.
    pub updated_at: Option<Timestamp>,
}

impl BiosSetting {
    /// A setting of which nothing but the value is known.
    pub fn new(name: impl Into<String>, value: Option<String>) -> Self {
        Self {
            name: name.into(),
            value,
            attribute_type: None,
            allowable_values: None,
            lower_bound: None,
            upper_bound: None,
            min_length: None,
            max_length: None,
            read_only: None,
            reset_required: None,
            unique: None,
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}
