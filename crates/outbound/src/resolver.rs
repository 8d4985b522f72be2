//! Names, resolved to addresses that may be connected to.

use crate::{Policy, Refused, is_of_this_machine};
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::SocketAddr;

#[derive(Debug)]
pub(crate) struct Resolver {
    pub(crate) policy: Policy,
    /// Whether something of ours listens on the port that is going to be used.
    pub(crate) own_port: bool,
}

impl Resolver {
    fn judge(&self, address: SocketAddr) -> Result<(), Refused> {
        let ip = address.ip();
        // The port is none here, so nothing of ours listens on it.
        self.policy.judge(address)?;
        match self.own_port && is_of_this_machine(ip) && !self.policy.is_allowed(ip) {
            true => Err(Refused::Own(ip)),
            false => Ok(()),
        }
    }

    fn choose(&self, found: impl Iterator<Item = SocketAddr>) -> Result<Vec<SocketAddr>, Refused> {
        let mut refused = None;
        let mut good = Vec::new();
        for address in found {
            match self.judge(address) {
                Ok(()) => good.push(address),
                Err(error) => refused = Some(error),
            }
        }
        match refused {
            Some(refused) if good.is_empty() => Err(refused),
            _ => Ok(good),
        }
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let this = Self {
            policy: self.policy.clone(),
            own_port: self.own_port,
        };
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let addresses: Addrs = Box::new(this.choose(found)?.into_iter());
            Ok(addresses)
        })
    }
}
