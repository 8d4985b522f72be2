//! `corten healthcheck`: whether the service of this configuration answers on this host, for
//! containers that have no other program to ask with.
//!
//! It connects where the service listens and asks for something that needs no credentials. What is
//! served by HTTPS is only connected to: whether the certificate is good is for its clients to say.

use crate::{
    args,
    console::print,
    settings::{self, Address},
    sources,
};
use anyhow::{Context, bail};
use config::Config;
use std::{
    io::{Read, Write},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs},
    os::unix::net::UnixStream,
    process::ExitCode,
    time::Duration,
};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a conductor answers without being told a secret.
const SESSION: &str = "/corten/cluster/v1/session";

/// Where a service is, and what to ask it for.
struct Question {
    address: Address,
    /// Nothing is asked by HTTPS.
    path: Option<&'static str>,
}

pub(crate) fn run(args: &args::Healthcheck) -> anyhow::Result<ExitCode> {
    let (config, _) = sources::load(&args.common)?;
    let question = if args.conductor {
        of_conductor(&config)?
    } else {
        of_api(&config)?
    };
    match &question.address {
        Address::Unix { path, .. } => {
            let stream = UnixStream::connect(path)
                .with_context(|| format!("cannot connect to {}", path.display()))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            ask(stream, question.path)?;
        }
        Address::Tcp { host, port } => {
            let stream = connect(host, *port)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.set_write_timeout(Some(PATIENCE))?;
            ask(stream, question.path)?;
        }
    }
    print("the service answers")?;
    Ok(ExitCode::SUCCESS)
}

fn of_api(config: &Config) -> anyhow::Result<Question> {
    let path = if *config.healthcheck.enabled {
        "/healthcheck"
    } else {
        "/"
    };
    Ok(Question {
        address: settings::address(config),
        path: settings::tls(config)?.is_none().then_some(path),
    })
}

fn of_conductor(config: &Config) -> anyhow::Result<Question> {
    let cluster = settings::cluster(config)?
        .context("a separate conductor needs [corten]cluster_secret_file, which is not set")?;
    Ok(Question {
        path: cluster.tls.is_none().then_some(SESSION),
        address: cluster.address,
    })
}

/// Connects to this host; for a wildcard address, to the loopback.
fn connect(host: &str, port: u16) -> anyhow::Result<TcpStream> {
    let mut last = None;
    for address in (host, port)
        .to_socket_addrs()
        .context("cannot resolve the address")?
    {
        let ip = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
            ip => ip,
        };
        match TcpStream::connect_timeout(&SocketAddr::new(ip, port), PATIENCE) {
            Ok(stream) => return Ok(stream),
            Err(error) => last = Some(error),
        }
    }
    match last {
        Some(error) => Err(error).with_context(|| format!("cannot connect to {host}, port {port}")),
        None => bail!("DNS lookup found no address for {host}"),
    }
}

/// Asks for a path and looks at the status.
fn ask(mut stream: impl Read + Write, path: Option<&str>) -> anyhow::Result<()> {
    let Some(path) = path else { return Ok(()) };
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    )
    .context("cannot send a request to the service")?;
    let mut head = [0; 12];
    stream
        .read_exact(&mut head)
        .context("the service did not answer")?;
    match head {
        [
            b'H',
            b'T',
            b'T',
            b'P',
            b'/',
            b'1',
            b'.',
            _,
            b' ',
            b'2',
            _,
            _,
        ] => Ok(()),
        _ => bail!(
            "unhealthy: the service answered {}",
            String::from_utf8_lossy(&head)
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{self, Cursor};

    /// Takes a request and has an answer for it.
    struct Peer(Vec<u8>, Cursor<&'static [u8]>);

    impl Read for Peer {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1.read(buffer)
        }
    }

    impl Write for Peer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn asked(answer: &'static [u8]) -> anyhow::Result<()> {
        ask(Peer(Vec::new(), Cursor::new(answer)), Some("/"))
    }

    #[test]
    fn only_a_good_answer_is_health() {
        assert!(asked(b"HTTP/1.1 200 OK\r\n\r\n").is_ok());
        assert!(asked(b"HTTP/1.1 204 No Content\r\n\r\n").is_ok());
        assert!(asked(b"HTTP/1.1 503 Service Unavailable\r\n\r\n").is_err());
        assert!(asked(b"SSH-2.0-OpenSSH").is_err());
        assert!(asked(b"").is_err());
        let silent = Peer(Vec::new(), Cursor::new(b""));
        assert!(ask(silent, None).is_ok(), "HTTPS is not spoken");
    }

    #[test]
    fn who_listens_everywhere_is_found_here() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        assert!(connect("0.0.0.0", port).is_ok());
        drop(listener);
        assert!(connect("127.0.0.1", port).is_err());
    }
}
