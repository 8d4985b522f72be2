//! The sockets of the DHCPv4 service.
//!
//! One socket an interface, bound to it, so that a broadcast is answered on the network that it came
//! from. Opening them needs the right to use low ports; binding to an interface needs CAP_NET_RAW
//! on old kernels.

use super::{
    Destination, Knowledge, Listener, Reply, Role, Settings, proxy::Proxy, server::Server,
};
use crate::{
    client::Client,
    datagram,
    error::BootError,
    lease::Leases,
    listeners::{self, Places},
};
use proto::dhcp::v4::{DEFAULT_ROOM, Message, Op};
use socket2::{Domain, Protocol, Socket, Type};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4},
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::UdpSocket, sync::watch};
use tokio_util::sync::CancellationToken;
use types::time::Timestamp;

/// The service with its open sockets.
#[derive(Debug)]
pub struct Dhcp4 {
    engine: Arc<Engine>,
    sockets: Vec<(Listener, UdpSocket)>,
    direct: Option<UdpSocket>,
    /// Where to listen besides, for networks of the database.
    places: watch::Sender<Places>,
    server_port: u16,
}

#[derive(Debug)]
struct Engine {
    know: Knowledge,
    kind: EngineKind,
    ports: Ports,
}

#[derive(Debug)]
enum EngineKind {
    Server(Arc<Mutex<Server>>),
    Proxy(Proxy),
}

#[derive(Debug, Clone, Copy)]
struct Ports {
    client: u16,
    relay: u16,
}

impl Dhcp4 {
    /// Opens the sockets; nothing is answered yet.
    pub fn bind(
        settings: Settings,
        know: Knowledge,
        leases: Leases<Ipv4Addr>,
    ) -> Result<Self, BootError> {
        let mut sockets = Vec::new();
        for listener in &settings.listeners {
            let socket = open(listener.address, listener.interface.as_deref());
            let socket = socket.map_err(|source| BootError::Listen {
                service: "DHCP",
                address: shown(listener),
                source,
            })?;
            sockets.push((listener.clone(), socket));
        }
        let direct = settings.proxy_listener.map(|address| {
            open(address, None).map_err(|source| BootError::Listen {
                service: "proxyDHCP",
                address: address.to_string(),
                source,
            })
        });
        let direct = direct.transpose()?;
        let ports = Ports {
            client: settings.client_port,
            relay: settings.relay_port,
        };
        let server_port = settings.server_port;
        let kind = match settings.role {
            Role::Server => {
                let server = Server::new(settings, know.clone(), leases);
                EngineKind::Server(Arc::new(Mutex::new(server)))
            }
            Role::Proxy => EngineKind::Proxy(Proxy::new(settings, know.clone())),
        };
        Ok(Self {
            engine: Arc::new(Engine { know, kind, ports }),
            sockets,
            direct,
            places: watch::Sender::new(Places::new()),
            server_port,
        })
    }

    /// By which more interfaces are listened on.
    pub(crate) fn places(&self) -> watch::Sender<Places> {
        self.places.clone()
    }

    /// The server that gives addresses, if this is one.
    pub fn server(&self) -> Option<Arc<Mutex<Server>>> {
        match &self.engine.kind {
            EngineKind::Server(server) => Some(Arc::clone(server)),
            EngineKind::Proxy(_) => None,
        }
    }

    /// Where the sockets are, in the order of the settings.
    pub fn addresses(&self) -> Vec<SocketAddr> {
        let sockets = self
            .sockets
            .iter()
            .map(|(_, socket)| socket)
            .chain(&self.direct);
        sockets
            .filter_map(|socket| socket.local_addr().ok())
            .collect()
    }

    /// Answers until it is told to stop.
    pub async fn run(self, stop: CancellationToken) {
        let Self {
            engine,
            sockets,
            direct,
            places,
            server_port,
        } = self;
        let first = sockets.into_iter();
        let first = first.map(|(listener, socket)| (listener.interface, socket));
        let kept = listeners::keep(
            "DHCP",
            first.collect(),
            places.subscribe(),
            stop.clone(),
            |interface| {
                let address = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, server_port);
                open(address, interface)
            },
            |socket, interface, stop| listen(engine.clone(), socket, interface, false, stop),
        );
        let direct = async {
            if let Some(socket) = direct {
                listen(engine.clone(), socket, None, true, stop.clone()).await;
            }
        };
        tokio::join!(kept, direct);
    }
}

async fn listen(
    engine: Arc<Engine>,
    socket: UdpSocket,
    interface: Option<String>,
    direct: bool,
    stop: CancellationToken,
) {
    // No client sends more than an Ethernet frame holds.
    let mut buffer = [0; 2048];
    loop {
        let next = datagram::next(&socket, &mut buffer, &stop, "DHCP message");
        let Some((length, sender)) = next.await else {
            return;
        };
        let SocketAddr::V4(sender) = sender else {
            continue;
        };
        if let Some((bytes, to)) = engine
            .answer(&buffer[..length], sender, interface.as_deref(), direct)
            .await
            && let Err(error) = socket.send_to(&bytes, to).await
        {
            tracing::warn!(%to, %error, "a DHCP answer could not be sent");
        }
    }
}

