//! Power by switched outlets: power strips and cabinets' PDUs that speak SNMP.
//!
//! [`model`] knows the objects of each make, [`info`] what a node says about its PDU and outlet,
//! [`talk`] asks and retries behind the gate, and [`power`] is the interface. Only power is here:
//! a PDU knows nothing about the machine on its outlet.

pub mod info;
pub mod model;
mod power;
mod settings;
pub mod talk;

pub use info::Info;
pub use power::SnmpPower;
pub use settings::SnmpSettings;
pub use talk::{Snmp, Talk};
