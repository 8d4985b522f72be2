//! The server of IPv6.

use super::{Settings, Subnet};
use crate::{
    choice::Offer,
    client::Client,
    dhcp4::Knowledge,
    enrolment::Standing,
    lease::{Asker, Fixed, Leases},
    log::{Event, Unanswered},
};
use proto::dhcp::v6::{
    Association, Message, MessageType, Options, Packet, Status, address, code, status,
};
use std::{
    collections::HashSet,
    net::{IpAddr, Ipv6Addr},
};
use types::{port::MacAddress, time::Timestamp};

/// The server's state.
#[derive(Debug)]
pub struct Server {
    settings: Settings,
    know: Knowledge,
    leases: Leases<Ipv6Addr>,
    /// By which clients know us.
    identifier: Vec<u8>,
    /// The networks of the database.
    networks: Vec<Subnet>,
    /// Networks without a free address, of which the log has been told.
    exhausted: HashSet<Ipv6Addr>,
}

/// Where a packet comes from.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'a> {
    pub source: Ipv6Addr,
    pub interface: Option<&'a str>,
    /// What the machine is to us.
    pub standing: Standing,
}

/// What a client that may be answered is told.
struct Answer<'a> {
    ask: &'a Packet,
    client: Client,
    mac: MacAddress,
    enrolled: bool,
    subnet: Option<Subnet>,
    boot: Option<Offer>,
}

impl Server {
    pub fn new(
        settings: Settings,
        know: Knowledge,
        leases: Leases<Ipv6Addr>,
        identifier: Vec<u8>,
    ) -> Self {
        Self {
            settings,
            know,
            leases,
            identifier,
            networks: Vec::new(),
            exhausted: HashSet::new(),
        }
    }

    /// Takes the networks of the database, and who has which address in them, in the place of those
    /// it had. Networks of the configuration stay, and count more.
    pub fn set_networks(&mut self, networks: Vec<Subnet>, fixed: Fixed<Ipv6Addr>) {
        self.exhausted.clear();
        self.networks = networks;
        self.settings.fixed = fixed;
    }

    pub fn has_networks(&self) -> bool {
        self.subnets().next().is_some()
    }

    fn subnets(&self) -> impl Iterator<Item = &Subnet> {
        self.settings.subnets.iter().chain(&self.networks)
    }

    /// The domain of the network that an address is in.
    pub fn domain_of(&self, address: Ipv6Addr) -> Option<String> {
        let subnet = self.subnets().find(|subnet| subnet.contains(address))?;
        subnet.domain.clone()
    }

    pub fn leases_mut(&mut self) -> &mut Leases<Ipv6Addr> {
        &mut self.leases
    }

    /// The addresses that machines have of us.
    pub fn leases(&self) -> &Leases<Ipv6Addr> {
        &self.leases
    }

    /// Answers a packet.
    pub fn answer(&mut self, ask: &Packet, origin: &Origin<'_>, now: Timestamp) -> Option<Packet> {
        let message = &ask.message;
        let named = message.options.get(code::SERVER_ID);
        let ours = named == Some(self.identifier.as_slice());
        // RFC 8415, 16: which messages must name a server, and which must not.
        let fits = match message.kind {
            MessageType::Solicit | MessageType::Rebind | MessageType::Confirm => named.is_none(),
            MessageType::Information => named.is_none() || ours,
            MessageType::Request
            | MessageType::Renew
            | MessageType::Release
            | MessageType::Decline => ours,
            MessageType::Advertise | MessageType::Reply | MessageType::Reconfigure => false,
        };
        if !fits
            || (message.kind != MessageType::Information && !message.options.has(code::CLIENT_ID))
        {
            return None;
        }
        let client = Client::of_v6(ask, origin.source);
        let mac = client.mac?;
        if message.kind == MessageType::Solicit {
            self.know.note_discover(&client);
        }
        let others = self.settings.others;
        let boot = self.know.boot_for(&client, origin.standing, others)?;
        let subnet = self.subnet(ask, origin.interface).cloned();
        let answer = Answer {
            ask,
            client,
            mac,
            enrolled: origin.standing.is_enrolled(),
            subnet,
            boot,
        };
        let reply = self.reply(&answer, now)?;
        Some(ask.answer(reply))
    }

