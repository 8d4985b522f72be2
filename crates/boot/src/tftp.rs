//! The TFTP server: read only, one socket a transfer.
//!
//! A request comes to the port of the service and is answered from a socket of its own, which hears
//! only that client; so a thousand transfers run beside each other and none can disturb another.
//! Their number is bounded, and so is what each holds in memory: a part of its file.
//!
//! The transfer itself is [`proto::tftp::sender`]; here are the sockets, the files and the clock.

mod transfer;

use crate::{
    datagram,
    error::BootError,
    log::{BootLog, Event, Protocol, role},
    root::{Denied, Root},
    share::Shares,
};
use proto::tftp::{ErrorCode, Packet, Request, sender::Limits};
use std::{
    collections::HashSet,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::UdpSocket, sync::Semaphore};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How the service is set up.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Transfers come from the same address; with several addresses here, name the one that
    /// machines are told.
    pub listeners: Vec<SocketAddr>,
    pub limits: Limits,
    /// How many transfers may run at a time; further requests are not heard, and repeated by the
    /// client.
    pub transfers: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listeners: Vec::new(),
            limits: Limits::default(),
            transfers: 4000,
        }
    }
}

/// The service with its open sockets.
#[derive(Debug)]
pub struct Tftp {
    sockets: Vec<UdpSocket>,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    root: Root,
    log: Arc<BootLog>,
    limits: Limits,
    config_subdir: String,
    slots: Arc<Semaphore>,
    shares: Arc<Shares>,
    /// Who is being served: a request that comes twice is one.
    clients: Mutex<HashSet<SocketAddr>>,
}

impl Tftp {
    /// Opens the sockets; nothing is answered yet.
    pub async fn bind(
        settings: Settings,
        root: Root,
        log: Arc<BootLog>,
        config_subdir: &str,
    ) -> Result<Self, BootError> {
        let mut sockets = Vec::new();
        for address in &settings.listeners {
            let socket = UdpSocket::bind(address).await;
            sockets.push(socket.map_err(|source| BootError::Listen {
                service: "TFTP",
                address: address.to_string(),
                source,
            })?);
        }
        let shared = Shared {
            root,
            log,
            limits: settings.limits,
            config_subdir: config_subdir.to_owned(),
            slots: Arc::new(Semaphore::new(settings.transfers.max(1))),
            shares: Shares::of(settings.transfers),
            clients: Mutex::new(HashSet::new()),
        };
        Ok(Self {
            sockets,
            shared: Arc::new(shared),
        })
    }

    pub fn addresses(&self) -> Vec<SocketAddr> {
        self.sockets
            .iter()
            .filter_map(|socket| socket.local_addr().ok())
            .collect()
    }

    /// Serves until it is told to stop; transfers under way are broken off.
    pub async fn run(self, stop: CancellationToken) {
        // Listeners are tasks like those that they start, so this waits for all of them.
        let tasks = TaskTracker::new();
        for socket in self.sockets {
            tasks.spawn(listen(
                socket,
                self.shared.clone(),
                tasks.clone(),
                stop.clone(),
            ));
        }
        tasks.close();
        tasks.wait().await;
    }
}

