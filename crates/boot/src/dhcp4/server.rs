//! The server that gives addresses.

use super::{Knowledge, Reply, Settings, Subnet, add_boot};
use crate::{
    choice::Offer,
    client::Client,
    enrolment::Standing,
    lease::{Asker, Leases, Range},
    log::{Event, Unanswered},
};
use proto::dhcp::{
    options::{code, nested, write_routes},
    pxe,
    v4::{Message, MessageType},
};
use std::net::{IpAddr, Ipv4Addr};
use types::{port::MacAddress, time::Timestamp};

/// The server's state.
#[derive(Debug)]
pub struct Server {
    settings: Settings,
    know: Knowledge,
    leases: Leases<Ipv4Addr>,
}

/// Who asks, from where and when.
struct From<'a> {
    client: &'a Client,
    mac: &'a MacAddress,
    standing: Standing,
    subnet: &'a Subnet,
    now: Timestamp,
}

impl From<'_> {
    fn asker(&self) -> Asker<'_> {
        Asker {
            mac: self.mac,
            enrolled: self.standing.is_enrolled(),
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
        }
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
        standing: Standing,
        now: Timestamp,
    ) -> Option<Reply> {
        let kind = ask.kind()?;
        let client = Client::of_v4(ask);
        let mac = client.mac?;
        let subnet = self.subnet(ask, interface)?.clone();
        let from = From {
            client: &client,
            mac: &mac,
            standing,
            subnet: &subnet,
            now,
        };
        match kind {
            MessageType::Discover => self.discover(ask, &from),
            MessageType::Request => self.request(ask, &from),
            MessageType::Inform => {
                let others = self.settings.others;
                let boot = self.know.boot_for(&client, standing, others)?;
                let mut reply = ask.reply(MessageType::Ack, subnet.server);
                self.fill(&mut reply, ask, &subnet, &client, boot.as_ref());
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

    fn discover(&mut self, ask: &Message, from: &From<'_>) -> Option<Reply> {
        let From {
            client,
            mac,
            subnet,
            ..
        } = *from;
        self.know.note_discover(client);
        let others = self.settings.others;
        let boot = self.know.boot_for(client, from.standing, others)?;
        let wish = ask.options.address(code::REQUESTED_ADDRESS);
        let Some(address) = self.offer(from, wish) else {
            let why = match self.has_share(from) {
                true => Unanswered::NoAddress,
                false => Unanswered::NoAddressForOthers,
            };
            self.know.log.note(mac, Event::Ignored { why });
            return None;
        };
        let mut reply = ask.reply(MessageType::Offer, subnet.server);
        reply.yiaddr = address;
        self.lease_times(&mut reply, subnet);
        self.fill(&mut reply, ask, subnet, client, boot.as_ref());
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
        let boot = self.know.boot_for(client, from.standing, others)?;
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
        self.fill(&mut reply, ask, subnet, client, boot.as_ref());
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
        if let Some(fixed) = self.fixed(mac, subnet) {
            return (fixed != wanted).then(|| format!("{fixed} is the address of this machine"));
        }
        let in_range = subnet.range.is_some_and(|range| range.contains(wanted));
        if !in_range || self.is_reserved(wanted) {
            return Some(format!("{wanted} is not given to anybody"));
        }
        if !self.has_share(from) {
            return Some(Unanswered::NoAddressForOthers.to_string());
        }
        (!self.leases.is_free_for(wanted, mac, now)).then(|| format!("{wanted} is taken"))
    }

    fn has_share(&self, from: &From<'_>) -> bool {
        let range = from.subnet.range;
        range.is_none_or(|range| self.leases.has_share(from.asker(), range, from.now))
    }

    fn offer(&mut self, from: &From<'_>, wish: Option<Ipv4Addr>) -> Option<Ipv4Addr> {
        let subnet = from.subnet;
        let fixed = self.fixed(from.mac, subnet);
        let server = subnet.server;
        let reserved: Vec<Ipv4Addr> = self.settings.fixed.values().copied().collect();
        let taken = |address| address == server || reserved.contains(&address);
        let range: Option<Range<Ipv4Addr>> = subnet.range;
        self.leases
            .offer(from.asker(), fixed, range, wish, &taken, from.now)
    }

    /// The address that a machine is to have, if there is one.
    fn fixed(&self, mac: &MacAddress, subnet: &Subnet) -> Option<Ipv4Addr> {
        if let Some(fixed) = self.settings.fixed.get(mac) {
            return subnet.contains(*fixed).then_some(*fixed);
        }
        let node = self.know.roster.by_mac(mac)?;
        let port = node.ports.iter().find(|port| port.mac == *mac)?;
        port.addresses.iter().find_map(|address| match address {
            IpAddr::V4(address) if subnet.contains(*address) => Some(*address),
            _ => None,
        })
    }

    fn is_reserved(&self, address: Ipv4Addr) -> bool {
        self.settings.fixed.values().any(|fixed| *fixed == address)
            || self
                .settings
                .subnets
                .iter()
                .any(|subnet| subnet.server == address)
    }

    /// The network that a message comes from.
    fn subnet(&self, ask: &Message, interface: Option<&str>) -> Option<&Subnet> {
        let subnets = &self.settings.subnets;
        let relay = ask
            .options
            .get(code::RELAY_AGENT)
            .and_then(|bytes| nested(bytes).ok());
        let told = relay.and_then(|relay| relay.address(LINK_SELECTION));
        let told = told.or_else(|| ask.options.address(code::SUBNET_SELECTION));
        let told = told.or(Some(ask.giaddr).filter(|address| !address.is_unspecified()));
        match told {
            Some(address) => subnets.iter().find(|subnet| subnet.contains(address)),
            // Without an interface nobody knows which network a broadcast came from.
            None => subnets
                .iter()
                .find(|subnet| interface.is_some() && subnet.interface.as_deref() == interface),
        }
    }

    fn lease_times(&self, reply: &mut Message, subnet: &Subnet) {
        let seconds = subnet.lease_seconds;
        reply.options.set_u32(code::LEASE_TIME, seconds);
        reply.options.set_u32(code::RENEW_AFTER, seconds / 2);
        reply.options.set_u32(code::REBIND_AFTER, seconds / 8 * 7);
    }

    /// Everything that is no address: the network, the boot file, what the relay wants back.
    fn fill(
        &self,
        reply: &mut Message,
        ask: &Message,
        subnet: &Subnet,
        client: &Client,
        boot: Option<&Offer>,
    ) {
        let options = &mut reply.options;
        options.set_address(code::SUBNET_MASK, subnet.mask());
        options.set_address(code::BROADCAST, subnet.broadcast());
        options.set_addresses(code::ROUTER, &subnet.routers);
        options.set_addresses(code::DNS, &subnet.dns);
        options.set_addresses(code::NTP, &subnet.ntp);
        if let Some(domain) = &subnet.domain {
            options.set(code::DOMAIN, domain.as_bytes());
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

#[cfg(test)]
mod tests;
