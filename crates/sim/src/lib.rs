//! Simulated machines with BMCs: what drivers are proved on, and what a rack can be tried with.
//!
//! There is one model of a machine ([`machine::Machine`]); the protocols are views of it, so that a
//! boot device set over one is read over the other. A model is cheap: what most machines never use
//! is allocated when it is first used, and what can be computed from the seed is not stored, because
//! a hundred thousand machines are to fit one process. What goes wrong is a part of the simulation
//! and can be switched at run time ([`fault::Faults`]).
//!
//! A recording of conversations with a real BMC can be served in place of a model ([`replay`]).
//! A machine is either purely simulated or a QEMU process ([`backend`]).

pub mod backend;
pub mod control;
pub mod device;
pub mod fault;
pub mod fleet;
pub mod ipmi;
pub mod machine;
pub mod pdu;
pub mod personality;
pub mod redfish;
pub mod replay;
mod seed;

pub use fleet::{Layout, Machines, machines};
pub use machine::{Machine, Settings};
