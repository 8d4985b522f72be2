//! HTTPS: the certificate we show, and whose certificates we ask for.
//!
//! The files are looked at again with each connection, and read again when they have changed, so
//! that a renewed certificate needs no restart. A change that cannot be used is reported once and
//! the old certificate kept: half of a renewal (a new certificate beside the old key) is such a
//! change, and over a moment later.

#![expect(
    clippy::disallowed_methods,
    reason = "only called from threads that may wait"
)]

use crate::settings::Tls;
use rustls::{
    CipherSuite, RootCertStore, ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::WebPkiClientVerifier,
    version::{TLS12, TLS13},
};
use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};
use tokio::task::spawn_blocking;
use tokio_rustls::TlsAcceptor;

/// Why HTTPS cannot be set up.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TlsError {
    #[error("cannot read {path}")]
    Unreadable {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("no PEM {what} in {path}")]
    NotPem { path: PathBuf, what: &'static str },
    #[error("certificate {certificate} and key {key} do not match")]
    Unusable {
        certificate: PathBuf,
        key: PathBuf,
        #[source]
        source: rustls::Error,
    },
    #[error(
        "unknown cipher '{name}' in [api]server_tls_ciphers; supported: {}",
        names()
    )]
    Cipher { name: String },
    #[error("cannot verify client certificates with {path}: {reason}")]
    Authorities { path: PathBuf, reason: String },
}

/// The certificate in use, and the files it came from.
#[derive(Debug)]
pub(crate) struct Certificate {
    files: Tls,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    /// What the files looked like when they were last read, with or without success.
    stamps: Vec<Stamp>,
    config: Arc<ServerConfig>,
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded").finish_non_exhaustive()
    }
}

/// What detects a changed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp(Option<(SystemTime, u64)>);

impl Stamp {
    fn of(path: &Path) -> Self {
        let entry = fs::metadata(path);
        Self(entry.ok().and_then(|e| Some((e.modified().ok()?, e.len()))))
    }
}

impl Certificate {
    pub(crate) fn open(files: Tls) -> Result<Self, TlsError> {
        let stamps = stamps(&files);
        let config = load(&files)?;
        let loaded = Mutex::new(Loaded { stamps, config });
        Ok(Self { files, loaded })
    }

