//! Tells a DNS server the names of machines: dynamic updates by RFC 2136, signed by RFC 8945, over
//! TCP.
//!
//! A name that is in the zone already and was not put there by us is left alone. What we put there is
//! remembered by the caller.

use proto::dns::{
    name::{BadName, Name},
    response::{Outcome, Response},
    tsig::{Key, TsigError},
    update::{Change, Condition, Update},
};
use std::{io, net::IpAddr, time::Duration};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::timeout,
};
use types::time::Timestamp;

/// How long an update may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long others may remember a name, in seconds: addresses of machines change.
const TTL: u32 = 300;

/// Where names go, and by which right.
#[derive(Debug, Clone)]
pub struct DnsSettings {
    /// Address or name of the server, and its port.
    pub server: (String, u16),
    pub zone: Name,
    /// Zones of reverse names; without one that fits, an address has none.
    pub reverse_zones: Vec<Name>,
    pub key: Key,
}

/// Why a name could not be told.
#[derive(Debug, thiserror::Error)]
pub enum DnsError {
    #[error("DNS server {server} is not reachable")]
    Unreachable {
        server: String,
        #[source]
        source: io::Error,
    },
    #[error("DNS server {server} gave no answer within {} s", PATIENCE.as_secs())]
    Silent { server: String },
    #[error("DNS server {server} refuses key {key}")]
    Key {
        server: String,
        key: Name,
        #[source]
        source: TsigError,
    },
    #[error("DNS server {server} gave an answer that makes no sense")]
    Answer {
        server: String,
        #[source]
        source: proto::dns::DecodeError,
    },
    #[error("DNS server {server} did not change zone {zone}: {outcome:?}")]
    Refused {
        server: String,
        zone: Name,
        outcome: Outcome,
    },
    #[error("{name} is in the zone already, and its record is none of this service's")]
    Foreign { name: Name },
    #[error("no name can be made from the node's name")]
    Name(#[source] BadName),
}

impl DnsError {
    /// Whether it is about this name alone, so that others can be told all the same.
    pub fn is_of_name(&self) -> bool {
        matches!(self, Self::Foreign { .. } | Self::Name(_))
    }
}

/// Speaks to a DNS server.
#[derive(Debug, Clone)]
pub struct Updater {
    settings: DnsSettings,
}

impl Updater {
    pub fn new(settings: DnsSettings) -> Self {
        Self { settings }
    }

    /// The whole name of a machine: below the zone, unless it is already.
    pub fn full_name(&self, host: &str) -> Result<Name, DnsError> {
        let name: Name = host.parse().map_err(DnsError::Name)?;
        match name.is_within(&self.settings.zone) {
            true => Ok(name),
            false => name.below(&self.settings.zone).map_err(DnsError::Name),
        }
    }

    /// Gives a name an address, and the address the name. `is_ours` says that the name was told
    /// before; otherwise it must be new.
    pub async fn add(&self, name: &Name, address: IpAddr, is_ours: bool) -> Result<(), DnsError> {
        let add = || vec![Change::AddAddress(name.clone(), address)];
        let zone = &self.settings.zone;
        let conditions = match is_ours {
            true => Vec::new(),
            false => vec![Condition::IsFree(name.clone())],
        };
        match self.update(zone, conditions, add()).await? {
            Outcome::Done => {}
            // We may have told it and been killed before that was noted.
            Outcome::NameExists => {
                let had = vec![Condition::HasAddress(name.clone(), address)];
                match self.update(zone, had, add()).await? {
                    Outcome::Done => {}
                    Outcome::RecordMissing | Outcome::NameMissing => {
                        return Err(DnsError::Foreign { name: name.clone() });
                    }
                    outcome => return Err(self.refused(zone, outcome)),
                }
            }
            outcome => return Err(self.refused(zone, outcome)),
        }
        let reverse = Name::reverse(address);
        let Some(zone) = self.reverse_zone(&reverse) else {
            return Ok(());
        };
        let set = vec![Change::SetPointer(reverse, name.clone())];
        self.done(zone, set).await
    }

    /// Takes an address from a name, and the name from the address. What is not there is no error.
    pub async fn remove(&self, name: &Name, address: IpAddr) -> Result<(), DnsError> {
        let remove = vec![Change::RemoveAddress(name.clone(), address)];
        self.done(&self.settings.zone, remove).await?;
        let reverse = Name::reverse(address);
        let Some(zone) = self.reverse_zone(&reverse) else {
            return Ok(());
        };
        let remove = vec![Change::RemovePointer(reverse, name.clone())];
        self.done(zone, remove).await
    }

    async fn done(&self, zone: &Name, changes: Vec<Change>) -> Result<(), DnsError> {
        match self.update(zone, Vec::new(), changes).await? {
            Outcome::Done => Ok(()),
            outcome => Err(self.refused(zone, outcome)),
        }
    }

    /// The smallest zone that a reverse name is in.
    fn reverse_zone(&self, reverse: &Name) -> Option<&Name> {
        let zones = self.settings.reverse_zones.iter();
        let fitting = zones.filter(|zone| reverse.is_within(zone));
        fitting.max_by_key(|zone| zone.as_str().len())
    }

    fn refused(&self, zone: &Name, outcome: Outcome) -> DnsError {
        DnsError::Refused {
            server: self.server(),
            zone: zone.clone(),
            outcome,
        }
    }

    fn server(&self) -> String {
        let (host, port) = &self.settings.server;
        format!("{host} port {port}")
    }

    /// One update, and what came of it.
    async fn update(
        &self,
        zone: &Name,
        conditions: Vec<Condition>,
        changes: Vec<Change>,
    ) -> Result<Outcome, DnsError> {
        let update = Update {
            zone: zone.clone(),
            conditions,
            changes,
            ttl: TTL,
        };
        let id = uuid::Uuid::new_v4().into_bytes();
        let id = u16::from_be_bytes([id[0], id[1]]);
        let key = &self.settings.key;
        let signed = key.sign(&update.encode(id), seconds());
        let asked = timeout(PATIENCE, ask(&self.settings.server, &signed.message)).await;
        let server = || self.server();
        let answer = asked
            .map_err(|_| DnsError::Silent { server: server() })?
            .map_err(|source| DnsError::Unreachable {
                server: server(),
                source,
            })?;
        let response = Response::decode(&answer).map_err(|source| DnsError::Answer {
            server: server(),
            source,
        })?;
        let verified = key.verify(&signed, &answer, &response, seconds());
        match verified {
            Ok(()) => Ok(response.outcome),
            // Nothing was changed, and that can be believed of anybody.
            Err(TsigError::Unsigned) if response.outcome != Outcome::Done => {
                Err(self.refused(zone, response.outcome))
            }
            Err(source) => Err(DnsError::Key {
                server: server(),
                key: key.name.clone(),
                source,
            }),
        }
    }
}

/// Asks over TCP, where each message has its length before it (RFC 1035, 4.2.2).
async fn ask((host, port): &(String, u16), message: &[u8]) -> io::Result<Vec<u8>> {
    let mut stream = TcpStream::connect((host.as_str(), *port)).await?;
    let length = u16::try_from(message.len()).map_err(io::Error::other)?;
    let mut bytes = length.to_be_bytes().to_vec();
    bytes.extend(message);
    stream.write_all(&bytes).await?;
    let length = stream.read_u16().await?;
    let mut answer = vec![0; usize::from(length)];
    stream.read_exact(&mut answer).await?;
    Ok(answer)
}

fn seconds() -> u64 {
    Timestamp::now().0.div_euclid(1_000_000).unsigned_abs()
}
