//! The services against programs that others wrote.
//!
//! TFTP and HTTP are met by curl, tftp-hpa and atftp on the loopback; DHCP by udhcpc, dhclient and
//! dnsmasq in network namespaces; dynamic updates of DNS by BIND; all of it together by real firmware in QEMU. Where a program is
//! not installed the tests that need it say so and do nothing, except in CI, where they fail. Those
//! with firmware take minutes and run only if `CORTEN_TEST_FIRMWARE` is set.

#![allow(
    clippy::disallowed_methods,
    reason = "no service: it may wait for its files"
)]
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what helps to understand why"
)]

mod bind;
mod dhcp;
mod dns;
mod files;
mod filter;
mod firmware;
mod lan;
mod relay;
mod site;
