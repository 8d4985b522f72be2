//! Few sockets for many BMCs.
//!
//! A conversation registers the address of its BMC and gets every datagram from there. BMCs are
//! spread over a few sockets, each with room for the answers of thousands; one reader for each
//! hands them out; a datagram from an address that nobody talks to is dropped. A
//! BMC has one conversation at a time (its [`super::Link`] sees to that), so the address is enough
//! to tell whom an answer is for.

use socket2::{Domain, Protocol, SockAddr, Type};
use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    net::{Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{
    net::UdpSocket,
    sync::{OnceCell, mpsc},
    task::JoinHandle,
};

/// The largest datagram that is read. Messages have at most some hundred bytes.
const DATAGRAM: usize = 2048;
/// How many answers may wait for a conversation; it needs only the newest.
const BACKLOG: usize = 16;

/// How many sockets there are for each version of IP.
const SOCKETS: usize = 4;
/// How many bytes of answers may wait in a socket. The system gives less if its own limit is lower;
/// what does not fit is lost, and asked for again.
const ROOM: usize = 4 * 1024 * 1024;

type Listeners = Arc<Mutex<HashMap<SocketAddr, mpsc::Sender<Vec<u8>>>>>;

/// The sockets that conversations share.
#[derive(Debug, Default)]
pub struct Wire {
    v4: [OnceCell<Socket>; SOCKETS],
    v6: [OnceCell<Socket>; SOCKETS],
}

#[derive(Debug)]
struct Socket {
    socket: Arc<UdpSocket>,
    listeners: Listeners,
    reader: JoinHandle<()>,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.reader.abort();
    }
}

impl Wire {
    /// Begins to listen to a BMC, for as long as the value returned lives.
    pub async fn talk(&self, peer: SocketAddr) -> io::Result<Conversation> {
        let (cells, local) = match peer {
            SocketAddr::V4(_) => (&self.v4, SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0))),
            SocketAddr::V6(_) => (&self.v6, SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0))),
        };
        let cell = &cells[place(&peer)];
        let socket = cell.get_or_try_init(async || Socket::open(local)).await?;
        let (sender, receiver) = mpsc::channel(BACKLOG);
        locked(&socket.listeners).insert(peer, sender);
        Ok(Conversation {
            peer,
            socket: Arc::clone(&socket.socket),
            listeners: Arc::clone(&socket.listeners),
            receiver,
        })
    }
}

/// The socket that a BMC is talked to over; always the same one.
fn place(peer: &SocketAddr) -> usize {
    let mut hasher = DefaultHasher::new();
    peer.hash(&mut hasher);
    let hash = hasher.finish().to_le_bytes();
    usize::from(hash[0]) % SOCKETS
}

/// No code panics while it holds the map, and the map is whole at all times.
fn locked(
    listeners: &Listeners,
) -> std::sync::MutexGuard<'_, HashMap<SocketAddr, mpsc::Sender<Vec<u8>>>> {
    listeners.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Socket {
    fn open(local: SocketAddr) -> io::Result<Self> {
        let domain = Domain::for_address(local);
        let socket = socket2::Socket::new(domain, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_recv_buffer_size(ROOM)?;
        socket.set_nonblocking(true)?;
        socket.bind(&SockAddr::from(local))?;
        let socket = Arc::new(UdpSocket::from_std(socket.into())?);
        let listeners = Listeners::default();
        let reader = tokio::spawn(read(Arc::clone(&socket), Arc::clone(&listeners)));
        Ok(Self {
            socket,
            listeners,
            reader,
        })
    }
}

async fn read(socket: Arc<UdpSocket>, listeners: Listeners) {
    let mut buffer = [0; DATAGRAM];
    loop {
        match socket.recv_from(&mut buffer).await {
            Ok((length, peer)) => {
                let listener = locked(&listeners).get(&peer).cloned();
                if let Some(listener) = listener {
                    // A conversation that is this far behind asks again.
                    let _ = listener.try_send(buffer[..length].to_vec());
                }
            }
            // What an earlier datagram met with (a closed port, say). The conversation it belonged
            // to notices by the silence.
            Err(error) => tracing::debug!(%error, "reading from a BMC"),
        }
    }
}

/// The right to talk to one BMC.
#[derive(Debug)]
pub struct Conversation {
    peer: SocketAddr,
    socket: Arc<UdpSocket>,
    listeners: Listeners,
    receiver: mpsc::Receiver<Vec<u8>>,
}

impl Conversation {
    pub async fn send(&self, datagram: &[u8]) -> io::Result<()> {
        self.socket.send_to(datagram, self.peer).await.map(|_| ())
    }

    /// The next datagram; waits for ever if none comes.
    pub async fn receive(&mut self) -> Vec<u8> {
        match self.receiver.recv().await {
            Some(datagram) => datagram,
            // Another conversation with the same BMC has begun: this one hears no more.
            None => std::future::pending().await,
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        // Closing makes our own entry recognisable: a newer conversation's is still open.
        self.receiver.close();
        let mut listeners = locked(&self.listeners);
        if listeners
            .get(&self.peer)
            .is_some_and(mpsc::Sender::is_closed)
        {
            listeners.remove(&self.peer);
        }
    }
}
