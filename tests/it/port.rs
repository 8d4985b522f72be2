//! Ports for programs and servers that must be told theirs, or come back at the same.

use std::{
    net::{Ipv4Addr, TcpListener, UdpSocket},
    sync::atomic::{AtomicU32, Ordering},
};

/// A port of the loopback that is free at the moment, for TCP and for UDP, and that the system gives
/// to nobody who asks for any: otherwise it may be gone until the one takes it whom it is for.
pub(crate) fn free() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Tests are processes of their own, so each begins somewhere else.
    let first = std::process::id().wrapping_mul(31);
    loop {
        let place = first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000;
        let port = 10_000 + u16::try_from(place).unwrap();
        let address = (Ipv4Addr::LOCALHOST, port);
        if UdpSocket::bind(address).is_ok() && TcpListener::bind(address).is_ok() {
            return port;
        }
    }
}
