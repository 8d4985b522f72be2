//! A DHCPv6 client for one link (RFC 8415), for networks whose routers say that addresses come from
//! a server, and where an operator asked for it.
//!
//! It asks for one address, and keeps it. Left out: confirming after a link was away (a new address
//! is asked for instead), and giving addresses back; a machine that is being deployed is switched
//! off without notice anyway.

use super::link::Restart;
use crate::netlink::Link;
use proto::dhcp::v6::{Association, Message, MessageType, Options, Status, code, duid_of_mac};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    io,
    net::{Ipv6Addr, SocketAddrV6, UdpSocket},
    time::{Duration, Instant},
};

const CLIENT_PORT: u16 = 546;
const SERVER_PORT: u16 = 547;
/// All_DHCP_Relay_Agents_and_Servers (RFC 8415 §7.1).
const SERVERS: Ipv6Addr = Ipv6Addr::new(0xff02, 0, 0, 0, 0, 0, 1, 2);
/// The first and the longest pause between two tries: SOL_TIMEOUT, and less than SOL_MAX_RT
/// (RFC 8415 §7.6), since a machine that waits here waits for nothing else.
const FIRST_TRY: Duration = Duration::from_secs(1);
const LAST_TRY: Duration = Duration::from_secs(30);
/// How often one server is asked before others are.
const REQUESTS: u32 = 4;
/// Shorter lifetimes would be asked for again and again.
const SHORTEST: Duration = Duration::from_secs(30);
/// The number that stands for "for ever" (RFC 8415 §7.7).
const FOREVER: u32 = u32::MAX;

/// An address on loan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Lease6 {
    pub(super) address: Ipv6Addr,
    pub(super) dns: Vec<Ipv6Addr>,
    server: Vec<u8>,
    /// For how long; `None` is for ever.
    pub(super) lasts: Option<Duration>,
    renew_after: Duration,
    rebind_after: Duration,
}

/// What a client tells about its lease.
pub(super) trait Leases6 {
    fn granted6(&self, link: &Link, lease: &Lease6);
    fn lost6(&self, link: &Link, lease: &Lease6);
}

/// One link's client.
#[derive(Debug)]
pub(super) struct Client6 {
    link: Link,
    mac: [u8; 6],
    socket: UdpSocket,
}

