//! What leaves the service for other systems that watch it: notifications on a message bus.
//!
//! [`bus`] speaks to RabbitMQ; [`sender`] empties the table of notifications into it; [`sensors`]
//! takes what has no place in the database. Nothing here decides what is told: that is written with
//! the changes themselves, see `store::notification`.

pub mod bus;
pub mod sender;
pub mod sensors;

pub use bus::{Address, Bus, BusSettings};
pub use sender::{Sender, SenderSettings};
pub use sensors::Sensors;
