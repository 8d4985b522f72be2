//! From the start of the agent to its end.

use crate::{
    address,
    agent::Agent,
    api,
    certificate::Identity,
    config::{Config, Endpoint},
    exchange::Exchanges,
    extension::RESCUED,
    hardware::{Context as HardwareContext, Managers},
    heartbeat::{self, Advertised},
    http, inspection,
    journal::Journal,
    listen,
    lookup::Lookup,
    netlink::Netlink,
    ntp,
    progress::Progress,
    reporter,
    safety::Permit,
    service::Service,
};
use anyhow::{Context, bail};
use rustls::ServerConfig;
use std::{
    io,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
    time::Duration,
};
use tokio::{net::TcpListener, time::sleep};

/// How long a network interface may take to appear, and how often it is looked for.
const INTERFACE_WAIT: Duration = Duration::from_secs(60);
const INTERFACE_PAUSE: Duration = Duration::from_secs(5);

/// How an agent ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Rescue: a user logs in; the network stays up.
    Rescued,
    /// Lockdown: the machine is cut off the network.
    LockedDown,
}

/// Runs an agent until it is told to stop.
pub async fn run(config: Config, permit: Option<Permit>, journal: Journal) -> anyhow::Result<End> {
    tracing::info!("starting corten-agent {}", crate::VERSION);
    if permit.is_none() {
        tracing::info!(
            "not running in a Corten ramdisk: refusing every command that changes disks, firmware or power"
        );
    }
    set_clock(&config, permit.as_ref()).await?;
    let client = http::client(&config)?;
    let context = HardwareContext {
        config: Arc::new(config.clone()),
        permit: permit.clone(),
        progress: Progress::default(),
        exchanges: Exchanges::default(),
    };
    let managers = Managers::load(&context).await;
    sleep(config.hardware_initialization_delay).await;
    let service = Arc::new(Service::new(client.clone(), &config));
    let agent = Agent::new(config, permit, managers, journal);
    let config = agent.config();
    if !config.standalone {
        if config.api_urls.iter().any(|url| url == "mdns") {
            bail!("finding the service by mDNS is not supported: set ipa-api-url");
        }
        let macs = wait_for_interface(&agent).await?;
        let node = match inspection::run(&agent, &client).await {
            Ok(node) => node,
            Err(error) => {
                tracing::error!("inspection failed, continuing with the lookup: {error}");
                None
            }
        };
        if config.api_urls.is_empty() {
            if config.inspection.callback_urls.is_empty() {
                bail!("nowhere to report to: set ipa-api-url or ipa-inspection-callback-url");
            }
            tracing::info!("ipa-api-url is not set: skipping the lookup");
        } else {
            look_up(&agent, &service, &macs, node.as_deref()).await?;
        }
    }
    if config.root.join(RESCUED).exists() {
        tracing::info!("rescue already started on this machine: exiting");
        return Ok(End::Rescued);
    }
    if !agent.is_locked_down() {
        serve(&agent, &service).await?;
    }
    if agent.is_locked_down() {
        agent.session().forget();
        if let Some(permit) = agent.permit() {
            cut_off(permit);
        }
        return Ok(End::LockedDown);
    }
    Ok(End::Rescued)
}

/// Takes every network interface down. One that stays up is named, and the others go down.
fn cut_off(_permit: &Permit) {
    let cut = || -> io::Result<()> {
        let mut netlink = Netlink::open()?;
        for link in netlink.links()? {
            if let Err(error) = netlink.set_up(link.index, false) {
                tracing::error!(
                    "lockdown: cannot bring down network interface {}: {error}",
                    link.name
                );
            }
        }
        Ok(())
    };
    if let Err(error) = cut() {
        tracing::error!("lockdown: cannot list the network interfaces: {error}");
    }
}

async fn set_clock(config: &Config, permit: Option<&Permit>) -> anyhow::Result<()> {
    let (Some(server), Some(permit)) = (&config.ntp_server, permit) else {
        return Ok(());
    };
    match ntp::set_clock(server, permit).await {
        Ok(()) => tracing::info!("clock set from NTP server {server}"),
        Err(error) if config.fail_if_clock_not_set => {
            return Err(error.context("setting the clock failed (ipa-fail-if-clock-not-set is on)"));
        }
        Err(error) => tracing::warn!("cannot set the clock: {error:#}"),
    }
    Ok(())
}

/// Waits for an interface with a MAC address and returns all addresses, comma-separated.
async fn wait_for_interface(agent: &Agent) -> anyhow::Result<String> {
    for _ in 0..INTERFACE_WAIT.as_secs() / INTERFACE_PAUSE.as_secs() {
        let inventory = agent.managers().inventory(&agent.context()).await?;
        let macs: Vec<&str> = inventory["interfaces"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|interface| interface["mac_address"].as_str())
            .filter(|mac| !mac.is_empty())
            .collect();
        if !macs.is_empty() {
            return Ok(macs.join(","));
        }
        sleep(INTERFACE_PAUSE).await;
    }
    tracing::warn!("timeout: no network interface has appeared");
    Ok(String::new())
}

