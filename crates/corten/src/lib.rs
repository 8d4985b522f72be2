//! What the `corten` program is made of; `main.rs` only starts it.

pub mod config;
