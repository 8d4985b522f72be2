//! Finds the callback address: the address at which the service can reach this agent.

use crate::config::Config;
use anyhow::{Context, bail};
use reqwest::Url;
use std::net::{IpAddr, SocketAddr};
use tokio::{
    net::{UdpSocket, lookup_host},
    time::sleep,
};

/// The source address of packets to the service; the first service URL with a route counts.
///
/// The kernel chooses it when a UDP socket is connected; nothing is sent.
pub(crate) async fn find(config: &Config, urls: &[String]) -> anyhow::Result<IpAddr> {
    for attempt in 1..=config.ip_lookup_attempts.max(1) {
        for url in urls {
            match source(url).await {
                Ok(ip) if is_usable(ip) => return Ok(ip),
                Ok(ip) => {
                    tracing::warn!("address {ip} cannot be used as callback address for {url}")
                }
                Err(error) => tracing::warn!("no network route to {url}: {error:#}"),
            }
        }
        if attempt < config.ip_lookup_attempts {
            sleep(config.ip_lookup_sleep).await;
        }
    }
    bail!("no callback address: no address of this machine has a route to the service")
}

async fn source(url: &str) -> anyhow::Result<IpAddr> {
    let url = Url::parse(url)?;
    let host = url
        .host_str()
        .context("the URL has no host")?
        .trim_matches(['[', ']']);
    let port = url.port_or_known_default().unwrap_or(80);
    let mut found = lookup_host((host, port)).await?;
    let there = found.next().context("DNS lookup found no address")?;
    let here: SocketAddr = match there {
        SocketAddr::V4(_) => ([0, 0, 0, 0], 0).into(),
        SocketAddr::V6(_) => ([0u16; 8], 0).into(),
    };
    let socket = UdpSocket::bind(here).await?;
    socket.connect(there).await?;
    Ok(socket.local_addr()?.ip())
}

/// Whether other hosts can use an address: link-local ones cannot be used.
fn is_usable(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => !ip.is_link_local() && !ip.is_unspecified(),
        IpAddr::V6(ip) => !ip.is_unicast_link_local() && !ip.is_unspecified(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_way_to_the_service_decides() {
        let mut config = Config::from_parameters("ipa-ip-lookup-attempts=1").unwrap();
        let urls = ["http://[".to_owned(), "http://127.0.0.1:1".to_owned()];
        let found = find(&config, &urls).await.unwrap();
        assert!(found.is_loopback());
        assert!(find(&config, &urls[..1]).await.is_err());
        config.ip_lookup_attempts = 0;
        assert!(find(&config, &[]).await.is_err());
        assert!(!is_usable("169.254.1.1".parse().unwrap()));
        assert!(!is_usable("fe80::1".parse().unwrap()));
    }
}
