//! TLS for clients: which authorities to trust, and which certificate to present.
//!
//! Whoever calls somebody over TLS says it with a [`Client`] and gets rustls's configuration, with
//! ring underneath; reqwest, tokio-rustls and the clients of databases all take that. Files are
//! read when the configuration is made, so a caller that makes a new one now and then follows
//! renewed certificates. An error names the file that it is about. Callers on a runtime use
//! [`Client::load`], which reads elsewhere.
//!
//! Serving TLS is not here: each server has wishes of its own.

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

/// Whom to take for the server.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub enum Trust {
    /// Whoever an authority of this machine vouches for. A machine without authorities is no
    /// error: a ramdisk often has none, and may never meet a server that needs them.
    #[default]
    Machine,
    /// Whoever an authority in this file, or in a file of this directory, vouches for.
    Path(PathBuf),
    /// The same, where the path comes from somebody who is not to learn what is on this machine.
    Named(PathBuf),
    /// As [`Trust::Path`], by whatever name: for authorities that vouch for nobody else.
    AnyName(PathBuf),
    /// Whoever shows exactly this certificate, and has its key: there is no authority to ask, no
    /// name to compare, and what time it is does not matter.
    Only(CertificateDer<'static>),
    /// Anyone, as long as they have the key of the certificate that they show.
    Anyone,
    /// Nobody: for clients that are not meant to meet TLS, and would otherwise read authorities in
    /// vain.
    Nobody,
}

/// A client of TLS.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Client {
    pub trust: Trust,
    /// What is shown to servers that ask for a certificate, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// Why there is no TLS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    #[error("{path}: {reason}")]
    File { path: String, reason: String },
    /// The reason is for the log, not for whoever named the path.
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
    /// What rustls needs to know. Blocks where files are read.
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