async fn listen(
    socket: UdpSocket,
    shared: Arc<Shared>,
    tasks: TaskTracker,
    stop: CancellationToken,
) {
    let mut buffer = [0; 2048];
    loop {
        let next = datagram::next(&socket, &mut buffer, &stop, "TFTP request");
        let Some((length, client)) = next.await else {
            return;
        };
        let request = match Packet::decode(&buffer[..length]) {
            Ok(Packet::Request(request)) => request,
            // Whatever else comes here belongs to no transfer; errors are never answered.
            Ok(Packet::Error { .. }) => continue,
            Ok(_) => {
                refuse(
                    &socket,
                    client,
                    ErrorCode::UnknownTransfer,
                    "this is no request",
                )
                .await;
                continue;
            }
            Err(error) => {
                tracing::debug!(%client, %error, "no TFTP request");
                refuse(
                    &socket,
                    client,
                    ErrorCode::IllegalOperation,
                    &error.to_string(),
                )
                .await;
                continue;
            }
        };
        if request.write {
            let event = Event::Refused {
                protocol: Protocol::Tftp,
                path: request.file,
                why: "nothing can be written here".to_owned(),
            };
            shared.log.note_address(client.ip(), event);
            refuse(
                &socket,
                client,
                ErrorCode::AccessViolation,
                "nothing can be written here",
            )
            .await;
            continue;
        }
        let Ok(slot) = shared.slots.clone().try_acquire_owned() else {
            tracing::warn!(%client, "too many TFTP transfers; a request is left unanswered");
            continue;
        };
        let left = shared.slots.available_permits();
        let Some(share) = shared.shares.take(client.ip().to_canonical(), left) else {
            tracing::debug!(%client, "a client has too many TFTP transfers");
            continue;
        };
        if !shared.lock().insert(client) {
            continue;
        }
        let local = socket.local_addr();
        let (shared, stop) = (shared.clone(), stop.clone());
        tasks.spawn(async move {
            let served = async {
                match local {
                    Ok(local) => {
                        serve(&shared, &request, SocketAddr::new(local.ip(), 0), client).await
                    }
                    Err(error) => Err(error),
                }
            };
            tokio::select! {
                served = served => if let Err(error) = served {
                    tracing::debug!(%client, %error, "a TFTP transfer failed");
                },
                () = stop.cancelled() => {}
            }
            shared.lock().remove(&client);
            drop((slot, share));
        });
    }
}

async fn serve(
    shared: &Arc<Shared>,
    request: &Request,
    local: SocketAddr,
    client: SocketAddr,
) -> std::io::Result<()> {
    let socket = UdpSocket::bind(local).await?;
    socket.connect(client).await?;
    let role = role(&request.file, &shared.config_subdir);
    let protocol = Protocol::Tftp;
    let opened = {
        let (shared, asked) = (shared.clone(), request.file.clone());
        tokio::task::spawn_blocking(move || shared.root.open(&asked)).await?
    };
    let opened = match opened {
        Ok(opened) => opened,
        Err(denied) => {
            let path = request.file.clone();
            let (event, code, text) = match denied {
                Denied::NotFound => (
                    Event::NotFound {
                        protocol,
                        role,
                        path,
                    },
                    ErrorCode::NotFound,
                    "file not found",
                ),
                Denied::Forbidden(why) => {
                    let event = Event::Refused {
                        protocol,
                        path,
                        why: why.to_owned(),
                    };
                    (event, ErrorCode::AccessViolation, why)
                }
            };
            shared.log.note_file(client.ip(), &request.file, event);
            let packet = Packet::Error {
                code,
                message: text.to_owned(),
            };
            socket.send(&packet.encode()).await?;
            return Ok(());
        }
    };
    let path = opened.name.clone();
    let asked = Event::Asked {
        protocol,
        role,
        path: path.clone(),
    };
    shared.log.note_file(client.ip(), &path, asked);
    let end = transfer::run(&socket, request, opened, shared.limits).await?;
    let event = match end.how {
        transfer::How::Done => Event::Sent {
            protocol,
            role,
            path,
            bytes: end.bytes,
            resent: end.resent,
        },
        transfer::How::Silent => Event::Stalled {
            protocol,
            role,
            path,
            bytes: end.bytes,
            size: end.size,
            block_size: end.block_size,
        },
        transfer::How::Aborted(why) => Event::Aborted {
            protocol,
            role,
            path,
            bytes: end.bytes,
            why,
        },
    };
    shared.log.note_address(client.ip(), event);
    Ok(())
}

async fn refuse(socket: &UdpSocket, client: SocketAddr, code: ErrorCode, message: &str) {
    let packet = Packet::Error {
        code,
        message: message.to_owned(),
    };
    if let Err(error) = socket.send_to(&packet.encode(), client).await {
        tracing::debug!(%client, %error, "a TFTP error could not be sent");
    }
}

impl Shared {
    fn lock(&self) -> std::sync::MutexGuard<'_, HashSet<SocketAddr>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
