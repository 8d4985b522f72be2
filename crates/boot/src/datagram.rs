//! Waiting for datagrams, as every service over UDP does.

use std::{net::SocketAddr, time::Duration};
use tokio::{net::UdpSocket, time::sleep};
use tokio_util::sync::CancellationToken;

/// How long a socket that fails is left alone, so that one that always does keeps no core busy and
/// fills no log.
const PAUSE: Duration = Duration::from_millis(100);

/// The next datagram: its length and its sender. `None` when it is time to stop.
pub(crate) async fn next(
    socket: &UdpSocket,
    buffer: &mut [u8],
    stop: &CancellationToken,
    what: &str,
) -> Option<(usize, SocketAddr)> {
    loop {
        let received = tokio::select! {
            received = socket.recv_from(buffer) => received,
            () = stop.cancelled() => return None,
        };
        match received {
            Ok(received) => return Some(received),
            Err(error) => tracing::warn!(%error, what, "receiving failed"),
        }
        sleep(PAUSE).await;
    }
}
