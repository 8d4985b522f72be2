//! The program in the deploy ramdisk: it reports what machine this is, and erases, writes and
//! configures its disks when the service says so.
//!
//! It speaks the protocol of Ironic's agent, so it serves Corten and Ironic alike. Whatever changes
//! the machine takes a [`safety::Permit`], which nobody has outside a ramdisk of ours.

pub mod block;
pub mod config;
pub mod error;
pub mod exec;
pub mod progress;
pub mod safety;

pub use error::AgentError;
