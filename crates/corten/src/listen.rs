//! The socket that requests come in by, and the rule that guards it.
//!
//! Whoever reaches an API without authentication can erase every machine, so such an API is only
//! opened to this machine unless the operator insists.

#![expect(
    clippy::disallowed_methods,
    reason = "sockets are files; made before anything is served, and removed at the end"
)]

mod connection;
mod crowd;
mod plain;
mod responder;
mod stall;
mod tls;

pub(crate) use connection::{Limits, open_files};
pub(crate) use responder::Responder;
pub(crate) use tls::Certificate;

use crate::settings::{Access, Address};
use std::{
    fs, io,
    net::{SocketAddr, ToSocketAddrs},
    os::unix::fs::{FileTypeExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;

/// Requests cannot be taken.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListenError {
    #[error(
        "refusing to listen on {0} without authentication: whoever can reach it could erase every \
         machine. Set auth_strategy=local (or http_basic) in [DEFAULT], or host_ip=127.0.0.1 in [api], or \
         confirm with --insecure"
    )]
    Exposed(SocketAddr),
    #[error("cannot resolve the address {host}")]
    Unresolved {
        host: String,
        #[source]
        source: io::Error,
    },
    #[error("DNS lookup found no address for {0}")]
    NoAddress(String),
    #[error("cannot listen on {address}")]
    Bind {
        address: String,
        #[source]
        source: io::Error,
    },
}

/// A socket that is open already; nothing is answered yet.
#[derive(Debug)]
pub(crate) enum Socket {
    Tcp(TcpListener, SocketAddr),
    Unix(UnixListener, PathBuf),
}

impl Socket {
    /// The address as clients write it.
    pub(crate) fn url(&self, is_secure: bool) -> String {
        let scheme = if is_secure { "https" } else { "http" };
        match self {
            Self::Tcp(_, address) => format!("{scheme}://{address}"),
            Self::Unix(_, path) => format!("unix:{}", path.display()),
        }
    }

    /// Opens the socket, unless that would expose an unguarded API beyond this machine.
    pub(crate) async fn open(
        address: &Address,
        access: &Access,
        insecure: bool,
    ) -> Result<Self, ListenError> {
        if let (Address::Tcp { host, port }, Access::Open) = (address, access) {
            match refuse_exposure(&resolve(host, *port)?) {
                Err(ListenError::Exposed(address)) if insecure => {
                    tracing::warn!(
                        "no authentication (--insecure): everybody who can reach {address} has full access"
                    );
                }
                other => other?,
            }
        }
        Self::open_guarded(address).await
    }

    /// Opens a socket for a service that authenticates its clients.
    pub(crate) async fn open_guarded(address: &Address) -> Result<Self, ListenError> {
        match address {
            Address::Tcp { host, port } => {
                let resolved = resolve(host, *port)?;
                open_tcp(&resolved, host, *port).await
            }
            Address::Unix { path, mode } => open_unix(path, *mode),
        }
    }

    /// Whether it is an address by which no other machine comes in, and browsers on this one do.
    pub(crate) fn is_local_only(&self) -> bool {
        match self {
            Self::Tcp(_, address) => address.ip().is_loopback(),
            Self::Unix(..) => false,
        }
    }

    /// The port, if it has one.
    pub(crate) fn port(&self) -> Option<u16> {
        match self {
            Self::Tcp(_, address) => Some(address.port()),
            Self::Unix(..) => None,
        }
    }

    /// Answers requests until `stop`, and then until those under way are answered.
    pub(crate) async fn serve(
        self,
        responder: impl Into<Responder>,
        limits: Limits,
        certificate: Option<Arc<Certificate>>,
        stop: CancellationToken,
    ) {
        let file = match &self {
            Self::Tcp(..) => None,
            Self::Unix(_, path) => Some(path.clone()),
        };
        connection::serve(self, responder.into(), limits, certificate, stop).await;
        if let Some(path) = file {
            // The next start would remove it as well.
            let _ = fs::remove_file(path);
        }
    }
}

fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, ListenError> {
    let resolved = (host, port)
        .to_socket_addrs()
        .map_err(|source| ListenError::Unresolved {
            host: host.to_owned(),
            source,
        })?;
    Ok(resolved.collect())
}

fn refuse_exposure(addresses: &[SocketAddr]) -> Result<(), ListenError> {
    let beyond = |address: &&SocketAddr| !address.ip().to_canonical().is_loopback();
    match addresses.iter().find(beyond) {
        Some(address) => Err(ListenError::Exposed(*address)),
        None => Ok(()),
    }
}

