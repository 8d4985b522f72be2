//! What we offer beyond Ironic, under `/corten/v1`. Nothing of it appears in its documents.

pub mod boot_log;
pub mod console;
pub mod events;
pub mod metrics;
pub mod openapi;
pub mod progress;
pub mod recorder;
pub mod sensors;
pub mod status;
pub mod timeline;
pub mod webhooks;
