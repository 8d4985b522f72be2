//! One socket for all addresses of the loopback device.
//!
//! The system tells for each datagram which address it was sent to, and sends answers from there:
//! otherwise a client would get them from an address that it never asked. The socket is bound to
//! the loopback device, so that nothing from outside reaches it.

use quinn_udp::{RecvMeta, Transmit, UdpSocketState};
use socket2::{Domain, Protocol, SockAddr, Type};
use std::{
    io::{self, IoSliceMut},
    net::{IpAddr, Ipv4Addr, SocketAddr},
};
use tokio::{io::Interest, net::UdpSocket};

/// How many datagrams are read at once.
const BATCH: usize = 16;
/// The system may hand over several datagrams of one sender as one piece, at most this long.
const PIECE: usize = 64 * 1024;
/// How much may wait to be read. The system gives less if its own limit is lower.
const BACKLOG: usize = 16 * 1024 * 1024;

/// The socket.
#[derive(Debug)]
pub(super) struct Wildcard {
    socket: UdpSocket,
    state: UdpSocketState,
}

/// A datagram, where it came from and where it was sent to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Datagram<'a> {
    pub(super) from: SocketAddr,
    pub(super) to: IpAddr,
    pub(super) bytes: &'a [u8],
}

impl Wildcard {
    pub(super) fn bind(port: u16) -> io::Result<Self> {
        let socket = socket2::Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.bind_device(Some(b"lo"))?;
        socket.set_nonblocking(true)?;
        // More than the system's limit is no error, it is cut.
        socket.set_recv_buffer_size(BACKLOG)?;
        socket.set_send_buffer_size(BACKLOG)?;
        let all = SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
        socket.bind(&SockAddr::from(all))?;
        let state = UdpSocketState::new((&socket).into())?;
        let socket = UdpSocket::from_std(socket.into())?;
        Ok(Self { socket, state })
    }

    pub(super) fn port(&self) -> io::Result<u16> {
        Ok(self.socket.local_addr()?.port())
    }

    pub(super) async fn send(&self, bytes: &[u8], from: IpAddr, to: SocketAddr) -> io::Result<()> {
        let transmit = Transmit {
            destination: to,
            ecn: None,
            contents: bytes,
            segment_size: None,
            src_ip: Some(from),
        };
        self.socket
            .async_io(Interest::WRITABLE, || {
                self.state.try_send((&self.socket).into(), &transmit)
            })
            .await
    }

    /// Waits for datagrams, and reads as many as there are room for.
    pub(super) async fn receive(&self, buffers: &mut Buffers) -> io::Result<()> {
        buffers.count = 0;
        let Buffers {
            pieces,
            meta,
            count,
        } = buffers;
        *count = self
            .socket
            .async_io(Interest::READABLE, || {
                let mut slices = pieces.each_mut().map(|piece| IoSliceMut::new(piece));
                self.state.recv((&self.socket).into(), &mut slices, meta)
            })
            .await?;
        Ok(())
    }
}

/// What was read last.
pub(super) struct Buffers {
    pieces: [Vec<u8>; BATCH],
    meta: [RecvMeta; BATCH],
    count: usize,
}

impl Default for Buffers {
    fn default() -> Self {
        Self {
            pieces: std::array::from_fn(|_| vec![0; PIECE]),
            meta: [RecvMeta::default(); BATCH],
            count: 0,
        }
    }
}

impl Buffers {
    pub(super) fn datagrams(&self) -> impl Iterator<Item = Datagram<'_>> {
        let read = self.meta.iter().zip(&self.pieces).take(self.count);
        read.flat_map(|(meta, piece)| {
            let from = meta.addr;
            let bytes = piece.get(..meta.len).unwrap_or_default();
            // What does not say where it was sent to cannot be answered.
            let to = meta.dst_ip;
            bytes.chunks(meta.stride.max(1)).filter_map(move |bytes| {
                Some(Datagram {
                    from,
                    to: to?,
                    bytes,
                })
            })
        })
    }
}
