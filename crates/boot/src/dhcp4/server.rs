//! The server that gives addresses.

use super::{Knowledge, Reply, Settings, Subnet, add_boot};
use crate::{
    choice::Offer,
    client::Client,
    enrolment::Machine,
    lease::{Asker, Fixed, Leases},
    log::{Event, Unanswered},
};
use proto::dhcp::{
    options::{code, nested, write_routes},
    pxe,
    v4::{Message, MessageType},
};
use std::{
    collections::HashSet,
    net::{IpAddr, Ipv4Addr},
};
use types::{port::MacAddress, site_network::is_dns_name, time::Timestamp};

/// The server's state.
#[derive(Debug)]
pub struct Server {
    settings: Settings,
    know: Knowledge,
    leases: Leases<Ipv4Addr>,
    /// The networks of the database.
    networks: Vec<Subnet>,
    /// Networks without a free address, of which the log has been told.
    exhausted: HashSet<Ipv4Addr>,
}

/// Who asks, from where and when.
struct From<'a> {
    client: &'a Client,
    mac: &'a MacAddress,
    machine: &'a Machine,
    subnet: &'a Subnet,
    now: Timestamp,
}

impl From<'_> {
    fn asker(&self) -> Asker<'_> {
        Asker {
            mac: self.mac,
            enrolled: self.machine.standing.is_enrolled(),
        }
    }
}

/// Sub-option of option 82: the network for which the relay wants an address (RFC 3527).
const LINK_SELECTION: u8 = 5;

impl Server {
    pub fn new(settings: Settings, know: Knowledge, leases: Leases<Ipv4Addr>) -> Self {
        Self {
            settings,
            know,
            leases,
            networks: Vec::new(),
            exhausted: HashSet::new(),
        }
    }

    /// Takes the networks of the database, and who has which address in them, in the place of those
    /// it had. Networks of the configuration stay, and count more.
    pub fn set_networks(&mut self, networks: Vec<Subnet>, fixed: Fixed<Ipv4Addr>) {
        self.exhausted.clear();
        self.networks = networks;
        self.settings.fixed = fixed;
    }

    /// Our address in networks that do not say it.
    pub fn own(&self) -> Ipv4Addr {
        self.settings.own
    }

    pub fn has_networks(&self) -> bool {
        self.subnets().next().is_some()
    }

    fn subnets(&self) -> impl Iterator<Item = &Subnet> {
        self.settings.subnets.iter().chain(&self.networks)
    }

    /// The domain of the network that an address is in.
    pub fn domain_of(&self, address: Ipv4Addr) -> Option<String> {
        let subnet = self.subnets().find(|subnet| subnet.contains(address))?;
        subnet.domain.clone()
    }

    pub fn leases_mut(&mut self) -> &mut Leases<Ipv4Addr> {
        &mut self.leases
    }

    /// The addresses that machines have of us.
    pub fn leases(&self) -> &Leases<Ipv4Addr> {
        &self.leases
    }

    /// Answers a message that came in through an interface.
    pub fn answer(
        &mut self,
        ask: &Message,
        interface: Option<&str>,
        machine: impl Into<Machine>,
        now: Timestamp,
    ) -> Option<Reply> {
        let machine = machine.into();
        let kind = ask.kind()?;
        let client = Client::of_v4(ask);
        let mac = client.mac?;
        let subnet = self.subnet(ask, interface)?.clone();
        let from = From {
            client: &client,
            mac: &mac,
            machine: &machine,
            subnet: &subnet,
            now,
        };
        match kind {
            MessageType::Discover => self.discover(ask, &from),
            MessageType::Request => self.request(ask, &from),
            // RFC 2131, 4.3.5: neither an address nor a lease.
            MessageType::Inform => {
                let others = self.settings.others;
                let standing = machine.standing;
                let boot = self.know.boot_for(&client, standing, others)?;
                let mut reply = ask.reply(MessageType::Ack, subnet.server);
                self.fill(&mut reply, ask, &from, boot.as_ref());
                Some(Reply::to(ask, reply))
            }
            MessageType::Release => {
                if self.leases.release(&mac, ask.ciaddr) {
                    self.know.log.note(
                        &mac,
                        Event::Released {
                            address: ask.ciaddr.into(),
                        },
                    );
                }
                None
            }
            MessageType::Decline => {
                let address = ask.options.address(code::REQUESTED_ADDRESS)?;
                if self.leases.decline(&mac, address, now) {
                    self.know.log.note(
                        &mac,
                        Event::Declined {
                            address: address.into(),
                        },
                    );
                }
                None
            }
            MessageType::Offer | MessageType::Ack | MessageType::Nak => None,
        }
    }

