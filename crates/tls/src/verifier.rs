//! Looks at servers' certificates that ask other things than rustls itself does.
//!
//! Where an operator names a file, the chain and the name are asked for, but a server may also show
//! an authority of that file itself. rustls refuses every authority that serves, while OpenSSL takes
//! it, and the certificates that BMCs sign for themselves often are authorities by their own word.
//! Whoever has the key of an authority could sign a certificate for any name, so nothing is lost.
//!
//! Whatever is not asked, the signatures of the handshake are checked, so that the peer at least
//! owns the certificate that it shows.

use rustls::{
    CertificateError, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    client::{
        danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
        verify_server_cert_signed_by_trust_anchor, verify_server_name,
    },
    crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime},
    server::ParsedCertificate,
};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Verifier {
    pub(crate) takes: Takes,
    pub(crate) provider: Arc<CryptoProvider>,
}

#[derive(Debug)]
pub(crate) enum Takes {
    /// Those whom one of these has signed, and these themselves, by their name.
    Roots(RootCertStore),
    Anyone,
    AnyName(RootCertStore),
    Only(CertificateDer<'static>),
}

/// Whether a certificate has the name and the key of one of these authorities.
fn is_one_of(certificate: &CertificateDer<'_>, roots: &RootCertStore) -> bool {
    let mut own = RootCertStore::empty();
    let added = own.add(certificate.clone().into_owned());
    added.is_ok() && own.roots.iter().all(|own| roots.roots.contains(own))
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        _ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let algorithms = self.provider.signature_verification_algorithms.all;
        match &self.takes {
            Takes::Roots(roots) => {
                let parsed = ParsedCertificate::try_from(certificate)?;
                let verified = verify_server_cert_signed_by_trust_anchor(
                    &parsed,
                    roots,
                    intermediates,
                    now,
                    algorithms,
                );
                match verified {
                    // That it is an authority is said of a certificate only when its time is right.
                    Err(Error::InvalidCertificate(CertificateError::Other(_)))
                        if is_one_of(certificate, roots) => {}
                    verified => verified?,
                }
                verify_server_name(&parsed, name)?;
            }
            Takes::Anyone => {}
            Takes::AnyName(roots) => verify_server_cert_signed_by_trust_anchor(
                &ParsedCertificate::try_from(certificate)?,
                roots,
                intermediates,
                now,
                algorithms,
            )?,
            Takes::Only(known) if known == certificate => {}
            Takes::Only(_) => {
                let reason = CertificateError::ApplicationVerificationFailure;
                return Err(Error::InvalidCertificate(reason));
            }
        }
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let known = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
