//! A chassis: a label under which nodes can be grouped.

use crate::{ChassisId, JsonMap, Timestamp};
use serde::{Deserialize, Serialize};

/// A chassis row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Chassis {
    /// Order of creation; the paging key.
    pub row: i64,
    pub id: ChassisId,
    pub description: Option<String>,
    pub extra: JsonMap,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

impl Chassis {
    /// A chassis that is not stored yet.
    pub fn new(id: ChassisId) -> Self {
        Self {
            row: 0,
            id,
            description: None,
            extra: JsonMap::new(),
            created_at: Timestamp::now(),
            updated_at: None,
        }
    }
}
