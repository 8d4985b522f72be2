//! DHCP for IPv4: addresses and boot files, or boot files only, beside another server.
//!
//! [`server`] and [`proxy`] are what is answered, as functions of a message and a time; [`wire`] is
//! the sockets around them. A machine without an address is answered by broadcast, which needs no
//! raw packets and no entry in the neighbour table, and which every client takes.
//!
//! Left out: BOOTP without message types, and pings before an address is given (the firmware's own
//! probe, DECLINE, is honoured).

pub mod proxy;
pub mod server;
pub mod wire;

use crate::{
    choice::{self, Offer},
    client::Client,
    enrolment::{Machine, Register, Standing},
    lease::{Fixed, Range},
    log::{BootLog, Event, Unanswered},
    roster::Roster,
    settings::BootFiles,
};
use proto::dhcp::{
    options::{Route, code},
    pxe,
    v4::Message,
};
use std::{
    net::{Ipv4Addr, SocketAddrV4},
    sync::Arc,
};
use types::port::MacAddress;

/// What we are to the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The server that gives addresses.
    Server,
    /// One that adds boot files to what another server gives.
    Proxy,
}

/// What to do with machines that no node has. Machines of nodes always get an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Others {
    /// Not answered: the network may be somebody else's.
    #[default]
    Ignore,
    /// They get an address and nothing to boot.
    Address,
    /// They boot as if an iPXE node were published: for machines that are yet to be discovered.
    Boot,
}

/// A network that we give addresses in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subnet {
    /// Machines on this interface are in it; relays are known by their address instead.
    pub interface: Option<String>,
    pub network: Ipv4Addr,
    pub prefix: u8,
    /// Our own address there, or the one by which machines there reach us.
    pub server: Ipv4Addr,
    /// The address of the relay that asks for its machines, where it says nothing else.
    pub relay: Option<Ipv4Addr>,
    /// Without a range only fixed addresses are given.
    pub ranges: Vec<Range<Ipv4Addr>>,
    pub routers: Vec<Ipv4Addr>,
    pub dns: Vec<Ipv4Addr>,
    pub ntp: Vec<Ipv4Addr>,
    pub domain: Option<String>,
    pub mtu: Option<u16>,
    pub routes: Vec<Route>,
    pub lease_seconds: u32,
}

impl Subnet {
    pub fn new(network: Ipv4Addr, prefix: u8, server: Ipv4Addr) -> Self {
        Self {
            interface: None,
            network,
            prefix,
            server,
            relay: None,
            ranges: Vec::new(),
            routers: Vec::new(),
            dns: Vec::new(),
            ntp: Vec::new(),
            domain: None,
            mtu: None,
            routes: Vec::new(),
            lease_seconds: 3600,
        }
    }

    pub fn mask(&self) -> Ipv4Addr {
        let shift = 32_u32.saturating_sub(u32::from(self.prefix));
        Ipv4Addr::from_bits(u32::MAX.checked_shl(shift).unwrap_or(0))
    }

    pub fn contains(&self, address: Ipv4Addr) -> bool {
        let mask = self.mask().to_bits();
        address.to_bits() & mask == self.network.to_bits() & mask
    }

    fn broadcast(&self) -> Ipv4Addr {
        Ipv4Addr::from_bits(self.network.to_bits() | !self.mask().to_bits())
    }
}

/// Where to listen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listener {
    /// Only this interface; without one, all, which cannot tell networks apart.
    pub interface: Option<String>,
    pub address: SocketAddrV4,
}

/// How the service is set up.
#[derive(Debug, Clone)]
pub struct Settings {
    pub role: Role,
    pub listeners: Vec<Listener>,
    /// Where PXE clients ask a proxy for the rest; none for a server.
    pub proxy_listener: Option<SocketAddrV4>,
    pub subnets: Vec<Subnet>,
    /// Addresses that belong to certain machines, besides those of published nodes.
    pub fixed: Fixed<Ipv4Addr>,
    pub others: Others,
    /// Our address in networks that do not say it.
    pub own: Ipv4Addr,
    /// Where we listen on interfaces of networks that come later; and the ports of clients and
    /// relays. Others than the usual ones are for tests.
    pub server_port: u16,
    pub client_port: u16,
    pub relay_port: u16,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            role: Role::Server,
            listeners: Vec::new(),
            proxy_listener: None,
            subnets: Vec::new(),
            fixed: Fixed::default(),
            others: Others::default(),
            own: Ipv4Addr::UNSPECIFIED,
            server_port: 67,
            client_port: 68,
            relay_port: 67,
        }
    }
}

