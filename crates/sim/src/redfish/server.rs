//! The sockets of the service: HTTP and HTTPS on the same port.
//!
//! Either every service has a port of its own, or one socket listens to all addresses of the
//! loopback device and the address that a client has called tells the machine. Only connections
//! cost anything: a machine that nobody calls has no task and no memory here.

use super::{
    call::{Options, Site},
    delivery,
};
use crate::{
    Machine,
    fleet::{Layout, Machines},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use socket2::{Domain, Protocol, SockAddr, SockRef, Type};
use std::{
    io,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    sync::Arc,
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    task::JoinSet,
    time::{sleep, timeout},
};
use tokio_rustls::TlsAcceptor;

/// How long a client may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long to leave the socket alone when the system has nothing left for a connection.
const EXHAUSTED: Duration = Duration::from_millis(200);
/// How many connections may wait to be accepted; more than the system allows is cut.
const BACKLOG: i32 = 4096;
/// The first byte of TLS.
const HANDSHAKE: u8 = 0x16;

/// The services of all machines, for as long as the value lives.
#[derive(Debug)]
pub struct Server {
    endpoints: Vec<SocketAddr>,
    layout: Layout,
    group: usize,
    _tasks: JoinSet<()>,
}

/// How services are put on the network.
#[derive(Debug, Clone)]
pub struct Serving {
    pub layout: Layout,
    pub options: Arc<Options>,
    /// How many machines are behind one service.
    pub group: usize,
    pub tls: Arc<ServerConfig>,
}

impl Server {
    pub async fn start(machines: &Machines, serving: Serving) -> io::Result<Self> {
        let group = serving.group.max(1);
        let count = machines.len().div_ceil(group);
        let count = u32::try_from(count).map_err(io::Error::other)?;
        let layout = serving.layout;
        let desk = Arc::new(Desk {
            machines: Arc::clone(machines),
            group,
            layout,
            options: serving.options,
            tls: TlsAcceptor::from(serving.tls),
        });
        let mut tasks = JoinSet::new();
        let mut endpoints = Vec::new();
        match layout {
            Layout::Ports { .. } => {
                for index in 0..count {
                    let listener = TcpListener::bind(layout.endpoint(index)?).await?;
                    endpoints.push(listener.local_addr()?);
                    tasks.spawn(accept(Arc::clone(&desk), listener, Some(index)));
                }
            }
            Layout::Addresses { port, .. } => {
                layout.endpoint(count.saturating_sub(1))?;
                let listener = wildcard(port)?;
                let port = listener.local_addr()?.port();
                endpoints.push((layout.endpoint(0)?.ip(), port).into());
                tasks.spawn(accept(desk, listener, None));
            }
        }
        Ok(Self {
            endpoints,
            layout,
            group,
            _tasks: tasks,
        })
    }

    /// Where the service of a machine is.
    pub fn endpoint(&self, machine: u32) -> Option<SocketAddr> {
        let service = usize::try_from(machine).ok()? / self.group;
        match self.layout {
            Layout::Ports { .. } => self.endpoints.get(service).copied(),
            Layout::Addresses { .. } => {
                let address = self
                    .layout
                    .endpoint(u32::try_from(service).ok()?)
                    .ok()?
                    .ip();
                Some((address, self.endpoints.first()?.port()).into())
            }
        }
    }
}

/// A socket for all addresses of the loopback device; nothing from outside reaches it.
fn wildcard(port: u16) -> io::Result<TcpListener> {
    let socket = socket2::Socket::new(Domain::IPV4, Type::STREAM, Some(Protocol::TCP))?;
    socket.bind_device(Some(b"lo"))?;
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    let all = SocketAddr::from((Ipv4Addr::UNSPECIFIED, port));
    socket.bind(&SockAddr::from(all))?;
    socket.listen(BACKLOG)?;
    TcpListener::from_std(socket.into())
}

/// What every connection needs.
struct Desk {
    machines: Machines,
    group: usize,
    layout: Layout,
    options: Arc<Options>,
    tls: TlsAcceptor,
}

impl Desk {
    /// The machines behind a service.
    fn site(&self, service: u32) -> Option<Site> {
        let first = usize::try_from(service).ok()?.checked_mul(self.group)?;
        let machines: Vec<Arc<Machine>> = self
            .machines
            .iter()
            .skip(first)
            .take(self.group)
            .map(Arc::clone)
            .collect();
        Site::new(machines, Arc::clone(&self.options))
    }

    fn service_at(&self, address: IpAddr) -> Option<u32> {
        self.layout.index(address)
    }
}

async fn accept(desk: Arc<Desk>, listener: TcpListener, service: Option<u32>) {
    // Connections end with the task.
    let mut connections = JoinSet::new();
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!("cannot accept a connection: {error}");
                sleep(EXHAUSTED).await;
                continue;
            }
        };
        while connections.try_join_next().is_some() {}
        let called = stream.local_addr().ok().map(|address| address.ip());
        let service = service.or_else(|| desk.service_at(called?));
        let site = service.and_then(|service| desk.site(service));
        let Some(site) = site.filter(|site| !site.host().is_bmc_away()) else {
            // Reset (RST) instead of close, as if the host were gone; a close would look like a bad
            // answer.
            let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
            continue;
        };
        connections.spawn(connection(stream, site, desk.tls.clone()));
    }
}

async fn connection(stream: TcpStream, site: Site, tls: TlsAcceptor) {
    // Answers are written in one go, so nothing is gained by waiting for more.
    let _ = stream.set_nodelay(true);
    let mut first = [0];
    let peeked = timeout(PATIENCE, stream.peek(&mut first)).await;
    if !matches!(peeked, Ok(Ok(1))) {
        return;
    }
    if first == [HANDSHAKE] {
        if let Ok(Ok(stream)) = timeout(PATIENCE, tls.accept(stream)).await {
            talk(stream, site).await;
        }
    } else {
        talk(stream, site).await;
    }
}

async fn talk(stream: impl AsyncRead + AsyncWrite + Unpin + 'static, site: Site) {
    let answer = service_fn(|request: hyper::Request<Incoming>| delivery::answer(&site, request));
    let ended = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), answer)
        .await;
    if let Err(error) = ended {
        tracing::trace!("connection error: {error}");
    }
}

#[cfg(test)]
mod tests;
