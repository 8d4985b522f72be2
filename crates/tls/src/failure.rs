//! What TLS itself complains about, somewhere below the error of an HTTP client.

use std::{error::Error, io};

/// Why a handshake failed, where a user can fix it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The server's certificate is rejected: no trusted CA has signed it, it is for another name,
    /// or it has expired.
    Certificate,
    /// The server does not speak TLS.
    NotTls,
    Other,
}

impl Failure {
    pub fn of(error: &rustls::Error) -> Self {
        match error {
            rustls::Error::InvalidCertificate(_) => Self::Certificate,
            rustls::Error::InvalidMessage(_) => Self::NotTls,
            _ => Self::Other,
        }
    }
}

/// The error of TLS in a chain of causes.
pub fn failure<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    if let Some(found) = error.downcast_ref::<rustls::Error>() {
        return Some(found);
    }
    // `source()` of such an error skips the error inside, so look at that one explicitly.
    let held = error
        .downcast_ref::<io::Error>()
        .and_then(io::Error::get_ref);
    if let Some(held) = held {
        return failure(held);
    }
    error.source().and_then(failure)
}

/// What to do about the TLS error in a chain of causes, to be put behind it; `certificate` is for a
/// certificate that is not accepted. Empty where TLS is not the reason.
pub fn advice<'a>(error: &(dyn Error + 'static), certificate: &'a str) -> &'a str {
    match failure(error).map(Failure::of) {
        Some(Failure::Certificate) => certificate,
        Some(Failure::NotTls) => "; is its address http:// instead of https://?",
        Some(Failure::Other) | None => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::{CertificateError, InvalidMessage};

    #[test]
    fn tls_is_found_below_other_errors() {
        let of = |error: rustls::Error| {
            let error = io::Error::other(io::Error::other(error));
            failure(&error).map(Failure::of)
        };
        let unknown = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        assert_eq!(of(unknown), Some(Failure::Certificate));
        let no_tls = rustls::Error::InvalidMessage(InvalidMessage::InvalidContentType);
        assert_eq!(of(no_tls), Some(Failure::NotTls));
        assert_eq!(of(rustls::Error::DecryptError), Some(Failure::Other));
        assert_eq!(failure(&io::Error::other("gone")), None);
        let unknown = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        assert_eq!(advice(&io::Error::other(unknown), "; set x"), "; set x");
        assert_eq!(advice(&io::Error::other("gone"), "; set x"), "");
    }
}
