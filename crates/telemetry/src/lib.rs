//! Data for systems that watch the service: notifications on a message bus, and traces for a
//! collector.
//!
//! [`bus`] talks to RabbitMQ; [`sender`] sends the rows of the notifications table; [`sensors`]
//! sends sensor readings, which are not stored in the database; [`trace`] collects spans. Nothing
//! here decides what is sent: that is written together with the changes, see `store::notification`.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "a test may wait for its files")
)]

pub mod bus;
pub mod sender;
pub mod sensors;
pub mod trace;

pub use bus::{Address, Bus, BusSettings};
pub use sender::{Sender, SenderSettings};
pub use sensors::Sensors;
