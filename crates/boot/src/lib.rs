//! Everything a machine needs to boot from the network: an address, a loader, a script, a kernel.
//!
//! Two halves. **Files**: [`tree`] puts a node's kernel, ramdisk and boot configuration
//! ([`config`]) under the folders of TFTP and HTTP, with the names that boot loaders look for.
//! **Servers**: [`dhcp4`], [`dhcp6`], [`tftp`] and [`http`] hand them out; which file is right for
//! which firmware is decided in one place, [`choice`]. Where another DHCP server has the network,
//! ours can stand beside it as a proxy, or [`dnsmasq`] tells it about nodes by files.
//!
//! What machines asked and got is kept in the [`log`], and [`doctor`] names the likely cause when a
//! boot does not come to its end.
//!
//! The crate knows no database and no drivers: whoever wants a node to boot publishes it
//! ([`BootServices`]). It needs the rights to open low ports and to bind to an interface, no more.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test may wait for its files")
)]

pub mod choice;
pub mod client;
pub mod cmdline;
pub mod config;
mod datagram;
pub mod dhcp4;
pub mod dhcp6;
pub mod dhcp_options;
pub mod dns;
pub mod dnsmasq;
pub mod doctor;
pub mod enrolment;
pub mod error;
pub mod hosts_file;
pub mod http;
pub mod kickstart;
pub mod lease;
mod listeners;
pub mod loader;
pub mod log;
mod networks;
pub mod node;
mod overview;
pub mod place;
pub mod pxe_filter;
pub mod report;
pub mod root;
pub mod roster;
pub mod service;
pub mod settings;
mod share;
pub mod template;
pub mod tftp;
pub mod tree;

pub use error::BootError;
pub use node::{
    Artifact, BootMethod, BootMode, BootPort, ChapLogin, IscsiVolume, NodeBoot, Source, Start,
    VolumeBoot,
};
pub use service::{Boot, BootServices};
pub use settings::{BootFiles, Discovery, Settings};
