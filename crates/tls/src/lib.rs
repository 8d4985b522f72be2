//! TLS for clients: which CAs to trust, and which certificate to present.
//!
//! A caller describes its wishes in a [`Client`] and gets a rustls configuration (with ring), which
//! reqwest, tokio-rustls and the database clients all take. Files are read when the configuration
//! is made, so a caller that makes a new one now and then picks up renewed certificates. An error
//! names the file that it is about. Async callers use [`Client::load`], which reads on other
//! threads.
//!
//! The server side of TLS is not here: each server has different requirements.

mod failure;
mod files;
mod load;
mod spoken;
mod verifier;

pub use failure::{Failure, advice, failure};
pub use files::is_blocked;
pub use rustls::ClientConfig;
pub use spoken::{Oldest, Spoken};

use files::{authorities, certificates, named_authorities, private_key};
use rustls::{
    DEFAULT_VERSIONS, RootCertStore, SupportedProtocolVersion,
    crypto::{CryptoProvider, ring},
    pki_types::CertificateDer,
};
use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};
use verifier::{Takes, Verifier};

/// Which server certificates to accept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Those signed by a CA of this machine's trust store. An empty trust store is not an error: a
    /// ramdisk often has none, and may never meet a server that needs one.
    #[default]
    Machine,
    /// Those signed by a CA in this file, or in a file of this directory.
    Path(PathBuf),
    /// The same for a path from a user of the API, who must not learn what is on this machine.
    Named(PathBuf),
    /// As [`Trust::Path`], without host name verification: for private CAs that sign nothing else.
    AnyName(PathBuf),
    /// Exactly this certificate (pinned): no CA, no host name and no expiry are checked.
    Only(CertificateDer<'static>),
    /// Any certificate (verification disabled); the server must have its private key.
    Anyone,
    /// None: for clients that never use TLS, to save reading the trust store.
    Nobody,
}

/// TLS settings of a client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Client {
    pub trust: Trust,
    /// The client certificate and its private key, for servers that ask for one.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// Why TLS cannot be set up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
    /// The reason is for the log only, not for the user who named the path.
    #[error("{path}: no readable CA certificates")]
    Unusable { path: String, reason: String },
    #[error("cannot set up TLS: {0}")]
    Setup(String),
    #[error("unknown TLS ciphers '{0}': none of them is supported")]
    Ciphers(String),
}

impl TlsError {
    fn file(path: &Path, reason: &dyn fmt::Display) -> Self {
        Self::File {
            path: path.display().to_string(),
            reason: reason.to_string(),
        }
    }

    fn setup(error: rustls::Error) -> Self {
        Self::Setup(error.to_string())
    }
}

impl From<Trust> for Client {
    fn from(trust: Trust) -> Self {
        Self {
            trust,
            certificate: None,
        }
    }
}

impl Client {
    /// The configuration for rustls. Reads files: blocks.
    pub fn config(&self) -> Result<ClientConfig, TlsError> {
        self.config_with(ring::default_provider(), DEFAULT_VERSIONS)
    }

    /// The same, for callers with a choice of ciphers and versions of their own.
    pub fn config_with(
        &self,
        provider: CryptoProvider,
        versions: &[&'static SupportedProtocolVersion],
    ) -> Result<ClientConfig, TlsError> {
        let provider = Arc::new(provider);
        let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_protocol_versions(versions)
            .map_err(TlsError::setup)?;
        let less = match &self.trust {
            Trust::Machine | Trust::Nobody => None,
            Trust::Path(_) | Trust::Named(_) => Some(Takes::Roots(self.trust.authorities()?)),
            Trust::AnyName(_) => Some(Takes::AnyName(self.trust.authorities()?)),
            Trust::Only(certificate) => Some(Takes::Only(certificate.clone())),
            Trust::Anyone => Some(Takes::Anyone),
        };
        let builder = match less {
            None => builder.with_root_certificates(self.trust.authorities()?),
            Some(takes) => builder
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Verifier { takes, provider })),
        };
        let Some((certificate, key)) = &self.certificate else {
            return Ok(builder.with_no_client_auth());
        };
        let chain = certificates(certificate)?;
        builder
            .with_client_auth_cert(chain, private_key(key)?)
            .map_err(|error| TlsError::file(certificate, &error))
    }
}

impl Trust {
    fn authorities(&self) -> Result<RootCertStore, TlsError> {
        match self {
            Self::Machine => {
                let mut roots = RootCertStore::empty();
                // One unreadable file among them does not make the others useless.
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                Ok(roots)
            }
            Self::Path(path) | Self::AnyName(path) => authorities(path),
            Self::Named(path) => named_authorities(path),
            Self::Only(_) | Self::Anyone | Self::Nobody => Ok(RootCertStore::empty()),
        }
    }
}

#[cfg(test)]
mod tests;
