//! The option list of DHCPv4.
//!
//! Each code appears once in a list: parts of one option that arrived separately are concatenated
//! (RFC 3396), and a value longer than 255 bytes is split again when it is written. Where a list
//! does not fit behind the fixed header, it overflows into the fields `sname` and `file` (option
//! overload, RFC 2132 §9.3); [`super::v4`] does that.

use super::{DecodeError, Reader};
use std::net::Ipv4Addr;

/// The codes of the options that we read or write, from IANA's registry of BOOTP and DHCP options.
pub mod code {
    pub const PAD: u8 = 0;
    pub const SUBNET_MASK: u8 = 1;
    pub const ROUTER: u8 = 3;
    pub const DNS: u8 = 6;
    pub const HOST_NAME: u8 = 12;
    pub const DOMAIN: u8 = 15;
    pub const INTERFACE_MTU: u8 = 26;
    pub const BROADCAST: u8 = 28;
    pub const NTP: u8 = 42;
    pub const VENDOR: u8 = 43;
    pub const REQUESTED_ADDRESS: u8 = 50;
    pub const LEASE_TIME: u8 = 51;
    pub const OVERLOAD: u8 = 52;
    pub const MESSAGE_TYPE: u8 = 53;
    pub const SERVER_ID: u8 = 54;
    pub const PARAMETERS: u8 = 55;
    pub const MESSAGE: u8 = 56;
    pub const MAX_SIZE: u8 = 57;
    pub const RENEW_AFTER: u8 = 58;
    pub const REBIND_AFTER: u8 = 59;
    pub const VENDOR_CLASS: u8 = 60;
    pub const CLIENT_ID: u8 = 61;
    pub const TFTP_SERVER: u8 = 66;
    pub const BOOT_FILE: u8 = 67;
    pub const USER_CLASS: u8 = 77;
    pub const RELAY_AGENT: u8 = 82;
    pub const CLIENT_ARCH: u8 = 93;
    pub const CLIENT_NDI: u8 = 94;
    pub const CLIENT_UUID: u8 = 97;
    pub const SUBNET_SELECTION: u8 = 118;
    pub const CLASSLESS_ROUTES: u8 = 121;
    pub const TFTP_ADDRESS: u8 = 150;
    pub const IPXE: u8 = 175;
    pub const END: u8 = 255;
}

/// Options, each code once, in the order in which they are written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options(Vec<(u8, Vec<u8>)>);

impl Options {
    /// The value of an option.
    pub fn get(&self, code: u8) -> Option<&[u8]> {
        let found = self.0.iter().find(|(known, _)| *known == code)?;
        Some(&found.1)
    }

    /// Whether the option is there.
    pub fn has(&self, code: u8) -> bool {
        self.get(code).is_some()
    }

    /// Sets an option, and replaces its earlier value.
    ///
    /// PAD, END and OVERLOAD structure the list itself and have no value; they are ignored.
    pub fn set(&mut self, code: u8, value: impl Into<Vec<u8>>) {
        if matches!(code, code::PAD | code::END | code::OVERLOAD) {
            return;
        }
        let value = value.into();
        match self.0.iter_mut().find(|(known, _)| *known == code) {
            Some(slot) => slot.1 = value,
            None => self.0.push((code, value)),
        }
    }

    /// Sets an option to one address.
    pub fn set_address(&mut self, code: u8, address: Ipv4Addr) {
        self.set(code, address.octets());
    }

    /// Writes a list of addresses; an empty one is left out.
    pub fn set_addresses(&mut self, code: u8, addresses: &[Ipv4Addr]) {
        if !addresses.is_empty() {
            self.set(
                code,
                addresses
                    .iter()
                    .flat_map(Ipv4Addr::octets)
                    .collect::<Vec<_>>(),
            );
        }
    }

    /// Sets an option to a number, in network order.
    pub fn set_u32(&mut self, code: u8, value: u32) {
        self.set(code, value.to_be_bytes());
    }

    /// Removes an option, if it is there.
    pub fn remove(&mut self, code: u8) {
        self.0.retain(|(known, _)| *known != code);
    }

    /// The first byte of an option.
    pub fn u8(&self, code: u8) -> Option<u8> {
        self.get(code)?.first().copied()
    }

    /// The first two bytes of an option as a number.
    pub fn u16(&self, code: u8) -> Option<u16> {
        self.get(code)?
            .first_chunk()
            .copied()
            .map(u16::from_be_bytes)
    }

    /// The first four bytes of an option as a number.
    pub fn u32(&self, code: u8) -> Option<u32> {
        self.get(code)?
            .first_chunk()
            .copied()
            .map(u32::from_be_bytes)
    }

    /// The first address of an option.
    pub fn address(&self, code: u8) -> Option<Ipv4Addr> {
        self.get(code)?
            .first_chunk::<4>()
            .copied()
            .map(Ipv4Addr::from)
    }

