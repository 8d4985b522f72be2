//! Oldest TLS version and cipher suites.
//!
//! Cipher names are OpenSSL's, because that is what operators' files contain. As in OpenSSL, they
//! select suites of TLS 1.2 only; suites that such lists exclude by keyword are not offered anyway.
//! Versions before 1.2 are not supported.

use crate::{Client, TlsError};
use rustls::{
    ClientConfig, SupportedCipherSuite, SupportedProtocolVersion,
    crypto::{CryptoProvider, ring},
    version::{TLS12, TLS13},
};

/// The oldest accepted version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Oldest {
    #[default]
    V12,
    V13,
}

/// Versions and ciphers that a client accepts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Spoken {
    pub oldest: Oldest,
    /// Ciphers for TLS 1.2 by OpenSSL's names; all supported ones if not given.
    pub ciphers: Option<String>,
}

impl Spoken {
    /// Whether any of the ciphers is known.
    pub fn check(&self) -> Result<(), TlsError> {
        self.chosen().map(|_| ())
    }

    fn chosen(&self) -> Result<(CryptoProvider, Vec<&'static SupportedProtocolVersion>), TlsError> {
        let mut provider = ring::default_provider();
        if let Some(ciphers) = &self.ciphers {
            let is_wanted = |suite: &SupportedCipherSuite| {
                suite.version() == &TLS13 || wants(ciphers, &openssl_name(suite))
            };
            provider.cipher_suites.retain(is_wanted);
            let is_12 = |suite: &SupportedCipherSuite| suite.version() == &TLS12;
            if !provider.cipher_suites.iter().any(is_12) {
                return Err(TlsError::Ciphers(ciphers.clone()));
            }
        }
        let versions = match self.oldest {
            Oldest::V13 => vec![&TLS13],
            Oldest::V12 => vec![&TLS13, &TLS12],
        };
        Ok((provider, versions))
    }
}

impl Client {
    /// As [`Client::config`], for a choice of versions and ciphers.
    pub fn config_speaking(&self, spoken: &Spoken) -> Result<ClientConfig, TlsError> {
        let (provider, versions) = spoken.chosen()?;
        self.config_with(provider, &versions)
    }

    /// As [`Client::load`], for a choice of versions and ciphers.
    pub async fn load_speaking(self, spoken: &Spoken) -> Result<ClientConfig, TlsError> {
        let (provider, versions) = spoken.chosen()?;
        self.load_with(provider, versions).await
    }
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
    use crate::Trust;

    fn config(ciphers: &str) -> Result<ClientConfig, TlsError> {
        Client::from(Trust::Anyone).config_speaking(&Spoken {
            ciphers: Some(ciphers.to_owned()),
            ..Spoken::default()
        })
    }

    fn suites(ciphers: &str) -> Vec<String> {
        let config = config(ciphers).unwrap();
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
        assert_eq!(
            config("RC4-MD5").unwrap_err(),
            TlsError::Ciphers("RC4-MD5".into())
        );
    }
}
