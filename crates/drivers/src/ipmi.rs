//! IPMI hardware: the conversation with BMCs over the network, and what is asked of them.
//!
//! [`wire`] is the socket that all conversations share, [`link`] is one BMC with its session,
//! [`links`] are all of them. [`info`] is what a node says about its BMC, [`talk`] puts it all
//! together with the gate and the rule for retries, and [`scribe`] keeps a record of it. The interfaces are [`power`], [`management`]
//! (with [`sensors`], [`event_log`], and [`intel`] for Intel's), [`vendor`] and [`console`], under Ironic's names.

mod account;
mod console;
mod event_log;
pub mod info;
mod intel;
pub mod link;
pub mod links;
pub mod maker;
pub mod management;
mod power;
pub mod scribe;
mod sensors;
mod settings;
pub mod talk;
mod vendor;
pub mod wire;

pub use console::IpmiConsole;
pub use info::Info;
pub use link::{Link, LinkError, Peer};
pub use management::IpmiManagement;
pub use power::IpmiPower;
pub use settings::IpmiSettings;
pub use talk::{Ipmi, Talk};
pub use vendor::IpmiVendor;
pub use wire::Wire;