    /// RFC 8415, 18.3.
    fn reply(&mut self, answer: &Answer<'_>, now: Timestamp) -> Option<Message> {
        let message = &answer.ask.message;
        let rapid = message.kind == MessageType::Solicit && message.options.has(code::RAPID_COMMIT);
        let kind = if message.kind == MessageType::Solicit && !rapid {
            MessageType::Advertise
        } else {
            MessageType::Reply
        };
        let mut options = Options::default();
        if let Some(client) = message.options.get(code::CLIENT_ID) {
            options.push(code::CLIENT_ID, client);
        }
        options.push(code::SERVER_ID, self.identifier.as_slice());
        if rapid {
            options.push(code::RAPID_COMMIT, []);
        }
        match message.kind {
            MessageType::Release | MessageType::Decline => {
                self.give_back(answer, message.kind == MessageType::Decline, now);
                options.push(code::STATUS, status(Status::Success, ""));
            }
            MessageType::Confirm => {
                let subnet = answer.subnet.as_ref()?;
                let fits = associations(message)
                    .iter()
                    .flat_map(Association::addresses)
                    .all(|a| subnet.contains(a));
                let (code, text) = if fits {
                    (Status::Success, "")
                } else {
                    (Status::NotOnLink, "not of this network")
                };
                options.push(self::code::STATUS, status(code, text));
            }
            MessageType::Information => self.fill(&mut options, answer),
            _ => {
                let firm = kind == MessageType::Reply;
                for association in associations(message) {
                    let given = self.associate(answer, &association, firm, now);
                    options.push(code::IA_NA, given.encode());
                }
                self.fill(&mut options, answer);
            }
        }
        Some(Message {
            kind,
            transaction: message.transaction,
            options,
        })
    }

    /// Gives an association its address, or says why there is none.
    fn associate(
        &mut self,
        answer: &Answer<'_>,
        asked: &Association,
        firm: bool,
        now: Timestamp,
    ) -> Association {
        let mac = &answer.mac;
        let asker = Asker {
            mac,
            enrolled: answer.enrolled,
        };
        let mut given = Association {
            id: asked.id,
            renew_after: 0,
            rebind_after: 0,
            options: Options::default(),
        };
        let offered = answer.subnet.as_ref().and_then(|subnet| {
            let fixed = self.fixed(mac, subnet);
            let wish = asked.addresses().first().copied();
            let reserved = &self.settings.fixed;
            let address = self.leases.offer(
                asker,
                fixed,
                &subnet.ranges,
                wish,
                &|address| reserved.has(address),
                now,
            )?;
            Some((address, subnet.lease_seconds))
        });
        let Some((leased, seconds)) = offered else {
            let ranges = answer
                .subnet
                .as_ref()
                .map_or(&[][..], |subnet| subnet.ranges.as_slice());
            let why = match ranges.is_empty() || self.leases.has_share(asker, ranges, now) {
                true => Unanswered::NoAddress,
                false => Unanswered::NoAddressForOthers,
            };
            if let Some(subnet) = &answer.subnet
                && self.exhausted.insert(subnet.network)
            {
                tracing::warn!(
                    network = %format_args!("{}/{}", subnet.network, subnet.prefix),
                    "DHCP: machines of this network get no address: {why}"
                );
            }
            self.know.log.note(mac, Event::Ignored { why });
            given.options.push(
                code::STATUS,
                status(Status::NoAddresses, "no address is free"),
            );
            return given;
        };
        if let Some(subnet) = &answer.subnet {
            self.exhausted.remove(&subnet.network);
        }
        // RFC 8415, 18.3.4: an address that the client still has but must not keep is taken back by its
        // lifetime.
        for old in asked.addresses().into_iter().filter(|old| *old != leased) {
            given.options.push(code::IA_ADDR, address(old, 0, 0));
        }
        given.renew_after = seconds / 2;
        given.rebind_after = seconds / 5 * 4;
        given
            .options
            .push(code::IA_ADDR, address(leased, seconds / 5 * 4, seconds));
        let file = answer.boot.as_ref().map(|boot| self.url(boot));
        let address = Some(IpAddr::V6(leased));
        if firm {
            self.leases.take(asker, leased, seconds, now);
            self.know.log.learn(leased.into(), mac);
            self.know.log.note(mac, Event::Ack { address, file });
        } else {
            self.know.log.note(
                mac,
                Event::Offer {
                    address,
                    file,
                    proxy: false,
                },
            );
        }
        given
    }

