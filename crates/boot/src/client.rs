//! What a machine that asks for an address says of itself, in either family.

use proto::dhcp::{
    options::code,
    pxe::{self, Arch},
    v4, v6,
};
use types::port::MacAddress;

/// A machine as it introduces itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Client {
    pub mac: Option<MacAddress>,
    pub arch: Option<Arch>,
    /// It is iPXE, not the firmware.
    pub ipxe: bool,
    /// It boots by PXE, or says so.
    pub pxe: bool,
    /// It boots by UEFI's HTTP boot.
    pub http: bool,
}

impl Client {
    pub fn of_v4(message: &v4::Message) -> Self {
        let options = &message.options;
        let class = options.text(code::VENDOR_CLASS).unwrap_or_default();
        let user_class = options.get(code::USER_CLASS).unwrap_or_default();
        let arch = options.get(code::CLIENT_ARCH).map(pxe::architectures);
        Self {
            mac: message.mac().map(MacAddress::from),
            ipxe: options.has(code::IPXE) || pxe::is_user_class(user_class, pxe::IPXE_CLASS),
            ..Self::of_words(&class, arch.unwrap_or_default().first().copied())
        }
    }

    pub fn of_v6(packet: &v6::Packet, source: std::net::Ipv6Addr) -> Self {
        let options = &packet.message.options;
        // Four bytes of an enterprise number come before the classes of a vendor.
        let vendor = options.get(v6::code::VENDOR_CLASS).unwrap_or_default();
        let classes = v6::items(vendor.get(4..).unwrap_or_default()).unwrap_or_default();
        let class = classes.first().map(|class| String::from_utf8_lossy(class));
        let user = options.get(v6::code::USER_CLASS).unwrap_or_default();
        let user = v6::items(user).unwrap_or_default();
        let arch = options.get(v6::code::CLIENT_ARCH).map(pxe::architectures);
        Self {
            mac: mac_of_v6(packet, source).map(MacAddress::from),
            ipxe: user.contains(&pxe::IPXE_CLASS.as_bytes()),
            ..Self::of_words(
                &class.unwrap_or_default(),
                arch.unwrap_or_default().first().copied(),
            )
        }
    }

    fn of_words(class: &str, arch: Option<Arch>) -> Self {
        let by_http = arch.is_some_and(Arch::by_http);
        let http =
            class.starts_with(pxe::HTTP_CLASS) || by_http && !class.starts_with(pxe::PXE_CLASS);
        Self {
            mac: None,
            arch,
            ipxe: false,
            pxe: class.starts_with(pxe::PXE_CLASS) || arch.is_some() && !http,
            http,
        }
    }

    /// Whether it wants to boot at all; a running system only wants an address.
    pub fn boots(&self) -> bool {
        self.ipxe || self.pxe || self.http
    }
}

/// The MAC address: told by the relay, part of its identifier, or of its link-local address.
fn mac_of_v6(packet: &v6::Packet, source: std::net::Ipv6Addr) -> Option<[u8; 6]> {
    let innermost = packet.relays.last();
    let told = innermost.and_then(|relay| relay.options.get(v6::code::CLIENT_LINK_LAYER));
    if let Some([0, 1, mac @ ..]) = told
        && let Ok(mac) = mac.try_into()
    {
        return Some(mac);
    }
    let identifier = packet
        .message
        .options
        .get(v6::code::CLIENT_ID)
        .unwrap_or_default();
    v6::mac_of_duid(identifier)
        .or_else(|| v6::mac_of_link_local(innermost.map_or(source, |relay| relay.peer)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proto::dhcp::v4::{Message, MessageType};

    const MAC: [u8; 6] = [0x52, 0x54, 0, 1, 2, 3];

    fn client(options: &[(u8, &[u8])]) -> Client {
        let mut message = Message::request(MessageType::Discover, 1, MAC);
        for (code, value) in options {
            message.options.set(*code, *value);
        }
        Client::of_v4(&message)
    }

    #[test]
    fn firmware_is_told_from_ipxe_and_from_systems() {
        let bios = client(&[
            (code::VENDOR_CLASS, b"PXEClient:Arch:00000:UNDI:002001"),
            (code::CLIENT_ARCH, &[0, 0]),
        ]);
        assert!(bios.pxe && !bios.ipxe && !bios.http && bios.boots());
        let http = client(&[
            (code::VENDOR_CLASS, b"HTTPClient:Arch:00016:UNDI:003001"),
            (code::CLIENT_ARCH, &[0, 16]),
        ]);
        assert!(http.http && !http.pxe && http.arch == Some(Arch(16)));
        let ipxe = client(&[
            (code::VENDOR_CLASS, b"PXEClient:Arch:00007"),
            (code::CLIENT_ARCH, &[0, 7]),
            (code::USER_CLASS, b"iPXE"),
        ]);
        assert!(ipxe.ipxe && ipxe.pxe);
        assert!(client(&[(code::IPXE, &[0xeb, 3, 1, 0, 0])]).ipxe);
        let system = client(&[(code::VENDOR_CLASS, b"udhcp 1.36"), (code::HOST_NAME, b"h")]);
        assert!(!system.boots());
        assert_eq!(system.mac.unwrap().to_string(), "52:54:00:01:02:03");
    }

    #[test]
    fn a_machine_behind_a_relay_is_known_by_what_the_relay_says() {
        let mut options = v6::Options::default();
        options.push(v6::code::CLIENT_ID, [0, 4, 1, 2, 3]);
        options.push(v6::code::USER_CLASS, v6::write_items([b"iPXE".as_slice()]));
        options.push(v6::code::CLIENT_ARCH, [0, 7]);
        let message = v6::Message {
            kind: v6::MessageType::Solicit,
            transaction: [0; 3],
            options,
        };
        let mut packet = v6::Packet {
            relays: Vec::new(),
            message,
        };
        let own: std::net::Ipv6Addr = "fe80::5054:ff:fe01:203".parse().unwrap();
        assert_eq!(Client::of_v6(&packet, own).mac, Some(MAC.into()));
        let mut told = v6::Options::default();
        told.push(v6::code::CLIENT_LINK_LAYER, [0, 1, 2, 2, 2, 2, 2, 2]);
        packet.relays.push(v6::Relay {
            hops: 0,
            link: own,
            peer: own,
            options: told,
        });
        let client = Client::of_v6(&packet, "fe80::1".parse().unwrap());
        assert_eq!(client.mac, Some([2; 6].into()));
        assert!(client.ipxe && client.boots());
    }
}
