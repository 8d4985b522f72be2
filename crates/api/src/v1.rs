//! The operations of `/v1`, a file for each resource.

pub mod chassis;
pub mod children;
mod collection;
pub mod conductor;
pub mod driver;
pub mod history;
pub mod maintenance;
pub mod management;
pub mod node;
pub mod node_states;
pub mod port;
pub mod provision;
pub mod ramdisk;
pub mod root;
mod subject;
pub mod traits;
pub mod validate;