impl Engine {
    async fn answer(
        &self,
        bytes: &[u8],
        sender: SocketAddrV4,
        interface: Option<&str>,
        direct: bool,
    ) -> Option<(Vec<u8>, SocketAddrV4)> {
        let ask = match Message::decode(bytes) {
            Ok(ask) => ask,
            Err(error) => {
                tracing::debug!(%sender, %error, "no DHCP message");
                return None;
            }
        };
        if ask.op != Op::Request {
            return None;
        }
        let mac = Client::of_v4(&ask).mac?;
        let machine = self.know.machine(&mac).await;
        let standing = machine.standing;
        let reply = match &self.kind {
            EngineKind::Server(server) => {
                let (reply, settled) = {
                    let mut server = server.lock().unwrap_or_else(PoisonError::into_inner);
                    let reply = server.answer(&ask, interface, machine, Timestamp::now())?;
                    (reply, server.leases().settled())
                };
                settled.wait().await;
                reply
            }
            EngineKind::Proxy(proxy) if direct => {
                proxy.answer_directly(&ask, *sender.ip(), standing)?
            }
            EngineKind::Proxy(proxy) => proxy.answer(&ask, interface, standing)?,
        };
        let to = destination(&reply, sender, self.ports);
        match encode(&reply) {
            Ok(bytes) => Some((bytes, to)),
            Err(error) => {
                tracing::warn!(%sender, %error, "a DHCP answer could not be written");
                None
            }
        }
    }
}

fn encode(reply: &Reply) -> Result<Vec<u8>, proto::dhcp::EncodeError> {
    reply.message.encode(reply.room.max(DEFAULT_ROOM))
}

fn destination(reply: &Reply, sender: SocketAddrV4, ports: Ports) -> SocketAddrV4 {
    match reply.to {
        Destination::Broadcast => SocketAddrV4::new(Ipv4Addr::BROADCAST, ports.client),
        Destination::Client(address) => SocketAddrV4::new(address, ports.client),
        Destination::Relay(address) => SocketAddrV4::new(address, ports.relay),
        Destination::Sender => sender,
    }
}

fn open(address: SocketAddrV4, interface: Option<&str>) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_nonblocking(true)?;
    // Several interfaces share the port.
    socket.set_reuse_address(true)?;
    socket.set_broadcast(true)?;
    if let Some(interface) = interface {
        socket.bind_device(Some(interface.as_bytes()))?;
    }
    socket.bind(&SocketAddr::V4(address).into())?;
    UdpSocket::from_std(socket.into())
}

fn shown(listener: &Listener) -> String {
    match &listener.interface {
        Some(interface) => format!("{} ({interface})", listener.address),
        None => listener.address.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        dhcp4::{Others, Subnet},
        enrolment::Register,
        lease::{Forgetful, Range},
        log::BootLog,
        roster::Roster,
        settings::BootFiles,
    };
    use proto::dhcp::{options::code, v4::MessageType};
    use std::{collections::HashMap, time::Duration};
    use tokio::time::timeout;

    const MACHINES: u16 = 1000;

    fn message(kind: MessageType, machine: u16) -> Message {
        let [a, b] = machine.to_be_bytes();
        let mut message = Message::request(kind, u32::from(machine), [2, 0, 0, 0, a, b]);
        message.giaddr = Ipv4Addr::LOCALHOST;
        message
    }

    /// A relay with a thousand machines behind it that all want an address at once, in the midst of
    /// noise.
    #[tokio::test]
    async fn a_thousand_machines_get_their_addresses_at_once() {
        let relay = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        let mut subnet = Subnet::new([127, 0, 0, 0].into(), 8, Ipv4Addr::LOCALHOST);
        subnet.ranges = vec![Range {
            first: [127, 1, 0, 0].into(),
            last: [127, 1, 7, 255].into(),
        }];
        let settings = Settings {
            listeners: vec![Listener {
                interface: None,
                address: "127.0.0.1:0".parse().unwrap(),
            }],
            subnets: vec![subnet],
            others: Others::Address,
            relay_port: relay.local_addr().unwrap().port(),
            ..Settings::default()
        };
        let know = Knowledge {
            files: Arc::new(BootFiles::default()),
            roster: Arc::new(Roster::default()),
            log: Arc::new(BootLog::default()),
            register: Register::default(),
        };
        let leases = Leases::new(Vec::new(), Box::new(Forgetful));
        let dhcp = Dhcp4::bind(settings, know, leases).unwrap();
        let server = dhcp.addresses()[0];
        let stop = CancellationToken::new();
        let running = tokio::spawn(dhcp.run(stop.clone()));

        let mut leased = HashMap::new();
        let mut buffer = [0; 2048];
        // A socket's queue is short, so some requests are lost; machines ask again.
        while leased.len() < usize::from(MACHINES) {
            for machine in (0..MACHINES).filter(|machine| !leased.contains_key(machine)) {
                let discover = message(MessageType::Discover, machine).encode(548).unwrap();
                relay.send_to(&discover, server).await.unwrap();
                relay
                    .send_to(&discover[..usize::from(machine % 300)], server)
                    .await
                    .unwrap();
            }
            while let Ok(received) =
                timeout(Duration::from_millis(200), relay.recv(&mut buffer)).await
            {
                let answer = Message::decode(&buffer[..received.unwrap()]).unwrap();
                let machine = u16::try_from(answer.xid).unwrap();
                if answer.kind() == Some(MessageType::Ack) {
                    leased.insert(machine, answer.yiaddr);
                    continue;
                }
                let mut request = message(MessageType::Request, machine);
                request
                    .options
                    .set_address(code::REQUESTED_ADDRESS, answer.yiaddr);
                request
                    .options
                    .set_address(code::SERVER_ID, Ipv4Addr::LOCALHOST);
                relay
                    .send_to(&request.encode(548).unwrap(), server)
                    .await
                    .unwrap();
            }
        }
        let mut addresses: Vec<_> = leased.into_values().collect();
        addresses.sort();
        addresses.dedup();
        assert_eq!(addresses.len(), usize::from(MACHINES));
        stop.cancel();
        running.await.unwrap();
    }
}