    /// RFC 2131, 4.3.1.
    fn discover(&mut self, ask: &Message, from: &From<'_>) -> Option<Reply> {
        let From {
            client,
            mac,
            subnet,
            ..
        } = *from;
        self.know.note_discover(client);
        let others = self.settings.others;
        let boot = self.know.boot_for(client, from.machine.standing, others)?;
        let wish = ask.options.address(code::REQUESTED_ADDRESS);
        let had = self.leases.of(mac, from.now);
        let Some(address) = self.offer(from, wish) else {
            let why = match self.has_share(from) {
                true => Unanswered::NoAddress,
                false => Unanswered::NoAddressForOthers,
            };
            self.note_exhausted(subnet, &why);
            self.know.log.note(mac, Event::Ignored { why });
            return None;
        };
        if had != Some(address) {
            self.exhausted.remove(&subnet.network);
        }
        let mut reply = ask.reply(MessageType::Offer, subnet.server);
        reply.yiaddr = address;
        self.lease_times(&mut reply, subnet);
        self.fill(&mut reply, ask, from, boot.as_ref());
        let file = boot.map(|boot| boot.name().to_owned());
        self.know.log.note(
            mac,
            Event::Offer {
                address: Some(address.into()),
                file,
                proxy: false,
            },
        );
        Some(Reply::to(ask, reply))
    }

    /// RFC 2131, 4.3.2, which tells the client's state by what is there: the server that it chose, the
    /// address that it wants, or the one that it has.
    fn request(&mut self, ask: &Message, from: &From<'_>) -> Option<Reply> {
        let From {
            client,
            mac,
            subnet,
            now,
            ..
        } = *from;
        let chosen = ask.options.address(code::SERVER_ID);
        if let Some(server) = chosen.filter(|server| *server != subnet.server) {
            if self.know.roster.by_mac(mac).is_some() {
                self.know.log.note(mac, Event::TookOther { server });
            }
            self.leases.forget(mac);
            return None;
        }
        let others = self.settings.others;
        let boot = self.know.boot_for(client, from.machine.standing, others)?;
        let wanted = ask.options.address(code::REQUESTED_ADDRESS);
        // A client that renews says in the header which address it has.
        let wanted = wanted.or(Some(ask.ciaddr).filter(|address| !address.is_unspecified()))?;
        let known = self.leases.of(mac, now) == Some(wanted);
        if let Some(why) = self.refusal(from, wanted) {
            // A client that comes from elsewhere and that we know nothing of may be right after
            // all, unless it asked us by name.
            if chosen.is_none() && !known && subnet.contains(wanted) {
                return None;
            }
            self.know.log.note(mac, Event::Nak { why: why.clone() });
            let mut reply = ask.reply(MessageType::Nak, subnet.server);
            reply.options.set(code::MESSAGE, why.into_bytes());
            return Some(Reply::to(ask, reply));
        }
        self.leases
            .take(from.asker(), wanted, subnet.lease_seconds, now);
        self.know.log.learn(wanted.into(), mac);
        let mut reply = ask.reply(MessageType::Ack, subnet.server);
        reply.yiaddr = wanted;
        self.lease_times(&mut reply, subnet);
        self.fill(&mut reply, ask, from, boot.as_ref());
        let file = boot.map(|boot| boot.name().to_owned());
        self.know.log.note(
            mac,
            Event::Ack {
                address: Some(wanted.into()),
                file,
            },
        );
        Some(Reply::to(ask, reply))
    }

    /// Why a machine cannot have an address.
    fn refusal(&self, from: &From<'_>, wanted: Ipv4Addr) -> Option<String> {
        let From {
            mac, subnet, now, ..
        } = *from;
        if !subnet.contains(wanted) {
            return Some(format!("{wanted} is not of this network"));
        }
        let fixed = self.fixed(mac, subnet);
        if let Some(fixed) = fixed.filter(|fixed| !self.leases.is_with_another(*fixed, mac, now)) {
            return (fixed != wanted).then(|| format!("{fixed} is the address of this machine"));
        }
        let in_range = subnet.ranges.iter().any(|range| range.contains(wanted));
        if !in_range || self.is_reserved(wanted, subnet) {
            return Some(format!("{wanted} is not given to anybody"));
        }
        if !self.has_share(from) {
            return Some(Unanswered::NoAddressForOthers.to_string());
        }
        (!self.leases.is_free_for(wanted, mac, now)).then(|| format!("{wanted} is taken"))
    }

    fn has_share(&self, from: &From<'_>) -> bool {
        let ranges = &from.subnet.ranges;
        ranges.is_empty() || self.leases.has_share(from.asker(), ranges, from.now)
    }

    /// Tells the log that a network has no free address; again only after it had one.
    fn note_exhausted(&mut self, subnet: &Subnet, why: &Unanswered) {
        if self.exhausted.insert(subnet.network) {
            tracing::warn!(
                network = %format_args!("{}/{}", subnet.network, subnet.prefix),
                "DHCP: machines of this network get no answer: {why}"
            );
        }
    }