async fn look_up(
    agent: &Agent,
    service: &Service,
    macs: &str,
    node: Option<&str>,
) -> anyhow::Result<()> {
    let config = agent.config();
    let lookup = Lookup {
        macs,
        node,
        timeout: config.lookup_timeout,
        interval: config.lookup_interval,
    };
    let found = lookup
        .run(service)
        .await
        .with_context(|| format!("lookup found no node with the MAC addresses {macs}"))?;
    let is_trusted = agent.adopt(&found);
    let uuid = agent.node_uuid().unwrap_or_default();
    tracing::info!("lookup found this machine: it is node {uuid}");
    if let Err(error) = is_trusted {
        tracing::error!("{error}");
        agent.lock_down();
    }
    Ok(())
}

/// Serves and sends heartbeats until told to stop.
async fn serve(agent: &Arc<Agent>, service: &Arc<Service>) -> anyhow::Result<()> {
    let config = agent.config();
    let Endpoint { host, port } = &config.listen;
    let listener = listen::open(host.as_deref(), *port)
        .await
        .with_context(|| format!("cannot listen on port {port}"))?;
    let is_reporting = !config.standalone && !config.api_urls.is_empty();
    let address = match is_reporting {
        true => advertised_address(agent, service).await?,
        false => IpAddr::from(Ipv6Addr::LOCALHOST),
    };
    let identity = identity(agent, service, is_reporting, address).await?;
    let certificate = identity.as_ref().map(|identity| identity.pem.clone());
    let tls = identity
        .map(|identity| identity.server(&config.adopted))
        .transpose()?;
    let advertised = Advertised {
        url: callback_url(&config, address, &listener, tls.is_some())?,
        certificate: certificate.filter(|_| config.server_tls.files.is_none()),
    };
    tracing::info!("agent API listens at {}", advertised.url);
    let api = api::router(Arc::clone(agent), tls.is_some());
    let serving = tokio::spawn(serve_until_stopped(listener, tls, api, Arc::clone(agent)));
    if is_reporting {
        if config.progress {
            let (agent, service) = (Arc::clone(agent), Arc::clone(service));
            tokio::spawn(async move { reporter::run(&agent, &service).await });
        }
        heartbeat::run(agent, service, &advertised).await;
    }
    serving.await.context("the agent's API server failed")
}

async fn serve_until_stopped(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    api: axum::Router,
    agent: Arc<Agent>,
) {
    listen::serve(listener, tls, api, agent.stopping()).await;
}

async fn advertised_address(agent: &Agent, service: &Service) -> anyhow::Result<IpAddr> {
    let config = agent.config();
    if let Some(host) = &config.advertise.host {
        return host
            .parse()
            .with_context(|| format!("invalid callback address {host}: expected an IP address"));
    }
    let Some(name) = &config.network_interface else {
        return address::find(&config, &service.urls()).await;
    };
    let inventory = agent.managers().inventory(&agent.context()).await?;
    let interfaces = inventory["interfaces"].as_array();
    let found = interfaces
        .into_iter()
        .flatten()
        .find(|interface| interface["name"] == *name.as_str())
        .and_then(|interface| interface["ipv4_address"].as_str()?.parse().ok());
    found.with_context(|| format!("network interface {name} has no IP address"))
}

/// The TLS identity of the agent's API; `None` for plain HTTP.
async fn identity(
    agent: &Agent,
    service: &Service,
    is_reporting: bool,
    address: IpAddr,
) -> anyhow::Result<Option<Identity>> {
    let config = agent.config();
    if let Some((certificate, key)) = &config.server_tls.files {
        return Identity::from_files(certificate, key).map(Some);
    }
    if !config.server_tls.auto || !is_reporting {
        return Ok(None);
    }
    if !service.takes_certificates().await {
        tracing::warn!(
            "the service does not accept agent certificates: falling back to plain HTTP"
        );
        return Ok(None);
    }
    // The service holds on to the certificate that an agent before this one has shown.
    let place = address.to_string();
    if let Some((certificate, key)) = agent.session().identity(&place) {
        return Identity::from_pem(&certificate, &key).map(Some);
    }
    let name = rustix::system::uname();
    let hostname = name.nodename().to_string_lossy();
    let skew = config.server_tls.clock_skew;
    let (certificate, key) = Identity::generate(address, &hostname, skew)?;
    agent.session().keep_identity(&place, &certificate, &key);
    Identity::from_pem(&certificate, &key).map(Some)
}

fn callback_url(
    config: &Config,
    address: IpAddr,
    listener: &TcpListener,
    is_secure: bool,
) -> anyhow::Result<String> {
    let scheme = match is_secure {
        true => "https",
        false => config.advertise_protocol.as_str(),
    };
    let host = match address {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    };
    // Port 0 means a free port: advertise the one that the system chose.
    let port = match config.advertise.port {
        0 => listener.local_addr()?.port(),
        port => port,
    };
    Ok(format!("{scheme}://{host}:{port}"))
}

#[cfg(test)]
mod tests;
