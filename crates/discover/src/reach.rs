//! Whether BMCs that are known can be reached, asked what needs no password.

use crate::{
    Ports,
    ipmi::{self, NoBmc},
    redfish::{self, NotRedfish},
};
use drivers::redfish::address::Origin;
use outbound::Policy;
use std::{io, net::SocketAddr, time::Duration};
use tls::Trust;

/// Why a BMC is not reached.
#[derive(Debug, thiserror::Error)]
pub enum Unreached {
    #[error("the address is none")]
    Address,
    #[error("the name is not found: {0}")]
    Name(io::Error),
    #[error(transparent)]
    Ipmi(NoBmc),
    #[error(transparent)]
    Redfish(NotRedfish),
}

/// Asks BMCs.
#[derive(Debug)]
pub struct Reach {
    redfish: redfish::Asker,
    ipmi: ipmi::Asker,
    outbound: Policy,
}

impl Reach {
    /// `outbound` says where BMCs may be, as for the service.
    pub fn new(patience: Duration, outbound: Policy) -> Self {
        let ports = Ports::default();
        Self {
            redfish: redfish::Asker::new(ports, patience, Trust::Nobody, outbound.clone()),
            ipmi: ipmi::Asker::new(ports, patience),
            outbound,
        }
    }

    /// Asks for the root of a service; by how many seconds its clock is ahead of ours, where it says.
    pub async fn redfish(&self, address: &str) -> Result<Option<i64>, Unreached> {
        let (origin, root) = Origin::parse(address, None).ok_or(Unreached::Address)?;
        let (_, ahead) = self
            .redfish
            .read_root(&origin, &root)
            .await
            .map_err(Unreached::Redfish)?;
        Ok(ahead)
    }

    pub async fn ipmi(&self, host: &str, port: u16) -> Result<(), Unreached> {
        let found = self.outbound.resolve(host, port).await;
        let peer: SocketAddr = found.map_err(Unreached::Name)?;
        match self.ipmi.greet(peer).await {
            Ok(_) => Ok(()),
            Err(error) => Err(Unreached::Ipmi(error)),
        }
    }
}
