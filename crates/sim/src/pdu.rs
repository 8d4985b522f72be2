//! Switched power strips that speak SNMP: outlets behind the objects of each make.
//!
//! [`make`] are the makes, [`strip`] is one device with its outlets, [`agent`] answers questions
//! about it under the rules of each version of the protocol, and [`serve`] puts that on a socket.
//! The makes are written down here a second time, independently of the driver: a slip in either
//! shows when they meet.

pub mod agent;
pub mod make;
pub mod strip;

pub use agent::{Accounts, Agent};
pub use make::Make;
pub use strip::{Faults, Strip};

use std::{io, sync::Arc};
use tokio::net::UdpSocket;

/// No question that a strip can answer is longer.
const DATAGRAM: usize = 4096;

/// Answers requests on a socket, until it fails or the future is dropped.
pub async fn serve(socket: UdpSocket, agent: Arc<Agent>) -> io::Result<()> {
    let mut buffer = vec![0; DATAGRAM];
    loop {
        let (length, peer) = match socket.recv_from(&mut buffer).await {
            Ok(received) => received,
            // An ICMP error for an earlier answer: that client is gone.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => continue,
            Err(error) => return Err(error),
        };
        if let Some(answer) = agent.answer(&buffer[..length]) {
            socket.send_to(&answer, peer).await?;
        }
    }
}
