//! Scenarios: requests in an order that can be played, and the answers Ironic gave to them.
//!
//! Two things play them: the tests of this repository, against the recorded answers, and
//! `cargo xtask compare`, against two services at once. Both must agree on what a request is, what
//! of an answer counts, and which differences are meant, so these rules are here. How requests
//! travel is left to the players. Beside them are the random choices that tests make.

pub mod answer;
pub mod difference;
pub mod file;
pub mod known;
pub mod normal;
pub mod random;
pub mod session;

pub use answer::Answer;
pub use difference::Report;
pub use known::Known;
pub use session::{Request, Session};
