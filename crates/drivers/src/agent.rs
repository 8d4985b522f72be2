//! The `agent` interfaces: what is done by software that runs on the machine itself.
//!
//! An agent boots from a ramdisk, reports, and is told what to do over HTTP ([`client`]). Which
//! ramdisk is booted when, and what its reports lead to, is decided by the conductor's flows; the
//! interfaces here say what they need ([`deploy`]) and what agents are told ([`image`], [`node`]).

pub mod client;
mod clients;
pub mod deploy;
mod inspect;
mod iscsi_check;
mod outgoing;
mod power;
mod raid;
mod rescue;

pub use client::{Agent, AgentClient, AgentError, Command, CommandStatus};
pub use deploy::AgentDeploy;
pub use inspect::{Agent as AgentInspect, AgentSettings};
pub use outgoing::{Inserted, Source};
pub use power::AgentPower;
pub use raid::AgentRaid;
pub use rescue::AgentRescue;
