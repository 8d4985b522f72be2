//! What speaks Redfish at an address.
//!
//! The root of a service is told without a login, so it is read without one and with any
//! certificate: nothing secret is sent. With a login the machines behind it are read. A password
//! only travels over TLS to a server whose certificate is trusted, unless the operator says
//! otherwise; else every listener in the range could collect it.

use crate::{
    Ports,
    found::{Bmc, Power, System, shown, telling},
};
use drivers::{
    DriverError, RedfishSettings,
    redfish::{
        Info, Redfish, RedfishError, Resource, Talk,
        address::{Origin, ROOT},
        info::{Auth, Login, Tls},
        resource,
        wire::{Answer, Ask, Ticket, Wire, WireError},
    },
};
use outbound::Policy;
use reqwest::Method;
use std::{
    net::{IpAddr, SocketAddr},
    time::{Duration, UNIX_EPOCH},
};
use tls::Trust;
use tokio::{net::TcpStream, time::timeout};
use types::{NodeId, port::MacAddress, time::Timestamp};

/// More machines, or network cards of one, are not read: no BMC has so many.
const MOST_SYSTEMS: usize = 16;
const MOST_CARDS: usize = 16;
/// How long a service may take for one answer; slow ones take seconds for a collection.
const ANSWER: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(crate) struct Asker {
    wire: Wire,
    redfish: Redfish,
    port: u16,
    is_plain: bool,
    connect: Duration,
    verify: Trust,
}

/// What listens on the port of Redfish.
#[derive(Debug)]
pub(crate) enum Greeting {
    Nothing,
    Service {
        origin: Origin,
        root: Box<Resource>,
    },
    /// Something else.
    Other(String),
}

impl Asker {
    pub(crate) fn new(ports: Ports, connect: Duration, verify: Trust, outbound: Policy) -> Self {
        let settings = RedfishSettings {
            attempts: 1,
            connect_timeout: connect,
            read_timeout: ANSWER,
            server_retries: 0,
            ..RedfishSettings::default()
        };
        Self {
            wire: Wire::new(connect, ANSWER, outbound),
            redfish: Redfish::new(settings),
            port: ports.redfish,
            is_plain: ports.is_plain_http,
            connect,
            verify,
        }
    }

    /// Reads the root of a service.
    pub(crate) async fn greet(&self, address: IpAddr) -> Greeting {
        let peer = SocketAddr::new(address, self.port);
        // Most addresses have no such port, and HTTP need not be begun to know that.
        match timeout(self.connect, TcpStream::connect(peer)).await {
            Ok(Ok(_)) => {}
            Ok(Err(_)) | Err(_) => return Greeting::Nothing,
        }
        let scheme = if self.is_plain { "http" } else { "https" };
        let usual = if self.is_plain { 80 } else { 443 };
        let host = match (address, self.port == usual) {
            (IpAddr::V4(address), true) => address.to_string(),
            (IpAddr::V6(address), true) => format!("[{address}]"),
            (_, false) => peer.to_string(),
        };
        let Some((origin, _)) = Origin::parse(&format!("{scheme}://{host}"), None) else {
            return Greeting::Nothing;
        };
        match self.read_root(&origin, ROOT).await {
            Ok((root, _)) => Greeting::Service {
                origin,
                root: Box::new(root),
            },
            Err(reason) => {
                let port = self.port;
                Greeting::Other(format!(
                    "port {port} is open, but it is no Redfish service: {reason}"
                ))
            }
        }
    }

    /// Reads the root of a service, with any certificate; and by how many seconds its clock is
    /// ahead of ours, where it tells the time.
    pub(crate) async fn read_root(
        &self,
        origin: &Origin,
        path: &str,
    ) -> Result<(Resource, Option<i64>), NotRedfish> {
        let answer = self.fetch(origin, path, Trust::Anyone).await?;
        if !answer.is_good() {
            return Err(NotRedfish::Status(answer.status));
        }
        let body = resource::decode_large(&answer.body).await?;
        let root = Resource::new(path, None, body);
        let told = answer
            .header("date")
            .and_then(|date| httpdate::parse_http_date(date).ok());
        let ahead = told.and_then(|told| {
            let since = told.duration_since(UNIX_EPOCH).ok()?;
            let ours = Timestamp::now().seconds_since(Timestamp::parse("1970-01-01T00:00:00Z")?);
            Some(i64::try_from(since.as_secs()).ok()? - ours)
        });
        match root.link("Systems").is_some() || root.str("RedfishVersion").is_some() {
            true => Ok((root, ahead)),
            false => Err(NotRedfish::OtherDocument),
        }
    }

    async fn fetch(&self, origin: &Origin, path: &str, verify: Trust) -> Result<Answer, WireError> {
        let ask = Ask {
            method: Method::GET,
            path,
            body: None,
            ticket: Ticket::Nobody,
            if_match: None,
            identity: true,
            limit: None,
        };
        let tls = Tls {
            verify,
            minimum: None,
            ciphers: None,
        };
        self.wire.exchange(origin, &tls, &ask).await
    }

