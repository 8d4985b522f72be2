//! A DHCPv4 client for one link (RFC 2131).
//!
//! It asks for answers by broadcast, so an ordinary socket hears them before the link has an
//! address. Left out: probing whether somebody else uses the address, and giving leases back; a
//! machine that is being deployed is switched off without notice anyway.

use super::{lease::Lease, link::Restart};
use crate::netlink::Link;
use proto::dhcp::{
    options::code,
    v4::{DEFAULT_ROOM, FLAG_BROADCAST, Message, MessageType, Op},
};
use socket2::{Domain, Protocol, SockAddr, Socket, Type};
use std::{
    hash::{BuildHasher, Hasher, RandomState},
    io,
    net::{Ipv4Addr, SocketAddrV4, UdpSocket},
    time::{Duration, Instant},
};

const CLIENT_PORT: u16 = 68;
const SERVER_PORT: u16 = 67;
/// The largest packet that every link takes.
const LARGEST: u16 = 1500;
/// Switches that look for loops hold frames back for some seconds after a link comes up, so the
/// first tries follow each other quickly.
const FIRST_TRY: Duration = Duration::from_secs(1);
const LAST_TRY: Duration = Duration::from_secs(30);
/// How often one server is asked before others are.
const REQUESTS: u32 = 4;

const WANTED: &[u8] = &[
    code::SUBNET_MASK,
    code::ROUTER,
    code::DNS,
    code::HOST_NAME,
    code::DOMAIN,
    code::INTERFACE_MTU,
    code::BROADCAST,
    code::NTP,
    code::LEASE_TIME,
    code::SERVER_ID,
    code::RENEW_AFTER,
    code::REBIND_AFTER,
    code::CLASSLESS_ROUTES,
];

/// What a client tells about its lease.
pub(super) trait Leases {
    fn granted(&self, link: &Link, lease: &Lease);
    fn lost(&self, link: &Link, lease: &Lease);
}

/// One link's client.
#[derive(Debug)]
pub(super) struct Client {
    link: Link,
    mac: [u8; 6],
    socket: UdpSocket,
}

/// How a question ended.
enum Outcome {
    Granted(Lease),
    Refused,
    Silence,
}

