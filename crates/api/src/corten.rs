//! What we offer beyond Ironic, under `/corten/v1`. Nothing of it appears in its documents.

pub(crate) mod accounts;
pub(crate) mod addresses;
pub(crate) mod boot_log;
pub(crate) mod console;
pub(crate) mod diagnosis;
pub(crate) mod events;
pub(crate) mod failures;
pub(crate) mod fleet;
pub(crate) mod images;
pub(crate) mod me;
pub(crate) mod metrics;
pub(crate) mod nodes;
pub(crate) mod openapi;
pub(crate) mod plan;
pub(crate) mod progress;
mod query;
pub(crate) mod recorder;
pub(crate) mod sensors;
pub(crate) mod session;
pub(crate) mod status;
pub(crate) mod timeline;
pub(crate) mod webhooks;
pub(crate) mod work;
