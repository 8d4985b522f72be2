//! Boot files beside another server that gives the addresses.
//!
//! PXE clients collect offers for a while and put them together: the address from the one, the boot
//! file from the other, which shows itself by naming the class `PXEClient` and offering no address.
//! Some ask once more, at port 4011, once they have an address. The requests with which machines
//! take their addresses are broadcast; from them we learn who has which.

use super::{Destination, Knowledge, Reply, Settings, add_boot};
use crate::{
    choice::Offer,
    client::Client,
    enrolment::Standing,
    log::{Event, Unanswered},
};
use proto::dhcp::{
    options::code,
    pxe,
    v4::{Message, MessageType},
};
use std::net::Ipv4Addr;

/// The proxy.
#[derive(Debug)]
pub struct Proxy {
    settings: Settings,
    know: Knowledge,
}

impl Proxy {
    pub fn new(settings: Settings, know: Knowledge) -> Self {
        Self { settings, know }
    }

    /// Answers a message at the port that all servers share.
    pub fn answer(
        &self,
        ask: &Message,
        interface: Option<&str>,
        standing: Standing,
    ) -> Option<Reply> {
        let client = Client::of_v4(ask);
        let mac = client.mac?;
        match ask.kind()? {
            MessageType::Discover if client.boots() => {
                self.know.note_discover(&client);
                let Some(boot) = self.boot_for(&client, standing)? else {
                    let why = Unanswered::NothingToBoot;
                    self.know.log.note(&mac, Event::Ignored { why });
                    return None;
                };
                let mut reply = ask.reply(MessageType::Offer, self.server(interface)?);
                fill(
                    &mut reply,
                    &client,
                    &boot,
                    self.server(interface)?,
                    &self.know,
                );
                let file = Some(boot.name().to_owned());
                self.know.log.note(
                    &mac,
                    Event::Offer {
                        address: None,
                        file,
                        proxy: true,
                    },
                );
                Some(Reply::to(ask, reply))
            }
            MessageType::Request => {
                let address = ask.options.address(code::REQUESTED_ADDRESS);
                let address = address.unwrap_or(ask.ciaddr);
                if !address.is_unspecified() && self.know.roster.by_mac(&mac).is_some() {
                    self.know.log.learn(address.into(), &mac);
                    self.know.log.note(
                        &mac,
                        Event::Ack {
                            address: Some(address.into()),
                            file: None,
                        },
                    );
                }
                None
            }
            _ => None,
        }
    }

    /// Answers a message at the port where PXE clients ask proxies.
    pub fn answer_directly(
        &self,
        ask: &Message,
        sender: Ipv4Addr,
        standing: Standing,
    ) -> Option<Reply> {
        let client = Client::of_v4(ask);
        let mac = client.mac?;
        if !matches!(ask.kind()?, MessageType::Request | MessageType::Inform) {
            return None;
        }
        let boot = self.boot_for(&client, standing)??;
        self.know.log.learn(sender.into(), &mac);
        let server = self.server(None)?;
        let mut reply = ask.reply(MessageType::Ack, server);
        fill(&mut reply, &client, &boot, server, &self.know);
        let file = Some(boot.name().to_owned());
        self.know.log.note(
            &mac,
            Event::Ack {
                address: Some(sender.into()),
                file,
            },
        );
        Some(Reply {
            message: reply,
            to: Destination::Sender,
            room: ask.room(),
        })
    }

    fn boot_for(&self, client: &Client, standing: Standing) -> Option<Option<Offer>> {
        let others = self.settings.others;
        self.know.boot_for(client, standing, others)
    }

    /// Our address on an interface; without a network for it, the first.
    fn server(&self, interface: Option<&str>) -> Option<Ipv4Addr> {
        let subnets = &self.settings.subnets;
        let own = subnets
            .iter()
            .find(|subnet| subnet.interface.as_deref() == interface);
        own.or(subnets.first()).map(|subnet| subnet.server)
    }
}

fn fill(reply: &mut Message, client: &Client, boot: &Offer, server: Ipv4Addr, know: &Knowledge) {
    add_boot(reply, boot, server, &know.files);
    if !client.http {
        reply.options.set(code::VENDOR_CLASS, pxe::PXE_CLASS);
        reply.options.set(code::VENDOR, pxe::take_this_file());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        choice::tests::node,
        dhcp4::Subnet,
        enrolment::Register,
        log::BootLog,
        node::{BootMethod, BootMode},
        roster::Roster,
        settings::BootFiles,
    };
    use std::sync::Arc;

    const MAC: [u8; 6] = [0x52, 0x54, 0, 1, 2, 3];

    fn proxy() -> Proxy {
        let roster = Roster::default();
        roster.put(node(BootMethod::Ipxe, BootMode::Bios)).unwrap();
        let settings = Settings {
            subnets: vec![Subnet::new([10, 0, 0, 0].into(), 24, [10, 0, 0, 3].into())],
            ..Settings::default()
        };
        let files = BootFiles {
            tftp_server: "10.0.0.3".to_owned(),
            http_url: Some("http://10.0.0.3".to_owned()),
            ..BootFiles::default()
        };
        let know = Knowledge {
            files: Arc::new(files),
            roster: Arc::new(roster),
            log: Arc::new(BootLog::default()),
            register: Register::default(),
        };
        Proxy::new(settings, know)
    }

    fn firmware(kind: MessageType) -> Message {
        let mut ask = Message::request(kind, 1, MAC);
        ask.options
            .set(code::VENDOR_CLASS, *b"PXEClient:Arch:00000:UNDI:002001");
        ask.options.set(code::CLIENT_ARCH, [0, 0]);
        ask
    }

    #[test]
    fn an_offer_has_a_file_and_no_address() {
        let proxy = proxy();
        let offer = proxy
            .answer(&firmware(MessageType::Discover), None, Standing::Enrolled)
            .unwrap();
        assert!(offer.message.yiaddr.is_unspecified());
        assert!(!offer.message.options.has(code::LEASE_TIME));
        assert_eq!(offer.message.file, b"undionly.kpxe");
        assert_eq!(
            offer.message.options.text(code::VENDOR_CLASS).as_deref(),
            Some("PXEClient")
        );
        assert_eq!(
            offer.message.options.get(code::VENDOR),
            Some([6, 1, 8, 255].as_slice())
        );
        assert_eq!(offer.to, Destination::Broadcast);
    }

    #[test]
    fn systems_and_strangers_are_left_to_the_other_server() {
        let proxy = proxy();
        assert_eq!(
            proxy.answer(
                &Message::request(MessageType::Discover, 1, MAC),
                None,
                Standing::Enrolled
            ),
            None
        );
        let stranger = Message {
            chaddr: [9; 16],
            ..firmware(MessageType::Discover)
        };
        assert_eq!(proxy.answer(&stranger, None, Standing::Unknown), None);
    }

    #[test]
    fn addresses_are_learned_and_questions_answered_directly() {
        let proxy = proxy();
        let mut request = firmware(MessageType::Request);
        request
            .options
            .set_address(code::REQUESTED_ADDRESS, [10, 0, 0, 77].into());
        assert_eq!(proxy.answer(&request, None, Standing::Enrolled), None);
        assert_eq!(
            proxy.know.log.mac_of([10, 0, 0, 77].into()),
            Some(MAC.into())
        );
        let ack = proxy
            .answer_directly(&request, [10, 0, 0, 77].into(), Standing::Enrolled)
            .unwrap();
        assert_eq!(
            (ack.message.kind(), ack.to),
            (Some(MessageType::Ack), Destination::Sender)
        );
        assert_eq!(ack.message.file, b"undionly.kpxe");
    }
}
