//! Certificate verifiers that check other things than rustls itself does.
//!
//! Where an operator names a CA file, chain and host name are verified, but a server may also
//! present a CA certificate of that file itself. rustls rejects every CA certificate used as a
//! server certificate, while OpenSSL accepts it, and the self-signed certificates of BMCs are often
//! marked as CA. The owner of a CA's key could sign a certificate for any name, so this weakens
//! nothing.
//!
//! The signatures of the handshake are always verified, so that the peer at least owns the private
//! key of its certificate.

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
    /// Signed by one of these CAs, or one of these itself; host name verified.
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
                    // webpki reports "CA used as end entity" only after it checked the validity
                    // period.
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