    /// What the next connection is to be greeted with.
    pub(crate) async fn acceptor(&self) -> TlsAcceptor {
        let (files, before) = (self.files.clone(), self.loaded().stamps.clone());
        // Neither on this thread nor while others wait for the lock.
        let looked = spawn_blocking(move || {
            let stamps = stamps(&files);
            (stamps != before).then(|| (stamps, load(&files)))
        });
        let looked = looked.await;
        let mut loaded = self.loaded();
        // Another connection may have been faster.
        if let Ok(Some((stamps, found))) = looked
            && stamps != loaded.stamps
        {
            loaded.stamps = stamps;
            match found {
                Ok(config) => {
                    tracing::info!("reloaded the TLS certificate");
                    loaded.config = config;
                }
                Err(error) => tracing::warn!(
                    "reload failed, keeping the old TLS certificate: {}",
                    types::error::chain(&error)
                ),
            }
        }
        TlsAcceptor::from(Arc::clone(&loaded.config))
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamps(files: &Tls) -> Vec<Stamp> {
    let paths = [&files.certificate, &files.key].into_iter();
    paths
        .chain(&files.clients)
        .map(|path| Stamp::of(path))
        .collect()
}

fn load(files: &Tls) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = certificates(&files.certificate)?;
    let not_a_key = || TlsError::NotPem {
        path: files.key.clone(),
        what: "private key",
    };
    let key = PrivateKeyDer::from_pem_slice(&read(&files.key)?).map_err(|_| not_a_key())?;
    let provider = Arc::new(provider(files.ciphers.as_deref())?);
    let versions: &[_] = if files.tls_1_2 {
        &[&TLS13, &TLS12]
    } else {
        &[&TLS13]
    };
    let unusable = |source| TlsError::Unusable {
        certificate: files.certificate.clone(),
        key: files.key.clone(),
        source,
    };
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(unusable)?;
    let builder = match &files.clients {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let refused = |reason: String| TlsError::Authorities {
                path: path.clone(),
                reason,
            };
            let mut roots = RootCertStore::empty();
            for authority in certificates(path)? {
                roots.add(authority).map_err(|e| refused(e.to_string()))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .build()
                .map_err(|e| refused(e.to_string()))?;
            builder.with_client_cert_verifier(verifier)
        }
    };
    let mut config = builder.with_single_cert(chain, key).map_err(unusable)?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// What can be had, by the names of OpenSSL, and whether TLS 1.2 has it rather than 1.3.
const SUITES: &[(&str, CipherSuite, bool)] = &[
    (
        "TLS_AES_256_GCM_SHA384",
        CipherSuite::TLS13_AES_256_GCM_SHA384,
        false,
    ),
    (
        "TLS_AES_128_GCM_SHA256",
        CipherSuite::TLS13_AES_128_GCM_SHA256,
        false,
    ),
    (
        "TLS_CHACHA20_POLY1305_SHA256",
        CipherSuite::TLS13_CHACHA20_POLY1305_SHA256,
        false,
    ),
    (
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384,
        true,
    ),
    (
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256,
        true,
    ),
    (
        "ECDHE-ECDSA-CHACHA20-POLY1305",
        CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256,
        true,
    ),
    (
        "ECDHE-RSA-AES256-GCM-SHA384",
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        true,
    ),
    (
        "ECDHE-RSA-AES128-GCM-SHA256",
        CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        true,
    ),
    (
        "ECDHE-RSA-CHACHA20-POLY1305",
        CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        true,
    ),
];

fn names() -> String {
    let names: Vec<&str> = SUITES.iter().map(|(name, ..)| *name).collect();
    names.join(", ")
}

/// The cryptography of `ring`, less what the operator did not name.
///
/// The patterns of OpenSSL (`HIGH`, `!aNULL` and so on) are not understood: what they stand for
/// depends on the version of OpenSSL.
fn provider(ciphers: Option<&str>) -> Result<CryptoProvider, TlsError> {
    let mut provider = ring::default_provider();
    let named = ciphers.unwrap_or_default().split([':', ',', ' ']);
    let mut chosen = Vec::new();
    for name in named.filter(|name| !name.is_empty()) {
        let known = SUITES.iter().find(|(known, ..)| *known == name);
        chosen.push(known.ok_or_else(|| TlsError::Cipher {
            name: name.to_owned(),
        })?);
    }
    provider.cipher_suites.retain(|suite| {
        let is_old = suite.tls13().is_none();
        // Naming only suites of one version says nothing about the other.
        let mut of_version = chosen
            .iter()
            .filter(|(_, _, old)| *old == is_old)
            .peekable();
        of_version.peek().is_none() || of_version.any(|(_, id, _)| *id == suite.suite())
    });
    Ok(provider)
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let text = read(path)?;
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&text).collect();
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(TlsError::NotPem {
            path: path.to_owned(),
            what: "certificate",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        listen::{Limits, Socket},
        settings::{Access, Address},
    };
    use axum::{Router, routing::get};
    use rustls::{ClientConfig, pki_types::ServerName};
    use std::{net::SocketAddr, time::Duration};
    use tempfile::TempDir;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::TcpStream,
        task::JoinHandle,
    };
    use tokio_rustls::{TlsConnector, client::TlsStream};
    use tokio_util::sync::CancellationToken;

    fn sample(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("testdata/tls")
            .join(name)
    }

    /// A folder with a certificate that can be changed.
    fn files() -> (TempDir, Tls) {
        let folder = tempfile::tempdir().unwrap();
        let tls = Tls {
            certificate: folder.path().join("crt"),
            key: folder.path().join("key"),
            clients: None,
            tls_1_2: false,
            ciphers: None,
        };
        put("server", &tls);
        (folder, tls)
    }

    /// Replaces both files, the certificate first.
    fn put(name: &str, tls: &Tls) {
        fs::copy(sample(&format!("{name}.crt")), &tls.certificate).unwrap();
        fs::copy(sample(&format!("{name}.key")), &tls.key).unwrap();
    }

    struct Server {
        address: SocketAddr,
        stop: CancellationToken,
        serving: JoinHandle<()>,
    }

    impl Server {
        async fn start(tls: Tls, patience: Duration) -> Self {
            let address = Address::Tcp {
                host: "127.0.0.1".to_owned(),
                port: 0,
            };
            let socket = Socket::open(&address, &Access::Open, false).await.unwrap();
            let Socket::Tcp(_, address) = socket else {
                panic!("no port");
            };
            let limits = Limits {
                patience,
                ..Limits::default()
            };
            let router = Router::new().route("/", get(async || "here"));
            let stop = CancellationToken::new();
            let certificate = Some(Arc::new(Certificate::open(tls).unwrap()));
            let serving = tokio::spawn(socket.serve(router, limits, certificate, stop.clone()));
            Self {
                address,
                stop,
                serving,
            }
        }

        async fn connect(&self, client: ClientConfig) -> io::Result<TlsStream<TcpStream>> {
            let stream = TcpStream::connect(self.address).await?;
            let name = ServerName::try_from("localhost").unwrap();
            TlsConnector::from(Arc::new(client))
                .connect(name, stream)
                .await
        }

        async fn end(self) {
            self.stop.cancel();
            self.serving.await.unwrap();
        }
    }

    const LONG: Duration = Duration::from_secs(60);

    fn client(with_certificate: bool) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        for authority in certificates(&sample("ca.crt")).unwrap() {
            roots.add(authority).unwrap();
        }
        let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        if with_certificate {
            let key = PrivateKeyDer::from_pem_file(sample("client.key")).unwrap();
            let chain = certificates(&sample("client.crt")).unwrap();
            builder.with_client_auth_cert(chain, key).unwrap()
        } else {
            builder.with_no_client_auth()
        }
    }

