//! Several conductors on one database: one dies, stands still or leaves, and the others go on.
//!
//! Each conductor has a thread with a runtime of its own ([`team`]), so that it can be killed in the
//! middle of anything, and can stand still like a process that was stopped. The journal of the fake
//! hardware ([`journal`]) is the witness from outside: whatever the conductors believe, no two of
//! them may be at work on one machine.

mod farewell;
mod goes_on;
mod journal;
mod lapse;
mod local;
mod storm;
mod team;
mod waiting;
