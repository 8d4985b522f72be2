//! The client's side of TLS: whom to take for the server, and which certificate to show it.
//!
//! Whoever calls somebody over TLS says it with a [`Client`] and gets rustls's configuration, with
//! ring underneath; reqwest, tokio-rustls and the clients of databases all take that. Files are
//! read when the configuration is made, so a caller that makes a new one now and then follows
//! renewed certificates. An error names the file that it is about.
//!
//! Serving TLS is not here: each server has wishes of its own.

mod verifier;

use rustls::{
    ClientConfig, DEFAULT_VERSIONS, RootCertStore, SupportedProtocolVersion,
    crypto::{CryptoProvider, ring},
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject},
    },
};
use std::{
    fmt, fs,
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
    /// The same, by whatever name: for authorities that vouch for nobody else.
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
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
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
    /// What rustls needs to know.
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
            Trust::Machine | Trust::Path(_) | Trust::Nobody => None,
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
            Self::Only(_) | Self::Anyone | Self::Nobody => Ok(RootCertStore::empty()),
        }
    }
}

/// The authorities of a file, or of all files of a directory.
fn authorities(path: &Path) -> Result<RootCertStore, TlsError> {
    let mut roots = RootCertStore::empty();
    if path.is_dir() {
        let wrong = |error| TlsError::file(path, &error);
        for entry in fs::read_dir(path).map_err(wrong)? {
            // Other files may lie there too.
            let found = certificates(&entry.map_err(wrong)?.path());
            roots.add_parsable_certificates(found.into_iter().flatten());
        }
        if roots.is_empty() {
            return Err(TlsError::file(
                path,
                &"there is no certificate in its files",
            ));
        }
    } else {
        for certificate in certificates(path)? {
            let added = roots.add(certificate);
            added.map_err(|error| TlsError::file(path, &error))?;
        }
    }
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_file_iter(path).and_then(Iterator::collect);
    match found {
        Ok(found) if !found.is_empty() => Ok(found),
        Ok(_) => Err(TlsError::file(path, &"there is no certificate in it")),
        Err(error) => Err(unreadable(path, &error)),
    }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, TlsError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| match error {
        pem::Error::NoItemsFound => TlsError::file(path, &"there is no private key in it"),
        error => unreadable(path, &error),
    })
}

fn unreadable(path: &Path, error: &pem::Error) -> TlsError {
    match error {
        pem::Error::Io(error) => TlsError::file(path, error),
        error => TlsError::file(path, error),
    }
}

#[cfg(test)]
mod tests;