impl Client6 {
    pub(super) fn open(link: &Link, mac: [u8; 6]) -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV6, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_only_v6(true)?;
        socket.set_reuse_address(true)?;
        socket.bind_device(Some(link.name.as_bytes()))?;
        let local = SocketAddrV6::new(Ipv6Addr::UNSPECIFIED, CLIENT_PORT, 0, 0);
        socket.bind(&SockAddr::from(local))?;
        Ok(Self {
            link: link.clone(),
            mac,
            socket: socket.into(),
        })
    }

    /// Gets a lease, keeps it, and gets another when it is lost.
    pub(super) fn run(&self, leases: &impl Leases6, restart: &Restart) {
        loop {
            let mut lease = self.acquire();
            let mut granted_at = Instant::now();
            restart.take();
            leases.granted6(&self.link, &lease);
            while !restart.wait(lease.renew_after) {
                let Some(new) = self.extend(&lease, granted_at) else {
                    break;
                };
                if new.address != lease.address {
                    leases.lost6(&self.link, &lease);
                }
                lease = new;
                granted_at = Instant::now();
                leases.granted6(&self.link, &lease);
            }
            leases.lost6(&self.link, &lease);
        }
    }

    fn acquire(&self) -> Lease6 {
        let started = Instant::now();
        let mut pause = FIRST_TRY;
        loop {
            let solicit = self.message(MessageType::Solicit, started, None);
            let offered = self.ask(&solicit, pause, MessageType::Advertise);
            if let Some(lease) = offered.and_then(|offer| self.request(&offer, started)) {
                return lease;
            }
            pause = (pause * 2).min(LAST_TRY);
        }
    }

    fn request(&self, offer: &Lease6, started: Instant) -> Option<Lease6> {
        let request = self.message(MessageType::Request, started, Some(offer));
        (0..REQUESTS).find_map(|_| self.ask(&request, FIRST_TRY, MessageType::Reply))
    }

    /// Asks for more time: first the server that granted the lease, later any (§18.2.4, §18.2.5).
    fn extend(&self, lease: &Lease6, granted_at: Instant) -> Option<Lease6> {
        let ends = lease.lasts?;
        loop {
            let age = granted_at.elapsed();
            if age >= ends {
                return None;
            }
            let (kind, phase_ends) = match age < lease.rebind_after {
                true => (MessageType::Renew, lease.rebind_after),
                false => (MessageType::Rebind, ends),
            };
            let question = self.message(kind, granted_at, Some(lease));
            let left = phase_ends.saturating_sub(age);
            let patience = (left / 2).clamp(FIRST_TRY, LAST_TRY);
            if let Some(lease) = self.ask(&question, patience, MessageType::Reply) {
                return Some(lease);
            }
        }
    }

    fn message(&self, kind: MessageType, since: Instant, lease: Option<&Lease6>) -> Message {
        let mut options = Options::default();
        options.push(code::CLIENT_ID, duid_of_mac(self.mac));
        if let Some(lease) = lease.filter(|_| kind != MessageType::Rebind) {
            options.push(code::SERVER_ID, lease.server.clone());
        }
        let mut inner = Options::default();
        if let Some(lease) = lease {
            inner.push(code::IA_ADDR, proto::dhcp::v6::address(lease.address, 0, 0));
        }
        let association = Association {
            id: id_of(self.mac),
            renew_after: 0,
            rebind_after: 0,
            options: inner,
        };
        options.push(code::IA_NA, association.encode());
        // RFC 8415 §21.9: the time since the first message, in hundredths of a second.
        let elapsed = since.elapsed().as_millis() / 10;
        let elapsed = u16::try_from(elapsed).unwrap_or(u16::MAX);
        options.push(code::ELAPSED_TIME, elapsed.to_be_bytes());
        options.push(code::ORO, code::DNS.to_be_bytes());
        Message {
            kind,
            transaction: transaction(),
            options,
        }
    }

    fn ask(&self, question: &Message, patience: Duration, wanted: MessageType) -> Option<Lease6> {
        let until = Instant::now() + patience;
        let to = SocketAddrV6::new(SERVERS, SERVER_PORT, 0, self.link.index);
        // Without a link-local address yet the kernel refuses; there may be one by the next try.
        if self.socket.send_to(&question.encode(), to).is_err() {
            std::thread::park_timeout(patience.min(FIRST_TRY));
            return None;
        }
        let mut bytes = [0; 2048];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.socket.set_read_timeout(Some(left)).is_err() {
                return None;
            }
            let Ok((count, _)) = self.socket.recv_from(&mut bytes) else {
                continue;
            };
            let answer = bytes.get(..count).map(Message::decode);
            if let Some(Ok(answer)) = answer
                && answer.kind == wanted
                && let Some(lease) = granted(question, &answer, id_of(self.mac))
            {
                return Some(lease);
            }
        }
    }
}

/// What an answer grants; nothing if it is for another question, or refuses.
fn granted(question: &Message, answer: &Message, id: u32) -> Option<Lease6> {
    let is_same = |code| question.options.get(code) == answer.options.get(code);
    if answer.transaction != question.transaction || !is_same(code::CLIENT_ID) {
        return None;
    }
    let server = answer.options.get(code::SERVER_ID)?.to_vec();
    // A DUID is at most 130 bytes long (RFC 8415 §11.1).
    if server.len() > 130 || !is_success(&answer.options) {
        return None;
    }
    let associations = answer.options.all(code::IA_NA);
    let mut associations = associations.filter_map(|value| Association::decode(value).ok());
    let association = associations.find(|association| association.id == id)?;
    if !is_success(&association.options) {
        return None;
    }
    let mut values = association.options.all(code::IA_ADDR);
    let (address, valid) = values.find_map(usable)?;
    let lasts = (valid != FOREVER).then(|| seconds(valid).max(SHORTEST));
    let whole = lasts.unwrap_or(Duration::MAX);
    // RFC 8415 §14.2: the client decides where the server says nothing, or what makes no sense.
    let within = |said: u32, default: Duration| match said {
        0 | FOREVER => default,
        said => Some(seconds(said))
            .filter(|said| *said < whole)
            .unwrap_or(default),
    };
    let rebind_after = within(association.rebind_after, whole.mul_f64(0.8).min(whole));
    let renew_after = within(association.renew_after, whole / 2).min(rebind_after);
    let dns = answer.options.get(code::DNS).unwrap_or_default();
    let (dns, _) = dns.as_chunks::<16>();
    Some(Lease6 {
        address,
        dns: dns.iter().take(8).map(|one| Ipv6Addr::from(*one)).collect(),
        server,
        lasts,
        renew_after,
        rebind_after,
    })
}

