//! What requests and answers say.
//!
//! A request is made by a function; the data of its answer is decoded into a type of its own, and
//! encoded by the same type for simulators. Answers may be longer than the standard says, and on
//! old firmware shorter: only what is needed is insisted on.

pub mod boot;
pub mod channel;
pub mod chassis;
pub mod device;
pub mod fru;
pub mod payload;
pub mod sdr;
pub mod sel;
pub mod sensor;