    fn offer(&mut self, from: &From<'_>, wish: Option<Ipv4Addr>) -> Option<Ipv4Addr> {
        let subnet = from.subnet;
        let fixed = self.fixed(from.mac, subnet);
        let settings = &self.settings;
        let taken = |address| is_taken(&settings.fixed, subnet, address);
        self.leases
            .offer(from.asker(), fixed, &subnet.ranges, wish, &taken, from.now)
    }

    /// The address that a machine is to have, if there is one.
    fn fixed(&self, mac: &MacAddress, subnet: &Subnet) -> Option<Ipv4Addr> {
        let mut fixed = self.settings.fixed.of(mac).iter();
        if let Some(fixed) = fixed.find(|fixed| subnet.contains(**fixed)) {
            return Some(*fixed);
        }
        let node = self.know.roster.by_mac(mac)?;
        let port = node.ports.iter().find(|port| port.mac == *mac)?;
        port.addresses.iter().find_map(|address| match address {
            IpAddr::V4(address) if subnet.contains(*address) => Some(*address),
            _ => None,
        })
    }

    fn is_reserved(&self, address: Ipv4Addr, subnet: &Subnet) -> bool {
        is_taken(&self.settings.fixed, subnet, address)
            || self.subnets().any(|subnet| subnet.server == address)
    }

    /// The network that a message comes from.
    fn subnet(&self, ask: &Message, interface: Option<&str>) -> Option<&Subnet> {
        let relay = ask
            .options
            .get(code::RELAY_AGENT)
            .and_then(|bytes| nested(bytes).ok());
        let told = relay.and_then(|relay| relay.address(LINK_SELECTION));
        // RFC 3011: the client or its relay names the network.
        let told = told.or_else(|| ask.options.address(code::SUBNET_SELECTION));
        let relay = Some(ask.giaddr).filter(|address| !address.is_unspecified());
        match (told, relay) {
            (Some(address), _) => self.subnets().find(|subnet| subnet.contains(address)),
            // RFC 2131, 4.3.1: otherwise giaddr says where the client is.
            (None, Some(relay)) => self
                .subnets()
                .find(|subnet| subnet.relay == Some(relay))
                .or_else(|| self.subnets().find(|subnet| subnet.contains(relay))),
            // Without an interface nobody knows which network a broadcast came from.
            (None, None) => self
                .subnets()
                .find(|subnet| interface.is_some() && subnet.interface.as_deref() == interface),
        }
    }

    fn lease_times(&self, reply: &mut Message, subnet: &Subnet) {
        let seconds = subnet.lease_seconds;
        reply.options.set_u32(code::LEASE_TIME, seconds);
        reply.options.set_u32(code::RENEW_AFTER, seconds / 2);
        reply.options.set_u32(code::REBIND_AFTER, seconds / 8 * 7);
    }

    /// Everything that is no address: the network, the boot file, what the relay wants back. The
    /// options of the network are those of RFC 2132, 3.3 (mask), 3.5 (routers), 3.8 (DNS), 3.14 (host
    /// name), 3.17 (domain), 5.1 (MTU) and 8.3 (NTP).
    fn fill(&self, reply: &mut Message, ask: &Message, from: &From<'_>, boot: Option<&Offer>) {
        let (subnet, client) = (from.subnet, from.client);
        let options = &mut reply.options;
        options.set_address(code::SUBNET_MASK, subnet.mask());
        options.set_address(code::BROADCAST, subnet.broadcast());
        options.set_addresses(code::ROUTER, &subnet.routers);
        options.set_addresses(code::DNS, &subnet.dns);
        options.set_addresses(code::NTP, &subnet.ntp);
        if let Some(domain) = &subnet.domain {
            options.set(code::DOMAIN, domain.as_bytes());
        }
        if let Some(name) = from.machine.name.as_ref().filter(|name| is_dns_name(name)) {
            options.set(code::HOST_NAME, name.as_bytes());
        }
        if let Some(mtu) = subnet.mtu {
            options.set(code::INTERFACE_MTU, mtu.to_be_bytes());
        }
        if !subnet.routes.is_empty() {
            options.set(code::CLASSLESS_ROUTES, write_routes(&subnet.routes));
        }
        if client.ipxe {
            options.set(code::IPXE, pxe::no_proxy());
        }
        if let Some(boot) = boot {
            add_boot(reply, boot, subnet.server, &self.know.files);
        }
        // The relay's own option comes back as it was, and last (RFC 3046, 2.2).
        if let Some(relay) = ask.options.get(code::RELAY_AGENT) {
            reply.options.set(code::RELAY_AGENT, relay);
        }
    }
}

/// Whether an address is not for everybody: it is reserved, ours, or a router's.
fn is_taken(fixed: &Fixed<Ipv4Addr>, subnet: &Subnet, address: Ipv4Addr) -> bool {
    address == subnet.server || subnet.routers.contains(&address) || fixed.has(address)
}

#[cfg(test)]
mod tests;
