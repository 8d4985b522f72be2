//! The BMC, asked from inside through the kernel's device.
//!
//! Addresses are parameters of its network channels (IPMI 2.0 §23.2). A BMC that is there but has
//! no address, or does not answer, gets the addresses that mean none.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    ioctl::{Opcode, Updater, ioctl, opcode},
};
use std::{
    fs::{File, OpenOptions},
    io,
    net::{Ipv4Addr, Ipv6Addr},
    path::Path,
    time::Duration,
};

/// Where the kernel may put the device.
const DEVICES: &[&str] = &["dev/ipmi0", "dev/ipmi/0", "dev/ipmidev/0"];
/// Channels that can be a network.
const CHANNELS: std::ops::RangeInclusive<u8> = 1..=11;
const TRANSPORT: u8 = 0x0c;
const GET_LAN_PARAMETERS: u8 = 0x02;
const PATIENCE: Duration = Duration::from_secs(3);

/// Parameters of a channel.
mod parameter {
    pub(super) const V4_ADDRESS: u8 = 3;
    pub(super) const MAC: u8 = 5;
    pub(super) const V6_STATIC: u8 = 56;
    pub(super) const V6_DYNAMIC: u8 = 59;
}

/// How the BMC is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bmc {
    /// All zeros if it has none.
    pub v4: Ipv4Addr,
    pub v6: Option<Ipv6Addr>,
    pub mac: Option<[u8; 6]>,
}

impl Bmc {
    /// `None` if this machine has no BMC that the kernel knows.
    pub fn find(root: &Path) -> Option<Self> {
        let device = DEVICES.iter().find_map(|device| {
            let mut options = OpenOptions::new();
            options.read(true).write(true).open(root.join(device)).ok()
        })?;
        let mut device = Device { device, number: 0 };
        Some(Self::ask(|channel, parameter| {
            device.get(channel, parameter)
        }))
    }

    /// `get` gives what follows the revision in the answer.
    fn ask(mut get: impl FnMut(u8, u8) -> io::Result<Vec<u8>>) -> Self {
        let mut bmc = Self {
            v4: Ipv4Addr::UNSPECIFIED,
            v6: None,
            mac: None,
        };
        for channel in CHANNELS {
            let mut get = |parameter| get(channel, parameter);
            let v4 = match get(parameter::V4_ADDRESS) {
                Ok(bytes) => bytes.first_chunk().copied().map(Ipv4Addr::from),
                // A silent BMC is silent on all channels; one that refuses has no such channel.
                Err(error) if error.kind() == io::ErrorKind::TimedOut => break,
                Err(_) => continue,
            };
            let v6 = [parameter::V6_STATIC, parameter::V6_DYNAMIC]
                .into_iter()
                .find_map(|parameter| v6_address(&get(parameter).ok()?));
            let is_set = |ip: &Ipv4Addr| !ip.is_unspecified();
            if let Some(v4) = v4.filter(is_set)
                && !is_set(&bmc.v4)
            {
                bmc.v4 = v4;
            }
            bmc.v6 = bmc.v6.or(v6);
            if bmc.mac.is_none() && (v4.is_some_and(|v4| is_set(&v4)) || v6.is_some()) {
                let mac = get(parameter::MAC).ok();
                bmc.mac = mac.and_then(|bytes| bytes.first_chunk().copied());
            }
        }
        bmc
    }

    /// As IPA writes it where there is none.
    pub(super) fn v6_text(&self) -> String {
        self.v6
            .map_or_else(|| "::/0".to_owned(), |v6| v6.to_string())
    }
}

/// Selector and source, then the address.
fn v6_address(bytes: &[u8]) -> Option<Ipv6Addr> {
    let address = Ipv6Addr::from(*bytes.get(2..)?.first_chunk::<16>()?);
    let usable = !address.is_unspecified() && !address.is_unicast_link_local();
    usable.then_some(address)
}

/// The kernel's device for messages to the BMC.
struct Device {
    device: File,
    number: isize,
}

/// `struct ipmi_msg`
#[repr(C)]
struct Message {
    netfn: u8,
    command: u8,
    length: u16,
    data: *mut u8,
}

/// `struct ipmi_system_interface_addr`
#[repr(C)]
struct Address {
    kind: i32,
    channel: i16,
    lun: u8,
}

/// `struct ipmi_req`
#[repr(C)]
struct Request {
    address: *mut Address,
    address_length: u32,
    number: isize,
    message: Message,
}

