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
pub mod body;
pub mod call;
pub mod check;
pub mod cors;
pub mod corten;
pub mod ctx;
pub mod discovery;
pub mod error;
pub mod health;
pub mod json_writer;
pub mod lookup;
pub mod metrics;
pub mod negotiation;
pub mod openapi;
pub mod page;
pub mod patch;
pub mod peer;
pub mod policy;
pub mod reply;
pub mod route;
pub mod route_table;
pub mod router;
pub mod schema;
pub mod settings;
pub mod site;
mod standing;
pub mod state;
pub mod stream;
#[cfg(test)]
mod testing;
pub mod v1;
pub mod version;
pub mod view;
pub mod webhook;
pub mod websocket;

pub use auth::Auth;
pub use error::ApiError;
pub use router::router;
pub use settings::{AgentContainers, AgentMetrics, AgentSettings, BodyLimits, Settings};
pub use state::ApiState;
pub use stream::StreamSettings;
