//! Conversations with the server, without a network.

use super::*;
use crate::{
    choice::tests::node,
    dhcp4::{Destination, Others},
    doctor::{Cause, diagnose},
    enrolment::{Register, Standing},
    lease::{Fixed, Forgetful, Range},
    log::BootLog,
    node::{BootMethod, BootMode},
    roster::Roster,
    settings::BootFiles,
};
use proptest::{collection::vec, prelude::*};
use proto::dhcp::v4::FLAG_BROADCAST;
use std::sync::Arc;

const MAC: [u8; 6] = [0x52, 0x54, 0, 1, 2, 3];
const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
const T0: Timestamp = Timestamp(1_000_000_000_000);

fn server(change: impl FnOnce(&mut Settings)) -> Server {
    let mut subnet = Subnet::new([10, 0, 0, 0].into(), 24, SERVER);
    subnet.interface = Some("eth1".to_owned());
    subnet.ranges = vec![Range {
        first: [10, 0, 0, 100].into(),
        last: [10, 0, 0, 199].into(),
    }];
    subnet.routers = vec![SERVER];
    let mut far = Subnet::new([10, 9, 0, 0].into(), 16, SERVER);
    far.ranges = vec![Range {
        first: [10, 9, 1, 0].into(),
        last: [10, 9, 1, 9].into(),
    }];
    let mut settings = Settings {
        subnets: vec![subnet, far],
        ..Settings::default()
    };
    change(&mut settings);
    let roster = Roster::default();
    roster.put(node(BootMethod::Ipxe, BootMode::Uefi)).unwrap();
    let files = BootFiles {
        tftp_server: SERVER.to_string(),
        http_url: Some("http://10.0.0.1:8080".to_owned()),
        ..BootFiles::default()
    };
    let know = Knowledge {
        files: Arc::new(files),
        roster: Arc::new(roster),
        log: Arc::new(BootLog::default()),
        register: Register::default(),
    };
    Server::new(settings, know, Leases::new(Vec::new(), Box::new(Forgetful)))
}

fn firmware(kind: MessageType, mac: [u8; 6], arch: u16) -> Message {
    let mut ask = Message::request(kind, 1, mac);
    ask.options
        .set(code::VENDOR_CLASS, *b"PXEClient:Arch:00007:UNDI:003016");
    ask.options.set(code::CLIENT_ARCH, arch.to_be_bytes());
    ask
}

fn ask(server: &mut Server, message: &Message) -> Option<Message> {
    ask_as(server, message, Standing::Unknown)
}

/// A machine that is published is enrolled, which the sockets know and this does not.
fn ask_as(server: &mut Server, message: &Message, standing: Standing) -> Option<Message> {
    server
        .answer(message, Some("eth1"), standing, T0)
        .map(|reply| reply.message)
}

/// The request that follows an offer.
fn accept(discover: &Message, offer: &Message) -> Message {
    let mut request = discover.clone();
    request
        .options
        .set(code::MESSAGE_TYPE, [MessageType::Request as u8]);
    request
        .options
        .set_address(code::REQUESTED_ADDRESS, offer.yiaddr);
    let server = offer.options.address(code::SERVER_ID).unwrap();
    request.options.set_address(code::SERVER_ID, server);
    request
}

#[test]
fn firmware_gets_an_address_and_its_loader_and_ipxe_the_script() {
    let mut server = server(|_| {});
    let discover = firmware(MessageType::Discover, MAC, 7);
    let offer = ask(&mut server, &discover).unwrap();
    assert_eq!(offer.kind(), Some(MessageType::Offer));
    assert_eq!(offer.file, b"snponly.efi");
    assert_eq!(
        offer.options.text(code::BOOT_FILE).as_deref(),
        Some("snponly.efi")
    );
    assert_eq!(
        (offer.siaddr, offer.options.address(code::TFTP_ADDRESS)),
        (SERVER, Some(SERVER))
    );
    assert!(!offer.options.has(code::VENDOR_CLASS));
    let ack = ask(&mut server, &accept(&discover, &offer)).unwrap();
    assert_eq!(
        (ack.kind(), ack.yiaddr),
        (Some(MessageType::Ack), offer.yiaddr)
    );
    assert_eq!(ack.options.u32(code::LEASE_TIME), Some(3600));
    assert_eq!(
        ack.options.address(code::SUBNET_MASK),
        Some([255, 255, 255, 0].into())
    );

    let mut ipxe = firmware(MessageType::Discover, MAC, 7);
    ipxe.options.set(code::USER_CLASS, *b"iPXE");
    let offer = ask(&mut server, &ipxe).unwrap();
    assert_eq!(offer.yiaddr, ack.yiaddr);
    assert_eq!(offer.file, b"http://10.0.0.1:8080/boot.ipxe");
    assert_eq!(offer.options.get(code::IPXE), Some([0xb0, 1, 1].as_slice()));
    assert_eq!(server.know.log.mac_of(ack.yiaddr.into()), Some(MAC.into()));
}