/// What both roles need.
#[derive(Debug, Clone)]
pub struct Knowledge {
    pub files: Arc<BootFiles>,
    pub roster: Arc<Roster>,
    pub log: Arc<BootLog>,
    pub register: Register,
}

/// An answer, and where it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub message: Message,
    pub to: Destination,
    /// How many bytes the client takes.
    pub room: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Destination {
    /// Everybody on the interface of the request.
    Broadcast,
    Client(Ipv4Addr),
    Relay(Ipv4Addr),
    /// Whoever sent the request.
    Sender,
}

impl Reply {
    /// The way back of an answer (RFC 2131, 4.1).
    fn to(request: &Message, message: Message) -> Self {
        let to = if !request.giaddr.is_unspecified() {
            Destination::Relay(request.giaddr)
        } else if !request.ciaddr.is_unspecified()
            && message.kind() != Some(proto::dhcp::v4::MessageType::Nak)
        {
            Destination::Client(request.ciaddr)
        } else {
            Destination::Broadcast
        };
        Self {
            message,
            to,
            room: request.room(),
        }
    }
}

impl Knowledge {
    /// What a machine is to boot; the outer nothing means that it is not to be answered.
    pub(crate) fn boot_for(
        &self,
        client: &Client,
        standing: Standing,
        others: Others,
    ) -> Option<Option<Offer>> {
        let mac = client.mac.as_ref()?;
        let node = self.roster.by_mac(mac);
        match (&node, standing, others) {
            (Some(_), ..) | (None, Standing::Unknown | Standing::Inspected, Others::Boot) => {}
            (None, Standing::Unknown, Others::Ignore) => {
                let why = Unanswered::NotEnrolled;
                self.log.note(mac, Event::Ignored { why });
                return None;
            }
            (None, ..) => return Some(None),
        }
        if let (Some(node), Some(arch)) = (&node, client.arch)
            && choice::is_mismatch(client, node)
        {
            let node = node.mode.name().to_uppercase();
            self.log.note(
                mac,
                Event::WrongFirmware {
                    machine: arch.to_string(),
                    node,
                },
            );
        }
        Some(choice::offer(&self.files, client, node.as_deref()))
    }

    /// What a machine is to us; one that is published need not be looked for.
    pub(crate) async fn standing(&self, mac: &MacAddress) -> Standing {
        match self.roster.by_mac(mac) {
            Some(_) => Standing::Enrolled,
            None => self.register.standing(mac).await,
        }
    }

    /// The same, with the name that the machine is told.
    pub(crate) async fn machine(&self, mac: &MacAddress) -> Machine {
        let mut machine = self.register.machine(mac).await;
        if self.roster.by_mac(mac).is_some() {
            machine.standing = Standing::Enrolled;
        }
        machine
    }

    /// Notes that a machine looks for a server.
    pub(crate) fn note_discover(&self, client: &Client) {
        if let Some(mac) = &client.mac {
            self.log.note(
                mac,
                Event::Discover {
                    arch: client.arch.map(|arch| arch.to_string()),
                    ipxe: client.ipxe,
                    http: client.http,
                    boots: client.boots(),
                },
            );
        }
    }
}

/// Puts a boot file into an answer, in the header and as options: some clients read only the one,
/// some only the other.
fn add_boot(message: &mut Message, offer: &Offer, server: Ipv4Addr, files: &BootFiles) {
    let name = offer.name().as_bytes();
    message.options.set(code::BOOT_FILE, name);
    // One byte of the field is the zero at its end.
    if name.len() < 128 {
        message.file = name.to_vec();
    }
    match offer {
        Offer::Tftp(_) => {
            let tftp = files.tftp_server.parse().unwrap_or(server);
            message.siaddr = tftp;
            message
                .options
                .set(code::TFTP_SERVER, files.tftp_server.as_bytes());
            message.options.set_address(code::TFTP_ADDRESS, tftp);
        }
        Offer::Http(_) => message.options.set(code::VENDOR_CLASS, pxe::HTTP_CLASS),
        Offer::Script(_) => message.siaddr = server,
    }
}
