//! Local users, groups, roles and tokens; one file a table.
//!
//! Every change is logged in its own transaction ([`change`]). Reading who somebody is
//! ([`standing`]) always asks the database, so that a change counts from the next request on, in
//! every process.

pub mod change;
pub mod group;
pub mod role;
mod standing;
pub mod token;
pub mod user;

pub use standing::{standing, standing_of_token};

use crate::StoreError;

/// Who makes a change, for its log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Author {
    pub name: Option<String>,
    pub request_id: Option<String>,
}

/// What came of adding something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    Done,
    /// There is one of this name.
    Taken,
    /// There are as many as there may be.
    TooMany,
}

/// What came of a change that may have been made before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changed {
    Done,
    /// It was so already.
    Already,
    /// The user or the group is not there.
    Nobody,
    /// There are as many as there may be.
    TooMany,
}

/// A unique index that refuses an insert says that another process was faster.
fn taken_if_violated(added: Result<Added, StoreError>) -> Result<Added, StoreError> {
    match added {
        Err(error) if error.violated_index().is_some() => Ok(Added::Taken),
        other => other,
    }
}
