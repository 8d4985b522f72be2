//! TLS towards BMCs: whom to trust, and what to speak. A minimum of TLS 1.1 means 1.2.

use super::info::{Tls, TlsVersion};
use ::tls::{Client, Oldest, Spoken, TlsError};
use rustls::ClientConfig;

pub(super) async fn load(tls: &Tls) -> Result<ClientConfig, TlsError> {
    let spoken = Spoken {
        oldest: match tls.minimum {
            Some(TlsVersion::V13) => Oldest::V13,
            _ => Oldest::V12,
        },
        ciphers: tls.ciphers.clone(),
    };
    Client::from(tls.verify.clone())
        .load_speaking(&spoken)
        .await
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::tls::Trust;

    #[tokio::test]
    async fn a_place_without_authorities_is_an_error() {
        let tls = |verify| Tls {
            verify,
            minimum: None,
            ciphers: None,
        };
        let absent = load(&tls(Trust::Path("/no/such/file".into()))).await;
        assert!(matches!(absent, Err(TlsError::File { .. })));
        assert!(load(&tls(Trust::Machine)).await.is_ok());
    }
}
