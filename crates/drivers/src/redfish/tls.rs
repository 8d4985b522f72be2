//! TLS towards BMCs: whom to trust, and what to speak.
//!
//! Ciphers are written as OpenSSL writes them, because that is what operators' files hold. Only
//! suites of TLS 1.2 can be chosen by them, as there; what the list excludes by keyword is not
//! offered here anyway. TLS 1.1 is not spoken at all: a minimum of 1.1 means 1.2.

use super::info::{Tls, TlsVersion};
use ::tls::Client;
use rustls::{
    ClientConfig, SupportedCipherSuite,
    crypto::ring,
    version::{TLS12, TLS13},
};

/// Why there is no TLS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TlsError {
    #[error("none of the TLS ciphers '{0}' is known")]
    Ciphers(String),
    #[error(transparent)]
    Client(#[from] ::tls::TlsError),
}

pub(super) async fn load(tls: &Tls) -> Result<ClientConfig, TlsError> {
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
    let versions = match tls.minimum {
        Some(TlsVersion::V13) => vec![&TLS13],
        _ => vec![&TLS13, &TLS12],
    };
    let client = Client::from(tls.verify.clone());
    Ok(client.load_with(provider, versions).await?)
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

#[cfg(test)]
mod tests {
    use super::*;
    use ::tls::{TlsError::File, Trust};

    fn tls(ciphers: Option<&str>, verify: Trust) -> Tls {
        Tls {
            verify,
            minimum: None,
            ciphers: ciphers.map(str::to_owned),
        }
    }

    async fn suites(ciphers: &str) -> Vec<String> {
        let config = load(&tls(Some(ciphers), Trust::Anyone)).await.unwrap();
        let all = config.crypto_provider().cipher_suites.iter();
        all.filter(|suite| suite.version() == &TLS12)
            .map(openssl_name)
            .collect()
    }

    #[tokio::test]
    async fn ciphers_are_chosen_as_openssl_writes_them() {
        assert_eq!(
            suites("AES128-SHA:ECDHE-RSA-AES256-GCM-SHA384").await,
            ["ECDHE-RSA-AES256-GCM-SHA384"]
        );
        assert_eq!(
            suites("ECDHE-ECDSA-CHACHA20-POLY1305").await,
            ["ECDHE-ECDSA-CHACHA20-POLY1305"]
        );
        assert_eq!(
            suites("ECDHE+AESGCM:!aECDSA:!AES128").await,
            ["ECDHE-RSA-AES256-GCM-SHA384"]
        );
        assert_eq!(suites("DEFAULT@SECLEVEL=0:!aNULL").await.len(), 6);
        let none = load(&tls(Some("RC4-MD5"), Trust::Anyone)).await;
        assert_eq!(none.unwrap_err(), TlsError::Ciphers("RC4-MD5".into()));
    }

    #[tokio::test]
    async fn a_place_without_authorities_is_an_error() {
        let absent = Trust::Path("/no/such/file".into());
        let wrong = load(&tls(None, absent)).await;
        assert!(matches!(wrong, Err(TlsError::Client(File { .. }))));
        assert!(load(&tls(None, Trust::Machine)).await.is_ok());
    }
}
