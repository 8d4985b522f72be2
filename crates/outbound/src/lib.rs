//! Outgoing connections: how HTTP clients begin ([`client`]), and the policy which addresses a user
//! may make the service connect to ([`Policy`]).
//!
//! Images, BMCs, agents and webhooks are named by users of the API, and the service reaches places
//! that those users do not: its own loopback, the metadata of its cloud, its own ports. So each
//! connection to a named place is judged here, by the address that it is made to and not by the
//! name, and again after every redirect. What the operator's configuration names is not asked
//! about here.
//!
//! reqwest asks its resolver about names only, so addresses in URLs are judged by
//! [`Policy::check`] before the request and by the redirect policy after it. Where a proxy is used,
//! names are resolved there, and what it reaches is the proxy's business.

mod client;
mod network;
mod resolver;

pub use client::{client, client_by_proxy, client_for, is_loopback};
pub use network::{Network, NotANetwork, UnknownNetwork};

use reqwest::{ClientBuilder, Url, redirect};
use std::{
    error::Error,
    io,
    net::{IpAddr, SocketAddr, UdpSocket},
    sync::Arc,
};

/// A connection that is not made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("{0} is in a network that [corten]networks_denied lists")]
    Network(IpAddr),
    #[error("{0} is an address of this service itself, which [corten]networks_denied lists")]
    Own(IpAddr),
    #[error("it redirects from https to http, which is not followed")]
    Downgrade,
    #[error("it redirects more than {0} times")]
    Circle(usize),
}

/// Where connections may lead. Cheap to clone; by default everywhere.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy(Arc<Rules>);

#[derive(Debug, Default, PartialEq, Eq)]
struct Rules {
    denied: Vec<Network>,
    allowed: Vec<Network>,
    own: Vec<SocketAddr>,
}

impl Policy {
    /// Everywhere but to `denied` networks and to `own` listeners, except to `allowed` networks.
    pub fn new(denied: Vec<Network>, allowed: Vec<Network>, own: Vec<SocketAddr>) -> Self {
        Self(Arc::new(Rules {
            denied,
            allowed,
            own,
        }))
    }

    /// Whether a connection to this address may be made; port 0 stands for one that nothing of
    /// ours listens on.
    pub fn judge(&self, address: SocketAddr) -> Result<(), Refused> {
        let ip = network::plain(address.ip());
        self.judge_network(ip)?;
        let is_own = |own: &SocketAddr| {
            let there = network::plain(own.ip());
            let same = there == ip || (there.is_unspecified() && is_of_this_machine(ip));
            own.port() == address.port() && same
        };
        match self.0.own.iter().any(is_own) && !self.is_allowed(ip) {
            true => Err(Refused::Own(ip)),
            false => Ok(()),
        }
    }

    fn judge_network(&self, ip: IpAddr) -> Result<(), Refused> {
        let denied = self.0.denied.iter().any(|network| network.holds(ip));
        match denied && !self.is_allowed(ip) {
            true => Err(Refused::Network(ip)),
            false => Ok(()),
        }
    }

    fn is_allowed(&self, ip: IpAddr) -> bool {
        self.0.allowed.iter().any(|network| network.holds(ip))
    }

    /// Judges a URL whose host is an address; names are judged when they are resolved.
    pub fn check(&self, url: &Url) -> Result<(), Refused> {
        let host = url.host_str().unwrap_or_default();
        match host.trim_matches(['[', ']']).parse() {
            Ok(ip) => self.judge(SocketAddr::new(ip, port(url))),
            Err(_) => Ok(()),
        }
    }

    /// Whether something of ours listens on the port of a URL. The names in such URLs must not lead
    /// to this machine, so their client is another one ([`Policy::guard`]).
    pub fn is_own_port(&self, url: &Url) -> bool {
        let port = port(url);
        self.0.own.iter().any(|own| own.port() == port)
    }

    /// Has a client resolve names by this policy. `own_port` is what [`Policy::is_own_port`] says
    /// of the URLs that it is for. Redirects are set by [`Policy::redirects`], or not followed.
    pub fn guard(&self, builder: ClientBuilder, own_port: bool) -> ClientBuilder {
        if self.is_open() {
            return builder;
        }
        builder.dns_resolver(Arc::new(resolver::Resolver {
            policy: self.clone(),
            own_port,
        }))
    }

    fn is_open(&self) -> bool {
        self.0.denied.is_empty() && self.0.own.is_empty()
    }

    /// Follows at most so many redirects, each by this policy and none to less than TLS.
    pub fn redirects(&self, most: usize) -> redirect::Policy {
        if self.is_open() {
            return redirect::Policy::limited(most);
        }
        let policy = self.clone();
        redirect::Policy::custom(move |attempt| {
            if attempt.previous().len() > most {
                return attempt.error(Refused::Circle(most));
            }
            let was_secure = attempt.previous().last().is_some_and(is_secure);
            if was_secure && !is_secure(attempt.url()) {
                return attempt.error(Refused::Downgrade);
            }
            match policy.check_hop(attempt.url()) {
                Ok(()) => attempt.follow(),
                Err(refused) => attempt.error(refused),
            }
        })
    }

    /// A redirect stays with its client, which may be the one for other ports.
    fn check_hop(&self, url: &Url) -> Result<(), Refused> {
        self.check(url)?;
        let host = url.host_str().unwrap_or_default();
        let is_name = host.trim_matches(['[', ']']).parse::<IpAddr>().is_err();
        let own = self.0.own.iter().find(|own| own.port() == port(url));
        match own {
            Some(own) if is_name => Err(Refused::Own(own.ip())),
            _ => Ok(()),
        }
    }

    /// The first address of a host that may be connected to.
    pub async fn resolve(&self, host: &str, port: u16) -> io::Result<SocketAddr> {
        let mut refused = None;
        for address in tokio::net::lookup_host((host, port)).await? {
            match self.judge(address) {
                Ok(()) => return Ok(address),
                Err(error) => refused = Some(error),
            }
        }
        Err(match refused {
            Some(refused) => io::Error::new(io::ErrorKind::PermissionDenied, refused),
            None => io::Error::new(io::ErrorKind::NotFound, "the name has no address"),
        })
    }
}

/// The refusal that an error of a client comes from, if one does.
pub fn refusal<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Refused> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if let Some(refused) = error.downcast_ref() {
            return Some(refused);
        }
        cause = error.source();
    }
    None
}

fn port(url: &Url) -> u16 {
    url.port_or_known_default().unwrap_or_default()
}

fn is_secure(url: &Url) -> bool {
    url.scheme() == "https"
}

/// Whether an address is one of this machine's: others cannot be bound.
fn is_of_this_machine(ip: IpAddr) -> bool {
    ip.is_loopback() || ip.is_unspecified() || UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests;
