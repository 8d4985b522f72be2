//! The kernel's network links, addresses and routes, through its own messages (rtnetlink).
//!
//! A handful of messages is all that is needed, so they are written here instead of by a library.
//! Only what the kernel answers on a socket of ours is read; it is checked all the same.

mod virtual_link;

pub use virtual_link::BondOptions;

use rustix::{
    fd::OwnedFd,
    io::Errno,
    net::{
        AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, bind, netlink, recv, send,
        socket_with,
    },
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

const NEW_LINK: u16 = 16;
const DELETED_LINK: u16 = 17;
const GET_LINK: u16 = 18;
const NEW_ADDRESS: u16 = 20;
const DELETE_ADDRESS: u16 = 21;
const GET_ADDRESS: u16 = 22;
const NEW_ROUTE: u16 = 24;
const ERROR: u16 = 2;
const DONE: u16 = 3;

const REQUEST: u16 = 0x1;
const ACKNOWLEDGE: u16 = 0x4;
const DUMP: u16 = 0x300;
const REPLACE: u16 = 0x100;
const CREATE: u16 = 0x400;

const HEADER: usize = 16;
/// Of what follows the header in messages about links.
const LINK_HEADER: usize = 16;
const ADDRESS_HEADER: usize = 8;
const GROUP_LINKS: u32 = 1;
const ETHERNET: u16 = 1;

const UP: u32 = 0x1;
const RUNNING: u32 = 0x40;
const ALL_MULTICAST: u32 = 0x200;
const LOWER_UP: u32 = 0x1_0000;

/// Large enough for what the kernel sends at once.
const ROOM: usize = 64 << 10;

/// A network interface as the kernel describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub index: u32,
    pub name: String,
    /// Of an Ethernet link.
    pub mac: Option<[u8; 6]>,
    /// The address that it was made with, where the kernel knows it.
    pub permanent: Option<[u8; 6]>,
    pub up: bool,
    pub carrier: bool,
    /// The index of the bond or bridge that it is part of.
    pub master: Option<u32>,
}

/// What happened to a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Seen(Link),
    Gone(u32),
}

/// A conversation with the kernel about the network.
#[derive(Debug)]
pub struct Netlink {
    socket: OwnedFd,
    sequence: u32,
}

impl Netlink {
    pub fn open() -> io::Result<Self> {
        Self::with_groups(0)
    }

    /// One on which [`changes`](Self::changes) are heard.
    pub fn listening() -> io::Result<Self> {
        Self::with_groups(GROUP_LINKS)
    }

