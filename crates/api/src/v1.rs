//! The operations of `/v1`, a file for each resource.

pub mod allocation;
pub mod bios;
pub mod chassis;
pub mod children;
mod collection;
pub mod conductor;
pub mod driver;
pub mod firmware;
pub mod history;
pub mod inventory;
pub mod maintenance;
pub mod management;
pub mod node;
pub mod node_states;
pub mod port;
pub mod portgroup;
pub mod provision;
pub mod ramdisk;
pub mod root;
pub mod shard;
mod subject;
pub mod traits;
pub mod validate;
pub mod vendor_passthru;
pub mod vifs;
pub mod volume;
