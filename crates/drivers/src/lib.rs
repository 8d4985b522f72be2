//! Hardware: the interfaces that the conductor asks things of, and their implementations.
//!
//! Hardware types are tables ([`hardware_type`]), interfaces are traits ([`iface`]), quirks will
//! be data. Nothing here sees the database, other nodes or HTTP shapes: a driver gets one node and
//! a proof that the lease on it is held, and returns values.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test may wait for its files")
)]

pub mod absent;
pub mod agent;
pub mod alert;
pub mod amt;
pub mod anaconda;
pub mod ansible;
mod answer;
pub mod autodetect;
pub mod bmc_account;
pub mod boot_image;
pub mod boot_mode;
pub mod boot_option;
pub mod catalog;
pub mod chassis;
pub mod cisco;
pub mod console;
pub mod drac;
mod driver_info;
pub mod error;
pub mod external;
pub mod fake;
pub mod gate;
pub mod glance;
pub mod hardware_type;
pub mod iboot;
pub mod iface;
pub mod ipmi;
pub mod iscsi;
pub mod logical_disk;
pub mod msftocs;
pub mod netboot;
pub mod network;
pub mod noop;
mod power;
pub mod ramdisk_deploy;
pub mod recorder;
pub mod redfish;
pub mod registry;
pub mod screen;
pub mod seamicro;
pub mod snmp;
pub mod ssh;
pub mod storage;
pub mod wol;
mod wsman;

pub use agent::AgentSettings;
pub use amt::AmtSettings;
pub use boot_image::{BootImageSettings, BootImages};
pub use boot_option::BootOption;
pub use catalog::InterfaceError;
pub use chassis::ChassisSettings;
pub use cisco::CiscoSettings;
pub use console::LogSettings;
pub use error::{DriverError, Failure};
pub use gate::GateSettings;
pub use iboot::IbootSettings;
pub use ipmi::IpmiSettings;
pub use netboot::NetbootSettings;
pub use recorder::{Recorder, RecorderSettings, Tape};
pub use redfish::RedfishSettings;
pub use registry::{Registry, RegistryError, RegistrySettings};
pub use screen::ScreenSettings;
pub use seamicro::SeaMicroSettings;
pub use snmp::SnmpSettings;
pub use ssh::SshSettings;