async fn open_tcp(addresses: &[SocketAddr], host: &str, port: u16) -> Result<Socket, ListenError> {
    if addresses.is_empty() {
        return Err(ListenError::NoAddress(host.to_owned()));
    }
    let open = async {
        let listener = TcpListener::bind(addresses).await?;
        let address = listener.local_addr()?;
        Ok(Socket::Tcp(listener, address))
    };
    open.await.map_err(|source| ListenError::Bind {
        address: format!("{host}:{port}"),
        source,
    })
}

fn open_unix(path: &Path, mode: Option<u32>) -> Result<Socket, ListenError> {
    let open = || -> io::Result<UnixListener> {
        // What a process that was killed left behind; nothing but a socket is ever removed.
        if fs::symlink_metadata(path).is_ok_and(|entry| entry.file_type().is_socket()) {
            fs::remove_file(path)?;
        }
        let listener = UnixListener::bind(path)?;
        if let Some(mode) = mode {
            fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        }
        Ok(listener)
    };
    let listener = open().map_err(|source| ListenError::Bind {
        address: path.display().to_string(),
        source,
    })?;
    Ok(Socket::Unix(listener, path.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::{Router, routing::get};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
    };

    fn tcp(host: &str) -> Address {
        Address::Tcp {
            host: host.to_owned(),
            port: 0,
        }
    }

    #[tokio::test]
    async fn an_open_api_stays_on_this_machine_unless_confirmed() {
        for host in ["0.0.0.0", "::"] {
            let refused = Socket::open(&tcp(host), &Access::Open, false).await;
            assert!(matches!(refused, Err(ListenError::Exposed(_))), "{host}");
        }
        for host in ["127.0.0.1", "127.3.2.1", "localhost"] {
            assert!(Socket::open(&tcp(host), &Access::Open, false).await.is_ok());
        }
        let basic = Access::Basic { users: "/u".into() };
        assert!(Socket::open(&tcp("0.0.0.0"), &basic, false).await.is_ok());
        assert!(
            Socket::open(&tcp("0.0.0.0"), &Access::Open, true)
                .await
                .is_ok()
        );
    }

    #[test]
    fn loopback_in_disguise_is_loopback() {
        let loopback = ["127.0.0.1:1", "[::1]:1", "[::ffff:127.0.0.1]:1"];
        let loopback = loopback.map(|address| address.parse().unwrap());
        assert!(refuse_exposure(&loopback).is_ok());
        assert!(refuse_exposure(&["[::ffff:10.0.0.1]:1".parse().unwrap()]).is_err());
        // A name with several addresses is as open as the most open of them.
        let both = ["127.0.0.1:1", "10.0.0.1:1"].map(|address| address.parse().unwrap());
        assert!(refuse_exposure(&both).is_err());
    }

    #[tokio::test]
    async fn a_taken_port_is_named() {
        let first = Socket::open(&tcp("127.0.0.1"), &Access::Open, false)
            .await
            .unwrap();
        let Socket::Tcp(_, taken) = &first else {
            panic!("no port");
        };
        let address = Address::Tcp {
            host: "127.0.0.1".to_owned(),
            port: taken.port(),
        };
        let refused = Socket::open(&address, &Access::Open, false)
            .await
            .unwrap_err();
        assert_eq!(refused.to_string(), format!("cannot listen on {taken}"));
    }

    #[tokio::test]
    async fn a_request_under_way_is_answered_after_the_stop() {
        let socket = Socket::open(&tcp("127.0.0.1"), &Access::Open, false)
            .await
            .unwrap();
        let Socket::Tcp(_, address) = socket else {
            panic!("no port");
        };
        let stop = CancellationToken::new();
        let within = stop.clone();
        let router = Router::new().route(
            "/",
            get(move || async move {
                within.cancel();
                // Not ready before the stop has been seen.
                tokio::task::yield_now().await;
                "late"
            }),
        );
        let serving = tokio::spawn(socket.serve(router, Limits::default(), None, stop));
        let mut client = TcpStream::connect(address).await.unwrap();
        client
            .write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("late"), "{answer}");
        serving.await.unwrap();
    }

    #[tokio::test]
    async fn a_socket_left_behind_is_replaced_and_a_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
        let address = Address::Unix {
            path: path.clone(),
            mode: Some(0o600),
        };
        let socket = Socket::open(&address, &Access::Open, false).await.unwrap();
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let stop = CancellationToken::new();
        stop.cancel();
        socket
            .serve(Router::new(), Limits::default(), None, stop)
            .await;
        assert!(!path.exists());
        fs::write(&path, "mine").unwrap();
        assert!(Socket::open(&address, &Access::Open, false).await.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
}
