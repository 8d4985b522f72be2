//! The resources, a module for each kind: functions from a machine to JSON, and what changes it.

pub(crate) mod account;
pub(crate) mod bios;
pub(crate) mod boot;
pub(crate) mod chassis;
pub(crate) mod dell;
pub(crate) mod event;
pub(crate) mod hardware;
pub(crate) mod log;
pub(crate) mod manager;
pub(crate) mod media;
pub(crate) mod network;
pub(crate) mod registry;
pub(crate) mod root;
pub(crate) mod secure_boot;
pub(crate) mod sensor;
pub(crate) mod session;
pub(crate) mod storage;
pub(crate) mod system;
pub(crate) mod task;
pub(crate) mod update;
pub(crate) mod volume;
