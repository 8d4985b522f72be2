//! The sockets of the BMCs.
//!
//! Either every machine has a socket of its own, or one socket listens to all addresses of the
//! loopback device and learns from each datagram which one it was sent to. Answers that are to take
//! their time wait in tasks of their own, so a slow BMC keeps nobody else waiting.

mod wildcard;

use super::{
    Options,
    bmc::{Bmc, Received},
};
use crate::{
    Machine,
    fault::Delivery,
    fleet::{Layout, Machines},
};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::{net::UdpSocket, task::JoinSet};
use wildcard::Wildcard;

/// The largest datagram that is read. Messages have at most some hundred bytes.
const DATAGRAM: usize = 2048;
/// How long an acknowledgement of serial data may take.
const CONSOLE_WAIT: Duration = Duration::from_millis(500);

/// The BMCs of all machines, for as long as the value lives.
#[derive(Debug)]
pub struct Server {
    endpoints: Vec<SocketAddr>,
    layout: Layout,
    _tasks: JoinSet<()>,
}

impl Server {
    pub async fn start(machines: &Machines, options: Options, layout: Layout) -> io::Result<Self> {
        let desk = Arc::new(Desk {
            slots: machines.iter().map(Arc::clone).map(Slot::new).collect(),
            options: Arc::new(options),
            layout,
        });
        let count = u32::try_from(machines.len()).map_err(io::Error::other)?;
        let mut tasks = JoinSet::new();
        let mut endpoints = Vec::new();
        match layout {
            Layout::Ports { .. } => {
                for index in 0..count {
                    let socket = UdpSocket::bind(layout.endpoint(index)?).await?;
                    endpoints.push(socket.local_addr()?);
                    tasks.spawn(serve_port(Arc::clone(&desk), index, Arc::new(socket)));
                }
            }
            Layout::Addresses { port, .. } => {
                layout.endpoint(count.saturating_sub(1))?;
                let socket = Wildcard::bind(port)?;
                let port = socket.port()?;
                endpoints.push((layout.endpoint(0)?.ip(), port).into());
                tasks.spawn(serve_all(desk, Arc::new(socket)));
            }
        }
        Ok(Self {
            endpoints,
            layout,
            _tasks: tasks,
        })
    }

    /// Where the BMC of a machine is.
    pub fn endpoint(&self, index: u32) -> Option<SocketAddr> {
        match self.layout {
            Layout::Ports { .. } => self.endpoints.get(usize::try_from(index).ok()?).copied(),
            Layout::Addresses { .. } => {
                let address = self.layout.endpoint(index).ok()?.ip();
                let port = self.endpoints.first()?.port();
                Some((address, port).into())
            }
        }
    }
}

/// All BMCs.
#[derive(Debug)]
struct Desk {
    slots: Vec<Slot>,
    options: Arc<Options>,
    layout: Layout,
}

/// A machine, and its BMC, created with the first request.
#[derive(Debug)]
struct Slot {
    machine: Arc<Machine>,
    bmc: Mutex<Option<Box<Bmc>>>,
}

impl Slot {
    fn new(machine: Arc<Machine>) -> Self {
        Self {
            machine,
            bmc: Mutex::default(),
        }
    }

    fn bmc(&self) -> MutexGuard<'_, Option<Box<Bmc>>> {
        self.bmc.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sends answers to the sender of a datagram.
#[derive(Debug, Clone)]
struct ReplyPath {
    socket: Socket,
    peer: SocketAddr,
}

#[derive(Debug, Clone)]
enum Socket {
    Own(Arc<UdpSocket>),
    Shared(Arc<Wildcard>, IpAddr),
}

impl ReplyPath {
    /// Where the BMC says it is.
    fn endpoint(&self) -> (Ipv4Addr, u16) {
        let (address, port) = match &self.socket {
            Socket::Own(socket) => match socket.local_addr() {
                Ok(local) => (local.ip(), local.port()),
                Err(_) => (Ipv4Addr::LOCALHOST.into(), 0),
            },
            Socket::Shared(socket, address) => (*address, socket.port().unwrap_or(0)),
        };
        match address {
            IpAddr::V4(address) => (address, port),
            // IPMI has no room for others here.
            IpAddr::V6(_) => (Ipv4Addr::LOCALHOST, port),
        }
    }