    fn with_groups(groups: u32) -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC;
        let family = AddressFamily::NETLINK;
        // No protocol is the protocol about routes, links and addresses.
        let socket = socket_with(family, SocketType::RAW, flags, None)?;
        bind(&socket, &netlink::SocketAddrNetlink::new(0, groups))?;
        Ok(Self {
            socket,
            sequence: 0,
        })
    }

    /// All links there are.
    pub fn links(&mut self) -> io::Result<Vec<Link>> {
        self.list(GET_LINK, &[0; LINK_HEADER], NEW_LINK, decode_link)
    }

    /// All addresses, by the index of their link.
    pub fn addresses(&mut self) -> io::Result<Vec<(u32, IpAddr)>> {
        self.list(
            GET_ADDRESS,
            &[0; ADDRESS_HEADER],
            NEW_ADDRESS,
            decode_address,
        )
    }

    /// The links on which routers say that addresses come from a server (RFC 4861 §4.2, the M flag).
    pub fn managed_links(&mut self) -> io::Result<Vec<u32>> {
        let mut body = [0; LINK_HEADER];
        body[0] = family(Ipv6Addr::UNSPECIFIED.into());
        let links = self.list(GET_LINK, &body, NEW_LINK, decode_managed)?;
        Ok(links)
    }

    fn list<T>(
        &mut self,
        question: u16,
        body: &[u8],
        answer: u16,
        decode: fn(&[u8]) -> Option<T>,
    ) -> io::Result<Vec<T>> {
        self.send(question, DUMP, body)?;
        let mut all = Vec::new();
        loop {
            for (kind, sequence, body) in messages(&self.receive()?) {
                match kind {
                    _ if sequence != self.sequence => {}
                    kind if kind == answer => all.extend(decode(body)),
                    DONE => return Ok(all),
                    ERROR => refused(body)?,
                    _ => {}
                }
            }
        }
    }

    /// Waits for links to appear, change or go.
    pub fn changes(&mut self) -> io::Result<Vec<Change>> {
        let bytes = self.receive()?;
        let changes = messages(&bytes).filter_map(|(kind, _, body)| match kind {
            NEW_LINK => decode_link(body).map(Change::Seen),
            DELETED_LINK => u32_at(body, 4).map(Change::Gone),
            _ => None,
        });
        Ok(changes.collect())
    }

    /// Switches a link on or off.
    pub fn set_up(&mut self, index: u32, up: bool) -> io::Result<()> {
        self.set_flags(index, if up { UP } else { 0 }, UP)
    }

    /// Lets a link take in frames to every group, as those of switches that name themselves are.
    pub fn hear_all_groups(&mut self, index: u32, all: bool) -> io::Result<()> {
        let flag = if all { ALL_MULTICAST } else { 0 };
        self.set_flags(index, flag, ALL_MULTICAST)
    }

    fn set_flags(&mut self, index: u32, flags: u32, which: u32) -> io::Result<()> {
        self.ask(NEW_LINK, 0, &link_header(index, flags, which))
    }

    pub fn set_mtu(&mut self, index: u32, mtu: u32) -> io::Result<()> {
        let mut body = link_header(index, 0, 0);
        attribute(&mut body, 4, &mtu.to_ne_bytes());
        self.ask(NEW_LINK, 0, &body)
    }

    /// Gives a link an address. One that it has already stays, with its new lifetime.
    pub fn add_address(
        &mut self,
        index: u32,
        address: IpAddr,
        prefix: u8,
        seconds: Option<u32>,
    ) -> io::Result<()> {
        let mut body = address_body(index, address, prefix);
        if let (IpAddr::V4(address), true) = (address, prefix < 31) {
            let hosts = u32::MAX.checked_shr(u32::from(prefix)).unwrap_or(0);
            let broadcast = Ipv4Addr::from_bits(address.to_bits() | hosts);
            attribute(&mut body, 4, &broadcast.octets());
        }
        if let Some(seconds) = seconds {
            let mut lifetimes = seconds.to_ne_bytes().repeat(2);
            lifetimes.extend([0; 8]);
            attribute(&mut body, 6, &lifetimes);
        }
        self.ask(NEW_ADDRESS, CREATE | REPLACE, &body)
    }

    pub fn remove_address(&mut self, index: u32, address: IpAddr, prefix: u8) -> io::Result<()> {
        self.ask(DELETE_ADDRESS, 0, &address_body(index, address, prefix))
    }

    /// Adds or replaces a route; without a gateway, to what is on the link itself.
    pub fn add_route(
        &mut self,
        index: u32,
        network: (IpAddr, u8),
        gateway: Option<IpAddr>,
        metric: u32,
    ) -> io::Result<()> {
        const MAIN_TABLE: u8 = 254;
        const BY_DHCP: u8 = 16;
        const SCOPE_LINK: u8 = 253;
        const UNICAST: u8 = 1;
        let scope = if gateway.is_some() { 0 } else { SCOPE_LINK };
        let family = family(network.0);
        let mut body = vec![family, network.1, 0, 0, MAIN_TABLE, BY_DHCP, scope, UNICAST];
        body.extend([0; 4]);
        if network.1 > 0 {
            attribute(&mut body, 1, &octets(network.0));
        }
        attribute(&mut body, 4, &index.to_ne_bytes());
        if let Some(gateway) = gateway {
            attribute(&mut body, 5, &octets(gateway));
        }
        attribute(&mut body, 6, &metric.to_ne_bytes());
        self.ask(NEW_ROUTE, CREATE | REPLACE, &body)
    }

    fn ask(&mut self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        self.send(kind, flags | ACKNOWLEDGE, body)?;
        loop {
            for (kind, sequence, body) in messages(&self.receive()?) {
                if kind == ERROR && sequence == self.sequence {
                    return refused(body);
                }
            }
        }
    }

    fn send(&mut self, kind: u16, flags: u16, body: &[u8]) -> io::Result<()> {
        self.sequence = self.sequence.wrapping_add(1);
        let length = u32::try_from(HEADER + body.len()).unwrap_or(u32::MAX);
        let mut bytes = length.to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend((flags | REQUEST).to_ne_bytes());
        bytes.extend(self.sequence.to_ne_bytes());
        bytes.extend([0; 4]);
        bytes.extend(body);
        send(&self.socket, &bytes, SendFlags::empty())?;
        Ok(())
    }

    fn receive(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; ROOM];
        loop {
            match recv(&self.socket, &mut bytes[..], RecvFlags::empty()) {
                Ok((count, _)) => {
                    bytes.truncate(count);
                    return Ok(bytes);
                }
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

/// Kind, number and body of each message.
fn messages(mut bytes: &[u8]) -> impl Iterator<Item = (u16, u32, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::try_from(u32_at(bytes, 0)?).ok()?;
        let kind = u16_at(bytes, 4)?;
        let sequence = u32_at(bytes, 8)?;
        let body = bytes.get(HEADER..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or(&[]);
        Some((kind, sequence, body))
    })
}

fn refused(body: &[u8]) -> io::Result<()> {
    match u32_at(body, 0).map(u32::cast_signed) {
        Some(0) => Ok(()),
        Some(code) => Err(io::Error::from_raw_os_error(code.wrapping_neg())),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

fn decode_link(body: &[u8]) -> Option<Link> {
    let kind = u16_at(body, 2)?;
    let index = u32_at(body, 4)?;
    let flags = u32_at(body, 8)?;
    let (mut name, mut mac, mut permanent, mut master) = (None, None, None, None);
    for (kind, value) in attributes(body.get(LINK_HEADER..)?) {
        match kind {
            1 => mac = <[u8; 6]>::try_from(value).ok(),
            54 => permanent = <[u8; 6]>::try_from(value).ok(),
            10 => master = u32_at(value, 0).filter(|index| *index != 0),
            3 => {
                let text = value.split(|byte| *byte == 0).next().unwrap_or_default();
                name = Some(String::from_utf8_lossy(text).into_owned());
            }
            _ => {}
        }
    }
    Some(Link {
        index,
        name: name?,
        mac: mac.filter(|_| kind == ETHERNET),
        permanent,
        up: flags & UP != 0,
        carrier: flags & (RUNNING | LOWER_UP) == RUNNING | LOWER_UP,
        master,
    })
}

/// The index of a link whose routers have set the flag.
fn decode_managed(body: &[u8]) -> Option<u32> {
    const PROTOCOL_INFO: u16 = 12;
    const FLAGS: u16 = 1;
    const MANAGED: u32 = 0x40;
    let index = u32_at(body, 4)?;
    // The kernel marks nested attributes as such in the kind.
    let of_kind = |bytes, wanted| {
        attributes(bytes).find_map(|(kind, value)| (kind & 0x3fff == wanted).then_some(value))
    };
    let info = of_kind(body.get(LINK_HEADER..)?, PROTOCOL_INFO)?;
    let flags = u32_at(of_kind(info, FLAGS)?, 0)?;
    (flags & MANAGED != 0).then_some(index)
}

/// Index of the link, and its address.
fn decode_address(body: &[u8]) -> Option<(u32, IpAddr)> {
    let index = u32_at(body, 4)?;
    let (mut local, mut other) = (None, None);
    for (kind, value) in attributes(body.get(ADDRESS_HEADER..)?) {
        let address = match value.len() {
            4 => value.first_chunk::<4>().map(|octets| IpAddr::from(*octets)),
            16 => value
                .first_chunk::<16>()
                .map(|octets| IpAddr::from(*octets)),
            _ => None,
        };
        match kind {
            1 => other = address,
            2 => local = address,
            _ => {}
        }
    }
    Some((index, local.or(other)?))
}

/// Kind and value of each attribute.
fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16_at(bytes, 0)?);
        let kind = u16_at(bytes, 2)?;
        let value = bytes.get(4..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or(&[]);
        Some((kind, value))
    })
}