#[test]
fn http_boot_is_answered_in_its_own_words() {
    let mut server = server(|_| {});
    let mut discover = firmware(MessageType::Discover, MAC, 16);
    discover
        .options
        .set(code::VENDOR_CLASS, *b"HTTPClient:Arch:00016:UNDI:003001");
    let offer = ask(&mut server, &discover).unwrap();
    assert_eq!(
        offer.options.text(code::VENDOR_CLASS).as_deref(),
        Some("HTTPClient")
    );
    assert_eq!(offer.file, b"http://10.0.0.1:8080/snponly.efi");
}

#[test]
fn a_machine_of_a_node_gets_an_address_whatever_the_node_does() {
    let discover = Message::request(MessageType::Discover, 1, [4; 6]);
    for others in [Others::Ignore, Others::Address, Others::Boot] {
        let mut server = server(|settings| settings.others = others);
        // An installed system, a rescue ramdisk, an agent from virtual media.
        let offer = ask_as(&mut server, &discover, Standing::Enrolled).unwrap();
        let request = accept(&discover, &offer);
        let ack = ask_as(&mut server, &request, Standing::Enrolled).unwrap();
        assert_eq!(
            (ack.kind(), ack.yiaddr),
            (Some(MessageType::Ack), offer.yiaddr)
        );
        // Firmware that tries the network first is not led to anything that nobody wants.
        let firmware = firmware(MessageType::Discover, [4; 6], 7);
        let offer = ask_as(&mut server, &firmware, Standing::Enrolled).unwrap();
        assert_eq!(offer.yiaddr, ack.yiaddr);
        assert!(offer.file.is_empty() && !offer.options.has(code::BOOT_FILE));
        // Inspection without managed boot is what unknown machines boot.
        let offer = ask_as(&mut server, &firmware, Standing::Inspected).unwrap();
        assert_eq!(!offer.file.is_empty(), others == Others::Boot);
    }
}

#[test]
fn strangers_are_treated_as_told() {
    let stranger = firmware(MessageType::Discover, [2; 6], 7);
    let mut closed = server(|_| {});
    assert_eq!(ask(&mut closed, &stranger), None);
    let mut open = server(|settings| settings.others = Others::Address);
    let offer = ask(&mut open, &stranger).unwrap();
    assert!(offer.file.is_empty() && !offer.yiaddr.is_unspecified());
    let mut booting = server(|settings| settings.others = Others::Boot);
    assert_eq!(ask(&mut booting, &stranger).unwrap().file, b"snponly.efi");
    // A system that runs does not boot.
    let system = Message::request(MessageType::Discover, 1, MAC);
    assert!(ask(&mut booting, &system).unwrap().file.is_empty());
}

#[test]
fn answers_go_where_they_can_be_heard() {
    let mut server = server(|_| {});
    let mut way = |ask: &Message| {
        server
            .answer(ask, Some("eth1"), Standing::Unknown, T0)
            .map(|reply| reply.to)
    };
    let mut discover = firmware(MessageType::Discover, MAC, 7);
    assert_eq!(way(&discover), Some(Destination::Broadcast));
    discover.flags = FLAG_BROADCAST;
    assert_eq!(way(&discover), Some(Destination::Broadcast));
    discover.giaddr = [10, 9, 0, 1].into();
    assert_eq!(
        way(&discover),
        Some(Destination::Relay([10, 9, 0, 1].into()))
    );
    let mut inform = firmware(MessageType::Inform, MAC, 7);
    inform.ciaddr = [10, 0, 0, 7].into();
    assert_eq!(
        way(&inform),
        Some(Destination::Client([10, 0, 0, 7].into()))
    );
}

