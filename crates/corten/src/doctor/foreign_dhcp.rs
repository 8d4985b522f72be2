//! Another DHCP server in the network of the machines.
//!
//! Two servers that give addresses are a lottery for machines, so the network is asked: a DISCOVER of
//! a client that does not exist goes out, and each offer within a few seconds is told. No
//! offer is taken, so no address is used up. A server that only serves clients it knows keeps silent,
//! and cannot be found this way.

use super::Finding;
use crate::host::Interface;
use ::boot::dhcp4;
use proto::dhcp::{
    options::code,
    v4::{DEFAULT_ROOM, FLAG_BROADCAST, Message, MessageType},
};
use socket2::{Domain, Protocol, Socket, Type};
use std::{
    fmt, io,
    net::{Ipv4Addr, SocketAddr, SocketAddrV4, UdpSocket},
    time::{Duration, Instant},
};

const CLIENT_PORT: u16 = 68;
const SERVER_PORT: u16 = 67;
/// A server may lose a packet, and most hold an address back to try it first: dnsmasq for 3 s.
const REPEAT: Duration = Duration::from_secs(1);
/// More are not told apart.
const MOST_SERVERS: usize = 16;
/// No server sends more than an Ethernet frame holds.
const FRAME: usize = 2048;

/// A server that has answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Server {
    address: Ipv4Addr,
    /// None is offered by one that only says what to boot.
    offered: Option<Ipv4Addr>,
}

impl fmt::Display for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.offered {
            Some(offered) => write!(f, "{} (offers {offered})", self.address),
            None => write!(f, "{} (only says what to boot)", self.address),
        }
    }
}

/// Asks for servers behind an interface, other than this host.
pub(crate) fn listen(interface: &Interface, wait: Duration) -> io::Result<Vec<Server>> {
    let socket = open(&interface.name)?;
    let question = Question::new()?;
    let all_hosts = SocketAddr::V4(SocketAddrV4::new(Ipv4Addr::BROADCAST, SERVER_PORT));
    let until = Instant::now() + wait;
    let mut next = Instant::now();
    let mut servers: Vec<Server> = Vec::new();
    let mut buffer = [0; FRAME];
    loop {
        let now = Instant::now();
        if now >= until || servers.len() >= MOST_SERVERS {
            return Ok(servers);
        }
        if now >= next {
            socket.send_to(&question.bytes, all_hosts)?;
            next = now + REPEAT;
        }
        let patience = until.min(next).saturating_duration_since(now);
        socket.set_read_timeout(Some(patience.max(Duration::from_millis(1))))?;
        let length = match socket.recv_from(&mut buffer) {
            Ok((length, _)) => length,
            Err(error) if is_silence(&error) => continue,
            Err(error) => return Err(error),
        };
        let answer = question.answered(buffer.get(..length).unwrap_or_default());
        let is_own = |server: &Server| {
            let mut own = interface.addresses.iter();
            own.any(|own| own.address == server.address)
        };
        if let Some(server) = answer.filter(|server| !is_own(server))
            && !servers.iter().any(|known| known.address == server.address)
        {
            servers.push(server);
        }
    }
}

fn is_silence(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | TimedOut | WouldBlock)
}

fn open(interface: &str) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    // A DHCP client of this host may be at work; broadcasts reach both.
    socket.set_reuse_address(true)?;
    socket.set_broadcast(true)?;
    socket.bind_device(Some(interface.as_bytes()))?;
    let everywhere = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, CLIENT_PORT);
    socket.bind(&SocketAddr::V4(everywhere).into())?;
    Ok(socket.into())
}

/// A DISCOVER, and what is needed to know its answers.
struct Question {
    bytes: Vec<u8>,
    id: u32,
    mac: [u8; 6],
}

impl Question {
    fn new() -> io::Result<Self> {
        let mut random = [0; 10];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        let [a, b, c, d, mac @ ..] = random;
        let mut mac = mac;
        // A locally administered address of one station, which no maker gave out.
        mac[0] = mac[0] & 0xfc | 0x02;
        let id = u32::from_be_bytes([a, b, c, d]);
        let mut message = Message::request(MessageType::Discover, id, mac);
        message.flags = FLAG_BROADCAST;
        let wanted = [code::SUBNET_MASK, code::ROUTER, code::DNS, code::BOOT_FILE];
        message.options.set(code::PARAMETERS, wanted);
        // As a machine that boots, so that a server for those alone answers as well.
        message
            .options
            .set(code::VENDOR_CLASS, *b"PXEClient:Arch:00007:UNDI:003016");
        message.options.set(code::CLIENT_ARCH, [0, 7]);
        let bytes = message.encode(DEFAULT_ROOM).map_err(io::Error::other)?;
        Ok(Self { bytes, id, mac })
    }

