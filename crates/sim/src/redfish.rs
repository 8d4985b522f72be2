//! A BMC that speaks Redfish over HTTP and HTTPS.
//!
//! [`service`] turns a request into an answer and has no socket; [`server`] has the sockets, and
//! [`delivery`] is where faults come in between. What there is stands in one table ([`routes`]); a
//! resource is a function from a machine to JSON ([`resource`]). How makers differ is data
//! ([`quirks`]).

mod answer;
mod auth;
mod body;
mod call;
pub mod certificate;
mod delivery;
mod fetch;
mod message;
mod multipart;
mod post;
mod query;
pub mod quirks;
mod resource;
mod route;
mod routes;
pub mod server;
mod service;

#[cfg(test)]
mod tests;

pub use call::{Options, Site};
