//! Judgements on single arguments: pure functions from what the client sent to a typed value or to
//! the text of the refusal.
//!
//! Each knows one kind of argument; none of them knows HTTP, the store or the conductor.

pub(crate) mod configdrive;
pub(crate) mod local_link;
pub(crate) mod network_data;
pub(crate) mod pprint;
pub(crate) mod raid;
pub(crate) mod report;
pub(crate) mod steps;
pub(crate) mod target;
pub(crate) mod trait_names;
