//! The data of requests and responses.
//!
//! A function makes each request; the data of its response is decoded into a type of its own, and
//! encoded by the same type for simulators. Responses may be longer than the standard says, and on
//! old firmware shorter: decoders require only the bytes that are used.

pub mod boot;
pub mod channel;
pub mod chassis;
pub mod dcmi;
pub mod device;
pub mod event;
pub mod fru;
pub mod payload;
pub mod sdr;
pub mod sel;
pub mod sensor;
pub mod user;
