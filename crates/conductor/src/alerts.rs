//! The receiver of alerts: SNMP traps and platform event traps that BMCs send by themselves become
//! events of the node whose BMC it is.
//!
//! Anybody can send a datagram in any name, so nothing is decided by one: an alert is a line for people
//! and programs that read events, bounded in size and in number ([`limit`]). An alert belongs to the
//! node whose BMC has the address that it came from; where that is none or several, to the one whose
//! machine has the UUID that it tells.

mod limit;

use drivers::alert::{Alert, has_bmc_at};
use limit::{Admission, Limits};
use serde_json::Value;
use std::{
    collections::HashSet,
    net::{IpAddr, SocketAddr},
    time::Duration,
};
use store::{Db, StoreError, bmc::BmcUser};
use tokio::{net::UdpSocket, time::Instant};
use tokio_util::sync::CancellationToken;
use types::{
    NodeId,
    event::{EventKind, NewEvent},
};

/// The longest datagram that is read. RFC 3417 §3.2 asks for 484 bytes at least, and recommends 1472.
const LONGEST: usize = 8192;
/// How long a socket that fails is left alone.
const PAUSE: Duration = Duration::from_millis(100);
/// Under this key the data of an event tells of an alert.
const KEY: &str = "hardware_alert";

/// Receives until it is told to stop.
#[derive(Debug)]
pub struct AlertReceiver {
    db: Db,
    socket: UdpSocket,
    limits: Limits,
}

/// A node, as events name it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Owner {
    id: NodeId,
    name: Option<String>,
}

impl AlertReceiver {
    /// Opens the socket.
    pub async fn bind(db: &Db, address: SocketAddr) -> std::io::Result<Self> {
        Ok(Self {
            db: db.clone(),
            socket: UdpSocket::bind(address).await?,
            limits: Limits::new(Instant::now()),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Receives. Datagrams are taken one after the other: while the database is slow, the system keeps
    /// a few and drops the rest.
    pub async fn run(mut self, stop: CancellationToken) {
        let mut buffer = vec![0; LONGEST];
        loop {
            let received = tokio::select! {
                received = self.socket.recv_from(&mut buffer) => received,
                () = stop.cancelled() => return,
            };
            let (length, from) = match received {
                Ok(received) => received,
                Err(error) => {
                    tracing::warn!(%error, "receiving SNMP traps failed");
                    tokio::time::sleep(PAUSE).await;
                    continue;
                }
            };
            let from = from.ip().to_canonical();
            tokio::select! {
                () = self.take(&buffer[..length], from) => {}
                () = stop.cancelled() => return,
            }
        }
    }

    async fn take(&mut self, datagram: &[u8], from: IpAddr) {
        let dropped = match self.limits.admit(from, Instant::now()) {
            Admission::Granted { dropped } => dropped,
            Admission::Refused { is_told } => {
                if is_told {
                    tracing::warn!(%from, "too many SNMP traps: some are dropped");
                }
                return;
            }
        };
        let alert = match Alert::decode(datagram) {
            Ok(alert) => alert,
            Err(error) => {
                let error = types::error::chain(&error);
                tracing::info!(%from, error, "a datagram was ignored");
                return;
            }
        };
        if let Some(mark) = alert.mark
            && self.limits.is_repeated(from, mark)
        {
            tracing::debug!(%from, "an alert was sent again");
            return;
        }
        match owner(&self.db, from, &alert.uuids).await {
            Ok(Some(owner)) => self.tell(owner, alert, from, dropped).await,
            Ok(None) => {
                tracing::info!(%from, "an alert belongs to no node: {}", alert.text);
            }
            Err(error) => {
                let error = types::error::chain(&error);
                tracing::warn!(%from, error, "it cannot be told whose an alert is: {}", alert.text);
            }
        }
    }

    async fn tell(&self, owner: Owner, alert: Alert, from: IpAddr, dropped: u64) {
        tracing::warn!(node = %owner.id, %from, "alert of the BMC: {}", alert.text);
        let mut told = alert.data;
        told.insert("from".to_owned(), from.to_string().into());
        if dropped > 0 {
            told.insert("dropped_before".to_owned(), dropped.into());
        }
        let node = owner.id;
        let event = NewEvent {
            node,
            node_name: owner.name,
            kind: EventKind::Warning,
            text: format!("alert of the BMC: {}", alert.text),
            data: serde_json::json!({ KEY: told }),
            user: None,
            project: None,
            request_id: None,
        };
        if let Err(error) = store::event::tell(&self.db, event).await {
            let error = types::error::chain(&error);
            tracing::warn!(%node, error, "an alert could not be written to the event log");
        }
    }
}

/// Whose an alert is; none if that cannot be told for certain.
async fn owner(db: &Db, from: IpAddr, uuids: &[String]) -> Result<Option<Owner>, StoreError> {
    let mentioning = store::bmc::mentioning(db, &from.to_string()).await?;
    let here = mentioning
        .into_iter()
        .filter(|user| has_bmc_at(&user.driver_info, from));
    let here: Vec<BmcUser> = here.collect();
    if let [only] = here.as_slice() {
        return Ok(Some(Owner::of(only)));
    }
    if uuids.is_empty() {
        return Ok(None);
    }
    let named = store::bmc::of_machine(db, uuids).await?;
    let named = named.into_iter().filter(|user| is_machine(user, uuids));
    let places: HashSet<NodeId> = here.iter().map(|user| user.id).collect();
    // Of several behind one address, as of blades behind their chassis, only those come into question.
    let named: Vec<BmcUser> = named
        .filter(|user| places.is_empty() || places.contains(&user.id))
        .collect();
    Ok(match named.as_slice() {
        [only] => Some(Owner::of(only)),
        _ => None,
    })
}

/// Whether a node is that of a machine with one of these UUIDs: by its own, or by the one that
/// `corten discover` found and noted.
fn is_machine(user: &BmcUser, uuids: &[String]) -> bool {
    let noted = user.extra.get("system_uuid").and_then(Value::as_str);
    let noted = noted.map(str::to_ascii_lowercase);
    let own = user.id.to_string();
    uuids
        .iter()
        .any(|uuid| *uuid == own || Some(uuid) == noted.as_ref())
}

impl Owner {
    fn of(user: &BmcUser) -> Self {
        Self {
            id: user.id,
            name: user.name.clone(),
        }
    }
}
