//! Conductors as members of the service: what one registers about itself.

use crate::{InterfaceKind, Timestamp};
use serde::{Deserialize, Serialize};

/// A registered conductor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Order of first registration; the paging key.
    pub row: i64,
    pub hostname: String,
    pub conductor_group: String,
    /// Names of the hardware types it serves.
    pub drivers: Vec<String>,
    pub online: bool,
    /// Counts this host's incarnations: a lease of an older epoch is an orphan.
    pub epoch: i64,
    /// Counts the sign-ups of all hosts together with `hostname` and `epoch`; stands still when the
    /// conductor is dead.
    pub counter: i64,
    /// Where it takes calls of other processes; one without is alone.
    pub url: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Option<Timestamp>,
}

/// One interface that a conductor offers for a hardware type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfferedInterface {
    pub hardware_type: String,
    pub kind: InterfaceKind,
    pub name: String,
    /// Whether a node that names none gets this one.
    pub is_default: bool,
}
