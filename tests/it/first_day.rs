//! The first day: `corten init`, `doctor`, `discover` and what they say of a network.
//!
//! Each test runs in a network namespace of its own, where it may have the ports of BMCs and DHCP
//! servers. It starts itself again inside; that takes root, or a kernel that lets every user have user
//! namespaces. Elsewhere it is skipped.

mod foreign;
mod many;
mod namespace;
mod owner;
mod scan;
mod strange;