/// The address of an IA Address option and how long it is valid.
fn usable(value: &[u8]) -> Option<(Ipv6Addr, u32)> {
    let address = Ipv6Addr::from(*value.first_chunk::<16>()?);
    let valid = u32::from_be_bytes(*value.get(20..)?.first_chunk()?);
    let inner = Options::decode(value.get(24..)?).ok()?;
    let is_of_machine = !address.is_unspecified()
        && !address.is_multicast()
        && !address.is_loopback()
        && !address.is_unicast_link_local();
    (valid > 0 && is_of_machine && is_success(&inner)).then_some((address, valid))
}

fn is_success(options: &Options) -> bool {
    options.get(code::STATUS).is_none_or(|value| {
        value
            .first_chunk::<2>()
            .map(|code| u16::from_be_bytes(*code))
            == Some(Status::Success as u16)
    })
}

fn seconds(number: u32) -> Duration {
    Duration::from_secs(number.into())
}

/// The association of a link; it has to be the same after a restart.
fn id_of(mac: [u8; 6]) -> u32 {
    u32::from_be_bytes([mac[2], mac[3], mac[4], mac[5]])
}

fn transaction() -> [u8; 3] {
    let [.., a, b, c] = RandomState::new().build_hasher().finish().to_be_bytes();
    [a, b, c]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ID: u32 = 7;

    fn question() -> Message {
        let mut options = Options::default();
        options.push(code::CLIENT_ID, duid_of_mac([2, 0, 0, 0, 0, 1]));
        Message {
            kind: MessageType::Solicit,
            transaction: [1, 2, 3],
            options,
        }
    }

    fn answer(valid: u32, times: (u32, u32)) -> Message {
        let mut inner = Options::default();
        let address = "2001:db8::9".parse().unwrap();
        inner.push(
            code::IA_ADDR,
            proto::dhcp::v6::address(address, valid, valid),
        );
        let association = Association {
            id: ID,
            renew_after: times.0,
            rebind_after: times.1,
            options: inner,
        };
        let mut answer = question();
        answer.kind = MessageType::Advertise;
        answer.options.push(code::SERVER_ID, *b"server");
        answer.options.push(code::IA_NA, association.encode());
        answer
    }

    #[test]
    fn an_answer_grants_an_address_and_its_times() {
        let lease = granted(&question(), &answer(3600, (900, 2000)), ID).unwrap();
        assert_eq!(lease.address, "2001:db8::9".parse::<Ipv6Addr>().unwrap());
        assert_eq!(lease.lasts, Some(seconds(3600)));
        assert_eq!(
            (lease.renew_after, lease.rebind_after),
            (seconds(900), seconds(2000))
        );
        let own = granted(&question(), &answer(1000, (0, 5000)), ID).unwrap();
        assert_eq!(
            (own.renew_after, own.rebind_after),
            (seconds(500), seconds(800))
        );
        let forever = granted(&question(), &answer(FOREVER, (0, 0)), ID).unwrap();
        assert_eq!(forever.lasts, None);
    }

    #[test]
    fn only_answers_to_the_question_that_do_not_refuse() {
        let question = question();
        let good = answer(3600, (0, 0));
        assert!(granted(&question, &good, ID).is_some());
        assert!(granted(&question, &good, ID + 1).is_none());
        let other = Message {
            transaction: [9; 3],
            ..good.clone()
        };
        assert!(granted(&question, &other, ID).is_none());
        let mut refused = good.clone();
        let status = proto::dhcp::v6::status(Status::NoAddresses, "none left");
        refused.options.push(code::STATUS, status);
        assert!(granted(&question, &refused, ID).is_none());
        assert!(granted(&question, &answer(0, (0, 0)), ID).is_none());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(answer) = Message::decode(&bytes) {
                let _ = granted(&question(), &answer, ID);
            }
            let _ = usable(&bytes);
        }
    }
}