    async fn ask(stream: &mut TlsStream<TcpStream>) -> io::Result<String> {
        let request = b"GET / HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    }

    fn shown(stream: &TlsStream<TcpStream>) -> Vec<u8> {
        let chain = stream.get_ref().1.peer_certificates().unwrap();
        chain[0].to_vec()
    }

    fn expected(name: &str) -> Vec<u8> {
        certificates(&sample(name)).unwrap()[0].to_vec()
    }

    #[tokio::test]
    async fn a_renewed_certificate_is_shown_without_a_restart() {
        let (_folder, tls) = files();
        let server = Server::start(tls.clone(), LONG).await;
        let mut stream = server.connect(client(false)).await.unwrap();
        assert!(ask(&mut stream).await.unwrap().ends_with("here"));
        assert_eq!(shown(&stream), expected("server.crt"));
        // Half of the change is none.
        fs::copy(sample("renewed.crt"), &tls.certificate).unwrap();
        let stream = server.connect(client(false)).await.unwrap();
        assert_eq!(shown(&stream), expected("server.crt"));
        fs::copy(sample("renewed.key"), &tls.key).unwrap();
        let mut stream = server.connect(client(false)).await.unwrap();
        assert_eq!(shown(&stream), expected("renewed.crt"));
        assert!(ask(&mut stream).await.unwrap().ends_with("here"));
        drop(stream);
        server.end().await;
    }

    #[tokio::test]
    async fn clients_need_a_certificate_where_an_authority_is_named() {
        let (_folder, mut tls) = files();
        tls.clients = Some(sample("ca.crt"));
        let server = Server::start(tls, LONG).await;
        let refused = match server.connect(client(false)).await {
            // With TLS 1.3 the refusal arrives after our side has finished.
            Ok(mut stream) => ask(&mut stream).await.map(|_| ()),
            Err(error) => Err(error),
        };
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("CertificateRequired")
        );
        let mut stream = server.connect(client(true)).await.unwrap();
        assert!(ask(&mut stream).await.unwrap().ends_with("here"));
        server.end().await;
    }

