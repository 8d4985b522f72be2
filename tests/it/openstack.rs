//! The service beside the other services of OpenStack, which are stand-ins here ([`crate::cloud`]).

mod check;
mod failures;
mod stock;