/// `struct ipmi_recv`
#[repr(C)]
struct Answer {
    kind: i32,
    address: *mut Address,
    address_length: u32,
    number: isize,
    message: Message,
}

const SEND: Opcode = opcode::read::<Request>(b'i', 13);
const RECEIVE: Opcode = opcode::read_write::<Answer>(b'i', 11);
const SYSTEM_INTERFACE: i32 = 0x0c;
const BMC_CHANNEL: i16 = 0x0f;

impl Device {
    fn get(&mut self, channel: u8, parameter: u8) -> io::Result<Vec<u8>> {
        let answer = self.ask(TRANSPORT, GET_LAN_PARAMETERS, &[channel, parameter, 0, 0])?;
        match answer.split_first_chunk::<2>() {
            Some(([0, _revision], rest)) => Ok(rest.to_vec()),
            _ => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// The answer, from the completion code on.
    #[allow(unsafe_code)]
    fn ask(&mut self, netfn: u8, command: u8, data: &[u8]) -> io::Result<Vec<u8>> {
        self.number += 1;
        let mut address = Address {
            kind: SYSTEM_INTERFACE,
            channel: BMC_CHANNEL,
            lun: 0,
        };
        let mut data = data.to_vec();
        let mut request = Request {
            address: &raw mut address,
            address_length: u32::try_from(size_of::<Address>()).unwrap_or(0),
            number: self.number,
            message: Message {
                netfn,
                command,
                length: u16::try_from(data.len()).unwrap_or(0),
                data: data.as_mut_ptr(),
            },
        };
        // SAFETY: the structure is the kernel's ipmi_req; its pointers are to live values of the
        // lengths given, and the kernel copies from them before it returns.
        unsafe { ioctl(&self.device, Updater::<SEND, Request>::new(&mut request)) }?;
        loop {
            self.wait()?;
            let mut address = Address {
                kind: 0,
                channel: 0,
                lun: 0,
            };
            let mut room = vec![0; 256];
            let mut answer = Answer {
                kind: 0,
                address: &raw mut address,
                address_length: u32::try_from(size_of::<Address>()).unwrap_or(0),
                number: 0,
                message: Message {
                    netfn: 0,
                    command: 0,
                    length: u16::try_from(room.len()).unwrap_or(0),
                    data: room.as_mut_ptr(),
                },
            };
            // SAFETY: the structure is the kernel's ipmi_recv; the kernel writes at most the given
            // lengths behind its pointers, which are to live values.
            unsafe { ioctl(&self.device, Updater::<RECEIVE, Answer>::new(&mut answer)) }?;
            if answer.number == self.number {
                room.truncate(answer.message.length.into());
                return Ok(room);
            }
        }
    }

    fn wait(&self) -> io::Result<()> {
        let mut set = [PollFd::new(&self.device, PollFlags::IN)];
        let limit = Timespec::try_from(PATIENCE).map_err(io::Error::other)?;
        match poll(&mut set, Some(&limit))? {
            0 => Err(io::ErrorKind::TimedOut.into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_channel_with_an_address_counts() {
        let v6: Ipv6Addr = "2001:db8::7".parse().unwrap();
        let bmc = Bmc::ask(|channel, parameter| match (channel, parameter) {
            (1, parameter::V4_ADDRESS) => Ok(vec![0; 4]),
            (8, parameter::V4_ADDRESS) => Ok(vec![10, 0, 0, 5]),
            (8, parameter::V6_DYNAMIC) => Ok([&[0, 0x81][..], &v6.octets(), &[64, 0]].concat()),
            (8, parameter::MAC) => Ok(vec![1, 2, 3, 4, 5, 6]),
            _ => Err(io::ErrorKind::Unsupported.into()),
        });
        assert_eq!(bmc.v4, Ipv4Addr::new(10, 0, 0, 5));
        assert_eq!((bmc.v6, bmc.mac), (Some(v6), Some([1, 2, 3, 4, 5, 6])));
    }

    #[test]
    fn a_bmc_without_addresses_or_words() {
        let bmc = Bmc::ask(|_, _| Ok(vec![0; 20]));
        assert_eq!((bmc.v4, &*bmc.v6_text()), (Ipv4Addr::UNSPECIFIED, "::/0"));
        let mut asked = 0;
        let silent = Bmc::ask(|_, _| {
            asked += 1;
            Err(io::ErrorKind::TimedOut.into())
        });
        assert_eq!((asked, silent.mac), (1, None));
        assert_eq!(Bmc::find(Path::new("/nowhere")), None);
    }
}
