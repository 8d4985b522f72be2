//! HTTPS between processes: whose certificates a caller takes, and which one it shows.

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The files of a caller.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CallerTls {
    /// Whose signature the certificates of conductors must have.
    pub authorities: Option<PathBuf>,
    /// What is shown to conductors that ask for a certificate, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// A file that is of no use for TLS.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct TlsError {
    path: PathBuf,
    reason: String,
}

impl CallerTls {
    pub(crate) fn config(&self) -> Result<ClientConfig, TlsError> {
        let mut roots = RootCertStore::empty();
        if let Some(path) = &self.authorities {
            for authority in certificates(path)? {
                roots.add(authority).map_err(|error| wrong(path)(&error))?;
            }
        }
        let provider = Arc::new(ring::default_provider());
        let nowhere = Path::new("TLS");
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| wrong(nowhere)(&error))?
            .with_root_certificates(roots);
        let Some((path, key)) = &self.certificate else {
            return Ok(builder.with_no_client_auth());
        };
        let chain = certificates(path)?;
        let key = PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key)(&error))?;
        builder
            .with_client_auth_cert(chain, key)
            .map_err(|error| wrong(path)(&error))
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found = CertificateDer::pem_file_iter(path).map_err(|error| wrong(path)(&error))?;
    let found: Result<Vec<_>, _> = found.collect();
    let found = found.map_err(|error| wrong(path)(&error))?;
    if found.is_empty() {
        return Err(wrong(path)(&"it holds no certificate"));
    }
    Ok(found)
}

fn wrong(path: &Path) -> impl Fn(&dyn std::fmt::Display) -> TlsError {
    let path = path.to_owned();
    move |reason| TlsError {
        path: path.clone(),
        reason: reason.to_string(),
    }
}
