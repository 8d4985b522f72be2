//! The REST API: HTTP in, `types::Conductor` calls and store reads out, JSON back.
//!
//! A handler extracts its arguments, asks the store or the conductor, and answers; what exists in
//! which API version is data (`view`), not control flow. Nothing here knows drivers, and writes to
//! nodes and ports go through the conductor only.

#![cfg_attr(
    test,
    allow(
        clippy::disallowed_methods,
        clippy::disallowed_types,
        reason = "a test may wait for its files"
    )
)]

pub mod answer_buffer;
pub mod args;
pub mod audit;
pub mod auth;
mod body;
mod call;
mod check;
mod compress;
pub mod cors;
mod corten;
mod ctx;
pub mod discovery;
mod error;
pub mod fleet;
pub mod health;
mod json_writer;
mod kept_answer;
mod lookup;
pub mod metrics;
mod negotiation;
mod openapi;
mod page;
pub mod patch;
pub mod peer;
pub mod policy;
mod reply;
pub mod route;
pub mod route_table;
mod router;
pub mod schema;
mod settings;
mod shadow;
mod site;
mod standing;
mod state;
mod stream;
#[cfg(test)]
mod testing;
mod v1;
mod version;
mod view;
pub mod webhook;
mod websocket;

pub use auth::Auth;
pub use error::ApiError;
pub use fleet::index::WaitLimits;
pub use router::{respond, router};
pub use settings::{
    AgentContainers, AgentMetrics, AgentSettings, BodyLimits, Settings, ShownOption,
};
pub use state::{ApiState, InventoryArchive, ShadowWatch};
pub use stream::StreamSettings;