#[test]
fn relays_choose_the_network_and_get_their_option_back() {
    let mut server = server(|_| {});
    let mut discover = firmware(MessageType::Discover, MAC, 7);
    discover.giaddr = [10, 9, 0, 1].into();
    discover.options.set(code::RELAY_AGENT, [1, 2, 7, 7]);
    let offer = server
        .answer(&discover, None, Standing::Unknown, T0)
        .unwrap()
        .message;
    assert_eq!(offer.yiaddr.octets()[..2], [10, 9]);
    assert_eq!(
        offer.options.get(code::RELAY_AGENT),
        Some([1, 2, 7, 7].as_slice())
    );
    assert_eq!(offer.options.iter().last().unwrap().0, code::RELAY_AGENT);
    // The relay may stand in one network and ask for another.
    discover.options.set(code::RELAY_AGENT, [5, 4, 10, 0, 0, 0]);
    assert_eq!(
        server
            .answer(&discover, None, Standing::Unknown, T0)
            .unwrap()
            .message
            .yiaddr
            .octets()[..3],
        [10, 0, 0]
    );
    discover.giaddr = [172, 16, 0, 1].into();
    discover.options.remove(code::RELAY_AGENT);
    assert_eq!(server.answer(&discover, None, Standing::Unknown, T0), None);
}

#[test]
fn fixed_addresses_are_kept_for_their_owners() {
    let fixed: Ipv4Addr = [10, 0, 0, 150].into();
    let mut server = server(|settings| {
        settings.fixed.insert(MAC.into(), fixed);
        settings.others = Others::Address;
    });
    let mut other = firmware(MessageType::Discover, [2; 6], 7);
    other.options.set_address(code::REQUESTED_ADDRESS, fixed);
    assert_ne!(ask(&mut server, &other).unwrap().yiaddr, fixed);
    let discover = firmware(MessageType::Discover, MAC, 7);
    let offer = ask(&mut server, &discover).unwrap();
    assert_eq!(offer.yiaddr, fixed);
    let mut wrong = accept(&discover, &offer);
    wrong
        .options
        .set_address(code::REQUESTED_ADDRESS, [10, 0, 0, 120].into());
    let nak = ask(&mut server, &wrong).unwrap();
    assert_eq!(nak.kind(), Some(MessageType::Nak));
    assert!(
        nak.options
            .text(code::MESSAGE)
            .unwrap()
            .contains("10.0.0.150")
    );
}

#[test]
fn an_address_of_elsewhere_is_refused_and_one_of_ours_is_renewed() {
    let mut server = server(|_| {});
    let mut moved = firmware(MessageType::Request, MAC, 7);
    moved
        .options
        .set_address(code::REQUESTED_ADDRESS, [192, 168, 0, 9].into());
    assert_eq!(
        ask(&mut server, &moved).unwrap().kind(),
        Some(MessageType::Nak)
    );
    let discover = firmware(MessageType::Discover, MAC, 7);
    let offer = ask(&mut server, &discover).unwrap();
    ask(&mut server, &accept(&discover, &offer)).unwrap();
    let mut renew = firmware(MessageType::Request, MAC, 7);
    renew.ciaddr = offer.yiaddr;
    let reply = server
        .answer(
            &renew,
            Some("eth1"),
            Standing::Unknown,
            T0.plus_seconds(1800),
        )
        .unwrap();
    assert_eq!(
        (reply.message.kind(), reply.to),
        (Some(MessageType::Ack), Destination::Client(offer.yiaddr))
    );
    assert_eq!(reply.message.ciaddr, offer.yiaddr);
}

#[test]
fn an_address_that_somebody_else_uses_is_left_alone() {
    let mut server = server(|_| {});
    let discover = firmware(MessageType::Discover, MAC, 7);
    let offer = ask(&mut server, &discover).unwrap();
    ask(&mut server, &accept(&discover, &offer)).unwrap();
    let mut decline = firmware(MessageType::Decline, MAC, 7);
    decline
        .options
        .set_address(code::REQUESTED_ADDRESS, offer.yiaddr);
    assert_eq!(ask(&mut server, &decline), None);
    let again = ask(&mut server, &discover).unwrap();
    assert_ne!(again.yiaddr, offer.yiaddr);
}

