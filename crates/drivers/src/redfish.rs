//! Redfish hardware: the conversation with services over HTTP, and what is asked of them.
//!
//! [`wire`] is one exchange, [`bmcs`] is what is remembered between conversations, [`info`] is what
//! a node says about its service and [`address`] which paths belong to it. [`talk`] puts it all
//! together with the gate, the login and the rules for retries. [`resource`], [`refusal`] and
//! [`task`] read what comes back, [`quirks`] says who does it differently. The interfaces are
//! [`power`] and [`management`] (with [`idrac`] for Dell's), under the names that the original's
//! have.

pub mod address;
pub mod bmcs;
mod idrac;
pub mod info;
pub mod management;
mod power;
pub mod quirks;
pub mod refusal;
pub mod resource;
mod settings;
pub mod talk;
pub mod task;
pub mod tls;
pub mod wire;

pub use idrac::IdracManagement;
pub use info::Info;
pub use management::RedfishManagement;
pub use power::RedfishPower;
pub use refusal::RedfishError;
pub use resource::Resource;
pub use settings::RedfishSettings;
pub use talk::{Posted, Redfish, Talk};
