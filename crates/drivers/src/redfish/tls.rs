//! TLS towards BMCs: whom to trust, and what to speak.
//!
//! Ciphers are written as OpenSSL writes them, because that is what operators' files hold. Only
//! suites of TLS 1.2 can be chosen by them, as there; what the list excludes by keyword is not
//! offered here anyway. TLS 1.1 is not spoken at all: a minimum of 1.1 means 1.2.

use super::info::{Tls, TlsVersion, Verify};
use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme, SupportedCipherSuite,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
    version::{TLS12, TLS13},
};
use std::{fs, path::Path, sync::Arc};

/// Why there is no TLS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    #[error("no authorities in {path}: {cause}")]
    Authorities { path: String, cause: String },
    #[error("none of the TLS ciphers '{0}' is known")]
    Ciphers(String),
    #[error("TLS cannot be set up: {0}")]
    Setup(String),
}

pub(super) fn config(tls: &Tls) -> Result<ClientConfig, TlsError> {
    let mut provider = ring::default_provider();
    if let Some(ciphers) = &tls.ciphers {
        let is_wanted = |suite: &SupportedCipherSuite| {
            suite.version() == &TLS13 || wants(ciphers, &openssl_name(suite))
        };
        provider.cipher_suites.retain(is_wanted);
        let is_12 = |suite: &SupportedCipherSuite| suite.version() == &TLS12;
        if !provider.cipher_suites.iter().any(is_12) {
            return Err(TlsError::Ciphers(ciphers.clone()));
        }
    }
    let provider = Arc::new(provider);
    let versions: &[_] = match tls.minimum {
        Some(TlsVersion::V13) => &[&TLS13],
        _ => &[&TLS13, &TLS12],
    };
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_protocol_versions(versions)
        .map_err(|error| TlsError::Setup(error.to_string()))?;
    let builder = match &tls.verify {
        Verify::Off => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anybody { provider })),
        Verify::System => {
            let mut roots = RootCertStore::empty();
            // One unreadable file among the machine's roots does not make the others useless.
            roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            builder.with_root_certificates(roots)
        }
        Verify::Path(path) => builder.with_root_certificates(roots(path)?),
    };
    Ok(builder.with_no_client_auth())
}

/// The authorities of a file, or of all files of a directory.
fn roots(path: &Path) -> Result<RootCertStore, TlsError> {
    let wrong = |cause: &dyn std::fmt::Display| TlsError::Authorities {
        path: path.display().to_string(),
        cause: cause.to_string(),
    };
    let mut roots = RootCertStore::empty();
    if path.is_dir() {
        for entry in fs::read_dir(path).map_err(|error| wrong(&error))? {
            let file = entry.map_err(|error| wrong(&error))?.path();
            // Other files may lie there too.
            let found = CertificateDer::pem_file_iter(&file);
            let found = found.into_iter().flatten().filter_map(Result::ok);
            roots.add_parsable_certificates(found);
        }
    } else {
        let found = CertificateDer::pem_file_iter(path).map_err(|error| wrong(&error))?;
        for certificate in found {
            let certificate = certificate.map_err(|error| wrong(&error))?;
            roots.add(certificate).map_err(|error| wrong(&error))?;
        }
    }
    if roots.is_empty() {
        return Err(wrong(&"there is none"));
    }
    Ok(roots)
}

/// `ECDHE-RSA-AES256-GCM-SHA384` for `TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384`.
fn openssl_name(suite: &SupportedCipherSuite) -> String {
    let name = format!("{:?}", suite.suite());
    let name = name.trim_start_matches("TLS_").replace("_WITH_", "-");
    let name = name.replace("AES_", "AES").replace('_', "-");
    // OpenSSL leaves out the hash of this family.
    name.replace("POLY1305-SHA256", "POLY1305")
}

/// Whether an OpenSSL list of ciphers lets a suite through: by its name, or by keywords.
fn wants(list: &str, suite: &str) -> bool {
    let mut wanted = false;
    for entry in list
        .split([':', ',', ' '])
        .filter(|entry| !entry.is_empty())
    {
        let (excludes, entry) = match entry.strip_prefix(['!', '-']) {
            Some(rest) => (true, rest),
            None => (false, entry.trim_start_matches('+')),
        };
        let entry = entry.split('@').next().unwrap_or_default();
        let matches = entry == suite || entry.split('+').all(|word| is_of(word, suite));
        match (matches, excludes) {
            (true, true) => return false,
            (true, false) => wanted = true,
            _ => {}
        }
    }
    wanted
}

fn is_of(keyword: &str, suite: &str) -> bool {
    match keyword {
        "ALL" | "DEFAULT" | "HIGH" | "COMPLEMENTOFDEFAULT" => true,
        "ECDHE" | "EECDH" | "kECDHE" | "kEECDH" | "TLSv1.2" | "AEAD" => true,
        "AESGCM" | "AES" => suite.contains("AES"),
        "AES128" => suite.contains("AES128"),
        "AES256" => suite.contains("AES256"),
        "CHACHA20" => suite.contains("CHACHA20"),
        "aRSA" | "RSA" => suite.contains("-RSA-"),
        "aECDSA" | "ECDSA" => suite.contains("-ECDSA-"),
        _ => false,
    }
}

/// Takes any certificate, which is what `redfish_verify_ca = false` asks for. The signatures of
/// the handshake are still checked, so that the peer at least owns the certificate it shows.
#[derive(Debug)]
struct Anybody {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Anybody {
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

    fn tls(ciphers: Option<&str>, verify: Verify) -> Tls {
        Tls {
            verify,
            minimum: None,
            ciphers: ciphers.map(str::to_owned),
        }
    }

    fn suites(ciphers: &str) -> Vec<String> {
        let config = config(&tls(Some(ciphers), Verify::Off)).unwrap();
        let all = config.crypto_provider().cipher_suites.iter();
        all.filter(|suite| suite.version() == &TLS12)
            .map(openssl_name)
            .collect()
    }

    #[test]
    fn ciphers_are_chosen_as_openssl_writes_them() {
        assert_eq!(
            suites("AES128-SHA:ECDHE-RSA-AES256-GCM-SHA384"),
            ["ECDHE-RSA-AES256-GCM-SHA384"]
        );
        assert_eq!(
            suites("ECDHE-ECDSA-CHACHA20-POLY1305"),
            ["ECDHE-ECDSA-CHACHA20-POLY1305"]
        );
        assert_eq!(
            suites("ECDHE+AESGCM:!aECDSA:!AES128"),
            ["ECDHE-RSA-AES256-GCM-SHA384"]
        );
        assert_eq!(suites("DEFAULT@SECLEVEL=0:!aNULL").len(), 6);
        let none = config(&tls(Some("RC4-MD5"), Verify::Off));
        assert_eq!(none.unwrap_err(), TlsError::Ciphers("RC4-MD5".into()));
    }

    #[test]
    fn a_place_without_authorities_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("ca.pem");
        fs::write(&file, "nothing").unwrap();
        for path in [directory.path(), &file, Path::new("/no/such/file")] {
            let wrong = config(&tls(None, Verify::Path(path.to_owned())));
            assert!(matches!(wrong, Err(TlsError::Authorities { .. })));
        }
        assert!(config(&tls(None, Verify::System)).is_ok());
    }
}