#[test]
fn another_server_is_noticed() {
    let mut server = server(|_| {});
    let discover = firmware(MessageType::Discover, MAC, 7);
    let offer = ask(&mut server, &discover).unwrap();
    let mut other = accept(&discover, &offer);
    other
        .options
        .set_address(code::SERVER_ID, [10, 0, 0, 2].into());
    assert_eq!(ask(&mut server, &other), None);
    let timeline = server.know.log.timeline(&MAC.into());
    assert_eq!(
        diagnose(&timeline, Timestamp::now()).cause,
        Cause::OtherServer
    );
}

/// A network of the database.
fn kept(prefix: [u8; 2], relay: [u8; 4], ranges: &[(u16, u16)]) -> Subnet {
    let [a, b] = prefix;
    let at = |number: u16| {
        let [c, d] = number.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    let mut subnet = Subnet::new(at(0), 16, SERVER);
    subnet.relay = Some(relay.into());
    subnet.ranges = ranges
        .iter()
        .map(|(first, last)| Range {
            first: at(*first),
            last: at(*last),
        })
        .collect();
    subnet
}

/// What a machine behind a relay gets in the end.
fn lease(server: &mut Server, relay: [u8; 4], mac: [u8; 6]) -> Option<Ipv4Addr> {
    let mut discover = Message::request(MessageType::Discover, 1, mac);
    discover.giaddr = relay.into();
    let offer = server.answer(&discover, None, Standing::Enrolled, T0)?;
    assert_eq!(offer.to, Destination::Relay(relay.into()));
    let mut request = accept(&discover, &offer.message);
    request.giaddr = relay.into();
    let ack = server.answer(&request, None, Standing::Enrolled, T0)?;
    assert_eq!(ack.message.kind(), Some(MessageType::Ack));
    Some(ack.message.yiaddr)
}

#[test]
fn two_networks_of_the_database_serve_a_thousand_machines() {
    let mut server = server(|_| {});
    // The relay of one is outside of it.
    let relays = [[10, 50, 0, 1], [192, 168, 9, 1]];
    let networks = vec![
        kept([10, 50], relays[0], &[(256, 600), (1000, 1700)]),
        kept([10, 60], relays[1], &[(256, 767)]),
    ];
    server.set_networks(networks, Fixed::default());
    let mut held = std::collections::HashSet::new();
    for number in 0_u16..1500 {
        let [c, d] = number.to_be_bytes();
        let at = usize::from(number >= 1000);
        let given = lease(&mut server, relays[at], [2, 0, 0, 0, c, d]).unwrap();
        assert_eq!(given.octets()[1], [50, 60][at], "{given}");
        assert!(held.insert(given), "{given} was given twice");
    }
    assert_eq!(server.leases().leased().count(), 1500);
    // A network that is gone is not answered in any more.
    server.set_networks(Vec::new(), Fixed::default());
    assert_eq!(lease(&mut server, relays[0], [2, 0, 0, 0, 0, 0]), None);
}

/// Counts what the log says of a network without addresses.
#[derive(Clone, Default)]
struct Lines(Arc<std::sync::Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn networks_without_a_free_address_do_not_answer_and_say_so_once() {
    let lines = Lines::default();
    let to = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer(move || to.clone())
        .finish();
    tracing::subscriber::with_default(subscriber, || {
        let mut server = server(|_| {});
        let relays = [[10, 50, 0, 1], [10, 60, 0, 1]];
        let networks = vec![
            kept([10, 50], relays[0], &[(256, 257)]),
            kept([10, 60], relays[1], &[(256, 256), (300, 300)]),
        ];
        server.set_networks(networks, Fixed::default());
        for (at, relay) in (0..).zip(relays) {
            for number in 0..10 {
                let given = lease(&mut server, relay, [2, 0, 0, 0, at, number]);
                assert_eq!(given.is_some(), number < 2, "{at} {number}");
            }
        }
    });
    let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    for network in ["10.50.0.0/16", "10.60.0.0/16"] {
        let told = text.lines().filter(|line| line.contains(network)).count();
        assert_eq!(told, 1, "{text}");
    }
}

#[test]
fn a_reservation_is_honoured_and_no_address_has_two_owners() {
    let relay = [10, 50, 0, 1];
    let mut server = server(|_| {});
    let networks = || vec![kept([10, 50], relay, &[(256, 300)])];
    server.set_networks(networks(), Fixed::default());
    let had = lease(&mut server, relay, [2; 6]).unwrap();
    let mut fixed = Fixed::default();
    // One address outside of all ranges, and one that another machine has just now.
    let outside = Ipv4Addr::new(10, 50, 9, 9);
    fixed.insert([4; 6].into(), outside);
    fixed.insert([6; 6].into(), had);
    server.set_networks(networks(), fixed);
    assert_eq!(lease(&mut server, relay, [4; 6]), Some(outside));
    let meanwhile = lease(&mut server, relay, [6; 6]).unwrap();
    assert_ne!(meanwhile, had);
    // Who has it cannot renew it; then its owner gets it.
    let mut renew = Message::request(MessageType::Request, 1, [2; 6]);
    renew.giaddr = relay.into();
    renew.ciaddr = had;
    let answer = server.answer(&renew, None, Standing::Enrolled, T0).unwrap();
    assert_eq!(answer.message.kind(), Some(MessageType::Nak));
    let moved = lease(&mut server, relay, [2; 6]).unwrap();
    assert_ne!(moved, had);
    assert_eq!(lease(&mut server, relay, [6; 6]), Some(had));
}

#[test]
fn a_machine_is_told_the_name_of_its_node() {
    let mut server = server(|_| {});
    let machine = |name: &str| Machine {
        standing: Standing::Enrolled,
        name: Some(name.to_owned()),
    };
    let discover = Message::request(MessageType::Discover, 1, [2; 6]);
    let mut told = |name: &str| {
        let answer = server.answer(&discover, Some("eth1"), machine(name), T0);
        answer.unwrap().message.options.text(code::HOST_NAME)
    };
    assert_eq!(told("node-1").as_deref(), Some("node-1"));
    assert_eq!(told("not_a_host"), None);
}

proptest! {
    #[test]
    fn nobody_gets_what_somebody_has(asks in vec((0_u8..12, 0_u8..4, any::<u8>(), any::<bool>()), 0..80)) {
        let mut server = server(|settings| {
            settings.others = Others::Address;
            settings.subnets[0].ranges =
                vec![Range { first: [10, 0, 0, 100].into(), last: [10, 0, 0, 105].into() }];
        });
        let mut held = std::collections::HashMap::new();
        for (who, what, wish, named) in asks {
            let kind = [MessageType::Discover, MessageType::Request, MessageType::Release, MessageType::Decline][usize::from(what)];
            let mut message = firmware(kind, [2, 0, 0, 0, 0, who], 7);
            let wish = Ipv4Addr::new(10, 0, 0, 95 + wish % 16);
            message.options.set_address(code::REQUESTED_ADDRESS, wish);
            message.ciaddr = if kind == MessageType::Release { wish } else { Ipv4Addr::UNSPECIFIED };
            if named {
                message.options.set_address(code::SERVER_ID, SERVER);
            }
            let reply = ask(&mut server, &message);
            if let Some(reply) = &reply {
                prop_assert!(reply.encode(548).is_ok());
            }
            match (kind, reply) {
                (MessageType::Request, Some(ack)) if ack.kind() == Some(MessageType::Ack) => {
                    held.retain(|_, owner| *owner != who);
                    let before = held.insert(ack.yiaddr, who);
                    prop_assert!(before.is_none_or(|owner| owner == who));
                }
                (MessageType::Release | MessageType::Decline, _) if held.get(&wish) == Some(&who) => {
                    held.remove(&wish);
                }
                // A new offer takes the place of what a machine had.
                (MessageType::Discover, Some(offer)) => {
                    prop_assert!(held.get(&offer.yiaddr).is_none_or(|owner| *owner == who));
                }
                _ => {}
            }
        }
    }
}
