//! The listening side: who is let in, which sessions there are, and how they end.

use super::{Disk, connection};
use proto::iscsi::{
    chap::{CHALLENGE_LENGTH, Challenge, Credentials},
    negotiation::Offer,
    scsi::Unit,
    target::Access,
};
use std::{
    collections::HashMap,
    io,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{debug, info};

/// Connections at a time; an initiator needs one, and one for discovery.
const CONNECTIONS: usize = 16;

/// How long initiators have to log out when the target stops.
const FAREWELL: Duration = Duration::from_secs(10);

/// What a target is called and whom it serves.
#[derive(Debug, Clone)]
pub struct TargetSettings {
    /// Its name (IQN).
    pub name: String,
    /// The names of the initiators that it is for; all if `None`.
    pub initiators: Option<Vec<String>>,
    /// The addresses that they connect from; all if `None`.
    pub addresses: Option<Vec<IpAddr>>,
    /// What an initiator has to prove; nothing if `None`.
    pub chap: Option<Credentials>,
    /// What the target proves if it is asked to.
    pub mutual_chap: Option<Credentials>,
}

/// Why a target cannot be started or stopped.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    #[error(
        "the CHAP secrets of both directions are the same, which lets one side pass for the other"
    )]
    SameSecrets,
    #[error("reading the target's own address")]
    Address(#[source] io::Error),
    #[error("the disk did not store everything that was written to it")]
    Sync(#[source] io::Error),
}

/// A target that runs.
#[derive(Debug)]
pub struct Target {
    address: SocketAddr,
    shared: Arc<Shared>,
    connections: TaskTracker,
}

/// What connections have in common.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) access: Arc<Access>,
    pub(super) unit: Mutex<Unit>,
    pub(super) disk: Arc<Disk>,
    pub(super) stop: CancellationToken,
    addresses: Option<Vec<IpAddr>>,
    sessions: Mutex<HashMap<SessionName, SessionHandle>>,
    next_session: AtomicU64,
}

/// The initiator and its part of the session's name.
pub(super) type SessionName = (String, [u8; 6]);

/// A session, for the one that takes its place.
#[derive(Debug, Clone, Default)]
pub(super) struct SessionHandle {
    /// Tells it to end.
    pub(super) stop: CancellationToken,
    /// Says that it did, and that the disk does nothing for it any more.
    pub(super) ended: CancellationToken,
}

impl Target {
    /// Starts to serve a disk.
    pub fn start(
        listener: TcpListener,
        disk: Disk,
        settings: TargetSettings,
    ) -> Result<Self, TargetError> {
        if let (Some(chap), Some(mutual)) = (&settings.chap, &settings.mutual_chap)
            && chap.secret == mutual.secret
        {
            return Err(TargetError::SameSecrets);
        }
        let address = listener.local_addr().map_err(TargetError::Address)?;
        let unit = Unit::new(disk.geometry(&settings.name), &settings.name);
        let access = Access {
            target: settings.name,
            initiators: settings.initiators,
            chap: settings.chap,
            mutual_chap: settings.mutual_chap,
            offer: Offer::default(),
        };
        info!(target = access.target, %address, "exporting a disk");
        let shared = Arc::new(Shared {
            access: Arc::new(access),
            unit: Mutex::new(unit),
            disk: Arc::new(disk),
            stop: CancellationToken::new(),
            addresses: settings.addresses,
            sessions: Mutex::default(),
            next_session: AtomicU64::new(1),
        });
        let connections = TaskTracker::new();
        connections.spawn(accept(listener, Arc::clone(&shared), connections.clone()));
        Ok(Self {
            address,
            shared,
            connections,
        })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends in order: asks initiators to log out, waits for them for a while, and writes the disk's cache.
    pub async fn stop(self) -> Result<(), TargetError> {
        self.shared.stop.cancel();
        self.connections.close();
        if timeout(FAREWELL, self.connections.wait()).await.is_err() {
            let sessions = self.shared.sessions.lock();
            let sessions = sessions.unwrap_or_else(PoisonError::into_inner);
            sessions.values().for_each(|session| session.stop.cancel());
        }
        self.connections.wait().await;
        let disk = Arc::clone(&self.shared.disk);
        let synced = tokio::task::spawn_blocking(move || disk.sync()).await;
        synced
            .unwrap_or_else(|error| Err(io::Error::other(error)))
            .map_err(TargetError::Sync)
    }
}

/// Nobody is left who could stop it later.
impl Drop for Target {
    fn drop(&mut self) {
        self.shared.stop.cancel();
    }
}

async fn accept(listener: TcpListener, shared: Arc<Shared>, connections: TaskTracker) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // The semaphore is never closed.
        let Ok(slot) = Arc::clone(&slots).acquire_owned().await else {
            return;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = shared.stop.cancelled() => return,
        };
        let Ok((stream, peer)) = accepted else {
            // Out of file descriptors, most likely; some are returned when a connection ends.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        if !shared.admits(peer) {
            debug!(%peer, "a connection from a foreign address was refused");
            continue;
        }
        let shared = Arc::clone(&shared);
        connections.spawn(async move {
            serve(stream, peer, shared).await;
            drop(slot);
        });
    }
}

async fn serve(stream: TcpStream, peer: SocketAddr, shared: Arc<Shared>) {
    match connection::run(stream, &shared).await {
        Ok(()) => debug!(%peer, "an iSCSI connection ended"),
        Err(error) => {
            let error = types::error::chain(&error);
            info!(%peer, error, "an iSCSI connection ended");
        }
    }
}

impl Shared {
    fn admits(&self, peer: SocketAddr) -> bool {
        let address = peer.ip().to_canonical();
        let addresses = self.addresses.as_ref();
        addresses.is_none_or(|list| list.iter().any(|one| one.to_canonical() == address))
    }

    pub(super) fn next_session(&self) -> u64 {
        self.next_session.fetch_add(1, Ordering::Relaxed)
    }

    /// Registers a session; the one of the same name that it takes the place of.
    pub(super) fn register(&self, name: SessionName) -> (SessionHandle, Option<SessionHandle>) {
        let handle = SessionHandle::default();
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let before = sessions.insert(name, handle.clone());
        (handle, before)
    }

    pub(super) fn unregister(&self, name: &SessionName, handle: &SessionHandle) {
        handle.ended.cancel();
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        // Another session may have taken its place.
        if sessions
            .get(name)
            .is_some_and(|one| one.ended.is_cancelled())
        {
            sessions.remove(name);
        }
    }
}

/// A challenge for CHAP.
pub(super) fn challenge() -> io::Result<Challenge> {
    let mut random = [0; CHALLENGE_LENGTH + 1];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let [id, bytes @ ..] = random;
    Ok(Challenge {
        id,
        bytes: bytes.to_vec(),
    })
}