    /// A text. Some clients end it with a zero byte, which RFC 2132 §2 tells them not to send.
    pub fn text(&self, code: u8) -> Option<String> {
        let bytes = self.get(code)?;
        let end = bytes
            .iter()
            .position(|byte| *byte == 0)
            .unwrap_or(bytes.len());
        Some(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }

    /// All options in the order in which they are written.
    pub fn iter(&self) -> impl Iterator<Item = (u8, &[u8])> {
        self.0.iter().map(|(code, value)| (*code, value.as_slice()))
    }

    /// Decodes one area and adds its options; a code that is there already is continued (RFC 3396).
    ///
    /// An area without the END option ends with its bytes: RFC 2131 §4.1 requires END, but enough
    /// firmware leaves it out.
    pub(super) fn read(&mut self, area: &[u8]) -> Result<(), DecodeError> {
        let mut reader = Reader::new("option", area);
        while !reader.is_empty() {
            let code = reader.u8()?;
            match code {
                code::PAD => continue,
                code::END => break,
                _ => {}
            }
            let length = usize::from(reader.u8()?);
            let value = reader.bytes(length)?;
            match self.0.iter_mut().find(|(known, _)| *known == code) {
                Some(slot) => slot.1.extend_from_slice(value),
                None => self.0.push((code, value.to_vec())),
            }
        }
        Ok(())
    }

    /// Removes option 52, which is about the layout of this message and must not reach callers.
    pub(super) fn take_overload(&mut self) -> u8 {
        let overload = self.u8(code::OVERLOAD).unwrap_or_default();
        self.remove(code::OVERLOAD);
        overload
    }

    /// The encoded options, in parts of at most 257 bytes; RFC 3396 needs them in this order.
    pub(super) fn pieces(&self) -> Vec<Vec<u8>> {
        let mut pieces = Vec::new();
        for (code, value) in &self.0 {
            if value.is_empty() {
                pieces.push(vec![*code, 0]);
            }
            for part in value.chunks(usize::from(u8::MAX)) {
                let mut piece = vec![*code, u8::try_from(part.len()).unwrap_or(u8::MAX)];
                piece.extend_from_slice(part);
                pieces.push(piece);
            }
        }
        pieces
    }
}

impl FromIterator<(u8, Vec<u8>)> for Options {
    fn from_iter<T: IntoIterator<Item = (u8, Vec<u8>)>>(items: T) -> Self {
        let mut options = Self::default();
        for (code, value) in items {
            options.set(code, value);
        }
        options
    }
}

/// Decodes the list inside an option: vendor information (43), relay agent (82), iPXE (175).
pub fn nested(bytes: &[u8]) -> Result<Options, DecodeError> {
    let mut options = Options::default();
    options.read(bytes)?;
    Ok(options)
}

/// Encodes such a list, with the END option that PXE requires and other clients ignore.
///
/// The result may be longer than one option holds; [`Options`] splits it when it is written.
pub fn nest(options: &Options) -> Vec<u8> {
    let mut bytes = options.pieces().concat();
    bytes.push(code::END);
    bytes
}

/// A route of option 121 (RFC 3442).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Route {
    pub network: Ipv4Addr,
    /// At most 32.
    pub prefix: u8,
    pub gateway: Ipv4Addr,
}

/// Reads the routes of option 121.
pub fn routes(bytes: &[u8]) -> Result<Vec<Route>, DecodeError> {
    let mut reader = Reader::new("route", bytes);
    let mut routes = Vec::new();
    while !reader.is_empty() {
        let prefix = reader.u8()?;
        if prefix > 32 {
            return Err(DecodeError::Value {
                what: "length of a network",
                value: u32::from(prefix),
            });
        }
        let mut network = [0; 4];
        let significant = usize::from(prefix.div_ceil(8));
        network[..significant].copy_from_slice(reader.bytes(significant)?);
        routes.push(Route {
            network: network.into(),
            prefix,
            gateway: reader.array::<4>()?.into(),
        });
    }
    Ok(routes)
}

/// Encodes the routes of option 121. RFC 3442 sends only the octets that the prefix covers.
pub fn write_routes(routes: &[Route]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for route in routes {
        let prefix = route.prefix.min(32);
        bytes.push(prefix);
        bytes.extend(&route.network.octets()[..usize::from(prefix.div_ceil(8))]);
        bytes.extend(route.gateway.octets());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_option_are_put_together() {
        let mut options = Options::default();
        options
            .read(&[67, 2, b'a', b'b', 0, 12, 1, b'h', 67, 1, b'c', 255, 67])
            .unwrap();
        assert_eq!(options.text(code::BOOT_FILE).as_deref(), Some("abc"));
        assert_eq!(options.text(code::HOST_NAME).as_deref(), Some("h"));
    }

    #[test]
    fn a_missing_end_is_forgiven_but_not_a_missing_value() {
        let mut options = Options::default();
        options.read(&[53, 1, 1]).unwrap();
        assert_eq!(options.u8(code::MESSAGE_TYPE), Some(1));
        let cut = options.read(&[60, 9, b'P']);
        assert_eq!(cut, Err(DecodeError::Short { what: "option" }));
    }

    #[test]
    fn a_text_ends_before_its_zero() {
        let options: Options = [(code::BOOT_FILE, b"pxelinux.0\0".to_vec())]
            .into_iter()
            .collect();
        assert_eq!(options.text(code::BOOT_FILE).as_deref(), Some("pxelinux.0"));
    }

    #[test]
    fn routes_are_as_rfc_3442_shows_them() {
        let list = [
            Route {
                network: Ipv4Addr::UNSPECIFIED,
                prefix: 0,
                gateway: [10, 0, 0, 1].into(),
            },
            Route {
                network: [10, 17, 0, 0].into(),
                prefix: 16,
                gateway: [10, 0, 0, 2].into(),
            },
            Route {
                network: [10, 27, 129, 0].into(),
                prefix: 24,
                gateway: [10, 0, 0, 3].into(),
            },
        ];
        let bytes = write_routes(&list);
        assert_eq!(
            bytes,
            [
                0, 10, 0, 0, 1, 16, 10, 17, 10, 0, 0, 2, 24, 10, 27, 129, 10, 0, 0, 3
            ]
        );
        assert_eq!(routes(&bytes).unwrap(), list);
        assert!(routes(&[33, 1, 2, 3, 4, 5, 6, 7, 8, 9]).is_err());
    }
}
