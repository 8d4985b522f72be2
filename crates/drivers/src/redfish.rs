//! Redfish hardware: the conversation with services over HTTP, and what is asked of them.
//!
//! [`wire`] is one exchange, [`bmcs`] is what is remembered between conversations, [`info`] is what
//! a node says about its service and [`address`] which paths belong to it. [`talk`] puts it all
//! together with the gate, the login and the rules for retries. [`resource`], [`refusal`] and
//! [`task`] read what comes back, [`quirks`] says who does it differently. The interfaces are
//! [`power`], [`management`] (with [`idrac`] for Dell's), [`media_boot`], [`bios`], [`raid`], [`firmware`],
//! [`inspect`] and [`vendor`], under the names that Ironic's have; their steps come back to
//! work that takes its time ([`monitor`]).

mod account;
pub mod address;
mod bios;
pub mod bmcs;
mod firmware;
mod idrac;
pub mod info;
mod inspect;
pub mod management;
mod media_boot;
mod monitor;
mod power;
pub mod quirks;
mod raid;
pub mod refusal;
pub mod resource;
mod settings;
mod step_settings;
pub mod talk;
pub mod task;
pub mod tls;
mod vendor;
pub mod wire;

pub use bios::RedfishBios;
pub use firmware::RedfishFirmware;
pub use info::Info;
pub use inspect::RedfishInspect;
pub use management::RedfishManagement;
pub use media_boot::{DiscContainer, DiscSettings, RedfishHttpBoot, RedfishMediaBoot, disc_time};
pub use power::RedfishPower;
pub use raid::RedfishRaid;
pub use refusal::RedfishError;
pub use resource::Resource;
pub use settings::RedfishSettings;
pub use step_settings::StepSettings;
pub use talk::{Posted, Redfish, Talk};
pub use vendor::RedfishVendor;
