//! The program in the deploy ramdisk: it reports what machine this is, and erases, writes and
//! configures its disks when the service says so.
//!
//! It speaks the protocol of ironic-python-agent (IPA), so it works with Corten and with Ironic.
//! Whatever changes the machine requires a [`safety::Permit`], which exists only inside a Corten
//! ramdisk.

mod address;
pub mod agent;
mod api;
pub mod block;
mod certificate;
mod chance;
pub mod command;
pub mod config;
pub mod disk;
pub mod error;
pub mod exchange;
pub mod exec;
pub mod extension;
pub mod hardware;
mod heartbeat;
mod http;
pub mod init;
mod inspection;
pub mod inventory;
pub mod iscsi;
pub mod journal;
mod listen;
mod logs;
mod lookup;
mod mount;
pub mod netlink;
mod ntp;
pub mod progress;
mod reporter;
pub mod safety;
pub mod service;
mod session;
pub mod start;

pub use error::AgentError;

/// The version for the service. Corten recognizes its own agent by the prefix.
pub const VERSION: &str = concat!("corten-", env!("CARGO_PKG_VERSION"));
