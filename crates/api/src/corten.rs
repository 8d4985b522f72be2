//! What we offer beyond Ironic, under `/corten/v1`. Nothing of it appears in its documents.

pub(crate) mod boot_log;
pub(crate) mod console;
pub(crate) mod events;
pub(crate) mod metrics;
pub(crate) mod openapi;
pub(crate) mod progress;
pub(crate) mod recorder;
pub(crate) mod sensors;
pub(crate) mod status;
pub(crate) mod timeline;
pub(crate) mod webhooks;
