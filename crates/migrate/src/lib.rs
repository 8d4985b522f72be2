//! Coming over from Ironic, and going back: its database read into ours, and ours written into its.
//!
//! A source is read in one snapshot and never written ([`import`]). Values of foreign rows are
//! untrusted: the functions in `map` take what they can, and what they cannot is a [`Finding`], not
//! an error. SQL is the store's; everything here that decides something is pure.

pub mod json;
pub mod lines;

mod alive;
mod export;
mod finding;
mod group;
mod import;
mod layout;
mod map;
mod report;
mod revision;
mod row;
mod survey;

pub use alive::Alive;
pub use export::{ExportFault, Written, to_ironic};
pub use finding::{Finding, Findings, RowProblem};
pub use group::{GroupFault, GroupMover, TakeOver, Taken, Waiting};
pub use import::{Fingerprint, Import, ImportFault};
pub use report::{Outcome, TableCount};
pub use revision::{NEWEST, Revision, UnknownRevision};
pub use survey::{InFlight, Offer, Prospect, Survey};