    fn give_back(&mut self, answer: &Answer<'_>, declined: bool, now: Timestamp) {
        let addresses = associations(&answer.ask.message)
            .into_iter()
            .flat_map(|one| one.addresses());
        for address in addresses {
            let event = match declined {
                true if self.leases.decline(&answer.mac, address, now) => Event::Declined {
                    address: address.into(),
                },
                false if self.leases.release(&answer.mac, address) => Event::Released {
                    address: address.into(),
                },
                _ => continue,
            };
            self.know.log.note(&answer.mac, event);
        }
    }

    fn fill(&self, options: &mut Options, answer: &Answer<'_>) {
        if let Some(subnet) = &answer.subnet
            && !subnet.dns.is_empty()
        {
            options.push(
                code::DNS,
                subnet
                    .dns
                    .iter()
                    .flat_map(Ipv6Addr::octets)
                    .collect::<Vec<_>>(),
            );
        }
        // RFC 3646, 4: the domain in which names are looked up.
        if let Some(domain) = answer
            .subnet
            .as_ref()
            .and_then(|subnet| subnet.domain.as_ref())
        {
            options.push(code::DOMAINS, proto::dhcp::v6::domain(domain));
        }
        if let Some(boot) = &answer.boot {
            // UEFI 2.10, 24.7: HTTP boot knows its answer by the class (enterprise number 343 is
            // Intel's).
            if answer.client.http {
                let mut class = vec![0, 0, 1, 0x57];
                class.extend(proto::dhcp::v6::write_items([
                    proto::dhcp::pxe::HTTP_CLASS.as_bytes()
                ]));
                options.push(code::VENDOR_CLASS, class);
            }
            options.push(code::BOOT_URL, self.url(boot).into_bytes());
        }
    }

    fn url(&self, boot: &Offer) -> String {
        let files = &self.know.files;
        match boot {
            Offer::Tftp(file) => {
                let server = files.tftp_server_v6.as_ref().unwrap_or(&files.tftp_server);
                let server = server.trim_matches(['[', ']']);
                let open = if server.contains(':') {
                    format!("[{server}]")
                } else {
                    server.to_owned()
                };
                format!("tftp://{open}/{file}")
            }
            Offer::Script(url) | Offer::Http(url) => url.clone(),
        }
    }

    fn fixed(&self, mac: &MacAddress, subnet: &Subnet) -> Option<Ipv6Addr> {
        let mut fixed = self.settings.fixed.of(mac).iter();
        if let Some(fixed) = fixed.find(|fixed| subnet.contains(**fixed)) {
            return Some(*fixed);
        }
        let node = self.know.roster.by_mac(mac)?;
        let port = node.ports.iter().find(|port| port.mac == *mac)?;
        port.addresses.iter().find_map(|address| match address {
            IpAddr::V6(address) if subnet.contains(*address) => Some(*address),
            _ => None,
        })
    }

    fn subnet(&self, ask: &Packet, interface: Option<&str>) -> Option<&Subnet> {
        let link = ask
            .relays
            .iter()
            .rev()
            .map(|relay| relay.link)
            .find(|link| !link.is_unspecified());
        match link {
            Some(link) => self
                .subnets()
                .find(|subnet| subnet.relay == Some(link))
                .or_else(|| self.subnets().find(|subnet| subnet.contains(link))),
            None => self
                .subnets()
                .find(|subnet| interface.is_some() && subnet.interface.as_deref() == interface),
        }
    }
}