fn link_header(index: u32, flags: u32, which: u32) -> Vec<u8> {
    let mut body = vec![0; 4];
    body.extend(index.to_ne_bytes());
    body.extend(flags.to_ne_bytes());
    body.extend(which.to_ne_bytes());
    body
}

fn address_body(index: u32, address: IpAddr, prefix: u8) -> Vec<u8> {
    let mut body = vec![family(address), prefix, 0, 0];
    body.extend(index.to_ne_bytes());
    for kind in [1, 2] {
        attribute(&mut body, kind, &octets(address));
    }
    body
}

fn attribute(body: &mut Vec<u8>, kind: u16, value: &[u8]) {
    let length = u16::try_from(4 + value.len()).unwrap_or(u16::MAX);
    body.extend(length.to_ne_bytes());
    body.extend(kind.to_ne_bytes());
    body.extend(value);
    body.resize(body.len().next_multiple_of(4), 0);
}

fn family(address: IpAddr) -> u8 {
    if address.is_ipv4() { 2 } else { 10 }
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_ne_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_ne_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_kernel_lists_its_links() {
        let links = Netlink::open().unwrap().links().unwrap();
        let loopback = links.iter().find(|link| link.name == "lo").unwrap();
        assert_eq!((loopback.index, loopback.mac), (1, None));
        let addresses = Netlink::open().unwrap().addresses().unwrap();
        assert!(addresses.contains(&(1, Ipv4Addr::LOCALHOST.into())));
    }

    #[test]
    fn a_refusal_is_an_error() {
        let refused = Netlink::open().unwrap().set_up(u32::MAX >> 1, true);
        assert!(refused.is_err());
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            for (_, _, body) in messages(&bytes) {
                let _ = (decode_link(body), decode_address(body), refused(body));
                let _ = decode_managed(body);
            }
            let _ = decode_link(&bytes);
        }
    }
}
