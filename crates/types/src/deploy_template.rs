//! Deploy templates: named lists of deploy steps that the traits of an instance bring along.

use crate::{DeployTemplateId, InterfaceKind, JsonMap, Timestamp};
use serde::{Deserialize, Serialize};

/// A number that clients may write as a text of digits too. It is shown as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Rank {
    Number(i64),
    Digits(String),
}

impl Rank {
    /// The number that is meant; digits beyond any number count as the largest one.
    pub fn value(&self) -> i64 {
        match self {
            Self::Number(number) => *number,
            Self::Digits(digits) => digits.parse().unwrap_or(i64::MAX),
        }
    }
}

impl From<i64> for Rank {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

/// A step of a template.
///
/// Values under secret keys (see [`crate::mask`]) in `args` are sealed while the template is at
/// rest or in memory; the subject is the template's UUID.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TemplateStep {
    pub interface: InterfaceKind,
    pub step: String,
    pub args: JsonMap,
    /// 0 takes the driver's step of this name out of the deployment.
    pub priority: Rank,
}

/// A deploy template row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeployTemplate {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: DeployTemplateId,
    /// Compare-and-swap counter of the row.
    pub version: i64,
    /// The trait that brings the steps along.
    pub name: String,
    /// In the order in which they were given.
    pub steps: Vec<TemplateStep>,
    pub extra: JsonMap,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl DeployTemplate {
    /// A template that is not stored yet.
    pub fn new(id: DeployTemplateId, name: impl Into<String>, steps: Vec<TemplateStep>) -> Self {
        Self {
            row: 0,
            id,
            version: 0,
            name: name.into(),
            steps,
            extra: JsonMap::new(),
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_rank_is_shown_as_it_was_written() {
        for (written, meant) in [
            (json!(7), 7),
            (json!("07"), 7),
            (json!("99999999999999999999"), i64::MAX),
        ] {
            let rank: Rank = serde_json::from_value(written.clone()).unwrap();
            assert_eq!(rank.value(), meant);
            assert_eq!(serde_json::to_value(rank).unwrap(), written);
        }
    }
}