    /// Logs in, and adds what the service tells of its machines.
    pub(crate) async fn interview(&self, origin: &Origin, login: &Login, bmc: &mut Bmc) {
        if !origin.is_secure() && self.verify != Trust::Anyone {
            let text = "it speaks HTTP without TLS, so the password was not sent; --verify-ca false sends it";
            bmc.remarks.push(text.to_owned());
            return;
        }
        // The same was answered before, when any certificate was good enough.
        if self.verify != Trust::Anyone
            && let Err(error) = self.fetch(origin, ROOT, self.verify.clone()).await
        {
            let text = format!(
                "the password was not sent: {error}; for this scan: --verify-ca FILE or false"
            );
            bmc.remarks.push(text);
            return;
        }
        let info = Info {
            node: NodeId::generate(),
            origin: origin.clone(),
            root: ROOT.to_owned(),
            system: None,
            login: Some(login.clone()),
            // Every service takes it, and no session is left behind.
            auth: Auth::Basic,
            tls: Tls {
                verify: self.verify.clone(),
                minimum: None,
                ciphers: None,
            },
            firmware_wait: None,
        };
        let described = async {
            let talk = self.redfish.talk(&info, "discover").await?;
            describe(&talk, bmc).await
        };
        if let Err(error) = described.await {
            let error: DriverError = error.into();
            bmc.remarks.push(types::error::chain(&error));
        }
    }
}

/// Why an answer is not the root of a Redfish service.
#[derive(Debug, thiserror::Error)]
pub enum NotRedfish {
    #[error("it answers with status {0}")]
    Status(u16),
    #[error(transparent)]
    Wire(#[from] WireError),
    #[error(transparent)]
    Body(#[from] resource::DecodeError),
    #[error("it answers with another document")]
    OtherDocument,
}

/// Adds what the root tells.
pub(crate) fn tell(origin: &Origin, root: &Resource, bmc: &mut Bmc) {
    let text = |place: &str| root.str(place).and_then(shown);
    bmc.redfish = Some(origin.to_string());
    bmc.redfish_version = text("RedfishVersion");
    bmc.maker = text("Vendor").or_else(|| {
        let oem = root.map("Oem")?.keys().next()?;
        shown(oem)
    });
    bmc.model = text("Product");
    bmc.uuid = root
        .str("UUID")
        .and_then(|uuid| uuid.parse().ok())
        .and_then(telling);
}

async fn describe(talk: &Talk<'_>, bmc: &mut Bmc) -> Result<(), RedfishError> {
    let root = talk.root().await?;
    let Some(systems) = root.link("Systems") else {
        return Err(talk.lacks(&root, "Systems/@odata.id").into());
    };
    let mut members = talk.members(systems).await?;
    let is_only = members.len() == 1;
    if members.len() > MOST_SYSTEMS {
        let text = format!(
            "it has {} machines; only {MOST_SYSTEMS} are shown",
            members.len()
        );
        bmc.remarks.push(text);
        members.truncate(MOST_SYSTEMS);
    }
    for member in members {
        let resource = talk.get(&member).await?;
        if bmc.firmware.is_none()
            && let Ok(manager) = talk.manager(&resource).await
        {
            bmc.firmware = manager.str("FirmwareVersion").and_then(shown);
        }
        let mut system = system(&resource);
        system.path = (!is_only).then(|| resource.path.clone());
        system.macs = macs(talk, &resource).await?;
        bmc.systems.push(system);
    }
    Ok(())
}

fn system(resource: &Resource) -> System {
    let text = |place: &str| resource.str(place).and_then(shown);
    let uuid = resource.str("UUID").and_then(|uuid| uuid.parse().ok());
    System {
        path: None,
        maker: text("Manufacturer"),
        model: text("Model"),
        serial: text("SerialNumber"),
        uuid: uuid.and_then(telling),
        bios: text("BiosVersion"),
        power: match resource.str("PowerState") {
            Some("On" | "PoweringOn") => Some(Power::On),
            Some("Off" | "PoweringOff") => Some(Power::Off),
            _ => None,
        },
        macs: Vec::new(),
    }
}

/// The addresses of the network cards of a machine.
async fn macs(talk: &Talk<'_>, system: &Resource) -> Result<Vec<MacAddress>, RedfishError> {
    let Some(cards) = system.link("EthernetInterfaces") else {
        return Ok(Vec::new());
    };
    let members = match talk.members(cards).await {
        Err(error) if error.is_missing() => return Ok(Vec::new()),
        members => members?,
    };
    let mut macs = Vec::new();
    for member in members.iter().take(MOST_CARDS) {
        let card = talk.get(member).await?;
        let told = ["PermanentMACAddress", "MACAddress"]
            .iter()
            .find_map(|place| card.str(place)?.parse::<MacAddress>().ok());
        // A link within the machine, such as the one to its BMC, boots nothing.
        let is_disabled = card.str("Status/State") == Some("Disabled");
        if let Some(mac) = told.filter(|mac| !is_disabled && mac.octets() != [0; 6])
            && !macs.contains(&mac)
        {
            macs.push(mac);
        }
    }
    Ok(macs)
}