    #[tokio::test]
    async fn a_client_that_never_greets_holds_up_nobody() {
        let (_folder, tls) = files();
        let server = Server::start(tls, Duration::from_secs(2)).await;
        let mut silent = TcpStream::connect(server.address).await.unwrap();
        let mut stream = server.connect(client(false)).await.unwrap();
        assert!(ask(&mut stream).await.unwrap().ends_with("here"));
        let mut nothing = Vec::new();
        silent.read_to_end(&mut nothing).await.unwrap();
        assert_eq!(nothing, b"");
        // Neither does one that speaks plain text; it is told that this is TLS.
        let mut plain = TcpStream::connect(server.address).await.unwrap();
        plain
            .write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n")
            .await
            .unwrap();
        plain.read_to_end(&mut nothing).await.unwrap();
        assert!(nothing.starts_with(b"HTTP/1.1 400 "), "{nothing:?}");
        server.end().await;
    }

    #[tokio::test]
    async fn old_versions_are_refused_unless_allowed() {
        let old = || {
            let mut roots = RootCertStore::empty();
            roots
                .add(certificates(&sample("ca.crt")).unwrap().remove(0))
                .unwrap();
            ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_protocol_versions(&[&TLS12])
                .unwrap()
                .with_root_certificates(roots)
                .with_no_client_auth()
        };
        let (_folder, mut tls) = files();
        let server = Server::start(tls.clone(), LONG).await;
        assert!(server.connect(old()).await.is_err());
        server.end().await;
        tls.tls_1_2 = true;
        let server = Server::start(tls, LONG).await;
        let mut stream = server.connect(old()).await.unwrap();
        assert!(ask(&mut stream).await.unwrap().ends_with("here"));
        server.end().await;
    }

    #[test]
    fn what_cannot_be_served_stops_the_start() {
        let (folder, tls) = files();
        let refused = |change: &dyn Fn(&mut Tls)| {
            let mut changed = tls.clone();
            change(&mut changed);
            Certificate::open(changed).unwrap_err().to_string()
        };
        let text = refused(&|tls| tls.key = sample("renewed.key"));
        assert!(text.contains("do not match"), "{text}");
        let text = refused(&|tls| tls.key = sample("ca.crt"));
        assert!(text.contains("no PEM private key"), "{text}");
        let text = refused(&|tls| tls.certificate = folder.path().join("none"));
        assert!(text.contains("cannot read"), "{text}");
        let text = refused(&|tls| tls.clients = Some(sample("server.key")));
        assert!(text.contains("no PEM certificate"), "{text}");
        let text = refused(&|tls| tls.ciphers = Some("TLS_AES_128_GCM_SHA256:HIGH".into()));
        assert!(text.contains("unknown cipher 'HIGH'"), "{text}");
    }

    #[test]
    fn named_suites_are_all_there_is_of_their_version() {
        let suites = |names: Option<&str>| {
            let suites = provider(names).unwrap().cipher_suites;
            let old = suites
                .iter()
                .filter(|suite| suite.tls13().is_none())
                .count();
            (suites.len() - old, old)
        };
        assert_eq!(suites(None), (3, 6));
        assert_eq!(SUITES.len(), 9);
        assert_eq!(suites(Some("ECDHE-RSA-AES256-GCM-SHA384")), (3, 1));
        assert_eq!(
            suites(Some("TLS_AES_128_GCM_SHA256:ECDHE-RSA-AES128-GCM-SHA256")),
            (1, 1)
        );
    }
}
