//! What leaves the service for other systems that watch it: notifications on a message bus, and
//! traces for a collector.
//!
//! [`bus`] speaks to RabbitMQ; [`sender`] empties the table of notifications into it; [`sensors`]
//! takes what has no place in the database; [`trace`] collects spans. Nothing here decides what is
//! told: that is written with the changes themselves, see `store::notification`.

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
