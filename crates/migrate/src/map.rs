//! From rows of Ironic to rows of ours, one function a table. They are pure: what they cannot take
//! is a finding, and a row that cannot be taken at all is `None`.

mod allocation;
mod book;
mod node;
mod port;
mod reading;
mod volume;

pub(crate) use allocation::allocation;
pub(crate) use book::{rule, runbook, step, template};
pub(crate) use node::{node, settle};
pub(crate) use port::{chassis, port, portgroup};
pub(crate) use reading::{bios, firmware, history, inventory};
pub(crate) use volume::{connector, target};