fn associations(message: &Message) -> Vec<Association> {
    let values = message.options.all(code::IA_NA);
    values
        .filter_map(|value| Association::decode(value).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choice::tests::node,
        enrolment::Register,
        lease::{Forgetful, Range},
        log::BootLog,
        node::{BootMethod, BootMode},
        roster::Roster,
        settings::BootFiles,
    };
    use proto::dhcp::v6::{Relay, duid_of_mac, write_items};
    use std::sync::Arc;

    const MAC: [u8; 6] = [0x52, 0x54, 0, 1, 2, 3];
    const T0: Timestamp = Timestamp(1_000_000_000_000);
    const SOURCE: Ipv6Addr = Ipv6Addr::new(0xfe80, 0, 0, 0, 0x5054, 0xff, 0xfe01, 0x203);

    const NEAR: Origin<'_> = Origin {
        source: SOURCE,
        interface: Some("eth1"),
        standing: Standing::Enrolled,
    };
    const RELAYED: Origin<'_> = Origin {
        source: Ipv6Addr::LOCALHOST,
        interface: None,
        standing: Standing::Enrolled,
    };

    fn server() -> Server {
        let subnet = Subnet {
            interface: Some("eth1".to_owned()),
            ranges: vec![Range {
                first: "2001:db8::100".parse().unwrap(),
                last: "2001:db8::1ff".parse().unwrap(),
            }],
            dns: vec!["2001:db8::53".parse().unwrap()],
            lease_seconds: 1000,
            ..Subnet::new("2001:db8::".parse().unwrap(), 64)
        };
        let roster = Roster::default();
        roster.put(node(BootMethod::Ipxe, BootMode::Uefi)).unwrap();
        let files = BootFiles {
            tftp_server_v6: Some("2001:db8::1".to_owned()),
            http_url: Some("http://[2001:db8::1]:8080".to_owned()),
            ..BootFiles::default()
        };
        let know = Knowledge {
            files: Arc::new(files),
            roster: Arc::new(roster),
            log: Arc::new(BootLog::default()),
            register: Register::default(),
        };
        let settings = Settings {
            subnets: vec![subnet],
            ..Settings::default()
        };
        Server::new(
            settings,
            know,
            Leases::new(Vec::new(), Box::new(Forgetful)),
            b"server".to_vec(),
        )
    }

    fn packet(kind: MessageType, more: &[(u16, Vec<u8>)]) -> Packet {
        let mut options = Options::default();
        options.push(code::CLIENT_ID, duid_of_mac(MAC));
        options.push(code::CLIENT_ARCH, [0, 7]);
        let association = Association {
            id: 7,
            renew_after: 0,
            rebind_after: 0,
            options: Options::default(),
        };
        options.push(code::IA_NA, association.encode());
        options.0.extend(more.iter().cloned());
        Packet {
            relays: Vec::new(),
            message: Message {
                kind,
                transaction: [1, 2, 3],
                options,
            },
        }
    }

    fn given(packet: &Packet) -> Vec<Ipv6Addr> {
        Association::decode(packet.message.options.get(code::IA_NA).unwrap())
            .unwrap()
            .addresses()
    }

    #[test]
    fn machines_of_nodes_get_an_address_and_strangers_nothing() {
        let mut server = server();
        let mut solicit = packet(MessageType::Solicit, &[]);
        solicit.message.options.0[0].1 = duid_of_mac([2, 0, 0, 0, 0, 9]).to_vec();
        let stranger = Origin {
            standing: Standing::Unknown,
            ..NEAR
        };
        assert_eq!(server.answer(&solicit, &stranger, T0), None);
        let advertise = server.answer(&solicit, &NEAR, T0).unwrap();
        assert_eq!(given(&advertise).len(), 1);
        assert!(!advertise.message.options.has(code::BOOT_URL));
    }

    #[test]
    fn a_machine_gets_an_address_and_a_url() {
        let mut server = server();
        let advertise = server
            .answer(&packet(MessageType::Solicit, &[]), &NEAR, T0)
            .unwrap();
        assert_eq!(advertise.message.kind, MessageType::Advertise);
        let url = advertise.message.options.get(code::BOOT_URL).unwrap();
        assert_eq!(url, b"tftp://[2001:db8::1]/snponly.efi");
        let ipxe = (code::USER_CLASS, write_items([b"iPXE".as_slice()]));
        let ours = (code::SERVER_ID, b"server".to_vec());
        let request = packet(MessageType::Request, &[ours, ipxe]);
        let reply = server.answer(&request, &NEAR, T0).unwrap();
        assert_eq!(
            (reply.message.kind, reply.message.transaction),
            (MessageType::Reply, [1, 2, 3])
        );
        assert_eq!(given(&reply), given(&advertise));
        assert_eq!(
            reply.message.options.get(code::BOOT_URL).unwrap(),
            b"http://[2001:db8::1]:8080/boot.ipxe"
        );
        assert_eq!(
            server.know.log.mac_of(given(&reply)[0].into()),
            Some(MAC.into())
        );
    }

    #[test]
    fn firmware_of_the_other_kind_is_noted() {
        let mut server = server();
        let mut solicit = packet(MessageType::Solicit, &[]);
        // 0 is BIOS, and the node boots by UEFI.
        let arch = (code::CLIENT_ARCH, vec![0, 0]);
        for option in &mut solicit.message.options.0 {
            if option.0 == code::CLIENT_ARCH {
                *option = arch.clone();
            }
        }
        server.answer(&solicit, &NEAR, T0).unwrap();
        let timeline = server.know.log.timeline(&MAC.into());
        let events: Vec<&Event> = timeline.iter().map(|entry| &entry.event).collect();
        assert!(
            matches!(
                events[..2],
                [Event::Discover { .. }, Event::WrongFirmware { node, .. }] if node == "UEFI"
            ),
            "{events:?}"
        );
    }

    #[test]
    fn http_boot_is_answered_in_its_own_words() {
        let mut server = server();
        let mut ask = packet(MessageType::Solicit, &[]);
        ask.message.options.0[1].1 = vec![0, 16];
        let reply = server.answer(&ask, &NEAR, T0).unwrap();
        let class = reply.message.options.get(code::VENDOR_CLASS).unwrap();
        assert!(class.ends_with(b"HTTPClient"));
        assert_eq!(
            reply.message.options.get(code::BOOT_URL).unwrap(),
            b"http://[2001:db8::1]:8080/snponly.efi"
        );
    }

    #[test]
    fn messages_for_another_server_are_none_of_ours() {
        let mut server = server();
        let other = packet(
            MessageType::Request,
            &[(code::SERVER_ID, b"other".to_vec())],
        );
        assert_eq!(server.answer(&other, &NEAR, T0), None);
        assert_eq!(
            server.answer(&packet(MessageType::Renew, &[]), &NEAR, T0),
            None
        );
    }

    #[test]
    fn rapid_commit_leases_at_once_and_release_ends_it() {
        let mut server = server();
        let solicit = packet(MessageType::Solicit, &[(code::RAPID_COMMIT, Vec::new())]);
        let reply = server.answer(&solicit, &NEAR, T0).unwrap();
        assert_eq!(reply.message.kind, MessageType::Reply);
        let leased = given(&reply)[0];
        assert_eq!(server.leases.of(&MAC.into(), T0), Some(leased));
        let mut release = packet(
            MessageType::Release,
            &[(code::SERVER_ID, b"server".to_vec())],
        );
        let mut association = Association {
            id: 7,
            renew_after: 0,
            rebind_after: 0,
            options: Options::default(),
        };
        association
            .options
            .push(code::IA_ADDR, address(leased, 0, 0));
        release.message.options.0[2].1 = association.encode();
        assert!(server.answer(&release, &NEAR, T0).is_some());
        assert_eq!(server.leases.of(&MAC.into(), T0), None);
    }

    #[test]
    fn relays_are_answered_through_themselves() {
        let mut server = server();
        let mut ask = packet(MessageType::Solicit, &[]);
        let mut options = Options::default();
        options.push(code::INTERFACE_ID, *b"if7");
        options.push(code::CLIENT_LINK_LAYER, [0, 1, 0x52, 0x54, 0, 1, 2, 3]);
        ask.relays = vec![Relay {
            hops: 0,
            link: "2001:db8::9".parse().unwrap(),
            peer: SOURCE,
            options,
        }];
        let reply = server.answer(&ask, &RELAYED, T0).unwrap();
        assert_eq!(reply.relays[0].peer, SOURCE);
        assert_eq!(
            reply.relays[0].options.0,
            [(code::INTERFACE_ID, b"if7".to_vec())]
        );
        assert!(given(&reply)[0].octets().starts_with(&[0x20, 1, 0xd, 0xb8]));
        ask.relays[0].link = "2001:db9::9".parse().unwrap();
        let nowhere = server.answer(&ask, &RELAYED, T0).unwrap();
        assert_eq!(given(&nowhere), Vec::<Ipv6Addr>::new());
    }
}
