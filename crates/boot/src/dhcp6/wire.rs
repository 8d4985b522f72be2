//! The sockets of the DHCPv6 service.

use super::{
    Listener, Settings,
    server::{Origin, Server},
};
use crate::{
    client::Client,
    datagram,
    dhcp4::Knowledge,
    error::BootError,
    lease::Leases,
    listeners::{self, Places},
};
use proto::dhcp::v6::Packet;
use socket2::{Domain, Protocol, Socket, Type};
use std::{
    fs, io,
    net::{Ipv6Addr, SocketAddr, SocketAddrV6},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::UdpSocket, sync::watch};
use tokio_util::sync::CancellationToken;
use types::time::Timestamp;

/// Where servers listen (RFC 8415, 7.2).
const PORT: u16 = 547;
/// All servers and relays of a link.
const ALL_SERVERS: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 1, 2);

/// The service with its open sockets.
#[derive(Debug)]
pub struct Dhcp6 {
    know: Knowledge,
    server: Arc<Mutex<Server>>,
    sockets: Vec<(Listener, UdpSocket)>,
    /// Where to listen besides, for networks of the database.
    places: watch::Sender<Places>,
}

impl Dhcp6 {
    /// Opens the sockets; nothing is answered yet.
    pub fn bind(
        settings: Settings,
        know: Knowledge,
        leases: Leases<Ipv6Addr>,
        identifier: Vec<u8>,
    ) -> Result<Self, BootError> {
        let mut sockets = Vec::new();
        for listener in &settings.listeners {
            let socket = open(listener).map_err(|source| BootError::Listen {
                service: "DHCPv6",
                address: listener.address.to_string(),
                source,
            })?;
            sockets.push((listener.clone(), socket));
        }
        let server = Server::new(settings, know.clone(), leases, identifier);
        Ok(Self {
            know,
            server: Arc::new(Mutex::new(server)),
            sockets,
            places: watch::Sender::new(Places::new()),
        })
    }

    /// By which more interfaces are listened on.
    pub(crate) fn places(&self) -> watch::Sender<Places> {
        self.places.clone()
    }

    /// The server that gives addresses.
    pub fn server(&self) -> Arc<Mutex<Server>> {
        Arc::clone(&self.server)
    }

    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets
            .iter()
            .filter_map(|(_, socket)| socket.local_addr().ok())
            .collect()
    }

    /// Answers until it is told to stop.
    pub async fn run(self, stop: CancellationToken) {
        let (know, server) = (self.know, self.server);
        let sockets = self.sockets.into_iter();
        let first = sockets.map(|(listener, socket)| (listener.interface, socket));
        listeners::keep(
            "DHCP for IPv6",
            first.collect(),
            self.places.subscribe(),
            stop,
            |interface| {
                open(&Listener {
                    interface: interface.map(str::to_owned),
                    address: any(PORT),
                })
            },
            |socket, interface, stop| listen(know.clone(), server.clone(), socket, interface, stop),
        )
        .await;
    }
}

async fn listen(
    know: Knowledge,
    server: Arc<Mutex<Server>>,
    socket: UdpSocket,
    interface: Option<String>,
    stop: CancellationToken,
) {
    let mut buffer = [0; 4096];
    loop {
        let next = datagram::next(&socket, &mut buffer, &stop, "DHCPv6 message");
        let Some((length, sender)) = next.await else {
            return;
        };
        let SocketAddr::V6(sender) = sender else {
            continue;
        };
        let ask = match Packet::decode(&buffer[..length]) {
            Ok(ask) => ask,
            Err(error) => {
                tracing::debug!(%sender, %error, "no DHCPv6 message");
                continue;
            }
        };
        let Some(mac) = Client::of_v6(&ask, *sender.ip()).mac else {
            continue;
        };
        let standing = know.standing(&mac).await;
        let (answer, settled) = {
            let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
            let from = Origin {
                source: *sender.ip(),
                interface: interface.as_deref(),
                standing,
            };
            let answer = server.answer(&ask, &from, Timestamp::now());
            (answer, server.leases().settled())
        };
        let Some(answer) = answer else {
            continue;
        };
        settled.wait().await;
        if let Err(error) = socket.send_to(&answer.encode_reply(), sender).await {
            tracing::warn!(%sender, %error, "a DHCPv6 answer could not be sent");
        }
    }
}

fn open(listener: &Listener) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV6, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    socket.set_only_v6(true)?;
    socket.set_reuse_address(true)?;
    if let Some(interface) = &listener.interface {
        socket.bind_device(Some(interface.as_bytes()))?;
    }
    socket.bind(&SocketAddr::V6(listener.address).into())?;
    if let Some(interface) = &listener.interface {
        socket.join_multicast_v6(&ALL_SERVERS, index(interface)?)?;
    }
    UdpSocket::from_std(socket.into())
}

/// The number of an interface.
#[expect(clippy::disallowed_methods, reason = "the kernel has it in memory")]
fn index(interface: &str) -> io::Result<u32> {
    let text = fs::read_to_string(format!("/sys/class/net/{interface}/ifindex"))?;
    text.trim().parse().map_err(io::Error::other)
}

/// An address on which clients of all interfaces are heard.
pub fn any(port: u16) -> SocketAddrV6 {
    SocketAddrV6::new(Ipv6Addr::UNSPECIFIED, port, 0, 0)
}