impl Client {
    pub(super) fn open(link: &Link, mac: [u8; 6]) -> io::Result<Self> {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
        socket.set_reuse_address(true)?;
        socket.set_broadcast(true)?;
        socket.bind_device(Some(link.name.as_bytes()))?;
        let local = SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, CLIENT_PORT);
        socket.bind(&SockAddr::from(local))?;
        Ok(Self {
            link: link.clone(),
            mac,
            socket: socket.into(),
        })
    }

    /// Gets a lease, keeps it, and gets another when it is lost. `restart` says that the link may
    /// be in another network now.
    pub(super) fn run(&self, leases: &impl Leases, restart: &Restart) {
        loop {
            let mut lease = self.acquire();
            let mut granted_at = Instant::now();
            restart.take();
            leases.granted(&self.link, &lease);
            loop {
                if restart.wait(lease.renew_after) {
                    break;
                }
                match self.extend(&lease, granted_at) {
                    Some(new) => {
                        let moved = new.address != lease.address;
                        if moved {
                            leases.lost(&self.link, &lease);
                        }
                        lease = new;
                        granted_at = Instant::now();
                        leases.granted(&self.link, &lease);
                    }
                    None => break,
                }
            }
            leases.lost(&self.link, &lease);
        }
    }

    /// Broadcasts until a server grants an address.
    fn acquire(&self) -> Lease {
        let started = Instant::now();
        let mut pause = FIRST_TRY;
        loop {
            let xid = random();
            let mut discover = self.message(MessageType::Discover, xid, started);
            discover.flags = FLAG_BROADCAST;
            if let Some(lease) = self
                .ask(&discover, Ipv4Addr::BROADCAST, pause, MessageType::Offer)
                .granted()
                .and_then(|offer| self.request(&offer, xid, started))
            {
                return lease;
            }
            pause = (pause * 2).min(LAST_TRY);
        }
    }

    /// Takes an offer.
    fn request(&self, offer: &Lease, xid: u32, started: Instant) -> Option<Lease> {
        let mut request = self.message(MessageType::Request, xid, started);
        request.flags = FLAG_BROADCAST;
        let options = &mut request.options;
        options.set_address(code::REQUESTED_ADDRESS, offer.address);
        options.set_address(code::SERVER_ID, offer.server);
        for _ in 0..REQUESTS {
            match self.ask(
                &request,
                Ipv4Addr::BROADCAST,
                FIRST_TRY * 2,
                MessageType::Ack,
            ) {
                Outcome::Granted(lease) => return Some(lease),
                Outcome::Refused => return None,
                Outcome::Silence => {}
            }
        }
        None
    }

    /// Asks for more time: first the server that granted the lease, later everybody.
    fn extend(&self, lease: &Lease, granted_at: Instant) -> Option<Lease> {
        let ends = lease.lasts?;
        loop {
            let age = granted_at.elapsed();
            if age >= ends {
                return None;
            }
            let (server, phase_ends) = if age < lease.rebind_after {
                (lease.server, lease.rebind_after)
            } else {
                (Ipv4Addr::BROADCAST, ends)
            };
            let mut request = self.message(MessageType::Request, random(), granted_at);
            request.ciaddr = lease.address;
            // RFC 2131 §4.4.5: half of what is left, but not all the time.
            let patience = (phase_ends.saturating_sub(age) / 2).max(FIRST_TRY);
            match self.ask(&request, server, patience, MessageType::Ack) {
                Outcome::Granted(lease) => return Some(lease),
                Outcome::Refused => return None,
                Outcome::Silence => {}
            }
        }
    }

    fn message(&self, kind: MessageType, xid: u32, since: Instant) -> Message {
        let mut message = Message::request(kind, xid, self.mac);
        message.secs = u16::try_from(since.elapsed().as_secs()).unwrap_or(u16::MAX);
        let options = &mut message.options;
        options.set(code::CLIENT_ID, [&[1], &self.mac[..]].concat());
        options.set(code::MAX_SIZE, LARGEST.to_be_bytes());
        options.set(code::VENDOR_CLASS, "corten-agent");
        options.set(code::PARAMETERS, WANTED);
        message
    }

    fn ask(
        &self,
        question: &Message,
        to: Ipv4Addr,
        patience: Duration,
        wanted: MessageType,
    ) -> Outcome {
        let until = Instant::now() + patience;
        let sent = question
            .encode(DEFAULT_ROOM)
            .map_err(io::Error::other)
            .and_then(|bytes| self.socket.send_to(&bytes, (to, SERVER_PORT)));
        // A link without carrier refuses; it may have one by the next try.
        if sent.is_err() {
            std::thread::park_timeout(patience);
            return Outcome::Silence;
        }
        let mut bytes = [0; 2048];
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || self.socket.set_read_timeout(Some(left)).is_err() {
                return Outcome::Silence;
            }
            let Ok((count, _)) = self.socket.recv_from(&mut bytes) else {
                continue;
            };
            let answer = bytes.get(..count).map(Message::decode);
            if let Some(Ok(answer)) = answer
                && let Some(outcome) = judge(question, &answer, wanted)
            {
                return outcome;
            }
        }
    }
}

impl Outcome {
    fn granted(self) -> Option<Lease> {
        match self {
            Self::Granted(lease) => Some(lease),
            Self::Refused | Self::Silence => None,
        }
    }
}

/// Parses an answer; `None` if it is for another client, or not a DHCP answer.
fn judge(question: &Message, answer: &Message, wanted: MessageType) -> Option<Outcome> {
    let ours = answer.op == Op::Reply
        && answer.xid == question.xid
        && answer.hardware_address() == question.hardware_address();
    match answer.kind().filter(|_| ours)? {
        MessageType::Nak if wanted == MessageType::Ack => Some(Outcome::Refused),
        kind if kind == wanted => Lease::of(answer).map(Outcome::Granted),
        _ => None,
    }
}

/// Numbers that differ between machines and starts; nothing depends on more.
fn random() -> u32 {
    let bits = RandomState::new().build_hasher().finish();
    u32::try_from(bits >> 32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_answers_to_the_question_count() {
        let question = Message::request(MessageType::Discover, 7, [2, 0, 0, 0, 0, 1]);
        let server = Ipv4Addr::new(10, 0, 0, 1);
        let mut offer = question.reply(MessageType::Offer, server);
        offer.yiaddr = Ipv4Addr::new(10, 0, 0, 9);
        let granted = |answer: &Message, wanted| {
            matches!(judge(&question, answer, wanted), Some(Outcome::Granted(_)))
        };
        assert!(granted(&offer, MessageType::Offer));
        assert!(!granted(&offer, MessageType::Ack));
        let other = Message {
            xid: 8,
            ..offer.clone()
        };
        assert!(!granted(&other, MessageType::Offer));
        let mut other = offer.clone();
        other.chaddr[5] = 2;
        assert!(!granted(&other, MessageType::Offer));
        assert!(judge(&question, &question, MessageType::Discover).is_none());
        let refusal = question.reply(MessageType::Nak, server);
        assert!(matches!(
            judge(&question, &refusal, MessageType::Ack),
            Some(Outcome::Refused)
        ));
    }
}