    fn answered(&self, bytes: &[u8]) -> Option<Server> {
        let message = Message::decode(bytes).ok()?;
        let is_ours = message.xid == self.id && message.mac() == Some(self.mac);
        if !is_ours || message.kind() != Some(MessageType::Offer) {
            return None;
        }
        Some(Server {
            address: message
                .options
                .address(code::SERVER_ID)
                .unwrap_or(message.siaddr),
            offered: Some(message.yiaddr).filter(|address| !address.is_unspecified()),
        })
    }
}

const CHECK: &str = "other DHCP server";

/// What the servers that answer mean for the role of ours.
pub(super) fn check(interface: &Interface, role: dhcp4::Role, wait: Duration) -> Finding {
    let servers = match listen(interface, wait) {
        Ok(servers) => servers,
        Err(error) => {
            let finding = Finding::note(CHECK, format!("{}: cannot ask: {error}", interface.name));
            return match error.kind() {
                io::ErrorKind::PermissionDenied => finding.remedy(
                    "run `corten doctor` as root, or with CAP_NET_BIND_SERVICE and CAP_NET_RAW",
                ),
                _ => finding.remedy(format!("ip link set {} up", interface.name)),
            };
        }
    };
    verdict(&interface.name, role, &servers, wait)
}

fn verdict(interface: &str, role: dhcp4::Role, servers: &[Server], wait: Duration) -> Finding {
    let shown: Vec<String> = servers.iter().map(ToString::to_string).collect();
    let shown = shown.join(", ");
    let gives = servers.iter().any(|server| server.offered.is_some());
    match (role, gives) {
        (dhcp4::Role::Server, true) => Finding::broken(
            CHECK,
            format!("{interface}: another DHCP server gives addresses there: {shown}"),
            "switch that one off, or set [corten]dhcp = proxy so that Corten only says what to boot",
        ),
        (dhcp4::Role::Proxy, false) => Finding::broken(
            CHECK,
            format!(
                "{interface}: [corten]dhcp is proxy, and no server offered an address within {} s",
                wait.as_secs()
            ),
            "start the DHCP server of that network, or set [corten]dhcp = server with a range",
        ),
        (dhcp4::Role::Proxy, true) => {
            Finding::well(CHECK, format!("{interface}: addresses come from {shown}"))
        }
        (dhcp4::Role::Server, false) if servers.is_empty() => Finding::well(
            CHECK,
            format!("{interface}: none answered within {} s", wait.as_secs()),
        ),
        (dhcp4::Role::Server, false) => Finding::broken(
            CHECK,
            format!("{interface}: another server tells machines what to boot: {shown}"),
            "switch that one off, or exclude the machines of Corten there",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offer(question: &Question, address: [u8; 4]) -> Message {
        let asked = Message::decode(&question.bytes).unwrap();
        assert_eq!(asked.kind(), Some(MessageType::Discover));
        let mut offer = asked.reply(MessageType::Offer, Ipv4Addr::new(10, 0, 0, 254));
        offer.yiaddr = address.into();
        offer
    }

    #[test]
    fn only_offers_to_our_question_count() {
        let question = Question::new().unwrap();
        let good = offer(&question, [10, 0, 0, 57]);
        let found = question
            .answered(&good.encode(DEFAULT_ROOM).unwrap())
            .unwrap();
        assert_eq!(found.to_string(), "10.0.0.254 (offers 10.0.0.57)");
        let mut foreign = good.clone();
        foreign.xid ^= 1;
        assert_eq!(
            question.answered(&foreign.encode(DEFAULT_ROOM).unwrap()),
            None
        );
        let mut other = good;
        other.chaddr[5] ^= 1;
        assert_eq!(
            question.answered(&other.encode(DEFAULT_ROOM).unwrap()),
            None
        );
        assert_eq!(question.answered(&question.bytes), None);
        assert_eq!(question.answered(b"no DHCP at all"), None);
    }

    #[test]
    fn what_a_server_means_depends_on_our_role() {
        let giver = Server {
            address: Ipv4Addr::new(10, 0, 0, 254),
            offered: Some(Ipv4Addr::new(10, 0, 0, 57)),
        };
        let teller = Server {
            offered: None,
            ..giver.clone()
        };
        use super::super::Level::{Broken, Well};
        use dhcp4::Role::{Proxy, Server as Ours};
        for (role, servers, expected) in [
            (Ours, vec![], Well),
            (Ours, vec![giver.clone()], Broken),
            (Ours, vec![teller.clone()], Broken),
            (Proxy, vec![], Broken),
            (Proxy, vec![teller], Broken),
            (Proxy, vec![giver], Well),
        ] {
            let found = verdict("eth1", role, &servers, Duration::from_secs(3));
            assert_eq!(found.level, expected, "{role:?} {servers:?}");
            assert_eq!(found.remedy.is_some(), expected == Broken);
        }
    }
}
