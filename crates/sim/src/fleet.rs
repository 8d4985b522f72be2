//! Many machines, and where each of them is.

use crate::{Machine, Settings};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
};

/// The machines of a simulator, by their index.
pub type Machines = Arc<[Arc<Machine>]>;

/// Purely simulated machines.
pub fn machines(count: u32, settings: &Arc<Settings>) -> Machines {
    (0..count)
        .map(|index| Arc::new(Machine::new(index, Arc::clone(settings))))
        .collect()
}

/// How machines are told apart on the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One address, and a port for each machine: the first one's and those after it. Zero takes
    /// ports that are free.
    Ports { address: IpAddr, first: u16 },
    /// One port, and an address of 127/8 for each machine: the first one's and those after it.
    Addresses { first: Ipv4Addr, port: u16 },
}

impl Layout {
    /// Where a machine is; the port is zero if any will do.
    pub fn endpoint(&self, index: u32) -> io::Result<SocketAddr> {
        match *self {
            Self::Ports { address, first: 0 } => Ok((address, 0).into()),
            Self::Ports { address, first } => {
                let port = u32::from(first).checked_add(index);
                let port = port.and_then(|port| u16::try_from(port).ok());
                let port = port.ok_or_else(|| invalid("there are not enough ports"))?;
                Ok((address, port).into())
            }
            Self::Addresses { first, port } => {
                let address = u32::from(first).checked_add(index).map(Ipv4Addr::from);
                let address = address.filter(Ipv4Addr::is_loopback);
                let address = address.ok_or_else(|| invalid("there are not enough addresses"))?;
                Ok((address, port).into())
            }
        }
    }

    /// Which machine an address belongs to, where addresses tell machines apart.
    pub fn index(&self, address: IpAddr) -> Option<u32> {
        match (*self, address) {
            (Self::Addresses { first, .. }, IpAddr::V4(address)) if address.is_loopback() => {
                u32::from(address).checked_sub(u32::from(first))
            }
            _ => None,
        }
    }
}

fn invalid(text: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_machines_belong_together() {
        let layout = Layout::Addresses {
            first: Ipv4Addr::new(127, 1, 0, 0),
            port: 623,
        };
        for index in [0, 1, 255, 256, 99_999] {
            let endpoint = layout.endpoint(index).unwrap();
            assert_eq!(layout.index(endpoint.ip()), Some(index));
        }
        let far = layout.endpoint(99_999).unwrap();
        assert_eq!(far.to_string(), "127.2.134.159:623");
        assert_eq!(layout.index([127, 0, 0, 1].into()), None);
        assert_eq!(layout.index([128, 0, 0, 1].into()), None);
        assert!(layout.endpoint(u32::MAX).is_err());
        assert!(layout.endpoint(1 << 24).is_err());
    }

    #[test]
    fn ports_count_upward_and_end() {
        let layout = Layout::Ports {
            address: Ipv4Addr::LOCALHOST.into(),
            first: 65_530,
        };
        assert_eq!(layout.endpoint(5).unwrap().port(), 65_535);
        assert!(layout.endpoint(6).is_err());
    }
}
