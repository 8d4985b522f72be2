//! The HTTP client, with its roots of trust spelled out.
//!
//! The roots are the machine's, or those of the file named; they are only read when the address
//! is https, because reading them takes longer than most commands. Redirects are not followed: a
//! token must not travel to a host nobody named.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};

use crate::endpoint::Tls;
use crate::error::Error;

/// Longer than any answer the service takes its time for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(600);

/// A client for the service at this address.
pub(crate) fn http_client(base: &str, tls: &Tls) -> Result<reqwest::Client, Error> {
    let secure = base.starts_with("https://");
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("corten/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(20))
        .timeout(PATIENCE)
        .tls_backend_preconfigured(config(tls, secure)?);
    if is_loopback(base) {
        // No proxy can reach our own loopback.
        builder = builder.no_proxy();
    }
    builder
        .build()
        .map_err(|error| Error::failed(format!("cannot set up HTTP: {error}")))
}

fn is_loopback(base: &str) -> bool {
    reqwest::Url::parse(base)
        .ok()
        .is_some_and(|url| match url.host_str() {
            Some("localhost") => true,
            Some(host) => host
                .trim_matches(['[', ']'])
                .parse::<std::net::IpAddr>()
                .is_ok_and(|address| address.is_loopback()),
            None => false,
        })
}

fn config(tls: &Tls, secure: bool) -> Result<ClientConfig, Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::failed(format!("cannot set up TLS: {error}")))?;
    let builder = if tls.insecure {
        builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anyone { provider }))
    } else {
        builder.with_root_certificates(if secure {
            roots(tls)?
        } else {
            RootCertStore::empty()
        })
    };
    match &tls.identity {
        Some((cert, key)) if secure => {
            let chain = certificates(cert)?;
            let key = PrivateKeyDer::from_pem_file(key)
                .map_err(|error| Error::usage(format!("no key in {}: {error}", key.display())))?;
            builder
                .with_client_auth_cert(chain, key)
                .map_err(|error| Error::usage(format!("{}: {error}", cert.display())))
        }
        _ => Ok(builder.with_no_client_auth()),
    }
}

fn roots(tls: &Tls) -> Result<RootCertStore, Error> {
    let mut roots = RootCertStore::empty();
    match &tls.cacert {
        Some(file) => {
            for certificate in certificates(file)? {
                roots
                    .add(certificate)
                    .map_err(|error| Error::usage(format!("{}: {error}", file.display())))?;
            }
        }
        None => {
            // One unreadable file among the machine's roots does not make the others useless.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    Ok(roots)
}

fn certificates(file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let wrong = |error: &dyn std::fmt::Display| {
        Error::usage(format!("no certificates in {}: {error}", file.display()))
    };
    let found: Vec<_> = CertificateDer::pem_file_iter(file)
        .map_err(|error| wrong(&error))?
        .collect::<Result<_, _>>()
        .map_err(|error| wrong(&error))?;
    if found.is_empty() {
        Err(wrong(&"there is none"))
    } else {
        Ok(found)
    }
}

/// Takes any certificate, which is what `--insecure` asks for. The signatures of the handshake
/// are still checked, so that the peer at least owns the certificate it shows.
#[derive(Debug)]
struct Anyone {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_told_by_its_address() {
        for (base, expected) in [
            ("http://127.0.0.1:6385", true),
            ("http://[::1]:6385", true),
            ("https://localhost", true),
            ("http://10.0.0.1", false),
            ("http://loop.example", false),
        ] {
            assert_eq!(is_loopback(base), expected, "{base}");
        }
    }

    #[test]
    fn a_file_without_certificates_is_a_usage_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        for path in [file.path(), Path::new("/no/such/file.pem")] {
            let tls = Tls {
                cacert: Some(path.to_owned()),
                ..Tls::default()
            };
            assert_eq!(config(&tls, true).unwrap_err().exit_code(), 2);
            assert!(config(&tls, false).is_ok());
        }
    }

    #[test]
    fn the_machines_roots_and_no_roots_at_all_both_build() {
        assert!(config(&Tls::default(), true).is_ok());
        assert!(
            config(
                &Tls {
                    insecure: true,
                    ..Tls::default()
                },
                true
            )
            .is_ok()
        );
    }
}
