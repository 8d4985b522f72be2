//! Clients of the OpenStack services around a Bare Metal service: Glance, Swift, Neutron, Cinder
//! and Nova, with the login to Keystone that they share.
//!
//! [`Services`] holds one client for each section of the configuration. Every call takes a
//! [`Caller`], which decides whose token is sent, and a [`Deadline`] for everything that the call
//! needs: login, retries and the answer. Failures are an [`Error`] whose [`Reason`] callers match
//! on; nothing is decided from the text of an answer.
//!
//! **Dropping a call.** Reads can be dropped at any time. A dropped write may or may not have
//! reached the service, exactly as after [`Reason::Timeout`]; whoever drops one looks for the object
//! by its identity (MAC address and network of a port, attachment of a volume) before it repeats the
//! call. Dropping a call never loses a login: the next call takes the login up again.
//!
//! Request bodies are made by pure functions beside each client. What a flow does with the services,
//! and in which order, is not here.

mod answer;
mod call;
mod caller;
pub mod catalogue;
pub mod cinder;
mod deadline;
mod endpoint;
mod error;
mod error_answer;
pub mod glance;
mod identity;
pub mod login;
pub mod neutron;
pub mod nova;
mod probe;
mod retry;
mod secret;
mod service;
mod services;
mod session;
pub mod settings;
pub mod swift;
mod transport;
mod watch;

pub use caller::{Caller, TokenScope};
pub use deadline::Deadline;
pub use error::{ConflictCode, Error, Outage, Reason, RequestContext};
pub use error_answer::ErrorAnswer;
pub use secret::Secret;
pub use service::Service;
pub use services::{Services, ServicesSettings};
pub use session::Reached;
pub use settings::{ServiceSettings, SettingsError};
pub use watch::ServiceOutage;

#[cfg(test)]
mod peers;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
