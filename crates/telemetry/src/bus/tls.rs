//! TLS towards the bus and towards collectors: rustls, and always with a look at the server's certificate.

use rustls::{
    ClientConfig, RootCertStore,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};
use tokio_rustls::TlsConnector;

/// Options `ssl_…` of `[oslo_messaging_rabbit]`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TlsSettings {
    /// Authorities to trust; those of the machine if absent.
    pub ca_file: Option<PathBuf>,
    /// Our own certificate, for servers that ask for one, and its key.
    pub certificate: Option<(PathBuf, PathBuf)>,
}

/// Why TLS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    #[error("{file} cannot be used: {reason}")]
    File { file: String, reason: String },
    #[error("{0}")]
    Setup(String),
}

pub(super) fn connector(settings: &TlsSettings) -> Result<TlsConnector, TlsError> {
    Ok(TlsConnector::from(Arc::new(client_config(settings)?)))
}

/// What a client of TLS needs to know.
pub(crate) fn client_config(settings: &TlsSettings) -> Result<ClientConfig, TlsError> {
    let setup = |error: rustls::Error| TlsError::Setup(error.to_string());
    let mut roots = RootCertStore::empty();
    match &settings.ca_file {
        Some(file) => {
            for certificate in certificates(file)? {
                roots
                    .add(certificate)
                    .map_err(|error| unusable(file, &error))?;
            }
        }
        // One unreadable file among the machine's roots does not make the others useless.
        None => {
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(setup)?
        .with_root_certificates(roots);
    Ok(match &settings.certificate {
        Some((certificate, key)) => {
            let chain = certificates(certificate)?;
            let key = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
            builder.with_client_auth_cert(chain, key).map_err(setup)?
        }
        None => builder.with_no_client_auth(),
    })
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Vec<_> = CertificateDer::pem_file_iter(file)
        .map_err(|error| unusable(file, &error))?
        .collect::<Result<_, _>>()
        .map_err(|error| unusable(file, &error))?;
    if found.is_empty() {
        return Err(unusable(file, &"there is no certificate in it"));
    }
    Ok(found)
}

fn unusable(file: &Path, reason: &dyn std::fmt::Display) -> TlsError {
    TlsError::File {
        file: file.display().to_string(),
        reason: reason.to_string(),
    }
}
