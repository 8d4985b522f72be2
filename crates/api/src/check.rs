//! Judgements on single arguments: pure functions from what the client sent to a typed value or to
//! the text of the refusal.
//!
//! Each knows one kind of argument; none of them knows HTTP, the store or the conductor.

pub mod configdrive;
pub mod local_link;
pub mod network_data;
pub(crate) mod pprint;
pub mod raid;
pub(crate) mod report;
pub mod steps;
pub mod target;
pub mod trait_names;
