//! Trust in one certificate.
//!
//! An agent makes a certificate for itself when it starts and sends it with its reports, which its
//! token vouches for. Whoever shows exactly that certificate, and has its key, is the agent: there is
//! no authority to ask, no name to compare, and the clock of a freshly started machine means nothing.
//!
//! Where an operator wants no certificates to be looked at, anybody is accepted.

use rustls::{
    CertificateError, DigitallySignedStruct, Error, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature},
    pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject},
};
use std::sync::Arc;

/// Accepts one certificate and no other, or every one.
#[derive(Debug)]
pub(super) struct Pinned {
    certificate: Option<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl Pinned {
    /// `None` if the text holds no certificate.
    pub(super) fn of(pem: &str, provider: Arc<CryptoProvider>) -> Option<Self> {
        let certificate = CertificateDer::from_pem_slice(pem.as_bytes()).ok()?;
        Some(Self {
            certificate: Some(certificate),
            provider,
        })
    }

    pub(super) fn anybody(provider: Arc<CryptoProvider>) -> Self {
        Self {
            certificate: None,
            provider,
        }
    }
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self
            .certificate
            .as_ref()
            .is_none_or(|pinned| pinned == end_entity)
        {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(Error::InvalidCertificate(
                CertificateError::ApplicationVerificationFailure,
            ))
        }
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