    async fn send(&self, datagram: &[u8]) {
        let sent = match &self.socket {
            Socket::Own(socket) => socket.send_to(datagram, self.peer).await.map(|_| ()),
            Socket::Shared(socket, from) => socket.send(datagram, *from, self.peer).await,
        };
        if let Err(error) = sent {
            // UDP: a client that misses the answer retries.
            tracing::debug!(%error, peer = %self.peer, "cannot send an IPMI answer");
        }
    }
}

async fn serve_port(desk: Arc<Desk>, index: u32, socket: Arc<UdpSocket>) {
    let mut buffer = [0; DATAGRAM];
    loop {
        match socket.recv_from(&mut buffer).await {
            Ok((length, peer)) => {
                let way = ReplyPath {
                    socket: Socket::Own(Arc::clone(&socket)),
                    peer,
                };
                serve(&desk, index, &buffer[..length], way).await;
            }
            // What an earlier answer met with, such as a closed port.
            Err(error) => tracing::debug!(%error, "cannot decode an IPMI request"),
        }
    }
}

async fn serve_all(desk: Arc<Desk>, socket: Arc<Wildcard>) {
    let mut buffers = wildcard::Buffers::default();
    loop {
        if let Err(error) = socket.receive(&mut buffers).await {
            tracing::debug!(%error, "cannot receive IPMI requests");
            continue;
        }
        for request in buffers.datagrams() {
            let Some(index) = desk.layout.index(request.to) else {
                continue;
            };
            let way = ReplyPath {
                socket: Socket::Shared(Arc::clone(&socket), request.to),
                peer: request.from,
            };
            serve(&desk, index, request.bytes, way).await;
        }
    }
}

async fn serve(desk: &Arc<Desk>, index: u32, datagram: &[u8], way: ReplyPath) {
    let Some(slot) = usize::try_from(index)
        .ok()
        .and_then(|at| desk.slots.get(at))
    else {
        return;
    };
    let received = {
        let mut bmc = slot.bmc();
        let bmc = bmc.get_or_insert_with(|| {
            let machine = Arc::clone(&slot.machine);
            Box::new(Bmc::new(machine, Arc::clone(&desk.options), way.endpoint()))
        });
        bmc.receive(datagram)
    };
    let Received {
        answers,
        restarts,
        opens_console,
    } = received;
    if answers.is_empty() {
        return;
    }
    let delivery = slot.machine.delivery();
    if restarts {
        slot.machine.restart_bmc();
    }
    if opens_console {
        tokio::spawn(print(Arc::clone(desk), index, way.clone()));
    }
    if let Delivery::Sent { after, as_garbage } = delivery {
        let answers = match as_garbage {
            true => answers.iter().map(|answer| garbage(answer)).collect(),
            false => answers,
        };
        if after.is_zero() {
            for answer in answers {
                way.send(&answer).await;
            }
        } else {
            tokio::spawn(async move {
                tokio::time::sleep(after).await;
                for answer in answers {
                    way.send(&answer).await;
                }
            });
        }
    }
}

/// Bytes of the same length that mean nothing: the version of RMCP is already wrong.
fn garbage(answer: &[u8]) -> Vec<u8> {
    answer.iter().map(|byte| !byte).collect()
}

/// Brings what the machine prints to an open console, until it is closed.
async fn print(desk: Arc<Desk>, index: u32, way: ReplyPath) {
    let Some(slot) = usize::try_from(index)
        .ok()
        .and_then(|at| desk.slots.get(at))
    else {
        return;
    };
    let bell = slot.bmc().as_ref().and_then(|bmc| bmc.console_bell());
    let Some(bell) = bell else { return };
    let mut again = false;
    loop {
        // Before the look, so that what is printed after it is not missed.
        let rung = bell.notified();
        let datagrams = {
            let mut bmc = slot.bmc();
            let Some(bmc) = bmc.as_mut().filter(|bmc| bmc.console_bell().is_some()) else {
                return;
            };
            bmc.poll_console(again)
        };
        if let Delivery::Sent { .. } = slot.machine.delivery() {
            for datagram in datagrams {
                way.send(&datagram).await;
            }
        }
        again = tokio::time::timeout(CONSOLE_WAIT, rung).await.is_err();
    }
}
