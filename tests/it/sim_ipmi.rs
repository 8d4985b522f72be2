//! Our simulated BMCs: clients that others wrote against them, and then our own.

mod driver;
mod qemu;
pub(crate) mod rack;
mod tools;
